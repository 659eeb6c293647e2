// The paper's filter in direct form, and its correction factors, for PLR.
// SPDX-License-Identifier: ISC
#ifndef MILLRACE_TESTS_GPU_PLR_CASE_H
#define MILLRACE_TESTS_GPU_PLR_CASE_H

#include "gpu/plr.cuh"
#include "kernel_case.h"

namespace mr_test {

// Numerator and denominator, multiplied out in long double and rounded once to float, as whoever has only b and a has them; factors by the
// recurrence in float, as the method's authors make them.
inline std::vector<float> plr_table(const std::vector<MrSection>& sections) {
  std::vector<long double> b = {1}, a = {1};
  const auto times = [](const std::vector<long double>& p, long double q0, long double q1, long double q2) {
    std::vector<long double> r(p.size() + 2, 0);
    for (size_t i = 0; i < p.size(); i++) r[i] += q0 * p[i], r[i + 1] += q1 * p[i], r[i + 2] += q2 * p[i];
    return r;
  };
  for (const MrSection& q : sections) {
    const long double s = q.s, P = q.P, D = q.D, b2 = D - (D * P + q.e2), b1 = (D * s + q.e1) - D - b2;
    b = times(b, D, b1, b2);
    a = times(a, 1, s + (P - 2), 1 - P);
  }
  const size_t order = a.size() - 1;
  std::vector<float> table(MR_PLR_FACTORS + order * MR_PLR_GROUP, 0.0f);
  for (size_t j = 1; j <= order; j++) table[j - 1] = static_cast<float>(a[j]);
  for (size_t j = 0; j <= order; j++) table[MR_PLR_ORDER + j] = static_cast<float>(b[j]);
  for (size_t j = 0; j < order; j++) {  // the response to a 1 that is j + 1 outputs back
    std::vector<float> y(order + MR_PLR_GROUP, 0.0f);
    y[order - 1 - j] = 1;
    for (size_t q = 0; q < MR_PLR_GROUP; q++) {
      float sum = 0;
      for (size_t i = 1; i <= order; i++) sum -= table[i - 1] * y[order + q - i];
      y[order + q] = sum;
      table[MR_PLR_FACTORS + j * MR_PLR_GROUP + q] = sum;
    }
  }
  return table;
}

// From rest, one channel. c.filter has one cascade of P / 2 sections.
template <int P>
Result run_plr(const Case& c) {
  const Memory<float> table(plr_table(c.filter[0]));
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
