/* Rows of `millrace bench` about threads: callbacks, and what the model says of other machines.
   SPDX-License-Identifier: ISC */
#ifndef MR_HOST_BENCH_ROWS_H
#define MR_HOST_BENCH_ROWS_H

#include <jansson.h>
#include <stddef.h>

#include "bench_callback.h"
#include "bench_run.h"

/* A row as text of up to `size` bytes, and as a record. */
const char* mr_callback_heading(void);
json_t* mr_callback_row(const MrCallbackCase* c, const MrCallbackResult* r, char* line, size_t size);

/* Gains on 2, 4, 6, 8 and 16 cores, by the model, from what was measured here: one thread's time, and what a node costs. Each number of cores gets
   the stages that keep it busy, as far as there are sections. */
json_t* mr_model_row(const MrBenchCase* c, const MrBenchShared* r, double node_ns, char* line, size_t size);

#endif
