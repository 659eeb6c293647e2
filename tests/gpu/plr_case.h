// A case by PLR.
// SPDX-License-Identifier: ISC
#ifndef MILLRACE_TESTS_GPU_PLR_CASE_H
#define MILLRACE_TESTS_GPU_PLR_CASE_H

#include "gpu/plr.cuh"
#include "kernel_case.h"

namespace mr_test {

// From rest, one channel. c.filter has one cascade of P / 2 sections.
template <int P>
Result run_plr(const Case& c) {
  std::vector<float> numbers(MR_PLR_FACTORS + P * MR_PLR_GROUP);
  mr_gpu_plr_table_fill(c.filter[0].data(), P / 2, numbers.data());
  const Memory<float> table(numbers);
  const uint32_t groups = static_cast<uint32_t>((c.frames + MR_PLR_GROUP - 1) / MR_PLR_GROUP);
  const auto x = inputs(c);
  std::vector<float> samples(x[0].begin(), x[0].end());
  samples.resize((samples.size() + 31) / 32 * 32);
  Memory<uint32_t> ticket(1, true), flag(groups, true);
  Memory<float> local(groups * P), global(groups * P);
  const Memory<float> in(samples), out(samples.size());
  MrGpuLaunch p = {};
  p.samples = {in.get(), out.get(), c.frames, samples.size(), 1, 0};
  p.cascades.table = table.get();
  p.groups = {groups, ticket.get(), 0, 1, flag.get(), local.get(), global.get(), nullptr, 0, 0};
  MR_LAUNCH((mr_plr_kernel<float, P>), groups, MR_PLR_LANES, 0, nullptr, p);
  Result r;
  r.status = cudaDeviceSynchronize();
  const auto y = out.read();
  r.y = {{y.begin(), y.begin() + static_cast<long>(c.frames)}};
  r.error = worst_error(c, x, r.y);
  return r;
}

}  // namespace mr_test

#endif
