// The calls of CUDA's runtime: devices, memory, copies, streams and events.
// SPDX-License-Identifier: ISC
#include "runtime.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "machine.h"

using mr_emulator::Allocation;
using mr_emulator::finish;
using mr_emulator::machine;
using mr_emulator::Machine;
using mr_emulator::Place;
using mr_emulator::usable;

namespace {

constexpr int VERSION = 13000;
constexpr size_t ALIGNMENT = 256;

using Guard = std::lock_guard<std::recursive_mutex>;

// Lets things happen until the condition holds, or nothing is left to happen.
template <class Condition>
cudaError_t run_until(Condition condition) {
  Machine& m = machine();
  while (m.lost == cudaSuccess && !condition() && m.streams.step()) {
  }
  return finish(m.lost);
}

cudaError_t run_all() {
  return run_until([] { return false; });
}

cudaError_t allocate(void** memory, size_t bytes, Place place) {
  const Guard guard(machine().lock);
  Machine& m = machine();
  const cudaError_t error = usable();
  if (error != cudaSuccess) return finish(error);
  if (!memory) return finish(cudaErrorInvalidValue);
  *memory = nullptr;
  if (!bytes) return cudaSuccess;
  if (++m.allocations == m.options.fail_allocation) return finish(cudaErrorMemoryAllocation);
  if (place == Place::device && bytes > m.options.device.memory_bytes - m.device_bytes) return finish(cudaErrorMemoryAllocation);
  void* made = nullptr;
  if (posix_memalign(&made, ALIGNMENT, bytes)) return finish(cudaErrorMemoryAllocation);
  std::memset(made, 0xff, bytes);  // NaN, as float and as double
  m.memory[reinterpret_cast<uintptr_t>(made)] = {bytes, place};
  if (place == Place::device) m.device_bytes += bytes;
  *memory = made;
  return cudaSuccess;
}

cudaError_t release(void* memory, Place place) {
  const Guard guard(machine().lock);
  Machine& m = machine();
  const cudaError_t error = usable();
  const auto found = m.memory.find(reinterpret_cast<uintptr_t>(memory));
  const bool own = found != m.memory.end() && found->second.place == place;
  if (error == cudaSuccess && own) run_all();  // whoever uses it ends first
  if (own) {
    if (place == Place::device) m.device_bytes -= found->second.bytes;
    m.memory.erase(found);
    std::free(memory);
  }
  if (error != cudaSuccess) return finish(error);
  return memory && !own ? finish(cudaErrorInvalidValue) : finish(m.lost);
}

// Whether bytes from there on can be what the kind of copy says.
bool fits(const void* place, size_t bytes, bool device, bool either) {
  const Machine& m = machine();
  if (!place) return false;
  if (m.straddles(place, bytes)) return false;
  const Allocation* found = m.find(place, bytes);
  return either || device == (found && found->place == Place::device);
}

cudaError_t copy(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width, size_t height, cudaMemcpyKind kind,
                 cudaStream_t stream) {
  Machine& m = machine();
  const cudaError_t error = usable();
  if (error != cudaSuccess) return finish(error);
  CUstream_st* queue = m.streams.find(stream);
  if (!queue) return finish(cudaErrorInvalidResourceHandle);
  if (!width || !height) return cudaSuccess;
  if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault) return finish(cudaErrorInvalidMemcpyDirection);
  if (to_pitch < width || from_pitch < width) return finish(cudaErrorInvalidValue);
  const bool to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
  const bool from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
  const bool either = kind == cudaMemcpyDefault;
  if (!fits(to, (height - 1) * to_pitch + width, to_device, either) || !fits(from, (height - 1) * from_pitch + width, from_device, either))
    return finish(cudaErrorInvalidValue);
  m.streams.push(queue, [=] {
    for (size_t row = 0; row < height; row++)
      std::memmove(static_cast<char*>(to) + row * to_pitch, static_cast<const char*>(from) + row * from_pitch, width);
  });
  m.streams.chance();
  return finish(m.lost);
}

cudaError_t set(void* memory, int value, size_t bytes, cudaStream_t stream) {
  Machine& m = machine();
  const cudaError_t error = usable();
  if (error != cudaSuccess) return finish(error);
  CUstream_st* queue = m.streams.find(stream);
  if (!queue) return finish(cudaErrorInvalidResourceHandle);
  if (!bytes) return cudaSuccess;
  if (!m.find(memory, bytes)) return finish(cudaErrorInvalidValue);
  m.streams.push(queue, [=] { std::memset(memory, value, bytes); });
  m.streams.chance();
  return finish(m.lost);
}

}  // namespace

