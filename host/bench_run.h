/* Measures one case of the engine against the C reference, in turn.
   SPDX-License-Identifier: ISC */
#ifndef MR_HOST_BENCH_RUN_H
#define MR_HOST_BENCH_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "../dsp/millrace.h"

/* A cascade (bands = 0) or an equaliser. */
typedef struct MrBenchCase {
  uint32_t channels, block;
  uint32_t order;         /* cascade: of a Butterworth low-pass, its corner different in each channel */
  bool interleaved, wide; /* cascade: layout; float64 streams */
  bool fast;              /* cascade: float32 arithmetic */
  uint32_t bands;         /* equaliser: bells on all channels, planar float32 */
  bool moving;            /* equaliser: every band moves all the time */
} MrBenchCase;

typedef struct MrBenchResult {
  double ns, reference_ns; /* per sample and channel; equaliser: per frame, channel and band; medians */
  double ratio;            /* median of reference / kernel, round by round */
  MrPlan plan;
  MrFastRule rule; /* of the cascade, where it is fast */
} MrBenchResult;

/* `seconds`: about how long one measurement of a round takes. */
MrStatus mr_bench_run(const MrBenchCase* c, uint32_t rounds, double seconds, MrBenchResult* result);

#endif
