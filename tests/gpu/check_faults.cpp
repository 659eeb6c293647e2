// The made-up device: its numbers, what it refuses, and faults that are injected, with the error codes of a real one.
// SPDX-License-Identifier: ISC
#include <cstdlib>
#include <cstring>
#include <vector>

#include "../../gpu/primitives.cuh"
#include "checks.h"

using mr_emulator::Mode;
using mr_emulator::Options;
using mr_emulator::set_options;

struct Filling {
  float* to;
  float value;
};

MR_KERNEL(32, 1) fill(MR_PARAM(Filling, p)) {
  MR_SHARED(float, tile, 32);
  MR_DYNAMIC_SHARED(float, more);
  tile[mr_lane()] = p.value;
  if (p.value < 0.0f) more[mr_lane()] = p.value;
  mr_store(&p.to[mr_block() * 32 + mr_lane()], tile[mr_lane()]);
}

static void no_driver() {
  Options options;
  options.no_driver = true;
  set_options(options);
  int count = 7, version = 7;
  float* memory = nullptr;
  EXPECT_EQUAL(cudaGetDeviceCount(&count), 35);
  EXPECT_EQUAL(count, 0);
  EXPECT_EQUAL(cudaGetLastError(), cudaErrorInsufficientDriver);
  EXPECT_EQUAL(cudaGetLastError(), cudaSuccess);
  EXPECT_EQUAL(cudaMalloc(&memory, 4), cudaErrorInsufficientDriver);
  EXPECT_EQUAL(cudaDriverGetVersion(&version), cudaSuccess);
  EXPECT_EQUAL(version, 0);
}

static void no_device() {
  Options options;
  options.no_device = true;
  set_options(options);
  int count = 7;
  cudaDeviceProp properties;
  EXPECT_EQUAL(cudaGetDeviceCount(&count), 100);
  EXPECT_EQUAL(cudaSetDevice(0), cudaErrorNoDevice);
  EXPECT_EQUAL(cudaGetDeviceProperties(&properties, 0), cudaErrorNoDevice);
  EXPECT(std::strcmp(cudaGetErrorString(cudaErrorNoDevice), "no CUDA-capable device is detected") == 0);
  EXPECT(std::strcmp(cudaGetErrorName(cudaErrorNoDevice), "cudaErrorNoDevice") == 0);
}

static void out_of_memory() {
  Options options;
  for (unsigned n = 1; n <= 4; n++) {
    options.fail_allocation = n;
    set_options(options);
    void* memory[4] = {};
    for (unsigned i = 0; i < 4; i++) {
      const cudaError_t error = i % 2 ? cudaMallocHost(&memory[i], 64) : cudaMalloc(&memory[i], 64);
      EXPECT_EQUAL(error, i + 1 == n ? cudaErrorMemoryAllocation : cudaSuccess);
      EXPECT((memory[i] == nullptr) == (i + 1 == n));
    }
    EXPECT_EQUAL(cudaGetLastError(), cudaErrorMemoryAllocation);
    EXPECT_EQUAL(cudaGetLastError(), cudaSuccess);
    for (unsigned i = 0; i < 4; i++) EXPECT_EQUAL(i % 2 ? cudaFreeHost(memory[i]) : cudaFree(memory[i]), cudaSuccess);
  }
  options.fail_allocation = 0;
  options.device.memory_bytes = 1000;
  set_options(options);
  void *first = nullptr, *second = nullptr;
  size_t unused = 0, total = 0;
  EXPECT_EQUAL(cudaMalloc(&first, 600), cudaSuccess);
  EXPECT_EQUAL(cudaMemGetInfo(&unused, &total), cudaSuccess);
  EXPECT_EQUAL(unused, 400);
  EXPECT_EQUAL(total, 1000);
  EXPECT_EQUAL(cudaMalloc(&second, 401), cudaErrorMemoryAllocation);
  EXPECT_EQUAL(cudaMalloc(&second, 400), cudaSuccess);
  EXPECT_EQUAL(cudaFree(first), cudaSuccess);
  EXPECT_EQUAL(cudaFree(second), cudaSuccess);
  EXPECT_EQUAL(cudaMalloc(&first, 1000), cudaSuccess);
  EXPECT_EQUAL(cudaFree(first), cudaSuccess);
}

