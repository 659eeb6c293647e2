// PLR, the direct form in float32: right for the paper's filter at orders 2 and 4, beyond its gate at 8, and not even finite at 16.
// SPDX-License-Identifier: ISC
#include "checks.h"
#include "kernel_orders.h"
#include "plr_case.h"

using namespace mr_test;

static Case filter_of(uint32_t order, uint64_t seed, uint64_t frames) {
  Case c;
  c.filter = {lowpass(order / 2, 0.1)};
  c.frames = frames;
  c.seed = seed + 1;
  return c;
}

static void test_order_2_and_4() {
  for (uint64_t seed = 0; seed < seeds(); seed++) {
    choose_schedule(seed);
    EXPECT(holds("PLR 2", filter_of(2, seed, 70000), GATE, run_plr<2>));
    EXPECT(holds("PLR 4", filter_of(4, seed, 70000), GATE, run_plr<4>));
  }
  choose_schedule(0);
}

static void test_order_8_misses_the_gate() {
  const Result r = run_plr<8>(filter_of(8, 0, 1 << 16));
  EXPECT(r.status == cudaSuccess);
  std::printf("(order 8: %g) ", r.error);
  EXPECT(!(r.error <= GATE));
}

static void test_order_16_is_not_finite() {
  const Result r = run_plr<16>(filter_of(16, 0, 1 << 20));
  EXPECT(r.status == cudaSuccess);
  EXPECT(!std::isfinite(r.y[0].back()));
}

int main() {
  checks.run("orders 2 and 4", test_order_2_and_4);
  checks.run("order 8 misses the gate", test_order_8_misses_the_gate);
  checks.run("order 16 is not finite", test_order_16_is_not_finite);
  return checks.end();
}
