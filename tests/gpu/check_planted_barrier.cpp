// Kernels of two warps without their barriers come out wrong on some schedules, for every method that has any.
// SPDX-License-Identifier: ISC
#include "gpu/primitives.cuh"
#define mr_sync_block() ((void)0)
#include "checks.h"
#include "kernel_orders.h"

using namespace mr_test;

template <class Method>
static void check(MrGpuMethod method) {
  Case c;
  c.method = method;
  c.filter = {lowpass(4, 0.1)};
  c.frames = 5 * 4096;
  unsigned wrong = 0;
  for (uint64_t seed = 1; seed <= 10; seed++) {
    choose_schedule(seed);
    mr_emulator::Options o = mr_emulator::options();
    o.report = [](const mr_emulator::Report&) {};
    o.steps = 100000;
    mr_emulator::set_options(o);
    const Result r = run_groups<float, float, Method, MrCarryLookback<false>, 64, 64>(c);
    wrong += r.status != cudaSuccess || !(r.error <= GATE);
  }
  EXPECT(wrong >= 5);
}

int main() {
  checks.run("states", [] { check<MrMethodStates>(MR_GPU_STATES); });
  checks.run("PH", [] { check<MrMethodPH>(MR_GPU_PH); });
  checks.run("STCR", [] { check<MrMethodSTCR>(MR_GPU_STCR); });
  checks.run("DTCR", [] { check<MrMethodDTCR>(MR_GPU_DTCR); });
  return checks.end();
}