// The launch that loses the device does nothing, and nothing happens after it; before it all is as it should be.
static void device_lost() {
  for (const int error : {719, 700}) {
    for (unsigned n = 1; n <= 3; n++) {
      Options options;
      options.lose_device = n;
      options.lost_error = error;
      set_options(options);
      float *device = nullptr, found[32];
      EXPECT_EQUAL(cudaMalloc(&device, sizeof found), cudaSuccess);
      cudaError_t result = cudaSuccess;
      unsigned good = 0;
      for (unsigned i = 1; i <= 4; i++) {
        MR_LAUNCH(fill, 1, 32, 0, nullptr, (Filling{device, static_cast<float>(i)}));
        cudaMemcpyAsync(found, device, sizeof found, cudaMemcpyDeviceToHost);
        result = cudaStreamSynchronize(nullptr);
        if (result != cudaSuccess) break;
        good++;
        EXPECT(found[31] == static_cast<float>(i));
      }
      EXPECT_EQUAL(result, error);
      EXPECT_EQUAL(good, n - 1);
      if (good) EXPECT(found[0] == static_cast<float>(good));
      EXPECT_EQUAL(cudaMemcpy(found, device, sizeof found, cudaMemcpyDeviceToHost), error);
      EXPECT_EQUAL(cudaGetLastError(), error);
      EXPECT_EQUAL(cudaGetLastError(), error);
      EXPECT_EQUAL(cudaFree(device), error);
      EXPECT_EQUAL(cudaDeviceReset(), cudaSuccess);
      EXPECT_EQUAL(cudaGetLastError(), cudaSuccess);
    }
  }
}