cudaError_t cudaDriverGetVersion(int* version) {
  *version = machine().options.no_driver ? 0 : VERSION;
  return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int* version) {
  *version = VERSION;
  return cudaSuccess;
}

cudaError_t cudaGetDeviceCount(int* count) {
  const Guard guard(machine().lock);
  *count = 0;
  if (machine().options.no_driver || machine().options.no_device) return finish(usable());
  *count = 1;
  return cudaSuccess;
}

cudaError_t cudaGetDevice(int* device) {
  const Guard guard(machine().lock);
  *device = 0;
  return finish(usable());
}

cudaError_t cudaSetDevice(int device) {
  const Guard guard(machine().lock);
  const cudaError_t error = usable();
  if (error != cudaSuccess) return finish(error);
  return device == 0 ? cudaSuccess : finish(cudaErrorInvalidDevice);
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  const Guard guard(machine().lock);
  const cudaError_t error = usable();
  if (error != cudaSuccess) return finish(error);
  if (device != 0) return finish(cudaErrorInvalidDevice);
  const mr_emulator::Device& d = machine().options.device;
  *properties = cudaDeviceProp{};
  std::snprintf(properties->name, sizeof properties->name, "Millrace emulator");
  properties->totalGlobalMem = d.memory_bytes;
  properties->sharedMemPerBlock = static_cast<size_t>(d.block_shared_bytes);
  properties->regsPerBlock = properties->regsPerMultiprocessor = d.registers;
  properties->warpSize = 32;
  properties->maxThreadsPerBlock = properties->maxThreadsDim[0] = properties->maxThreadsDim[1] = 1024;
  properties->maxThreadsDim[2] = 64;
  properties->maxGridSize[0] = 0x7fffffff;
  properties->maxGridSize[1] = properties->maxGridSize[2] = 65535;
  properties->totalConstMem = 65536;
  properties->major = d.major;
  properties->minor = d.minor;
  properties->multiProcessorCount = d.multiprocessors;
  properties->canMapHostMemory = properties->concurrentKernels = properties->unifiedAddressing = properties->hostRegisterSupported = 1;
  properties->asyncEngineCount = 2;
  properties->memoryBusWidth = d.memory_bus_bits;
  properties->l2CacheSize = d.l2_bytes;
  properties->maxThreadsPerMultiProcessor = d.threads;
  properties->sharedMemPerMultiprocessor = static_cast<size_t>(d.shared_bytes);
  properties->sharedMemPerBlockOptin = static_cast<size_t>(d.block_shared_most);
  properties->maxBlocksPerMultiProcessor = d.blocks;
  properties->reservedSharedMemPerBlock = static_cast<size_t>(d.shared_reserved);
  return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  const Guard guard(machine().lock);
  const cudaError_t error = usable();
  if (error != cudaSuccess) return finish(error);
  if (device != 0) return finish(cudaErrorInvalidDevice);
  const mr_emulator::Device& d = machine().options.device;
  switch (attribute) {
    case cudaDevAttrMaxThreadsPerBlock:
      *value = 1024;
      break;
    case cudaDevAttrMaxSharedMemoryPerBlock:
      *value = d.block_shared_bytes;
      break;
    case cudaDevAttrWarpSize:
      *value = 32;
      break;
    case cudaDevAttrMaxRegistersPerBlock:
    case cudaDevAttrMaxRegistersPerMultiprocessor:
      *value = d.registers;
      break;
    case cudaDevAttrClockRate:
      *value = d.clock_khz;
      break;
    case cudaDevAttrMultiProcessorCount:
      *value = d.multiprocessors;
      break;
    case cudaDevAttrIntegrated:
      *value = 0;
      break;
    case cudaDevAttrConcurrentKernels:
    case cudaDevAttrUnifiedAddressing:
    case cudaDevAttrHostRegisterSupported:
      *value = 1;
      break;
    case cudaDevAttrMemoryClockRate:
      *value = d.memory_clock_khz;
      break;
    case cudaDevAttrGlobalMemoryBusWidth:
      *value = d.memory_bus_bits;
      break;
    case cudaDevAttrL2CacheSize:
      *value = d.l2_bytes;
      break;
    case cudaDevAttrMaxThreadsPerMultiProcessor:
      *value = d.threads;
      break;
    case cudaDevAttrAsyncEngineCount:
      *value = 2;
      break;
    case cudaDevAttrComputeCapabilityMajor:
      *value = d.major;
      break;
    case cudaDevAttrComputeCapabilityMinor:
      *value = d.minor;
      break;
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
      *value = d.shared_bytes;
      break;
    case cudaDevAttrSingleToDoublePrecisionPerfRatio:
      *value = d.single_to_double;
      break;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
      *value = d.block_shared_most;
      break;
    case cudaDevAttrMaxBlocksPerMultiprocessor:
      *value = d.blocks;
      break;
    case cudaDevAttrReservedSharedMemoryPerBlock:
      *value = d.shared_reserved;
      break;
    default:
      return finish(cudaErrorInvalidValue);
  }
  return cudaSuccess;
}

