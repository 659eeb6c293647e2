/* The same checks of fibers that are made with the C library, as on processors without assembly.
   SPDX-License-Identifier: ISC */
#define MR_FIBER_UCONTEXT
#define mr_fiber_prepare mr_ucontext_prepare
#define mr_fiber_switch  mr_ucontext_switch

#include "fiber.c"

#include "check_fiber.c"