static void refusals() {
  set_options(Options{});
  float *device = nullptr, host[32] = {};
  cudaMalloc(&device, sizeof host);
  const Filling p{device, 1.0f};
  const auto launched = [&](unsigned blocks, unsigned threads, size_t shared, cudaStream_t stream) {
    MR_LAUNCH(fill, blocks, threads, shared, stream, p);
    return cudaGetLastError();
  };
  EXPECT_EQUAL(launched(0, 32, 0, nullptr), cudaErrorInvalidConfiguration);
  EXPECT_EQUAL(launched(1, 0, 0, nullptr), cudaErrorInvalidConfiguration);
  EXPECT_EQUAL(launched(1, 1056, 0, nullptr), cudaErrorInvalidConfiguration);
  EXPECT_EQUAL(launched(1, 32, 49153, nullptr), cudaErrorInvalidValue);
  EXPECT_EQUAL(launched(1, 32, 0, reinterpret_cast<cudaStream_t>(&host)), cudaErrorInvalidResourceHandle);
  EXPECT_EQUAL(cudaFuncSetAttribute(fill, cudaFuncAttributeMaxDynamicSharedMemorySize, 101377), cudaErrorInvalidValue);
  EXPECT_EQUAL(cudaFuncSetAttribute(fill, cudaFuncAttributeMaxDynamicSharedMemorySize, 60000), cudaSuccess);
  cudaGetLastError();
  EXPECT_EQUAL(launched(1, 32, 60000, nullptr), cudaSuccess);
  EXPECT_EQUAL(launched(1, 32, 60001, nullptr), cudaErrorInvalidValue);
  EXPECT_EQUAL(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQUAL(cudaMemcpy(device, host, sizeof host + 4, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  EXPECT_EQUAL(cudaMemcpy(device + 1, host, sizeof host, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  EXPECT_EQUAL(cudaMemcpy(host, host, sizeof host, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
  EXPECT_EQUAL(cudaMemcpy(device, device, 4, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  EXPECT_EQUAL(cudaMemset(host, 0, 4), cudaErrorInvalidValue);
  EXPECT_EQUAL(cudaFree(host), cudaErrorInvalidValue);
  EXPECT_EQUAL(cudaHostRegister(host, sizeof host, 0), cudaSuccess);
  EXPECT_EQUAL(cudaHostRegister(host + 1, 4, 0), cudaErrorHostMemoryAlreadyRegistered);
  EXPECT_EQUAL(cudaHostUnregister(host), cudaSuccess);
  EXPECT_EQUAL(cudaHostUnregister(host), cudaErrorHostMemoryNotRegistered);
  EXPECT_EQUAL(cudaSetDevice(1), cudaErrorInvalidDevice);
  EXPECT_EQUAL(cudaFree(device), cudaSuccess);
  EXPECT_EQUAL(cudaFree(nullptr), cudaSuccess);
}

static void numbers() {
  Options options;
  options.device.multiprocessors = 132;
  options.device.kernel_registers = 128;
  set_options(options);
  cudaDeviceReset();
  cudaDeviceProp properties;
  EXPECT_EQUAL(cudaGetDeviceProperties(&properties, 0), cudaSuccess);
  EXPECT(std::strcmp(properties.name, "Millrace emulator") == 0);
  EXPECT_EQUAL(properties.multiProcessorCount, 132);
  int value = 0;
  EXPECT_EQUAL(cudaDeviceGetAttribute(&value, cudaDevAttrMultiProcessorCount, 0), cudaSuccess);
  EXPECT_EQUAL(value, 132);
  EXPECT_EQUAL(cudaDeviceGetAttribute(&value, cudaDevAttrSingleToDoublePrecisionPerfRatio, 0), cudaSuccess);
  EXPECT_EQUAL(value, 64);
  // 65536 registers over 128 * 256 are 2 blocks; 102400 bytes over 45056 + 1024 are 2; 1536 threads over 96 are 16.
  EXPECT_EQUAL(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&value, fill, 256, 0), cudaSuccess);
  EXPECT_EQUAL(value, 2);
  options.device.kernel_registers = 32;
  set_options(options);
  EXPECT_EQUAL(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&value, fill, 256, 45056), cudaSuccess);
  EXPECT_EQUAL(value, 2);
  EXPECT_EQUAL(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&value, fill, 96, 0), cudaSuccess);
  EXPECT_EQUAL(value, 16);
  cudaFuncAttributes attributes;
  EXPECT_EQUAL(cudaFuncGetAttributes(&attributes, fill), cudaSuccess);
  EXPECT_EQUAL(attributes.numRegs, 32);
  EXPECT_EQUAL(attributes.sharedSizeBytes, 0);
  float* device = nullptr;
  cudaMalloc(&device, 128);
  MR_LAUNCH(fill, 1, 32, 0, nullptr, (Filling{device, 1.0f}));
  cudaFree(device);
  EXPECT_EQUAL(cudaFuncGetAttributes(&attributes, fill), cudaSuccess);
  EXPECT_EQUAL(attributes.sharedSizeBytes, 128);
}

static void environment() {
  const Options plain;
  setenv("MILLRACE_EMULATOR_SEED", "18446744073709551615", 1);
  setenv("MILLRACE_EMULATOR_MODE", "threads", 1);
  setenv("MILLRACE_EMULATOR_RESIDENT", "9", 1);
  setenv("MILLRACE_EMULATOR_FUZZ", "1", 1);
  setenv("MILLRACE_EMULATOR_SHUFFLE", "0", 1);
  setenv("MILLRACE_EMULATOR_STEPS", "1234", 1);
  setenv("MILLRACE_EMULATOR_LOSE_DEVICE", "3", 1);
  setenv("MILLRACE_EMULATOR_LOST_ERROR", "700", 1);
  setenv("MILLRACE_EMULATOR_MEMORY", "65536", 1);
  const Options options = mr_emulator::environment_options();
  EXPECT(options.seed == ~uint64_t{0} && options.mode == Mode::threads && options.resident == 9 && options.fuzz && !options.shuffle);
  EXPECT(options.steps == 1234 && options.lose_device == 3 && options.lost_error == 700 && options.device.memory_bytes == 65536);
  EXPECT(!options.no_driver && !options.no_device && options.fail_allocation == plain.fail_allocation &&
         options.lockstep == plain.lockstep);
}

int main() {
  checks.run("no driver", no_driver);
  checks.run("no device", no_device);
  checks.run("out of memory", out_of_memory);
  checks.run("the device lost", device_lost);
  checks.run("what is refused", refusals);
  checks.run("the device's numbers", numbers);
  checks.run("options from the environment", environment);
  return checks.end();
}
