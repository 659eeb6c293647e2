// A kernel that uses every primitive: what it stores is compared under the emulator, and nvcc compiles it for all processors.
// SPDX-License-Identifier: ISC
#ifndef MILLRACE_TEST_EVERY_PRIMITIVE_CUH
#define MILLRACE_TEST_EVERY_PRIMITIVE_CUH

#include "../../gpu/primitives.cuh"

struct Results {
  double* d;
  float* f;
  int* i;
  unsigned* u;
  unsigned long long* l;
  float4* f4;
  double2* d2;
};
static constexpr unsigned ROWS = 6;

MR_KERNEL(64, 1) everything(MR_PARAM(Results, r)) {
  MR_SHARED(float4, tile, 64);
  const unsigned t = mr_thread(), lane = mr_lane();
  const double d = 0.5 + t;
  const float f = 0.25f + static_cast<float>(t);
  mr_store(&r.d[t], mr_shuffle(d, 31));
  mr_store(&r.d[64 + t], mr_shuffle_up(d, 2));
  mr_store(&r.d[128 + t], mr_shuffle_down(d, 3));
  mr_store(&r.d[192 + t], mr_shuffle_xor(d, 16));
  mr_store(&r.f[t], mr_shuffle(f, lane / 2));
  mr_store(&r.f[64 + t], mr_shuffle_up(f, 1));
  mr_store(&r.i[t], mr_shuffle_down(-static_cast<int>(t), 1));
  mr_store(&r.u[t], mr_shuffle_xor(t, 31));
  mr_store(&r.u[64 + t], mr_ballot(lane % 3 == 0));
  mr_store(&r.u[128 + t], mr_find_first(t == 0 ? 0 : t << 3));
  mr_store(&r.u[192 + t], mr_block() * 1000 + mr_blocks() * 100 + mr_warp());
  // Through memory, in each width and order.
  mr_store_relaxed(&r.d[256 + t], d);
  mr_store(&r.d[320 + t], mr_load_relaxed(&r.d[256 + t]));
  mr_store_relaxed(&r.f[128 + t], f);
  mr_store_once(&r.f[192 + t], mr_load_relaxed(&r.f[128 + t]));
  mr_store_relaxed(&r.l[t], 0x100000000ull + t);
  mr_store_relaxed(&r.l[64 + t], mr_load_relaxed(&r.l[t]));
  mr_store_release(&r.u[256 + t], t * 3);
  mr_fence();
  mr_store_relaxed(&r.u[320 + t], mr_load_acquire(&r.u[256 + t]));
  const float4 four = make_float4(f, f + 1.0f, f + 2.0f, f + 3.0f);
  mr_store_once(&r.f4[t], four);
  mr_store(&r.d2[t], make_double2(d, -d));
  mr_sync_block();
  // Tiles that another lane copied, among them two that are not there.
  mr_copy_async<16>(&tile[t], &r.f4[t], t < 62);
  mr_copy_commit();
  mr_copy_wait<0>();
  mr_sync_block();
  mr_store(&r.f4[64 + t], tile[63 - t]);
  const double2 two = mr_load_once(&r.d2[63 - t]);
  mr_store(&r.d2[64 + t], two);
  // 1 + 2^-30 squared has a bit that only a fused operation keeps; likewise in float.
  const double near = 1.0 + 0x1p-30;
  const float near_float = 1.0f + 0x1p-13f;
  mr_store(&r.f[256 + t], static_cast<float>(mr_fma(near, near, -1.0 - 0x1p-29) * 0x1p60));
  mr_store(&r.f[320 + t], mr_fma(near_float, near_float, -1.0f - 0x1p-12f) * 0x1p26f);
}

#endif