cudaError_t cudaDeviceSynchronize() {
  const Guard guard(machine().lock);
  const cudaError_t error = usable();
  return error != cudaSuccess ? finish(error) : run_all();
}

cudaError_t cudaDeviceReset() {
  const Guard guard(machine().lock);
  Machine& m = machine();
  if (m.options.no_driver || m.options.no_device) return finish(usable());
  m.streams.drop(true);
  for (auto it = m.memory.begin(); it != m.memory.end();) {
    if (it->second.place != Place::registered) std::free(reinterpret_cast<void*>(it->first));
    it = m.memory.erase(it);
  }
  m.device_bytes = 0;
  m.kernels.clear();
  m.lost = cudaSuccess;
  mr_emulator::forget_error();
  return cudaSuccess;
}

cudaError_t cudaMalloc(void** memory, size_t bytes) { return allocate(memory, bytes, Place::device); }
cudaError_t cudaFree(void* memory) { return release(memory, Place::device); }
cudaError_t cudaMallocHost(void** memory, size_t bytes) { return allocate(memory, bytes, Place::pinned); }
cudaError_t cudaHostAlloc(void** memory, size_t bytes, unsigned) { return allocate(memory, bytes, Place::pinned); }
cudaError_t cudaFreeHost(void* memory) { return release(memory, Place::pinned); }

cudaError_t cudaHostRegister(void* memory, size_t bytes, unsigned) {
  const Guard guard(machine().lock);
  Machine& m = machine();
  const cudaError_t error = usable();
  if (error != cudaSuccess) return finish(error);
  if (!memory || !bytes) return finish(cudaErrorInvalidValue);
  const uintptr_t low = reinterpret_cast<uintptr_t>(memory);
  for (const auto& [start, allocation] : m.memory)
    if (start < low + bytes && low < start + allocation.bytes) return finish(cudaErrorHostMemoryAlreadyRegistered);
  m.memory[low] = {bytes, Place::registered};
  return cudaSuccess;
}

cudaError_t cudaHostUnregister(void* memory) {
  const Guard guard(machine().lock);
  Machine& m = machine();
  const cudaError_t error = usable();
  const auto found = m.memory.find(reinterpret_cast<uintptr_t>(memory));
  const bool own = found != m.memory.end() && found->second.place == Place::registered;
  if (error == cudaSuccess && own) run_all();
  if (own) m.memory.erase(found);
  if (error != cudaSuccess) return finish(error);
  return own ? finish(m.lost) : finish(cudaErrorHostMemoryNotRegistered);
}

cudaError_t cudaMemGetInfo(size_t* unused, size_t* total) {
  const Guard guard(machine().lock);
  const cudaError_t error = usable();
  if (error != cudaSuccess) return finish(error);
  *total = machine().options.device.memory_bytes;
  *unused = *total - machine().device_bytes;
  return cudaSuccess;
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
  const Guard guard(machine().lock);
  return copy(to, bytes, from, bytes, bytes, 1, kind, stream);
}

cudaError_t cudaMemcpy2DAsync(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width, size_t height,
                              cudaMemcpyKind kind, cudaStream_t stream) {
  const Guard guard(machine().lock);
  return copy(to, to_pitch, from, from_pitch, width, height, kind, stream);
}

cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
  const Guard guard(machine().lock);
  const cudaError_t error = copy(to, bytes, from, bytes, bytes, 1, kind, nullptr);
  return error != cudaSuccess || kind == cudaMemcpyDeviceToDevice ? error : cudaStreamSynchronize(nullptr);
}

cudaError_t cudaMemsetAsync(void* memory, int value, size_t bytes, cudaStream_t stream) {
  const Guard guard(machine().lock);
  return set(memory, value, bytes, stream);
}

cudaError_t cudaMemset(void* memory, int value, size_t bytes) {
  const Guard guard(machine().lock);
  return set(memory, value, bytes, nullptr);
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  const Guard guard(machine().lock);
  const cudaError_t error = usable();
  if (error != cudaSuccess) return finish(error);
  *stream = machine().streams.add(!(flags & cudaStreamNonBlocking));
  return cudaSuccess;
}

