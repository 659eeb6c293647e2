// What every kernel has to hold: the paper's filter at all orders, over seeded schedules with late stores, within its gate.
// SPDX-License-Identifier: ISC
#ifndef MILLRACE_TESTS_GPU_KERNEL_ORDERS_H
#define MILLRACE_TESTS_GPU_KERNEL_ORDERS_H

#include <cstdio>

#include "kernel_case.h"
#include "schedules.h"  // of the emulator, or of a card

namespace mr_test {

inline constexpr double GATE = 1e-4;     // of float32 arithmetic, over the largest output
inline constexpr double PROMISE = 1e-6;  // of float64 arithmetic with float32 samples: -120 dB
inline constexpr double WIDE = 1e-12;    // and with float64 samples

inline const uint32_t orders[] = {1, 2, 4, 8, 16, 32};  // sections

template <class S, class T>
double bound() {
  return std::is_same_v<T, float> ? GATE : std::is_same_v<S, float> ? PROMISE : WIDE;
}

// True where run(c), a Result, is within `most`; says what is not.
template <class Run>
bool holds(const char* name, const Case& c, double most, Run run) {
  const Result r = run(c);
  if (r.status == cudaSuccess && r.error <= most) return true;
  std::fprintf(stderr, "%s, %u sections, seed %llu: error %g (at most %g), %s\n%s\n", name, longest(c),
               static_cast<unsigned long long>(schedule_seed()), r.error, most, cudaGetErrorString(r.status),
               r.status == cudaSuccess ? "" : schedule_report().c_str());
  return false;
}

// All orders and seeds. `frames` should be some groups and a part of one.
template <class Run>
unsigned failures_over_orders(const char* name, Case c, double most, Run run) {
  unsigned failures = 0;
  for (const uint32_t sections : orders)
    for (uint64_t seed = 0; seed < seeds(); seed++) {
      choose_schedule(seed);
      c.filter = {lowpass(sections, 0.1)};
      c.seed = seed + 1;
      failures += !holds(name, c, most, run);
    }
  choose_schedule(0);
  return failures;
}

}  // namespace mr_test

#endif
