/* The statement Copy.
   SPDX-License-Identifier: ISC */
#ifndef MR_BANK_ROUTE_LINE_H
#define MR_BANK_ROUTE_LINE_H

#include "reader.h"

bool mr_route_line_read(MrReader* reader);

#endif