cudaError_t cudaStreamCreate(cudaStream_t* stream) { return cudaStreamCreateWithFlags(stream, cudaStreamDefault); }

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  const Guard guard(machine().lock);
  CUstream_st* found = stream ? machine().streams.find(stream) : nullptr;
  if (!found) return finish(cudaErrorInvalidResourceHandle);
  machine().streams.remove(found);
  return finish(usable());
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  const Guard guard(machine().lock);
  const cudaError_t error = usable();
  if (error != cudaSuccess) return finish(error);
  CUstream_st* found = machine().streams.find(stream);
  if (!found) return finish(cudaErrorInvalidResourceHandle);
  return run_until([found] { return found->tasks.empty(); });
}

cudaError_t cudaStreamQuery(cudaStream_t stream) {
  const Guard guard(machine().lock);
  const cudaError_t error = usable();
  if (error != cudaSuccess) return finish(error);
  CUstream_st* found = machine().streams.find(stream);
  if (!found) return finish(cudaErrorInvalidResourceHandle);
  if (found->tasks.empty()) return cudaSuccess;
  machine().streams.step();
  return machine().lost != cudaSuccess ? finish(machine().lost) : cudaErrorNotReady;
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
  const Guard guard(machine().lock);
  const cudaError_t error = usable();
  if (error != cudaSuccess) return finish(error);
  CUstream_st* queue = machine().streams.find(stream);
  const auto found = machine().streams.find_event(event);
  if (!queue || !found) return finish(cudaErrorInvalidResourceHandle);
  machine().streams.wait(queue, found);
  machine().streams.chance();
  return finish(machine().lost);
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* context) {
  const Guard guard(machine().lock);
  const cudaError_t error = usable();
  if (error != cudaSuccess) return finish(error);
  CUstream_st* queue = machine().streams.find(stream);
  if (!queue || !function) return finish(queue ? cudaErrorInvalidValue : cudaErrorInvalidResourceHandle);
  machine().streams.push(queue, [function, context] { function(context); });
  machine().streams.chance();
  return finish(machine().lost);
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  const Guard guard(machine().lock);
  const cudaError_t error = usable();
  if (error != cudaSuccess) return finish(error);
  *event = machine().streams.add_event(!(flags & cudaEventDisableTiming));
  return cudaSuccess;
}

cudaError_t cudaEventCreate(cudaEvent_t* event) { return cudaEventCreateWithFlags(event, cudaEventDefault); }

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  const Guard guard(machine().lock);
  if (!machine().streams.find_event(event)) return finish(cudaErrorInvalidResourceHandle);
  machine().streams.remove_event(event);
  return finish(usable());
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  const Guard guard(machine().lock);
  const cudaError_t error = usable();
  if (error != cudaSuccess) return finish(error);
  CUstream_st* queue = machine().streams.find(stream);
  const auto found = machine().streams.find_event(event);
  if (!queue || !found) return finish(cudaErrorInvalidResourceHandle);
  machine().streams.record(queue, found);
  machine().streams.chance();
  return finish(machine().lost);
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  const Guard guard(machine().lock);
  const cudaError_t error = usable();
  if (error != cudaSuccess) return finish(error);
  const auto found = machine().streams.find_event(event);
  if (!found) return finish(cudaErrorInvalidResourceHandle);
  return run_until([found] { return found->done >= found->asked; });
}

cudaError_t cudaEventQuery(cudaEvent_t event) {
  const Guard guard(machine().lock);
  const cudaError_t error = usable();
  if (error != cudaSuccess) return finish(error);
  const auto found = machine().streams.find_event(event);
  if (!found) return finish(cudaErrorInvalidResourceHandle);
  if (found->done >= found->asked) return cudaSuccess;
  machine().streams.step();
  return machine().lost != cudaSuccess ? finish(machine().lost) : cudaErrorNotReady;
}

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
  const Guard guard(machine().lock);
  const cudaError_t error = usable();
  if (error != cudaSuccess) return finish(error);
  const auto first = machine().streams.find_event(start), last = machine().streams.find_event(end);
  if (!first || !last || !first->timing || !last->timing || !first->asked || !last->asked) return finish(cudaErrorInvalidResourceHandle);
  if (first->done < first->asked || last->done < last->asked) return cudaErrorNotReady;
  *milliseconds = std::chrono::duration<float, std::milli>(last->when - first->when).count();
  return cudaSuccess;
}
