/* How a shared block is cut into parts, and whether sharing it promises anything.
   SPDX-License-Identifier: ISC */
#ifndef MILLRACE_ENGINE_SHARING_CUT_H
#define MILLRACE_ENGINE_SHARING_CUT_H

#include "sharing_job.h"

/* Most chunks and stages of any cut: states are kept behind each chunk, samples between stages. Thread: any. */
uint32_t mr_cut_chunks_most(const MrSharer* sharer);
uint32_t mr_cut_stages_most(const MrSharer* sharer);

/* Nanoseconds that n frames of a side take on one thread, by the costs. Real-time. */
double mr_cut_alone_ns(const MrSharer* sharer, const MrSide* side, bool interleaved, uint32_t n);

/* The same of as many sections as the side can come to have. */
double mr_cut_most_ns(const MrSharer* sharer, const MrSide* side, uint32_t n);

/* What a stretch asks of its cut. */
typedef struct MrCutAsked {
  const MrSide *side, *next; /* next: NULL but in a fade */
  uint32_t n, at;
  bool moves; /* bands do: within a cell */
  bool apart; /* the caller may run some tiles as if there were no threads */
} MrCutAsked;

/* The cut for so many nanoseconds; one stage and one chunk where nothing is gained by more. Real-time. */
MrCut mr_cut_plan(const MrSharer* sharer, const MrCutAsked* asked, double alone_ns);

/* How many times faster than one thread a cut should be; fixed_ns: what the caller has to do besides. Real-time. */
double mr_cut_gain(const MrSharer* sharer, const MrCut* cut, double alone_ns, double fixed_ns);

/* Makes the parts of a cut of the job's frames, in the order in which they are to be claimed. Real-time. */
void mr_cut_parts(MrBlockJob* job, const MrCut* cut);

/* Whether each of the last tile's parts can be run as few channels, from lengths that gain by it. Real-time. */
bool mr_cut_is_few(const MrBlockJob* job, const MrTile* last, bool interleaved);

#endif
