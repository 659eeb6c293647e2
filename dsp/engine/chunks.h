/* A renderer's segments: chunks of the stream, each with a segment for every copy of the program in an engine's lanes, or of one segment in groups.
   SPDX-License-Identifier: ISC

   All segments of a chunk begin at the chunk's start plus their place, `early` frames before that from rest (segments.h). So chunks need nothing of
   each other but those frames, and threads share the chunks, each on an engine of its own. */
#ifndef MILLRACE_ENGINE_CHUNKS_H
#define MILLRACE_ENGINE_CHUNKS_H

#include "parallel_plan.h"
#include "program.h"
#include "segments.h"

typedef struct MrChunks MrChunks;

/* Takes the program, whatever comes of it. segments->count is 2 at least, or 1 with early frames for mr_blocks_suit(); wanted: threads. NULL with the status of mr_engine_new() and
   mr_engine_give(), or MR_ERR_MEMORY. Thread: control. */
MrChunks* mr_chunks_new(const MrEngineOptions* options, bool wide, const MrSegments* segments, MrProgram* program,
                        const MrParallelNeed* wanted, MrStatus* status);
void mr_chunks_free(MrChunks* chunks); /* NULL is allowed */

uint32_t mr_chunks_frames(const MrChunks* chunks); /* of a chunk */

/* Filters the next n frames, interleaved; n is a whole number of chunks in every call but the last. in and out may be the same. Adds to *troubles. MR_ERR_MEMORY
   (threads alone): the stream is lost. */
MrStatus mr_chunks_process(MrChunks* chunks, const void* in, void* out, uint32_t n, uint64_t* troubles);

MrPlan mr_chunks_plan(const MrChunks* chunks);
MrParallelPlan mr_chunks_parallel(const MrChunks* chunks);
struct MrFlow* mr_chunks_flow(const MrChunks* chunks); /* NULL: nothing is shared */

#endif
