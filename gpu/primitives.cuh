// What kernels are made of besides plain C++: lanes, shuffles, memory with an order, asynchronous copies, launches. The only file that knows the
// difference between a GPU and the emulator of tests/gpu/emulator, under which the same kernels run on the CPU.
// SPDX-License-Identifier: ISC
//
// Grids and blocks have one dimension, and blocks whole warps. A kernel takes one struct, and nothing else:
//
//   template <int K> MR_KERNEL(256, 2) smooth(MR_PARAM(SmoothParameters, p)) { ... }
//   MR_LAUNCH((smooth<4>), blocks, 256, 0, stream, parameters);
//
// All lanes of a warp meet at mr_sync_warp, mr_shuffle... and mr_ballot, all threads of a block at mr_sync_block, each at the same line.
// Global memory is read and written through mr_load..., mr_store... and mr_copy_async alone; shared memory as in plain C++.
#ifndef MILLRACE_PRIMITIVES_CUH
#define MILLRACE_PRIMITIVES_CUH

#ifndef __CUDACC__
#include "emulator.h"
#else
#include <cuda_runtime.h>

// At most that many threads in a block, and registers for that many blocks on a multiprocessor.
#define MR_KERNEL(threads, blocks)   __global__ void __launch_bounds__(threads, blocks)
#define MR_DEVICE                    __device__ __forceinline__
#define MR_PARAM(Type, name)         const __grid_constant__ Type name  // at most 32,764 bytes
#define MR_UNROLL                    _Pragma("unroll")
// A shared array of the kernel's own, and the one whose bytes the launch gives. Contents are undefined at first.
#define MR_SHARED(Type, name, count) __shared__ __align__(16) Type name[count]
#define MR_DYNAMIC_SHARED(Type, name)                                \
  extern __shared__ __align__(16) unsigned char mr_dynamic_shared[]; \
  Type* const name = reinterpret_cast<Type*>(mr_dynamic_shared)
#define MR_LAUNCH(kernel, grid, block, shared_bytes, stream, params) kernel<<<grid, block, shared_bytes, stream>>>(params)
// The type of a pointer to a kernel, for tables of them.
template <class Parameters>
using MrKernel = void (*)(Parameters);

// Where a thread stands.
MR_DEVICE unsigned mr_thread() { return threadIdx.x; }
MR_DEVICE unsigned mr_block() { return blockIdx.x; }
MR_DEVICE unsigned mr_blocks() { return gridDim.x; }
MR_DEVICE unsigned mr_lane() { return threadIdx.x & 31u; }
MR_DEVICE unsigned mr_warp() { return threadIdx.x >> 5; }

// Meetings. Values are float, double, int and unsigned; a shuffle from a lane beyond the warp's ends gives the lane's own value.
MR_DEVICE void mr_sync_block() { __syncthreads(); }
MR_DEVICE void mr_sync_warp() { __syncwarp(); }
template <class T>
MR_DEVICE T mr_shuffle(T value, unsigned lane) {
  return __shfl_sync(0xffffffffu, value, static_cast<int>(lane));
}
template <class T>
MR_DEVICE T mr_shuffle_up(T value, unsigned distance) {
  return __shfl_up_sync(0xffffffffu, value, distance);
}
template <class T>
MR_DEVICE T mr_shuffle_down(T value, unsigned distance) {
  return __shfl_down_sync(0xffffffffu, value, distance);
}
template <class T>
MR_DEVICE T mr_shuffle_xor(T value, unsigned mask) {
  return __shfl_xor_sync(0xffffffffu, value, static_cast<int>(mask));
}
MR_DEVICE unsigned mr_ballot(bool vote) { return __ballot_sync(0xffffffffu, vote); }
MR_DEVICE unsigned mr_find_first(unsigned bits) { return static_cast<unsigned>(__clz(static_cast<int>(__brev(bits)))); }  // 32: none

