/* The measured costs that `millrace bench --calibrate` keeps for the other commands.
   SPDX-License-Identifier: ISC */
#ifndef MR_HOST_COSTS_H
#define MR_HOST_COSTS_H

#include "../dsp/millrace.h"

/* The costs to plan with: those kept for the level that would run here, or the estimate. A file that cannot be used is said, once. */
MrCosts mr_costs_read(void);

/* Measures and keeps them; says where. Returns an exit code. */
int mr_costs_calibrate(bool quiet);

#endif
