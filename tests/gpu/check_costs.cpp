// What kernels cost, counted: the cost model's terms are these numbers.
// SPDX-License-Identifier: ISC
#include "checks.h"
#include "kernel_orders.h"

using namespace mr_test;

struct Found {
  double barriers, shuffles, fused;  // of a group and section, but fused: of a sample and section
};

// The difference that one more section makes is a section's; what no section needs is the same with 1 and with 2.
template <class T, class Method, class Carry, int L, int N>
static Found count(MrGpuMethod method) {
  mr_emulator::Counters n[2];
  const uint64_t groups = 8;
  for (const uint32_t sections : {1u, 2u}) {
    Case c;
    c.method = method;
    c.filter = {lowpass(sections, 0.1)};
    c.frames = groups * L * N;
    c.depth = 1;
    const Result r = run_groups<float, T, Method, Carry, L, N>(c);
    EXPECT(r.status == cudaSuccess && r.error <= GATE);
    n[sections - 1] = mr_emulator::last_counters();
  }
  const double group = static_cast<double>(groups), samples = group * L * N;
  const auto section = [&](uint64_t mr_emulator::Counters::*what) { return static_cast<double>(n[1].*what - n[0].*what); };
  return {section(&mr_emulator::Counters::barriers) / group, section(&mr_emulator::Counters::shuffles) / group,
          section(&mr_emulator::Counters::fused) / samples};
}

typedef MrCarryLookback<false> Windows;
typedef MrCarryLookback<true> Fixed;

static void near(double found, double wanted, double within, const char* what) {
  if (std::fabs(found - wanted) <= within) return;
  std::printf("(%s: %g, not %g) ", what, found, wanted);
  checks.expect(false, what, __FILE__, __LINE__);
}

// Written once, 4 bytes a float32 sample, whatever the sections; and read once, by copies alone.
static void test_bytes() {
  for (const uint32_t sections : {1u, 8u}) {
    Case c;
    c.filter = {lowpass(sections, 0.1)};
    c.frames = 8 * 1024;
    EXPECT(run_groups<float, double, MrMethodStates, Windows, 32, 32>(c).status == cudaSuccess);
    const mr_emulator::Counters n = mr_emulator::last_counters();
    EXPECT_EQUAL(n.copies, c.frames / 4);  // of 16 bytes
    const uint64_t pairs = 8 * sections * (2 * 16 + 2 * 4), states = sections * 16;
    EXPECT_EQUAL(n.stored_bytes, c.frames * 4 + pairs + states);
  }
}

// One warp needs no barrier at all. With more, a section has one for its scan and one for its carry; reductions one more for each level down and up.
static void test_meetings() {
  const Found states = count<float, MrMethodStates, Windows, 32, 32>(MR_GPU_STATES);
  near(states.barriers, 0, 0, "barriers, one warp");
  near(states.shuffles, 10 + 2 + 2 + 10, 0, "shuffles: a scan of pairs, its last, one lane up, and the sum of a window");
  near(states.fused, 4 + 2 + (5 + 1 + 1 + 1 + 1) * 4 / 32.0, 0.2, "fused operations");
  near(count<float, MrMethodStates, Fixed, 128, 32>(MR_GPU_STATES).barriers, 2, 0, "barriers, four warps");
  near(count<float, MrMethodPH, Windows, 64, 64>(MR_GPU_PH).barriers, 2, 0, "barriers, PH");
  /* 6 levels down, the terminal scan, 1 + 6 levels up, the pairs, the carry */
  near(count<float, MrMethodSTCR, Windows, 64, 64>(MR_GPU_STCR).barriers, 6 + 1 + 1 + 6 + 1 + 1, 0, "barriers, STCR");
  /* two inputs; for either parity 5 levels down, a scan, 1 + 5 levels up; the pairs, the carry */
  near(count<float, MrMethodDTCR, Windows, 64, 64>(MR_GPU_DTCR).barriers, 2 + 2 * (5 + 1 + 1 + 5) + 1 + 1, 0, "barriers, DTCR");
}

// Three for the numerator less what is a product, two or more for the recursion, two for the homogeneous part; five taps for DTCR.
static void test_fused() {
  const double scans = 1.0;  // of 64 lanes of 64 samples, at most, a sample
  near(count<float, MrMethodPH, Windows, 64, 64>(MR_GPU_PH).fused, 2 + 2 + 2, scans, "PH");
  near(count<float, MrMethodSTCR, Windows, 64, 64>(MR_GPU_STCR).fused, 2 + 2 + 2 + 2, scans, "STCR");
  near(count<float, MrMethodDTCR, Windows, 64, 64>(MR_GPU_DTCR).fused, 4 + 2 + 2, scans, "DTCR");
}

// 8 bytes a sample, and 4 K fused operations, each times what is done twice; no barrier, no ticket.
static void test_segments() {
  for (const uint32_t sections : {1u, 8u}) {
    Case c;
    c.filter = {lowpass(sections, 0.1)};
    c.frames = 32 * 1024;
    c.segment = 1024;
    c.early = 256;
    mr_emulator::clear_counters();
    EXPECT(run_segments<float, double>(c).status == cudaSuccess);
    const mr_emulator::Counters n = mr_emulator::last_counters();
    const double samples = static_cast<double>(c.frames), again = 1 + static_cast<double>(c.early) / static_cast<double>(c.segment);
    EXPECT(n.barriers == 0);
    EXPECT(n.tickets == 0);
    EXPECT(n.shuffles == 0);
    /* The first segment has nothing before it, but its lane runs with the others of its warp. */
    EXPECT(std::fabs(static_cast<double>(n.fused) / samples - 4 * sections * again) < 1e-9);
    EXPECT(n.stored_bytes == c.frames * 4 + sections * 2 * 8);
    /* Samples; and numbers of each section in each row of 32, from where they are cached. */
    const double rows = samples * again / 32, numbers = rows * sections * 5 * 8, once = 32 * 8 + sections * 2 * 8;
    EXPECT(std::fabs(static_cast<double>(n.loaded_bytes) - (samples * again - c.early) * 4 - numbers - once) < 1e-6);
  }
}

int main() {
  checks.run("segments", test_segments);
  checks.run("bytes", test_bytes);
  checks.run("meetings", test_meetings);
  checks.run("fused operations", test_fused);
  return checks.end();
}
