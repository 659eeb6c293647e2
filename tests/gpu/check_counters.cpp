// What the emulator counts is what a hand counts; and each primitive gives what CUDA's manual says.
// SPDX-License-Identifier: ISC
#include <cmath>
#include <vector>

#include "../../gpu/primitives.cuh"
#include "checks.h"
#include "every_primitive.cuh"

using mr_emulator::Counters;
using mr_emulator::Mode;
using mr_emulator::Options;
using mr_emulator::set_options;

static constexpr unsigned BLOCKS = 3, THREADS = 96, EACH = 5;

struct Parameters {
  const float* from;
  float* to;
  unsigned* words;
};

// Each of 3 * 96 threads: 5 floats and 1 float4 loaded, 2 floats stored, 10 multiplications and sums; each warp: 2 shuffles, 1 ballot, 1 meeting;
// each block: 2 barriers, 1 ticket.
MR_KERNEL(THREADS, 1) counted(MR_PARAM(Parameters, p)) {
  MR_SHARED(unsigned, shared, 1);
  if (mr_thread() == 0) shared[0] = mr_ticket(p.words);
  mr_sync_block();
  const unsigned at = shared[0] * THREADS + mr_thread();
  float sum = 0.0f;
  MR_UNROLL
  for (unsigned i = 0; i < EACH; i++) sum = mr_fma(mr_load(&p.from[at + i * BLOCKS * THREADS]), 2.0f, sum);
  double precise = sum;
  for (unsigned i = 0; i < EACH; i++) precise = mr_fma(precise, 0.5, 1.0);
  const float4 four = mr_load_once(reinterpret_cast<const float4*>(p.from) + at);
  sum += mr_shuffle_down(sum, 1) + mr_shuffle_xor(four.x, 3);
  mr_sync_warp();
  if (mr_ballot(sum > 1e9f)) sum = static_cast<float>(precise);
  mr_sync_block();
  mr_store_once(&p.to[at], sum);
  mr_store(&p.to[at + BLOCKS * THREADS], four.w);
}

static void count(const Options& options, bool lockstep) {
  set_options(options);
  mr_emulator::clear_counters();
  const size_t floats = BLOCKS * THREADS * EACH;
  Parameters p{};
  float* from = nullptr;
  cudaMalloc(&from, floats * sizeof(float));
  cudaMalloc(&p.to, floats * sizeof(float));
  cudaMalloc(&p.words, sizeof(unsigned));
  cudaMemset(from, 0, floats * sizeof(float));
  cudaMemset(p.words, 0, sizeof(unsigned));
  p.from = from;
  for (int i = 0; i < 2; i++) {
    cudaMemset(p.words, 0, sizeof(unsigned));
    MR_LAUNCH(counted, BLOCKS, THREADS, 0, nullptr, p);
  }
  EXPECT_EQUAL(cudaDeviceSynchronize(), cudaSuccess);
  const Counters c = mr_emulator::last_counters();
  EXPECT_EQUAL(c.blocks, 3);
  EXPECT_EQUAL(c.barriers, 3 * 2);
  EXPECT_EQUAL(c.warp_syncs, 3 * 3);
  EXPECT_EQUAL(c.shuffles, 3 * 3 * 2);
  EXPECT_EQUAL(c.ballots, 3 * 3);
  EXPECT_EQUAL(c.loads, 288 * 6);
  EXPECT_EQUAL(c.loaded_bytes, 288 * (5 * 4 + 16));
  EXPECT_EQUAL(c.stores, 288 * 2);
  EXPECT_EQUAL(c.stored_bytes, 288 * 8);
  EXPECT_EQUAL(c.tickets, 3);
  EXPECT_EQUAL(c.fused, 288 * 10);
  EXPECT_EQUAL(c.copies, 0);
  EXPECT_EQUAL(c.pauses, 0);
  // A warp's 32 floats in a row are 4 sectors of 32 bytes, its 32 float4 are 16.
  EXPECT_EQUAL(c.loaded_sectors, lockstep ? 9 * (5 * 4 + 16) : 0);
  EXPECT_EQUAL(c.stored_sectors, lockstep ? 9 * 2 * 4 : 0);
  const Counters total = mr_emulator::total_counters(counted), all = mr_emulator::total_counters(nullptr);
  EXPECT_EQUAL(total.fused, 2 * 288 * 10);
  EXPECT_EQUAL(all.loaded_bytes, 2 * c.loaded_bytes);
  cudaFree(from);
  cudaFree(p.to);
  cudaFree(p.words);
}

struct Apart {
  const float* from;
  float* to;
  unsigned stride;
};

MR_KERNEL(32, 1) strided(MR_PARAM(Apart, p)) {
  MR_SHARED(float, tile, 64);
  if (mr_lane() < 16) mr_store(&p.to[mr_lane()], mr_load(&p.from[mr_lane() * p.stride]));
  mr_copy_async<8>(&tile[2 * mr_lane()], &p.from[2 * mr_lane()], mr_lane() < 12);
  mr_copy_commit();
  mr_copy_wait<0>();
  mr_store(&p.to[32 + 2 * mr_lane()], tile[2 * mr_lane()]);
}

