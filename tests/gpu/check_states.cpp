// Groups that carry a section's own state: look-back over windows, fixed look-back, runs with warm-up. What float64 arithmetic promises, it holds for
// filters that ring for long, too; a fixed look-back gives the same bits on every schedule.
// SPDX-License-Identifier: ISC
#include "checks.h"
#include "kernel_orders.h"

using namespace mr_test;

typedef MrCarryLookback<false> Windows;
typedef MrCarryLookback<true> Fixed;

// The paper's filter forgets within 1500 frames at any order here.
static Case paper(uint32_t group) {
  Case c;
  c.frames = 3 * group + 777;
  c.depth = 1500 / group + 1;
  c.early = 1500 / group + 1;
  c.run = 2;
  return c;
}

template <class S, class T, int L, int N>
static void test_windows() {
  EXPECT(failures_over_orders("windows", paper(L * N), bound<S, T>(), run_groups<S, T, MrMethodStates, Windows, L, N>) == 0);
}
template <class S, class T, int L, int N>
static void test_fixed() {
  EXPECT(failures_over_orders("fixed", paper(L * N), bound<S, T>(), run_groups<S, T, MrMethodStates, Fixed, L, N>) == 0);
}
template <class S, class T, int L, int N>
static void test_runs() {
  EXPECT(failures_over_orders("runs", paper(L * N), bound<S, T>(), run_runs<S, T, MrMethodStates, L, N>) == 0);
}

static std::vector<MrSection> designed(MrFilterType type, MrResponse response, uint32_t order, double fc, double q, double gain_db) {
  MrDesign design = mr_design_default(type);
  design.response = response;
  design.order = order;
  design.fc = fc;
  design.width = q;
  design.gain_db = gain_db;
  MrCascade cascade;
  EXPECT(mr_design(&design, 48000, &cascade, nullptr) == MR_OK);
  return sections_of(cascade);
}

// Filters that ring for seconds, many short groups, channels of their own, launches that end anywhere.
static void test_long_ringing() {
  for (uint64_t seed = 0; seed < seeds(); seed++) {
    Case c;
    c.filter = {designed(MR_BUTTERWORTH, MR_RESPONSE_LP, 16, 20, 0, 0), designed(MR_BUTTERWORTH, MR_RESPONSE_HP, 16, 20, 0, 0),
                designed(MR_PEAK, MR_RESPONSE_LP, 2, 30, 30, 12), designed(MR_PEAK, MR_RESPONSE_LP, 2, 1000, 100, -24)};
    c.channels = 4;
    c.frames = 150000; /* 147 groups: five windows */
    c.chunks = {100003, 1, 2, 77};
    c.interleaved = seed & 1;
    c.seed = seed + 1;
    choose_schedule(seed);
    EXPECT(holds("windows, long", c, PROMISE, run_groups<float, double, MrMethodStates, Windows, 32, 32>));
    EXPECT(holds("windows, long, wide", c, 1e-11, run_groups<double, double, MrMethodStates, Windows, 256, 16>));
  }
  choose_schedule(0);
}

static void test_fixed_is_the_same_on_every_schedule() {
  std::vector<std::vector<double>> first;
  for (uint64_t seed = 0; seed < seeds(); seed++) {
    Case c;
    c.filter = {lowpass(4, 0.1)};
    c.channels = 2;
    c.frames = 40 * 1024 + 5;
    c.depth = 37; /* more than a window */
    c.chunks = {1024, 20000};
    choose_schedule(seed);
    const Result r = run_groups<float, float, MrMethodStates, Fixed, 32, 32>(c);
    EXPECT(r.status == cudaSuccess);
    EXPECT(r.error <= GATE);
    if (seed == 0) first = r.y;
    for (uint32_t k = 0; k < c.channels; k++) EXPECT(std::memcmp(first[k].data(), r.y[k].data(), c.frames * sizeof(double)) == 0);
  }
  choose_schedule(0);
}

