// The cost model against closed forms and the makers' occupancy rules, and what the planner makes of banks.
// SPDX-License-Identifier: ISC
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "checks.h"
#include "devices.h"
#include "gpu/plan.h"

using namespace mr_test;

// As compiled for an H200, about.
static const std::vector<MrGpuResource> resources = {
    {MR_GPU_SEGMENTS, false, true, 64, 32, 96, 18432, 512},       {MR_GPU_SEGMENTS, false, false, 64, 32, 144, 18432, 1024},
    {MR_GPU_RUNS, false, true, 128, 32, 88, 18432, 8},            {MR_GPU_RUNS, false, false, 128, 32, 136, 18432, 16},
    {MR_GPU_FIXED, false, true, 128, 32, 88, 18432, 0},           {MR_GPU_FIXED, false, false, 128, 32, 136, 18432, 0},
    {MR_GPU_WINDOWS, false, true, 128, 32, 88, 18432, 0},         {MR_GPU_WINDOWS, false, false, 128, 32, 136, 18432, 0},
    {MR_GPU_PH_KERNEL, false, true, 32, 32, 88, 4608, 0},         {MR_GPU_PH_KERNEL, false, true, 32, 64, 120, 8704, 0},
    {MR_GPU_SEGMENTS, true, false, 64, 16, 112, 18432, 1024},
};

struct Bank {
  std::vector<MrSection> section;
  std::vector<uint64_t> decay;
  std::vector<MrGpuCascade> cascade;
  MrGpuJob job = {};

  Bank(const MrDesign& design, double fs, uint32_t channels, uint64_t chunk, bool fast) {
    MrCascade c;
    if (mr_design(&design, fs, &c, nullptr) != MR_OK) std::abort();
    section.assign(c.section, c.section + c.n);
    const uint64_t limit = mr_gpu_decay_limit(chunk);
    const auto reach = [&](const MrSection* s, size_t n) {
      const uint64_t ring = mr_sections_ring_time(s, n, 1e-9, limit + 1);
      return ring > limit ? UINT64_MAX : ring;
    };
    for (const MrSection& s : section) decay.push_back(reach(&s, 1));
    cascade.assign(channels, MrGpuCascade{section.data(), c.n, c.gain, reach(section.data(), c.n), decay.data()});
    job.channels = channels;
    job.cascade = cascade.data();
    job.fast = fast;
    job.chunk = static_cast<uint32_t>(chunk);
    job.submissions = 3;
  }
};

static MrDesign lowpass(uint32_t order, double fc) {
  MrDesign d = mr_design_default(MR_BUTTERWORTH);
  d.order = order;
  d.fc = fc;
  return d;
}

static MrGpuPlan plan_of(const MrGpuDevice& d, const Bank& b, MrGpuStatus wanted = MR_GPU_OK) {
  MrGpuPlan plan;
  char why[MR_GPU_WHY] = "";
  EXPECT_EQUAL(mr_gpu_plan(&d, &b.job, resources.data(), static_cast<uint32_t>(resources.size()), &plan, why), wanted);
  EXPECT((wanted == MR_GPU_OK) == (why[0] == 0));
  return plan;
}

// Of the occupancy tables: whole warps, registers by eights, a kibibyte of shared memory for the system in each block.
static void test_resident() {
  const MrGpuDevice d = h200();
  EXPECT_EQUAL(mr_gpu_resident(&d, 128, 96, 0), 5);           // 65536 / (96 * 32) = 21 warps
  EXPECT_EQUAL(mr_gpu_resident(&d, 1024, 32, 0), 2);          // threads
  EXPECT_EQUAL(mr_gpu_resident(&d, 32, 16, 0), 32);           // blocks
  EXPECT_EQUAL(mr_gpu_resident(&d, 64, 32, 100 << 10), 2);    // 228 KiB
  EXPECT_EQUAL(mr_gpu_resident(&d, 64, 32, 227 << 10), 1);
  EXPECT_EQUAL(mr_gpu_resident(&d, 64, 32, 228 << 10), 0);
  EXPECT_EQUAL(mr_gpu_resident(&d, 32, 255, 0), 8);           // 256 * 32 registers a warp
  const MrGpuDevice small = rtx3060();
  EXPECT_EQUAL(mr_gpu_resident(&small, 32, 16, 0), 16);
  EXPECT_EQUAL(mr_gpu_resident(&small, 256, 64, 0), 4);
}

