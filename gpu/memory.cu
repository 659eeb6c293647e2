/* What CUDA calls report, and memory that a session has.
   SPDX-License-Identifier: ISC */
#include "memory.cuh"

#include <cstdio>
#include <new>

MrGpuStatus mr_gpu_told(cudaError_t error, const char* doing, char* why) {
  MrGpuStatus status = MR_GPU_LOST;
  switch (error) {
    case cudaSuccess:
      return MR_GPU_OK;
    case cudaErrorMemoryAllocation:
      status = MR_GPU_MEMORY;
      cudaGetLastError(); /* it is not of those that stay */
      break;
    case cudaErrorInsufficientDriver:
      status = MR_GPU_NO_DRIVER;
      break;
    case cudaErrorNoDevice:
    case cudaErrorInvalidDevice:
    case cudaErrorNoKernelImageForDevice:
    case cudaErrorDevicesUnavailable:
      status = MR_GPU_NO_DEVICE;
      break;
    default:
      break;
  }
  snprintf(why, MR_GPU_WHY, "%s: %s (%s)", doing, cudaGetErrorString(error), cudaGetErrorName(error));
  return status;
}

struct MrGpuPiece_ {
  void* at;
  bool of_host;
  MrGpuPiece_* next;
};

static void give_back(MrGpuPiece_* piece, bool abandoned) {
  if (!abandoned && piece->of_host) cudaFreeHost(piece->at);
  if (!abandoned && !piece->of_host) cudaFree(piece->at);
  delete piece;
}

void* mr_gpu_memory_new(MrGpuMemory* memory, bool of_host, size_t bytes, MrGpuStatus* status, char* why) {
  MrGpuPiece_* const piece = new (std::nothrow) MrGpuPiece_;
  if (!piece) {
    *status = MR_GPU_MEMORY;
    snprintf(why, MR_GPU_WHY, "no memory");
    return nullptr;
  }
  void* at = nullptr;
  if (!bytes) bytes = 1;
  const cudaError_t error = of_host ? cudaHostAlloc(&at, bytes, cudaHostAllocPortable) : cudaMalloc(&at, bytes);
  if (error != cudaSuccess) {
    char doing[64];
    snprintf(doing, sizeof doing, "%.1f MB of memory%s", static_cast<double>(bytes) * 1e-6,
             of_host ? " that the card can reach" : " on the card");
    *status = mr_gpu_told(error, doing, why);
    delete piece;
    return nullptr;
  }
  *piece = {at, of_host, memory->first};
  memory->first = piece;
  *status = MR_GPU_OK;
  return at;
}

void mr_gpu_memory_release(MrGpuMemory* memory, void* at) {
  for (MrGpuPiece_** link = &memory->first; *link; link = &(*link)->next) {
    if ((*link)->at != at) continue;
    MrGpuPiece_* const piece = *link;
    *link = piece->next;
    give_back(piece, false);
    return;
  }
}

void mr_gpu_memory_free(MrGpuMemory* memory, bool abandoned) {
  while (memory->first) {
    MrGpuPiece_* const piece = memory->first;
    memory->first = piece->next;
    give_back(piece, abandoned);
  }
}
