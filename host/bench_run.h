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
  uint32_t sections;      /* > 0: so many bells in each channel instead */
  bool interleaved, wide; /* cascade: layout; float64 streams */
  bool fast;              /* cascade: float32 arithmetic */
  bool renderer;          /* cascade: a renderer in blocks of whole chunks, interleaved, and not an engine */
  uint32_t bands;         /* equaliser: bells on all channels, planar float32 */
  bool moving;            /* equaliser: every band moves all the time */
  uint32_t threads;       /* renderer: 0 counts as 1 */
  uint32_t grain, stages; /* renderer: 0: planned */
  MrTrace* trace;         /* mr_bench_shared: where the nodes of one block more go; NULL: nowhere */
} MrBenchCase;

typedef struct MrBenchResult {
  double ns, reference_ns; /* per sample and channel; equaliser: per frame, channel and band; medians */
  double ratio;            /* median of reference / kernel, round by round */
  double predicted_ns;     /* by the cost model; 0 for an equaliser, whose bands may move, for float32 and for a renderer */
  uint32_t block;          /* as it was measured */
  MrPlan plan;
  MrFastRule rule; /* of the cascade, where it is fast */
} MrBenchResult;

/* A renderer of many threads beside the same with one. ns are per sample and channel. */
typedef struct MrBenchShared {
  double ns, p99_ns, worst_ns; /* of a block, over all blocks of all rounds */
  double one_ns;               /* median over rounds */
  double gain, low, high;      /* one / many, round by round: median, 10th and 90th percentile */
  double cpu;                  /* processor time of many / one, all rounds */
  double
      machine; /* one / as many renderers of one thread as there are threads, each on a thread, a stream each: what the machine has to give; median */
  double nodes;   /* of a block */
  uint32_t block; /* as it was measured */
  MrPlan plan;
} MrBenchShared;

/* c->block 0: what keeps all threads busy. */
MrStatus mr_bench_shared(const MrBenchCase* c, const MrCosts* costs, uint32_t rounds, double seconds, MrBenchShared* result);

/* What the schedule plan chose for the channels that are left over, and what either way takes. */
typedef struct MrBenchChoice {
  bool free;            /* there is something to choose; without it the rest is 0 */
  bool chains;          /* chosen: their sections in lanes */
  double without, with; /* ns of a sample and channel: medians without chains and with them */
  double gain;          /* median of without / with, round by round */
} MrBenchChoice;

MrStatus mr_bench_choice(const MrBenchCase* c, const MrCosts* costs, uint32_t rounds, double seconds, MrBenchChoice* choice);

/* `seconds`: about how long one measurement of a round takes. */
MrStatus mr_bench_run(const MrBenchCase* c, const MrCosts* costs, uint32_t rounds, double seconds, MrBenchResult* result);

#endif
