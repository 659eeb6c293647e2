/* What CUDA calls report, and memory that a session has of the card and of the host.
   SPDX-License-Identifier: ISC */
#ifndef MILLRACE_GPU_MEMORY_CUH
#define MILLRACE_GPU_MEMORY_CUH

#include <cstddef>

#include "millrace_gpu.h"
#include "primitives.cuh"

/* MR_GPU_OK for cudaSuccess, else the status that an error comes down to, with `doing` and CUDA's words in why[MR_GPU_WHY]. */
MrGpuStatus mr_gpu_told(cudaError_t error, const char* doing, char* why);

/* Pieces of memory, in a list. */
struct MrGpuPiece_;
struct MrGpuMemory {
  MrGpuPiece_* first;
};

/* Memory of the card, or of the host that the card can copy from and to while it works; not set to anything. NULL with the status; 0 bytes give
   some all the same. */
void* mr_gpu_memory_new(MrGpuMemory* memory, bool of_host, size_t bytes, MrGpuStatus* status, char* why);
/* Gives one piece back. */
void mr_gpu_memory_release(MrGpuMemory* memory, void* piece);
/* All of them; `abandoned`: without a word to the card, which is another process's. */
void mr_gpu_memory_free(MrGpuMemory* memory, bool abandoned);

#endif
