// A filter over some channels, run by a kernel in the emulator and in long double beside it.
// SPDX-License-Identifier: ISC
#ifndef MILLRACE_TESTS_GPU_KERNEL_CASE_H
#define MILLRACE_TESTS_GPU_KERNEL_CASE_H

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <type_traits>
#include <vector>

#include "gpu/groups.cuh"
#include "gpu/segments.cuh"
#include "gpu/tables.h"

namespace mr_test {

// Uniform in -1 .. 1, xorshift64* (S. Vigna, 2016).
struct Noise {
  uint64_t state;
  explicit Noise(uint64_t seed) : state(seed * 2654435761u + 88172645463325252u) {}
  uint64_t bits() {
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return state * 2685821657736338717u;
  }
  double operator()() { return static_cast<double>(static_cast<int64_t>(bits())) / 9223372036854775808.0; }
};

inline std::vector<MrSection> sections_of(const MrCascade& cascade) { return {cascade.section, cascade.section + cascade.n}; }

// A Butterworth low-pass whose corner is that part of the rate, as the paper's filter at 0.1; of `sections` sections, two cascades where one
// cannot have as many. Its gain is spread over the sections.
inline std::vector<MrSection> lowpass(uint32_t sections, double corner) {
  std::vector<MrSection> all;
  while (all.size() < sections) {
    MrDesign design = mr_design_default(MR_BUTTERWORTH);
    const uint32_t order = std::min<uint32_t>(2 * (sections - static_cast<uint32_t>(all.size())), MR_MAX_ORDER);
    design.order = order;
    design.response = MR_RESPONSE_LP;
    design.fc = corner * 48000;
    MrCascade cascade;
    if (mr_design(&design, 48000, &cascade, nullptr) != MR_OK) std::abort();
    cascade.section[0].D *= cascade.gain;
    cascade.section[0].e1 *= cascade.gain;
    cascade.section[0].e2 *= cascade.gain;
    const auto more = sections_of(cascade);
    all.insert(all.end(), more.begin(), more.end());
  }
  return all;
}

// The plain recursion of b and a in long double, from rest.
inline std::vector<long double> filtered(const std::vector<MrSection>& sections, std::vector<long double> x) {
  for (const MrSection& q : sections) {
    const long double s = q.s, P = q.P, D = q.D, b2 = D - (D * P + q.e2), b1 = (D * s + q.e1) - D - b2, a1 = s + (P - 2), a2 = 1 - P;
    long double x1 = 0, x2 = 0, y1 = 0, y2 = 0;
    for (long double& v : x) {
      const long double y = D * v + b1 * x1 + b2 * x2 - a1 * y1 - a2 * y2;
      x2 = x1, x1 = v, y2 = y1, y1 = y, v = y;
    }
  }
  return x;
}

// Memory of the card, holding a copy of what it is made of.
template <class T>
class Memory {
 public:
  explicit Memory(size_t n, bool zero = false) : n_(n) {
    void* p = nullptr;
    if (cudaMalloc(&p, std::max<size_t>(n, 1) * sizeof(T)) != cudaSuccess) std::abort();
    p_ = static_cast<T*>(p);
    if (zero) (void)cudaMemset(p_, 0, n * sizeof(T));
  }
  explicit Memory(const std::vector<T>& from) : Memory(from.size()) {
    (void)cudaMemcpy(p_, from.data(), n_ * sizeof(T), cudaMemcpyHostToDevice);
  }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  ~Memory() { (void)cudaFree(p_); }
  std::vector<T> read() const {
    std::vector<T> to(n_);
    (void)cudaMemcpy(to.data(), p_, n_ * sizeof(T), cudaMemcpyDeviceToHost);
    return to;
  }
  T* get() const { return p_; }

