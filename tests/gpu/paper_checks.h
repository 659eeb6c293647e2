// What each of the paper's methods has to hold, with look-back, in its four shapes, in float32 and float64.
// SPDX-License-Identifier: ISC
#ifndef MILLRACE_TESTS_GPU_PAPER_CHECKS_H
#define MILLRACE_TESTS_GPU_PAPER_CHECKS_H

#include "checks.h"
#include "kernel_orders.h"

namespace mr_test {

typedef MrCarryLookback<false> Lookback;

template <class Method>
struct PaperChecks {
  const char* name;
  MrGpuMethod method;

  template <class T, int L, int N>
  void orders() const {
    Case c;
    c.method = method;
    c.frames = 2 * L * N + 777;
    EXPECT(failures_over_orders(name, c, bound<float, T>(), run_groups<float, T, Method, Lookback, L, N>) == 0);
  }

  // Channels with filters of their own, and the states carried over launches whose ends lie anywhere.
  void channels_and_launches() const {
    for (const bool interleaved : {false, true}) {
      Case c;
      c.method = method;
      c.channels = 5;
      for (uint32_t k = 0; k < c.channels; k++) c.filter.push_back(lowpass(1 + k, 0.07 + 0.011 * k));
      c.frames = 9000;
      c.interleaved = interleaved;
      c.chunks = {1, 2, 1023, 1025, 2048, 31, 3};
      choose_schedule(interleaved);
      EXPECT(holds(name, c, GATE, run_groups<float, float, Method, Lookback, 32, 32>));
      EXPECT(holds(name, c, PROMISE, run_groups<float, double, Method, Lookback, 64, 64>));
    }
    choose_schedule(0);
  }

  int run() const {
    checks.run("32 x 32, float32", [this] { orders<float, 32, 32>(); });
    checks.run("32 x 64, float32", [this] { orders<float, 32, 64>(); });
    checks.run("32 x 128, float32", [this] { orders<float, 32, 128>(); });
    checks.run("64 x 64, float32", [this] { orders<float, 64, 64>(); });
    checks.run("32 x 32, float64", [this] { orders<double, 32, 32>(); });
    checks.run("32 x 64, float64", [this] { orders<double, 32, 64>(); });
    checks.run("64 x 64, float64", [this] { orders<double, 64, 64>(); });
    checks.run("channels and launches", [this] { channels_and_launches(); });
    return checks.end();
  }
};

}  // namespace mr_test

#endif
