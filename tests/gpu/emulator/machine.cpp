// The state of the made-up device, its errors, and the options.
// SPDX-License-Identifier: ISC
#include "machine.h"

#include <algorithm>
#include <cstdio>
#include <string>
#include <utility>

namespace mr_emulator {

namespace {

thread_local cudaError_t last_error = cudaSuccess;

const void* address(Kernel kernel) { return reinterpret_cast<const void*>(kernel); }

}  // namespace

Machine& machine() {
  static Machine* made = new Machine;  // outlives whoever frees at the very end
  return *made;
}

const Allocation* Machine::find(const void* place, size_t bytes) const {
  const uintptr_t low = reinterpret_cast<uintptr_t>(place);
  auto after = memory.upper_bound(low);
  if (after == memory.begin()) return nullptr;
  --after;
  const uintptr_t offset = low - after->first;
  return offset <= after->second.bytes && after->second.bytes - offset >= bytes ? &after->second : nullptr;
}

bool Machine::straddles(const void* place, size_t bytes) const {
  const uintptr_t low = reinterpret_cast<uintptr_t>(place);
  for (const auto& [start, allocation] : memory) {
    if (allocation.place == Place::device && start < low + bytes && low < start + allocation.bytes && !find(place, bytes)) return true;
  }
  return false;
}

cudaError_t usable() {
  const Machine& m = machine();
  if (m.options.no_driver) return cudaErrorInsufficientDriver;
  if (m.options.no_device) return cudaErrorNoDevice;
  return m.lost;
}

cudaError_t finish(cudaError_t error) {
  if (error != cudaSuccess && error != cudaErrorNotReady) last_error = error;
  return error;
}

void forget_error() { last_error = cudaSuccess; }

const Options& options() { return machine().options; }

void set_options(const Options& options) {
  Machine& m = machine();
  const std::lock_guard<std::recursive_mutex> guard(m.lock);
  m.streams.drop(false);
  m.options = options;
  m.streams.start(options.seed);
  m.lost = last_error = cudaSuccess;
  m.allocations = m.launches = 0;
  m.report = Report{};
}

Report last_report() {
  Machine& m = machine();
  const std::lock_guard<std::recursive_mutex> guard(m.lock);
  return m.report;
}

Counters last_counters() {
  Machine& m = machine();
  const std::lock_guard<std::recursive_mutex> guard(m.lock);
  return m.last;
}

Counters total_counters(const void* kernel) {
  Machine& m = machine();
  const std::lock_guard<std::recursive_mutex> guard(m.lock);
  return kernel ? m.kernels[kernel].counters : m.total;
}

void clear_counters() {
  Machine& m = machine();
  const std::lock_guard<std::recursive_mutex> guard(m.lock);
  m.last = m.total = Counters{};
  for (auto& [kernel, state] : m.kernels) state.counters = Counters{};
}

namespace {

cudaError_t error_of(Fault fault) {
  switch (fault) {
    case Fault::none:
      return cudaSuccess;
    case Fault::dead_lock:
    case Fault::live_lock:
      return cudaErrorLaunchTimeout;
    case Fault::address:
      return cudaErrorIllegalAddress;
    case Fault::misaligned:
      return cudaErrorMisalignedAddress;
    default:
      return cudaErrorLaunchFailure;
  }
}

void print(const Report& report) {
  std::fprintf(stderr, "emulator: %s in %s, block %u, thread %u at %s:%d: %s\n", fault_name(report.fault), report.kernel.c_str(),
               report.block, report.thread, report.file.c_str(), report.line, report.text.c_str());
}

void run_launch(Machine& m, Grid& grid) {
  if (++m.launches == m.options.lose_device) {
    m.lose(static_cast<cudaError_t>(m.options.lost_error));
    return;
  }
  grid.options = m.options;
  for (const auto& [start, allocation] : m.memory) grid.memory.push_back({start, allocation.bytes});
  if (m.options.fuzz)
    for (const Range& range : grid.memory) grid.written.emplace_back((range.bytes + 3) / 4);
  run_grid(grid);
  KernelState& state = m.kernels[address(grid.kernel)];
  state.static_shared = grid.static_shared;
  state.counters += grid.counters;
  m.last = grid.counters;
  m.total += grid.counters;
  if (grid.report.fault == Fault::none) return;
  m.report = grid.report;
  m.lose(error_of(grid.report.fault));
  if (m.options.report)
    m.options.report(m.report);
  else
    print(m.report);
}

int registers_of_warp(const Device& device) { return (device.kernel_registers * 32 + 255) / 256 * 256; }

}  // namespace

void enqueue_launch(Kernel kernel, Caller caller, const char* name, unsigned blocks, unsigned threads, size_t dynamic_shared,
                    cudaStream_t stream, std::shared_ptr<const void> parameters) {
  Machine& m = machine();
  const std::lock_guard<std::recursive_mutex> guard(m.lock);
  const cudaError_t error = usable();
  if (error != cudaSuccess) {
    finish(error);
    return;
  }
  CUstream_st* to = m.streams.find(stream);
  const Device& device = m.options.device;
  const KernelState& state = m.kernels[address(kernel)];
  const size_t most = state.dynamic_most < 0 ? static_cast<size_t>(device.block_shared_bytes) - state.static_shared
                                             : static_cast<size_t>(state.dynamic_most);
  cudaError_t wrong = cudaSuccess;
  if (!to) wrong = cudaErrorInvalidResourceHandle;
  if (!blocks || blocks > 0x7fffffffu || !threads || threads > THREADS || threads % LANES) wrong = cudaErrorInvalidConfiguration;
  if (dynamic_shared > most) wrong = cudaErrorInvalidValue;
  if (wrong == cudaSuccess && registers_of_warp(device) * static_cast<int>(threads / LANES) > device.registers)
    wrong = cudaErrorLaunchOutOfResources;
  if (wrong != cudaSuccess) {
    finish(wrong);
    return;
  }
  m.streams.push(to, [&m, kernel, caller, text = std::string(name), blocks, threads, dynamic_shared, parameters] {
    Grid grid;
    grid.call = caller;
    grid.kernel = kernel;
    grid.parameters = parameters.get();
    grid.name = text;
    grid.blocks = blocks;
    grid.threads = threads;
    grid.dynamic_shared = dynamic_shared;
    run_launch(m, grid);
  });
  m.streams.chance();
}

cudaError_t function_attributes(cudaFuncAttributes* attributes, Kernel kernel) {
  Machine& m = machine();
  const std::lock_guard<std::recursive_mutex> guard(m.lock);
  const cudaError_t error = usable();
  if (error != cudaSuccess) return finish(error);
  const KernelState& state = m.kernels[address(kernel)];
  const Device& device = m.options.device;
  *attributes = cudaFuncAttributes{};
  attributes->sharedSizeBytes = state.static_shared;
  attributes->maxThreadsPerBlock = static_cast<int>(THREADS);
  attributes->numRegs = device.kernel_registers;
  attributes->ptxVersion = attributes->binaryVersion = device.major * 10 + device.minor;
  attributes->maxDynamicSharedSizeBytes =
      state.dynamic_most < 0 ? device.block_shared_bytes - static_cast<int>(state.static_shared) : state.dynamic_most;
  return cudaSuccess;
}

cudaError_t set_function_attribute(Kernel kernel, cudaFuncAttribute attribute, int value) {
  Machine& m = machine();
  const std::lock_guard<std::recursive_mutex> guard(m.lock);
  const cudaError_t error = usable();
  if (error != cudaSuccess) return finish(error);
  if (attribute == cudaFuncAttributePreferredSharedMemoryCarveout) return cudaSuccess;
  KernelState& state = m.kernels[address(kernel)];
  if (value < 0 || static_cast<size_t>(value) + state.static_shared > static_cast<size_t>(m.options.device.block_shared_most))
    return finish(cudaErrorInvalidValue);
  state.dynamic_most = value;
  return cudaSuccess;
}

cudaError_t occupancy(int* blocks, Kernel kernel, int block_threads, size_t dynamic_shared) {
  Machine& m = machine();
  const std::lock_guard<std::recursive_mutex> guard(m.lock);
  const cudaError_t error = usable();
  if (error != cudaSuccess) return finish(error);
  const Device& device = m.options.device;
  if (!blocks || block_threads <= 0 || block_threads > static_cast<int>(THREADS)) return finish(cudaErrorInvalidValue);
  const int warps = (block_threads + 31) / 32;
  const size_t shared =
      (m.kernels[address(kernel)].static_shared + dynamic_shared + 127) / 128 * 128 + static_cast<size_t>(device.shared_reserved);
  int most = device.blocks;
  most = std::min(most, device.threads / 32 / warps);
  most = std::min(most, device.registers / registers_of_warp(device) / warps);
  most = std::min(most, static_cast<int>(static_cast<size_t>(device.shared_bytes) / shared));
  *blocks = most;
  return cudaSuccess;
}

}  // namespace mr_emulator