// Where memory binds, time is bytes over bandwidth; where arithmetic does, operations over their rate.
static void test_floors() {
  const MrGpuDevice d = h200();
  const MrGpuResource r = resources[0];
  const MrGpuWork one = {1, 1, 1ull << 28, false, true};
  const MrGpuCut cut = {4096, 1u << 16, 64, 0};
  const MrGpuCost c = mr_gpu_cost(&d, &r, &one, &cut);
  const double bytes = static_cast<double>(one.frames) * (4 + 4 * (1 + 64.0 / 4096));
  EXPECT(std::fabs(c.memory_s / (bytes / (0.92 * d.bandwidth)) - 1) < 1e-12);
  EXPECT(c.total_s >= c.memory_s && c.total_s < c.memory_s * 1.05 + 1e-5);
  const MrGpuWork many = {1, 32, 1ull << 28, false, false};
  const MrGpuCost slow = mr_gpu_cost(&d, &resources[1], &many, &cut);
  const double operations = static_cast<double>(many.frames) * (1 + 64.0 / 4096) * (32 * 6 + 1);
  EXPECT(std::fabs(slow.arithmetic_s / (operations / (132 * 64 * 1.785e9)) - 1) < 1e-12);
  EXPECT(slow.total_s > slow.memory_s * 2);
}

// Longer rows let a carry pass more samples a look back: the paper's 32 x 64 beats its 32 x 32 by about two.
static void test_chain() {
  const MrGpuDevice d = rtx3060();
  MrGpuResource r = resources[8];
  r.kernel = MR_GPU_WINDOWS;
  const MrGpuWork work = {1, 1, 1ull << 28, false, true};
  const MrGpuCut a = {1024, 1u << 18, 0, 0}, b = {2048, 1u << 17, 0, 0};
  const double first = mr_gpu_cost(&d, &r, &work, &a).chain_s, second = mr_gpu_cost(&d, &r, &work, &b).chain_s;
  EXPECT(std::fabs(first / second - 2) < 1e-9);
}

static void test_choices() {
  const uint64_t n = 1ull << 28;
  for (const MrGpuDevice& d : {h200(), rtx3060()}) {
    for (const uint32_t order : {2u, 4u, 8u, 16u}) {
      const MrGpuPlan p = plan_of(d, Bank(lowpass(order, 4800), 48000, 1, n, true));
      EXPECT_EQUAL(p.kernel, MR_GPU_SEGMENTS);
      EXPECT(p.early >= 49 && p.early <= 448 && p.early % 64 == 0 && p.segment_frames % 64 == 0);
      EXPECT(static_cast<uint64_t>(p.segments) * p.segment_frames >= n);
      const double roof = static_cast<double>(n) * 8 / (0.92 * d.bandwidth);
      std::printf("(%s, order %u, float32: %.0f %% of the roof) ", d.name, order, 100 * roof / p.kernel_s);
      EXPECT(roof / p.kernel_s > (order <= 4 ? 0.9 : order == 8 ? 0.85 : 0.7));
    }
    /* Rings for minutes. */
    EXPECT_EQUAL(plan_of(d, Bank(lowpass(2, 0.05), 48000, 1, 1 << 22, false)).kernel, MR_GPU_WINDOWS);
    /* A lane for each of very many channels. */
    Bank many(lowpass(4, 0.05), 48000, 1024, 1 << 16, false);
    many.job.interleaved = true;
    const MrGpuPlan p = plan_of(d, many);
    EXPECT(p.kernel == MR_GPU_CHANNELS || p.kernel == MR_GPU_WINDOWS);
    EXPECT(std::strstr(p.reason, "channels:"));
  }
}

static void test_wishes() {
  Bank b(lowpass(16, 4800), 48000, 1, 1 << 24, true);
  b.job.kernel = MR_GPU_PH_KERNEL;
  EXPECT_EQUAL(plan_of(h200(), b).samples, 64);
  b.job.samples = 32;
  EXPECT_EQUAL(plan_of(h200(), b).samples, 32);
  b.job.samples = 128;
  plan_of(h200(), b, MR_GPU_REFUSED);
  b.job.samples = 0;
  b.job.kernel = MR_GPU_FIXED;
  EXPECT_EQUAL(plan_of(h200(), b).depth, 1);
  Bank slow(lowpass(2, 0.05), 48000, 1, 1 << 20, false);
  slow.job.kernel = MR_GPU_SEGMENTS;
  plan_of(h200(), slow, MR_GPU_REFUSED);
  slow.job.kernel = MR_GPU_AUTO;
  slow.job.wide = true;
  EXPECT_EQUAL(plan_of(h200(), slow).kernel, MR_GPU_CHANNELS);  // what else there is of wide samples here
  slow.job.fast = true;
  plan_of(h200(), slow, MR_GPU_REFUSED);
}

int main() {
  checks.run("resident blocks", test_resident);
  checks.run("floors", test_floors);
  checks.run("chain", test_chain);
  checks.run("choices", test_choices);
  checks.run("wishes", test_wishes);
  return checks.end();
}