// A NaN, or what is no sample any more, spoils its channel until the end of its group and nothing else; the channel goes on from rest there, and is counted.
template <class Run>
static void poisoned(uint64_t resumes, double value, Case c, Run run) {
  c.filter = {lowpass(4, 0.1)};
  c.channels = 3;
  c.frames = 8192;
  const Result clean = run(c);
  EXPECT(clean.status == cudaSuccess);
  c.poison = {{1, 2500}};
  c.poison_value = value;
  const Result r = run(c);
  EXPECT(r.status == cudaSuccess);
  EXPECT(r.troubles == 1);
  for (const uint32_t k : {0u, 2u}) EXPECT(std::memcmp(clean.y[k].data(), r.y[k].data(), c.frames * sizeof(double)) == 0);
  EXPECT(std::memcmp(clean.y[1].data(), r.y[1].data(), 2500 * sizeof(double)) == 0);
  auto x = inputs(c)[1];
  const auto after = filtered(c.filter[0], {x.begin() + static_cast<long>(resumes), x.end()});
  double worst = 0;
  for (uint64_t t = resumes; t < c.frames; t++) worst = std::max(worst, std::fabs(r.y[1][t] - static_cast<double>(after[t - resumes])));
  EXPECT(worst < 1e-5);
  if (std::isnan(value)) EXPECT(std::isnan(r.y[1][2500]));
}

static void test_poison() {
  for (uint64_t seed = 0; seed < seeds(); seed++) {
    for (const double value : {static_cast<double>(NAN), 1e20, -static_cast<double>(INFINITY)}) {
      choose_schedule(seed);
      Case c;
      poisoned(3072, value, c, run_groups<float, double, MrMethodStates, Windows, 32, 32>);
      poisoned(4096, value, c, run_groups<float, double, MrMethodStates, Windows, 128, 32>);
      c.depth = 2;
      poisoned(3072, value, c, run_groups<float, double, MrMethodStates, Fixed, 32, 32>);
      c.run = 8; /* one block a channel: no early start sees it */
      poisoned(3072, value, c, run_runs<float, double, MrMethodStates, 32, 32>);
    }
  }
  choose_schedule(0);
}

// Started early by a hundred frames where it takes fifteen hundred: what comes out is seen to be wrong.
static void test_too_short_a_warm_up_is_seen() {
  Case c;
  c.filter = {lowpass(8, 0.1)};
  c.frames = 20000;
  c.run = 2;
  c.early = 0;
  EXPECT(run_runs<float, double, MrMethodStates, 32, 32>(c).error > 1e-3);
  c.early = 1;
  EXPECT(run_runs<float, double, MrMethodStates, 32, 32>(c).error < PROMISE);
  c.filter = {designed(MR_PEAK, MR_RESPONSE_LP, 2, 1000, 30, 12)};
  c.depth = 1;
  EXPECT(run_groups<float, double, MrMethodStates, Fixed, 32, 32>(c).error > 1e-3);
  c.depth = static_cast<uint32_t>(mr_sections_ring_time(c.filter[0].data(), 1, 1e-9, 1 << 20) / 1024 + 1);
  EXPECT(c.depth > 10);
  EXPECT(run_groups<float, double, MrMethodStates, Fixed, 32, 32>(c).error < PROMISE);
}

int main() {
  checks.run("windows, float32", test_windows<float, float, 32, 32>);
  checks.run("windows, 128 lanes, float32", test_windows<float, float, 128, 32>);
  checks.run("windows, float64", test_windows<float, double, 128, 32>);
  checks.run("windows, wide", test_windows<double, double, 256, 16>);
  checks.run("fixed, 128 lanes, float32", test_fixed<float, float, 128, 32>);
  checks.run("fixed, float64", test_fixed<float, double, 128, 32>);
  checks.run("fixed, wide", test_fixed<double, double, 256, 16>);
  checks.run("runs, 128 lanes, float32", test_runs<float, float, 128, 32>);
  checks.run("runs, float64", test_runs<float, double, 128, 32>);
  checks.run("runs, wide", test_runs<double, double, 256, 16>);
  checks.run("long ringing", test_long_ringing);
  checks.run("fixed is the same on every schedule", test_fixed_is_the_same_on_every_schedule);
  checks.run("poison", test_poison);
  checks.run("too short a warm up is seen", test_too_short_a_warm_up_is_seen);
  return checks.end();
}