// Global memory without an order: mr_load for what no launch writes while it runs, mr_load_once and mr_store_once for what streams past.
// float, double, float4, double2, unsigned.
template <class T>
MR_DEVICE T mr_load(const T* from) {
  return __ldg(from);
}
template <class T>
MR_DEVICE T mr_load_once(const T* from) {
  return __ldcs(from);
}
template <class T>
MR_DEVICE void mr_store(T* to, T value) {
  *to = value;
}
template <class T>
MR_DEVICE void mr_store_once(T* to, T value) {
  __stcs(to, value);
}

// Global memory that other blocks see while they run: float, double, unsigned, unsigned long long. Whoever reads by mr_load_acquire what was
// written by mr_store_release also sees all that was written before that: by the same thread, and by those it met at a barrier since.
#define MR_RELAXED(Type, suffix, letter)                                                                                             \
  MR_DEVICE Type mr_load_relaxed(const Type* from) {                                                                                 \
    Type value;                                                                                                                      \
    asm volatile("ld.relaxed.gpu.global." suffix " %0, [%1];" : "=" letter(value) : "l"(__cvta_generic_to_global(from)) : "memory"); \
    return value;                                                                                                                    \
  }                                                                                                                                  \
  MR_DEVICE void mr_store_relaxed(Type* to, Type value) {                                                                            \
    asm volatile("st.relaxed.gpu.global." suffix " [%0], %1;" ::"l"(__cvta_generic_to_global(to)), letter(value) : "memory");        \
  }
MR_RELAXED(float, "f32", "f")
MR_RELAXED(double, "f64", "d")
MR_RELAXED(unsigned, "u32", "r")
MR_RELAXED(unsigned long long, "u64", "l")
#undef MR_RELAXED
MR_DEVICE unsigned mr_load_acquire(const unsigned* from) {
  unsigned value;
  asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(__cvta_generic_to_global(from)) : "memory");
  return value;
}
MR_DEVICE void mr_store_release(unsigned* to, unsigned value) {
  asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(__cvta_generic_to_global(to)), "r"(value) : "memory");
}
MR_DEVICE void mr_fence() { __threadfence(); }
MR_DEVICE unsigned mr_ticket(unsigned* counter) { return atomicAdd(counter, 1u); }  // the number before
MR_DEVICE void mr_pause() { __nanosleep(20); }

// Copies of 4, 8 or 16 aligned bytes from global to shared memory that arrive by the time their lane has waited; zeros where not valid, and then
// nothing is read. A group is what a lane copied since its last commit. Other lanes see it once they have met that lane after its wait.
template <int bytes>
MR_DEVICE void mr_copy_async(void* shared, const void* global, bool valid) {
  static_assert(bytes == 4 || bytes == 8 || bytes == 16, "what the hardware copies");
#if __CUDA_ARCH__ >= 800
  const unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(shared));
  const int read = valid ? bytes : 0;
  if (bytes == 16)
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(__cvta_generic_to_global(global)), "r"(read) : "memory");
  else
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(to), "l"(__cvta_generic_to_global(global)), "n"(bytes), "r"(read)
                 : "memory");
#else
  if (bytes == 4) *static_cast<float*>(shared) = valid ? *static_cast<const float*>(global) : 0.0f;
  if (bytes == 8) *static_cast<float2*>(shared) = valid ? *static_cast<const float2*>(global) : make_float2(0.0f, 0.0f);
  if (bytes == 16) *static_cast<float4*>(shared) = valid ? *static_cast<const float4*>(global) : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
#endif
}
MR_DEVICE void mr_copy_commit() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}
template <int n>  // groups that may still be under way afterwards
MR_DEVICE void mr_copy_wait() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_group %0;" ::"n"(n) : "memory");
#endif
}

// a * b + c, rounded once.
MR_DEVICE float mr_fma(float a, float b, float c) { return __fmaf_rn(a, b, c); }
MR_DEVICE double mr_fma(double a, double b, double c) { return __fma_rn(a, b, c); }

#endif
#endif