 private:
  T* p_;
  size_t n_;
};

// What is asked for. All channels have filters of their own if there are several.
struct Case {
  std::vector<std::vector<MrSection>> filter;  // one, or one a channel
  uint32_t channels = 1;
  uint64_t frames = 0;
  bool interleaved = false;
  std::vector<uint64_t> chunks;  // frames of each launch but the last; the rest follows in one
  uint64_t seed = 1;
  MrGpuMethod method = MR_GPU_STATES;
  uint32_t lanes = 32, samples = 32;           // of groups
  uint64_t segment = 1024;                     // frames
  uint32_t early = 0;                          // frames of segments, groups of runs
  uint32_t run = 4, depth = 1;                 // groups
  std::vector<std::pair<uint32_t, uint64_t>> poison;  // channel, frame
  double poison_value = NAN;
};

struct Result {
  std::vector<std::vector<double>> y;  // [channel][frame]
  double error = 0;                    // the largest, over the largest output of its channel
  unsigned troubles = 0;
  cudaError_t status = cudaSuccess;
};

inline uint32_t longest(const Case& c) {
  size_t n = 0;
  for (const auto& f : c.filter) n = std::max(n, f.size());
  return static_cast<uint32_t>(n);
}

inline std::vector<std::vector<double>> inputs(const Case& c) {
  std::vector<std::vector<double>> x(c.channels);
  for (uint32_t k = 0; k < c.channels; k++) {
    Noise noise(c.seed + k);
    for (uint64_t t = 0; t < c.frames; t++) x[k].push_back(static_cast<float>(noise()));
  }
  for (const auto& [channel, frame] : c.poison) x[channel][frame] = static_cast<float>(c.poison_value);
  return x;
}

inline double worst_error(const Case& c, const std::vector<std::vector<double>>& x, const std::vector<std::vector<double>>& y) {
  double worst = 0;
  for (uint32_t k = 0; k < c.channels; k++) {
    const auto right = filtered(c.filter[c.filter.size() > 1 ? k : 0], {x[k].begin(), x[k].end()});
    long double largest = 0, error = 0;
    for (uint64_t t = 0; t < c.frames; t++) {
      largest = std::max(largest, std::fabs(right[t]));
      const long double e = std::fabs(right[t] - static_cast<long double>(y[k][t]));
      error = e <= error ? error : e;  // a NaN stays
    }
    const double part = static_cast<double>(error / largest);
    worst = part <= worst ? worst : part;
  }
  return worst;
}

// Runs the case, S the samples' type and T the arithmetic's: launch(p) launches one kernel for a MrGpuLaunch that is filled.
template <class S, class T, class Launch>
Result run_case(const Case& c, Launch launch) {
  const uint32_t sections = longest(c), pairs = sections + (c.method == MR_GPU_STATES ? 0 : 1);
  const uint32_t section_table = mr_table_size(c.lanes, c.samples);
  std::vector<T> table(c.filter.size() * sections * section_table);
  const MrSection none = {1, 1, 1, 0, 0};
  for (size_t f = 0; f < c.filter.size(); f++)
    for (uint32_t k = 0; k < sections; k++) {
      const MrSection& q = k < c.filter[f].size() ? c.filter[f][k] : none;
      T* to = table.data() + (f * sections + k) * section_table;
      if (mr_gpu_table_fill(c.method, &q, std::is_same_v<T, float>, c.lanes, c.samples, to) != MR_OK) return {{}, INFINITY, 0, cudaSuccess};
    }
  const Memory<T> tables(table), gain(std::vector<T>(c.channels, T(1)));
  Memory<T> states[2] = {Memory<T>(c.channels * pairs * 2, true), Memory<T>(c.channels * pairs * 2, true)};
  Memory<uint32_t> troubles(1, true), ticket(1, true), depth(std::vector<uint32_t>(c.channels * std::max(sections, 1u), c.depth));
  const uint64_t group = static_cast<uint64_t>(c.lanes) * c.samples, most = (c.frames + group - 1) / group;
  Memory<uint32_t> flag(most * sections * c.channels, true);
  Memory<T> local(most * sections * c.channels * 2), global(most * sections * c.channels * 2);

  const auto x = inputs(c);
  Result result;
  result.y.resize(c.channels);
  uint64_t at = 0;
  uint32_t tickets = 0;
  auto chunks = c.chunks;
  uint64_t said = 0;
  for (uint64_t n : chunks) said += n;
  chunks.push_back(c.frames - said);
  for (uint32_t i = 0; i < chunks.size(); i++) {
    const uint64_t n = chunks[i], step = (n + 31) / 32 * 32;
    std::vector<S> samples(c.interleaved ? n * c.channels : step * c.channels, static_cast<S>(NAN));
    for (uint32_t k = 0; k < c.channels; k++)
      for (uint64_t t = 0; t < n; t++) samples[c.interleaved ? t * c.channels + k : k * step + t] = static_cast<S>(x[k][at + t]);
    const Memory<S> in(samples), out(samples.size());
    MrGpuLaunch p = {};
    p.samples = {in.get(), out.get(), n, step, c.channels, c.interleaved};
    p.cascades = {tables.get(),      c.filter.size() > 1 ? static_cast<uint64_t>(sections) * section_table : 0,
                  section_table,     sections,
                  gain.get(),        states[i & 1].get(),
                  states[~i & 1].get(), troubles.get()};
    const uint32_t side = c.interleaved ? std::min(c.channels, 32u) : c.segment >= n ? 32u : 1u;
    const uint32_t count = static_cast<uint32_t>((n + c.segment - 1) / c.segment);
    p.segments = {c.segment, c.early, count, side, 32 / side, (c.channels + side - 1) / side, (65536 + side - 1) / side};
    const uint32_t groups = static_cast<uint32_t>((n + group - 1) / group);
    p.groups = {groups, ticket.get(), tickets, i + 1, flag.get(), local.get(), global.get(), depth.get(), c.run, c.early};
    launch(p);
    if (cudaDeviceSynchronize() != cudaSuccess || cudaPeekAtLastError() != cudaSuccess) {
      result.status = cudaGetLastError();
      return result;
    }
    tickets += groups * c.channels;
    const auto got = out.read();
    for (uint32_t k = 0; k < c.channels; k++)
      for (uint64_t t = 0; t < n; t++) result.y[k].push_back(got[c.interleaved ? t * c.channels + k : k * step + t]);
    at += n;
  }
  result.troubles = troubles.read()[0];
  if (c.poison.empty()) result.error = worst_error(c, x, result.y);
  return result;
}

// Kernels may have more shared memory than 48 KiB if they ask for it.
template <class Kernel>
void allow_shared(Kernel* kernel, unsigned bytes) {
  if (bytes > 48u << 10) (void)cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes));
}

