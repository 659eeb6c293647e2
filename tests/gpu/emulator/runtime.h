// The part of CUDA's runtime that the project uses, with CUDA's names and numbers, over a made-up device.
// SPDX-License-Identifier: ISC
//
// Streams are asynchronous in effect: what is queued happens when somebody synchronises or asks, or by chance before (with a seed), in a random
// interleaving of the streams that respects events and the legacy default stream alone. Copies to and from the host's own memory too, pinned or not,
// so a buffer that is reused or read too early shows.
#ifndef MILLRACE_EMULATOR_RUNTIME_H
#define MILLRACE_EMULATOR_RUNTIME_H

#include <cstddef>
#include <memory>
#include <type_traits>

#include "options.h"

enum cudaError_t {
  cudaSuccess = 0,
  cudaErrorInvalidValue = 1,
  cudaErrorMemoryAllocation = 2,
  cudaErrorInitializationError = 3,
  cudaErrorInvalidConfiguration = 9,
  cudaErrorInvalidMemcpyDirection = 21,
  cudaErrorInsufficientDriver = 35,
  cudaErrorDevicesUnavailable = 46,
  cudaErrorInvalidDeviceFunction = 98,
  cudaErrorNoDevice = 100,
  cudaErrorInvalidDevice = 101,
  cudaErrorNoKernelImageForDevice = 209,
  cudaErrorECCUncorrectable = 214,
  cudaErrorInvalidResourceHandle = 400,
  cudaErrorNotReady = 600,
  cudaErrorIllegalAddress = 700,
  cudaErrorLaunchOutOfResources = 701,
  cudaErrorLaunchTimeout = 702,
  cudaErrorHostMemoryAlreadyRegistered = 712,
  cudaErrorHostMemoryNotRegistered = 713,
  cudaErrorMisalignedAddress = 716,
  cudaErrorLaunchFailure = 719,
  cudaErrorNotSupported = 801,
  cudaErrorUnknown = 999,
};

enum cudaMemcpyKind { cudaMemcpyHostToHost, cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost, cudaMemcpyDeviceToDevice, cudaMemcpyDefault };

enum cudaDeviceAttr {
  cudaDevAttrMaxThreadsPerBlock = 1,
  cudaDevAttrMaxSharedMemoryPerBlock = 8,
  cudaDevAttrWarpSize = 10,
  cudaDevAttrMaxRegistersPerBlock = 12,
  cudaDevAttrClockRate = 13,
  cudaDevAttrMultiProcessorCount = 16,
  cudaDevAttrIntegrated = 18,
  cudaDevAttrConcurrentKernels = 31,
  cudaDevAttrMemoryClockRate = 36,
  cudaDevAttrGlobalMemoryBusWidth = 37,
  cudaDevAttrL2CacheSize = 38,
  cudaDevAttrMaxThreadsPerMultiProcessor = 39,
  cudaDevAttrAsyncEngineCount = 40,
  cudaDevAttrUnifiedAddressing = 41,
  cudaDevAttrComputeCapabilityMajor = 75,
  cudaDevAttrComputeCapabilityMinor = 76,
  cudaDevAttrMaxSharedMemoryPerMultiprocessor = 81,
  cudaDevAttrMaxRegistersPerMultiprocessor = 82,
  cudaDevAttrSingleToDoublePrecisionPerfRatio = 87,
  cudaDevAttrMaxSharedMemoryPerBlockOptin = 97,
  cudaDevAttrHostRegisterSupported = 99,
  cudaDevAttrMaxBlocksPerMultiprocessor = 106,
  cudaDevAttrReservedSharedMemoryPerBlock = 111,
};

struct cudaDeviceProp {
  char name[256];
  size_t totalGlobalMem, sharedMemPerBlock;
  int regsPerBlock, warpSize, maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3];
  size_t totalConstMem;
  int major, minor, multiProcessorCount, integrated, canMapHostMemory, concurrentKernels, ECCEnabled, pciBusID, pciDeviceID, pciDomainID;
  int asyncEngineCount, unifiedAddressing, memoryBusWidth, l2CacheSize, maxThreadsPerMultiProcessor;
  size_t sharedMemPerMultiprocessor;
  int regsPerMultiprocessor;
  size_t sharedMemPerBlockOptin;
  int maxBlocksPerMultiProcessor;
  size_t reservedSharedMemPerBlock;
  int hostRegisterSupported;
};

struct cudaFuncAttributes {
  size_t sharedSizeBytes, constSizeBytes, localSizeBytes;  // shared: known once the kernel has run
  int maxThreadsPerBlock, numRegs, ptxVersion, binaryVersion, cacheModeCA, maxDynamicSharedSizeBytes, preferredShmemCarveout;
};

enum cudaFuncAttribute { cudaFuncAttributeMaxDynamicSharedMemorySize = 8, cudaFuncAttributePreferredSharedMemoryCarveout = 9 };

using cudaStream_t = struct CUstream_st*;
using cudaEvent_t = struct CUevent_st*;
using cudaHostFn_t = void (*)(void*);

constexpr unsigned cudaHostAllocDefault = 0, cudaHostAllocPortable = 1, cudaHostAllocMapped = 2, cudaHostAllocWriteCombined = 4;
constexpr unsigned cudaHostRegisterDefault = 0, cudaHostRegisterPortable = 1, cudaHostRegisterMapped = 2, cudaHostRegisterReadOnly = 8;
constexpr unsigned cudaStreamDefault = 0, cudaStreamNonBlocking = 1;
constexpr unsigned cudaEventDefault = 0, cudaEventBlockingSync = 1, cudaEventDisableTiming = 2;