static void sectors() {
  Options options;
  options.lockstep = true;
  for (unsigned stride : {1u, 2u, 8u, 9u}) {
    set_options(options);
    Apart p{};
    float* from = nullptr;
    cudaMalloc(&from, 16 * 9 * sizeof(float));
    cudaMalloc(&p.to, 96 * sizeof(float));
    cudaMemset(from, 0, 16 * 9 * sizeof(float));
    p.from = from;
    p.stride = stride;
    MR_LAUNCH(strided, 1, 32, 0, nullptr, p);
    EXPECT_EQUAL(cudaDeviceSynchronize(), cudaSuccess);
    const Counters c = mr_emulator::last_counters();
    const unsigned touched = stride == 1 ? 2 : stride == 2 ? 4 : 16;
    EXPECT_EQUAL(c.loaded_sectors, touched + 3);  // and 12 copies of 8 bytes in a row
    EXPECT_EQUAL(c.stored_sectors, 2 + 8);
    EXPECT_EQUAL(c.copies, 32);
    EXPECT_EQUAL(c.loaded_bytes, 16 * 4 + 12 * 8);
    cudaFree(from);
    cudaFree(p.to);
  }
}

template <class T>
static std::vector<T> fetch(const T* from, size_t count) {
  std::vector<T> found(count);
  cudaMemcpy(found.data(), from, count * sizeof(T), cudaMemcpyDeviceToHost);
  return found;
}

static void primitives(const Options& options) {
  set_options(options);
  Results r{};
  const size_t n = 64 * ROWS;
  cudaMalloc(&r.d, n * sizeof(double));
  cudaMalloc(&r.f, n * sizeof(float));
  cudaMalloc(&r.i, n * sizeof(int));
  cudaMalloc(&r.u, n * sizeof(unsigned));
  cudaMalloc(&r.l, n * sizeof(unsigned long long));
  cudaMalloc(&r.f4, n * sizeof(float4));
  cudaMalloc(&r.d2, n * sizeof(double2));
  MR_LAUNCH(everything, 1, 64, 0, nullptr, r);
  EXPECT_EQUAL(cudaDeviceSynchronize(), cudaSuccess);
  const auto d = fetch(r.d, n);
  const auto f = fetch(r.f, n);
  const auto i = fetch(r.i, n);
  const auto u = fetch(r.u, n);
  const auto l = fetch(r.l, n);
  const auto f4 = fetch(r.f4, n);
  const auto d2 = fetch(r.d2, n);
  for (unsigned t = 0; t < 64; t++) {
    const unsigned lane = t % 32, base = t - lane;
    EXPECT_EQUAL(d[t], base + 31.5);
    EXPECT_EQUAL(d[64 + t], (lane < 2 ? t : t - 2) + 0.5);
    EXPECT_EQUAL(d[128 + t], (lane > 28 ? t : t + 3) + 0.5);
    EXPECT_EQUAL(d[192 + t], base + (lane + 16) % 32 + 0.5);
    EXPECT_EQUAL(f[t], base + lane / 2 + 0.25f);
    EXPECT_EQUAL(f[64 + t], (lane < 1 ? t : t - 1) + 0.25f);
    EXPECT_EQUAL(i[t], -static_cast<int>(lane == 31 ? t : t + 1));
    EXPECT_EQUAL(u[t], base + 31 - lane);
    EXPECT_EQUAL(u[64 + t], 0x49249249u);
    unsigned first = 0;
    while (first < 32 && !((t << 3) >> first & 1)) first++;
    EXPECT_EQUAL(u[128 + t], first);
    EXPECT_EQUAL(u[192 + t], 100 + t / 32);
    EXPECT_EQUAL(d[320 + t], t + 0.5);
    EXPECT_EQUAL(f[192 + t], t + 0.25f);
    EXPECT_EQUAL(l[64 + t], 0x100000000ull + t);
    EXPECT_EQUAL(u[320 + t], t * 3);
    const unsigned other = 63 - t;
    EXPECT_EQUAL(f4[64 + t].z, other < 62 ? other + 2.25f : 0.0f);
    EXPECT_EQUAL(d2[64 + t].y, -(other + 0.5));
    EXPECT_EQUAL(f[256 + t], 1.0f);
    EXPECT_EQUAL(f[320 + t], 1.0f);
  }
  for (void* memory : {static_cast<void*>(r.d), static_cast<void*>(r.f), static_cast<void*>(r.i), static_cast<void*>(r.u),
                       static_cast<void*>(r.l), static_cast<void*>(r.f4), static_cast<void*>(r.d2)})
    cudaFree(memory);
}

int main() {
  checks.run("counts", [] {
    Options options;
    for (options.seed = 0; options.seed < 4; options.seed++) count(options, false);
    options.fuzz = true;
    count(options, false);
    options.mode = Mode::threads;
    count(options, false);
  });
  checks.run("counts in lockstep, with sectors", [] {
    Options options;
    options.lockstep = true;
    for (options.seed = 0; options.seed < 4; options.seed++) count(options, true);
  });
  checks.run("sectors of accesses apart", sectors);
  checks.run("every primitive", [] {
    Options options;
    for (options.seed = 0; options.seed < 6; options.seed++) {
      options.fuzz = options.seed % 2;
      options.lockstep = options.seed % 3 == 2;
      primitives(options);
    }
  });
  return checks.end();
}
