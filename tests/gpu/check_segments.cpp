// Segments with warm-up, and channels on lanes: layouts, launches, poison.
// SPDX-License-Identifier: ISC
#include "checks.h"
#include "kernel_orders.h"

using namespace mr_test;

template <class S, class T>
static void test_orders() {
  Case c;
  c.frames = 9000;
  c.segment = 1024;
  c.early = 1536;
  EXPECT(failures_over_orders("segments", c, bound<S, T>(), run_segments<S, T>) == 0);
}

// Every number of channels, each with its own filter, in both layouts, over launches of whole cells and a last one that is not.
template <class S, class T>
static void test_channels() {
  for (uint32_t channels = 1; channels <= 67; channels += channels < 5 ? 1 : channels < 30 ? 13 : 1 + channels / 3) {
    for (const bool interleaved : {false, true}) {
      for (const uint64_t segment : {256u, 8192u}) { /* the longer one is all of the launch: channels on lanes */
        Case c;
        c.channels = channels;
        for (uint32_t k = 0; k < channels; k++) c.filter.push_back(lowpass(1 + k % 3, 0.1 + 0.3 * k / channels));
        c.frames = 2049 + channels;
        c.interleaved = interleaved;
        c.segment = segment;
        c.early = 256;
        c.chunks = {64, 1024};
        c.seed = channels;
        choose_schedule(channels % 3);
        EXPECT(holds("segments, channels", c, bound<S, T>(), run_segments<S, T>));
      }
    }
  }
  choose_schedule(0);
}

// The states go from launch to launch, however long filters ring, where no segment starts early.
static void test_carried() {
  MrDesign design = mr_design_default(MR_BUTTERWORTH);
  design.response = MR_RESPONSE_HP;
  design.order = 16;
  design.fc = 20;
  MrCascade cascade;
  EXPECT(mr_design(&design, 48000, &cascade, nullptr) == MR_OK);
  Case c;
  c.filter = {sections_of(cascade)};
  c.channels = 3;
  c.frames = 60001;
  c.segment = 60032;
  c.chunks = {64, 128, 30016};
  EXPECT(holds("segments, carried", c, PROMISE, run_segments<float, double>));
  EXPECT(holds("segments, carried, wide", c, 1e-11, run_segments<double, double>));
}

// A NaN spoils its channel until the end of its cell, in whatever segment it lies, and is counted once though a later segment's early start meets it too.
static void test_poison() {
  for (const bool interleaved : {false, true}) {
    Case c;
    c.filter = {lowpass(4, 0.1)};
    c.channels = 2;
    c.frames = 4096;
    c.segment = 512;
    c.early = 512;
    c.interleaved = interleaved;
    const Result clean = run_segments<float, double>(c);
    c.poison = {{1, 1000}};
    const Result r = run_segments<float, double>(c);
    EXPECT(r.status == cudaSuccess);
    EXPECT(r.troubles == 1);
    EXPECT(std::memcmp(clean.y[0].data(), r.y[0].data(), c.frames * sizeof(double)) == 0);
    EXPECT(std::memcmp(clean.y[1].data(), r.y[1].data(), 1000 * sizeof(double)) == 0);
    auto x = inputs(c)[1];
    const auto after = filtered(c.filter[0], {x.begin() + 1024, x.end()});
    for (uint64_t t = 1000; t < 1024; t++) EXPECT(std::isnan(r.y[1][t]));
    for (uint64_t t = 1024; t < c.frames; t++) EXPECT(std::fabs(r.y[1][t] - static_cast<double>(after[t - 1024])) < 1e-6);
  }
}

static void test_too_short_a_warm_up_is_seen() {
  Case c;
  c.filter = {lowpass(8, 0.1)};
  c.frames = 9000;
  c.segment = 1024;
  c.early = 64;
  EXPECT(run_segments<float, double>(c).error > 1e-3);
  c.early = 512;
  EXPECT(run_segments<float, double>(c).error < PROMISE);
}

int main() {
  checks.run("orders, float32", test_orders<float, float>);
  checks.run("orders, float64", test_orders<float, double>);
  checks.run("orders, wide", test_orders<double, double>);
  checks.run("channels, float64", test_channels<float, double>);
  checks.run("channels, wide", test_channels<double, double>);
  checks.run("carried", test_carried);
  checks.run("poison", test_poison);
  checks.run("too short a warm up is seen", test_too_short_a_warm_up_is_seen);
  return checks.end();
}