template <class S, class T>
Result run_segments(const Case& c) {
  return run_case<S, T>(c, [](const MrGpuLaunch& p) {
    const uint32_t warps = (p.segments.count + p.segments.lane_segments - 1) / p.segments.lane_segments * p.segments.channel_warps;
    const unsigned shared = mr_segments_shared<S, T>(p.cascades.sections);
    allow_shared(mr_segments_kernel<S, T>, shared);
    MR_LAUNCH((mr_segments_kernel<S, T>), (warps + MR_SEGMENTS_WARPS - 1) / MR_SEGMENTS_WARPS, 32 * MR_SEGMENTS_WARPS, shared, nullptr, p);
  });
}

template <class S, class T, class Method, class Carry, int L, int N>
Result run_groups(Case c) {
  c.lanes = L;
  c.samples = N;
  return run_case<S, T>(c, [](const MrGpuLaunch& p) {
    const unsigned shared = mr_groups_shared<S, T, Carry, L, N>(p.cascades.sections);
    allow_shared(mr_groups_kernel<S, T, Method, Carry, L, N>, shared);
    MR_LAUNCH((mr_groups_kernel<S, T, Method, Carry, L, N>), p.groups.count * p.samples.channels, L, shared, nullptr, p);
  });
}

template <class S, class T, class Method, int L, int N>
Result run_runs(Case c) {
  c.lanes = L;
  c.samples = N;
  return run_case<S, T>(c, [](const MrGpuLaunch& p) {
    const unsigned shared = mr_groups_shared<S, T, MrCarryOwn, L, N>(p.cascades.sections);
    allow_shared(mr_runs_kernel<S, T, Method, L, N>, shared);
    MR_LAUNCH((mr_runs_kernel<S, T, Method, L, N>), (p.groups.count + p.groups.run - 1) / p.groups.run * p.samples.channels, L, shared, nullptr,
              p);
  });
}

}  // namespace mr_test

#endif
