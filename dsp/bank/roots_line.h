/* The filter type Analogue: a gain, zeros and poles.
   SPDX-License-Identifier: ISC */
#ifndef MR_BANK_ROOTS_LINE_H
#define MR_BANK_ROOTS_LINE_H

#include "reader.h"

/* What follows the word Analogue: Gain g, Zeros and Poles, each with numbers or pairs and perhaps Hz behind them. */
bool mr_roots_line_read(MrReader* reader, double* gain, MrRoots* roots);

#endif
