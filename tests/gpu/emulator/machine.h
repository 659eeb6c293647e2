// The made-up device behind the runtime: its memory, its streams, its errors.
// SPDX-License-Identifier: ISC
#ifndef MILLRACE_EMULATOR_MACHINE_H
#define MILLRACE_EMULATOR_MACHINE_H

#include <map>
#include <mutex>

#include "streams.h"

namespace mr_emulator {

enum class Place { device, pinned, registered };

struct Allocation {
  size_t bytes;
  Place place;
};

// What is known of a kernel, by its address.
struct KernelState {
  int dynamic_most = -1;  // bytes; -1: as many as the static ones leave of the usual
  size_t static_shared = 0;
  Counters counters;
};

struct Machine {
  std::recursive_mutex lock;  // of all that follows
  Options options = environment_options();
  Streams streams;
  std::map<uintptr_t, Allocation> memory;
  size_t device_bytes = 0;  // of device memory in use
  std::map<const void*, KernelState> kernels;
  Counters last, total;
  Report report;
  cudaError_t lost = cudaSuccess;  // the device's error, which all calls return until it is reset
  unsigned allocations = 0, launches = 0;

  Machine() { streams.start(options.seed); }
  // A fault of the device: what is queued does not happen.
  void lose(cudaError_t error) {
    lost = error;
    streams.drop(false);
  }
  // The allocation that holds all of these bytes; nullptr: none does.
  const Allocation* find(const void* memory, size_t bytes) const;
  // Whether any of these bytes are in device memory, but not all in one allocation.
  bool straddles(const void* memory, size_t bytes) const;
};

Machine& machine();

// What every call begins with, and ends with: an error is remembered for the calling thread.
cudaError_t usable();
cudaError_t finish(cudaError_t error);
void forget_error();

}  // namespace mr_emulator

#endif