cudaError_t cudaGetLastError() {
  const std::lock_guard<std::recursive_mutex> guard(mr_emulator::machine().lock);
  const cudaError_t error = mr_emulator::machine().lost != cudaSuccess ? mr_emulator::machine().lost : mr_emulator::last_error;
  mr_emulator::last_error = cudaSuccess;
  return error;
}

cudaError_t cudaPeekAtLastError() {
  const std::lock_guard<std::recursive_mutex> guard(mr_emulator::machine().lock);
  return mr_emulator::machine().lost != cudaSuccess ? mr_emulator::machine().lost : mr_emulator::last_error;
}

const char* cudaGetErrorName(cudaError_t error) {
  switch (error) {
#define NAME(error) \
  case error:       \
    return #error;
    NAME(cudaSuccess)
    NAME(cudaErrorInvalidValue)
    NAME(cudaErrorMemoryAllocation)
    NAME(cudaErrorInitializationError)
    NAME(cudaErrorInvalidConfiguration)
    NAME(cudaErrorInvalidMemcpyDirection)
    NAME(cudaErrorInsufficientDriver)
    NAME(cudaErrorDevicesUnavailable)
    NAME(cudaErrorInvalidDeviceFunction)
    NAME(cudaErrorNoDevice)
    NAME(cudaErrorInvalidDevice)
    NAME(cudaErrorNoKernelImageForDevice)
    NAME(cudaErrorECCUncorrectable)
    NAME(cudaErrorInvalidResourceHandle)
    NAME(cudaErrorNotReady)
    NAME(cudaErrorIllegalAddress)
    NAME(cudaErrorLaunchOutOfResources)
    NAME(cudaErrorLaunchTimeout)
    NAME(cudaErrorHostMemoryAlreadyRegistered)
    NAME(cudaErrorHostMemoryNotRegistered)
    NAME(cudaErrorMisalignedAddress)
    NAME(cudaErrorLaunchFailure)
    NAME(cudaErrorNotSupported)
    NAME(cudaErrorUnknown)
#undef NAME
  }
  return "unrecognized error code";
}

const char* cudaGetErrorString(cudaError_t error) {
  switch (error) {
    case cudaSuccess:
      return "no error";
    case cudaErrorMemoryAllocation:
      return "out of memory";
    case cudaErrorInsufficientDriver:
      return "CUDA driver version is insufficient for CUDA runtime version";
    case cudaErrorNoDevice:
      return "no CUDA-capable device is detected";
    case cudaErrorIllegalAddress:
      return "an illegal memory access was encountered";
    case cudaErrorLaunchTimeout:
      return "the launch timed out and was terminated";
    case cudaErrorMisalignedAddress:
      return "misaligned address";
    case cudaErrorLaunchFailure:
      return "unspecified launch failure";
    default:
      return cudaGetErrorName(error);
  }
}
