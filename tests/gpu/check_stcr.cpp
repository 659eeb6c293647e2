// The paper's STCR with look-back, in its four shapes, in float32 and, where no registers spill, float64.
// SPDX-License-Identifier: ISC
#include "checks.h"
#include "kernel_orders.h"

using namespace mr_test;

template <class T, int L, int N>
static void check() {
  Case c;
  c.method = MR_GPU_STCR;
  c.frames = 2 * L * N + 777;
  EXPECT(failures_over_orders("STCR", c, bound<float, T>(), run_groups<float, T, MrMethodSTCR, MrCarryLookback<false>, L, N>) == 0);
}

// Channels with filters of their own, and the states carried over launches whose ends lie anywhere.
static void test_channels_and_launches() {
  for (const bool interleaved : {false, true}) {
    Case c;
    c.method = MR_GPU_STCR;
    c.channels = 5;
    for (uint32_t k = 0; k < c.channels; k++) c.filter.push_back(lowpass(1 + k, 0.07 + 0.011 * k));
    c.frames = 9000;
    c.interleaved = interleaved;
    c.chunks = {1, 2, 1023, 1025, 2048, 31, 3};
    choose_schedule(interleaved);
    EXPECT(holds("STCR, channels", c, GATE, run_groups<float, float, MrMethodSTCR, MrCarryLookback<false>, 32, 32>));
    EXPECT(holds("STCR, channels, 64 lanes", c, PROMISE, run_groups<float, double, MrMethodSTCR, MrCarryLookback<false>, 64, 64>));
  }
  choose_schedule(0);
}

int main() {
  checks.run("32 x 32, float32", check<float, 32, 32>);
  checks.run("32 x 64, float32", check<float, 32, 64>);
  checks.run("32 x 128, float32", check<float, 32, 128>);
  checks.run("64 x 64, float32", check<float, 64, 64>);
  checks.run("32 x 32, float64", check<double, 32, 32>);
  checks.run("32 x 64, float64", check<double, 32, 64>);
  checks.run("64 x 64, float64", check<double, 64, 64>);
  checks.run("channels and launches", test_channels_and_launches);
  return checks.end();
}
