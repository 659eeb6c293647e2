// Cards as the cost model sees them, from their makers' tables.
// SPDX-License-Identifier: ISC
#ifndef MILLRACE_TESTS_GPU_DEVICES_H
#define MILLRACE_TESTS_GPU_DEVICES_H

#include <cstdio>

#include "gpu/millrace_gpu.h"

namespace mr_test {

// What the two have in common, and their names.
inline MrGpuDevice card(const char* name, uint32_t major, uint32_t minor) {
  MrGpuDevice d = {};
  std::snprintf(d.name, sizeof d.name, "%s", name);
  d.major = major;
  d.minor = minor;
  d.registers = 65536;
  d.singles = 128;
  return d;
}

inline MrGpuDevice h200() {
  MrGpuDevice d = card("H200", 9, 0);
  d.processors = 132;
  d.shared = 233472;
  d.block_shared = 232448;
  d.threads = 2048;
  d.blocks = 32;
  d.clock = 1.785e9;
  d.bandwidth = 4.8e12;
  d.doubles = 64;
  d.host_bandwidth = 40e9;
  d.memory = 140ull << 30;
  return d;
}

inline MrGpuDevice rtx3060() {
  MrGpuDevice d = card("RTX 3060", 8, 6);
  d.processors = 28;
  d.shared = 102400;
  d.block_shared = 101376;
  d.threads = 1536;
  d.blocks = 16;
  d.clock = 1.777e9;
  d.bandwidth = 360e9;
  d.doubles = 2;
  d.host_bandwidth = 12e9;
  d.memory = 12ull << 30;
  return d;
}

}  // namespace mr_test

#endif