const char* cudaGetErrorName(cudaError_t error);
const char* cudaGetErrorString(cudaError_t error);
cudaError_t cudaGetLastError();
cudaError_t cudaPeekAtLastError();

cudaError_t cudaDriverGetVersion(int* version);
cudaError_t cudaRuntimeGetVersion(int* version);
cudaError_t cudaGetDeviceCount(int* count);
cudaError_t cudaGetDevice(int* device);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device);
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device);
cudaError_t cudaDeviceSynchronize();
cudaError_t cudaDeviceReset();

cudaError_t cudaMalloc(void** memory, size_t bytes);
cudaError_t cudaFree(void* memory);
cudaError_t cudaMallocHost(void** memory, size_t bytes);
cudaError_t cudaHostAlloc(void** memory, size_t bytes, unsigned flags);
cudaError_t cudaFreeHost(void* memory);
cudaError_t cudaHostRegister(void* memory, size_t bytes, unsigned flags);
cudaError_t cudaHostUnregister(void* memory);
cudaError_t cudaMemGetInfo(size_t* unused, size_t* total);

cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind);
cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream = nullptr);
cudaError_t cudaMemcpy2DAsync(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width, size_t height,
                              cudaMemcpyKind kind, cudaStream_t stream = nullptr);
cudaError_t cudaMemset(void* memory, int value, size_t bytes);
cudaError_t cudaMemsetAsync(void* memory, int value, size_t bytes, cudaStream_t stream = nullptr);

cudaError_t cudaStreamCreate(cudaStream_t* stream);
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags);
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaStreamQuery(cudaStream_t stream);
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags = 0);
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* context);

cudaError_t cudaEventCreate(cudaEvent_t* event);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags);
cudaError_t cudaEventDestroy(cudaEvent_t event);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream = nullptr);
cudaError_t cudaEventSynchronize(cudaEvent_t event);
cudaError_t cudaEventQuery(cudaEvent_t event);
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end);

namespace mr_emulator {

// A kernel as the runtime has it: any function of one reference.
using Kernel = void (*)();
using Caller = void (*)(Kernel kernel, const void* parameters);

cudaError_t function_attributes(cudaFuncAttributes* attributes, Kernel kernel);
cudaError_t set_function_attribute(Kernel kernel, cudaFuncAttribute attribute, int value);
cudaError_t occupancy(int* blocks, Kernel kernel, int block_threads, size_t dynamic_shared);
void enqueue_launch(Kernel kernel, Caller caller, const char* name, unsigned blocks, unsigned threads, size_t dynamic_shared,
                    cudaStream_t stream, std::shared_ptr<const void> parameters);

template <class Parameters>
Kernel erase(void (*kernel)(const Parameters&)) {
  return reinterpret_cast<Kernel>(kernel);
}

// What MR_LAUNCH does: errors are found by cudaGetLastError, or once somebody synchronises.
template <class Parameters>
void launch(void (*kernel)(const Parameters&), const char* name, unsigned blocks, unsigned threads, size_t dynamic_shared,
            cudaStream_t stream, const std::type_identity_t<Parameters>& parameters) {
  static_assert(std::is_trivially_copyable_v<Parameters> && sizeof(Parameters) <= 32764, "what a launch can carry");
  const Caller caller = [](Kernel function, const void* given) {
    reinterpret_cast<void (*)(const Parameters&)>(function)(*static_cast<const Parameters*>(given));
  };
  enqueue_launch(erase(kernel), caller, name, blocks, threads, dynamic_shared, stream, std::make_shared<Parameters>(parameters));
}

template <class Parameters>
Counters total_counters(void (*kernel)(const Parameters&)) {
  return total_counters(reinterpret_cast<const void*>(kernel));
}

}  // namespace mr_emulator

template <class T>
cudaError_t cudaMalloc(T** memory, size_t bytes) {
  void* plain = nullptr;
  const cudaError_t error = cudaMalloc(&plain, bytes);
  *memory = static_cast<T*>(plain);
  return error;
}
template <class T>
cudaError_t cudaMallocHost(T** memory, size_t bytes) {
  void* plain = nullptr;
  const cudaError_t error = cudaMallocHost(&plain, bytes);
  *memory = static_cast<T*>(plain);
  return error;
}
template <class T>
cudaError_t cudaHostAlloc(T** memory, size_t bytes, unsigned flags) {
  void* plain = nullptr;
  const cudaError_t error = cudaHostAlloc(&plain, bytes, flags);
  *memory = static_cast<T*>(plain);
  return error;
}
template <class Parameters>
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, void (*kernel)(const Parameters&)) {
  return mr_emulator::function_attributes(attributes, mr_emulator::erase(kernel));
}
template <class Parameters>
cudaError_t cudaFuncSetAttribute(void (*kernel)(const Parameters&), cudaFuncAttribute attribute, int value) {
  return mr_emulator::set_function_attribute(mr_emulator::erase(kernel), attribute, value);
}
template <class Parameters>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, void (*kernel)(const Parameters&), int block_threads,
                                                          size_t dynamic_shared) {
  return mr_emulator::occupancy(blocks, mr_emulator::erase(kernel), block_threads, dynamic_shared);
}

#endif
