/* A model of the wavefront: how long a graph of nodes takes on so many cores.
   SPDX-License-Identifier: ISC

   Strands of stages, each stage a node for every group: it needs the stage before it on its group, and itself on the group before. A core that comes
   free takes the ready node of the lowest group, then of the lowest stage. So many groups may be under way. With node times and overheads measured on one machine it says
   what the graph would reach on another. */
#ifndef MR_HOST_WAVEFRONT_MODEL_H
#define MR_HOST_WAVEFRONT_MODEL_H

#include <stdint.h>

typedef struct MrWavefront {
  uint32_t cores, strands, stages, groups; /* each 1 at least */
  uint32_t under_way;                      /* groups at most; 0: any number */
  double load_ns, node_ns, store_ns;       /* of a group: before the first stages, of each stage of a strand, after the last ones */
  double overhead_ns;                      /* of each node */
  double start_ns;                         /* of a run: until the cores work */
} MrWavefront;

typedef struct MrWavefrontTime {
  double ns;         /* of a run */
  double gain;       /* one core's time without overhead over it */
  double efficiency; /* gain over cores */
} MrWavefrontTime;

/* ns is -1 where there is no memory. */
MrWavefrontTime mr_wavefront_model(const MrWavefront* w);

#endif
