/* Cards in the terms of the cost model, and what was compiled for them.
   SPDX-License-Identifier: ISC */
#include "device.cuh"

#include <sys/types.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstring>

#include "memory.cuh"
#include "plan.h"
#include "tables.h"

static int attribute(cudaDeviceAttr which, int device) {
  int value = 0;
  return cudaDeviceGetAttribute(&value, which, device) == cudaSuccess ? value : 0;
}

/* float32 operations that a multiprocessor begins in a clock: what the generations of cards have. */
static double singles_of(int major, int minor) { return major < 8 || (major == 8 && minor == 0) ? 64 : 128; }

/* A number at the start of a file of a few bytes; 0: none. */
static double number_in(const char* folder, const char* name) {
  char path[160];
  double value = 0;
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE* const file = fopen(path, "re");
  if (!file) return 0;
  if (fscanf(file, "%lf", &value) != 1) value = 0;
  fclose(file);
  return value;
}

/* Bytes/s over the link to the host, as Linux knows it; a plain one of sixteen lanes where it does not. */
static double host_bandwidth_of(const cudaDeviceProp& p) {
  char folder[96];
  snprintf(folder, sizeof folder, "/sys/bus/pci/devices/%04x:%02x:%02x.0", p.pciDomainID, p.pciBusID, p.pciDeviceID);
  double transfers = number_in(folder, "max_link_speed"), lanes = number_in(folder, "max_link_width"); /* GT/s */
  if (!(transfers > 0 && transfers < 1000 && lanes > 0 && lanes <= 32)) transfers = 8, lanes = 16;
  const double coding = transfers < 7 ? 0.8 : 0.985, reached = 0.8;
  return transfers * 1e9 * lanes / 8 * coding * reached;
}

static cudaError_t describe(int index, MrGpuDevice* d) {
  cudaDeviceProp p;
  const cudaError_t error = cudaGetDeviceProperties(&p, index);
  if (error != cudaSuccess) return error;
  memset(d, 0, sizeof *d);
  snprintf(d->name, sizeof d->name, "%.120s", p.name);
  d->major = static_cast<uint32_t>(p.major);
  d->minor = static_cast<uint32_t>(p.minor);
  d->processors = static_cast<uint32_t>(p.multiProcessorCount);
  d->registers = static_cast<uint32_t>(p.regsPerMultiprocessor);
  d->shared = static_cast<uint32_t>(p.sharedMemPerMultiprocessor);
  d->block_shared = static_cast<uint32_t>(p.sharedMemPerBlockOptin);
  d->threads = static_cast<uint32_t>(p.maxThreadsPerMultiProcessor);
  d->blocks = static_cast<uint32_t>(p.maxBlocksPerMultiProcessor);
  d->clock = 1e3 * attribute(cudaDevAttrClockRate, index);
  d->bandwidth = 2.0 * 1e3 * attribute(cudaDevAttrMemoryClockRate, index) * attribute(cudaDevAttrGlobalMemoryBusWidth, index) / 8;
  const int ratio = attribute(cudaDevAttrSingleToDoublePrecisionPerfRatio, index);
  d->singles = singles_of(p.major, p.minor);
  d->doubles = d->singles / (ratio > 0 ? ratio : 64);
  d->host_bandwidth = host_bandwidth_of(p);
  d->memory = p.totalGlobalMem;
  return cudaSuccess;
}

/* What CUDA has made in a process is no good to its children. */
static MrGpuStatus check_process(char* why) {
  static std::atomic<pid_t> owner{0};
  const pid_t here = getpid();
  pid_t first = 0;
  if (owner.compare_exchange_strong(first, here) || first == here) return MR_GPU_OK;
  snprintf(why, MR_GPU_WHY, "the process is a child of one that uses the card");
  return MR_GPU_LOST;
}

MrGpuStatus mr_gpu_devices(MrGpuDevice* device, uint32_t room, uint32_t* count, char* why) {
  int found = 0;
  *count = 0;
  MrGpuStatus status = check_process(why);
  if (status == MR_GPU_OK) status = mr_gpu_told(cudaGetDeviceCount(&found), "looking for cards", why);
  if (status == MR_GPU_OK && found == 0) status = mr_gpu_told(cudaErrorNoDevice, "looking for cards", why);
  for (int i = 0; status == MR_GPU_OK && i < found && static_cast<uint32_t>(i) < room; i++)
    status = mr_gpu_told(describe(i, &device[i]), "reading a card's properties", why);
  if (status == MR_GPU_OK) *count = static_cast<uint32_t>(found);
  return status;
}

/* ------------------------------------------------------------------ plan */

static MrGpuStatus refuse(char* why, const char* text) {
  snprintf(why, MR_GPU_WHY, "%s", text);
  return MR_GPU_REFUSED;
}

MrGpuStatus mr_gpu_check_job(const MrGpuJob* job, char* why) {
  if (!job->channels || job->channels > MR_MAX_CHANNELS) return refuse(why, "1 to 1024 channels are expected");
  if (!job->chunk || job->chunk % 64 || job->chunk > (1u << 30)) return refuse(why, "a chunk is a multiple of 64 frames, 2^30 at most");
  if (job->submissions > 8) return refuse(why, "at most 8 chunks are under way");
  if (job->wide && job->fast) return refuse(why, "float64 samples are filtered in float64");
  for (uint32_t c = 0; c < job->channels; c++)
    if (job->cascade[c].sections > MR_MAX_DESIGN_SECTIONS) {
      snprintf(why, MR_GPU_WHY, "channel %u has %u sections, and kernels take %u", c + 1, job->cascade[c].sections, MR_MAX_DESIGN_SECTIONS);
      return MR_GPU_REFUSED;
    }
  return MR_GPU_OK;
}

static cudaError_t resource_of(const MrGpuInstance& instance, MrGpuResource* r) {
  cudaFuncAttributes a;
  const cudaError_t error = instance.attributes(&a);
  if (error != cudaSuccess) return error;
  *r = MrGpuResource{};
  r->kernel = instance.kernel;
  r->wide = instance.wide;
  r->fast = instance.fast;
  r->lanes = instance.lanes;
  r->samples = instance.kernel == MR_GPU_PLR_KERNEL ? MR_PLR_GROUP / MR_PLR_LANES : instance.samples;
  r->registers = static_cast<uint32_t>(a.numRegs);
  r->shared = static_cast<uint32_t>(a.sharedSizeBytes) + instance.shared(0);
  r->section_shared = instance.shared(1) - instance.shared(0);
  return cudaSuccess;
}

/* Whether an instance may be planned with. Of PLR the one of the filter's order. */
static bool is_for(const MrGpuInstance& instance, const MrGpuJob* job) {
  if (instance.wide != job->wide || instance.fast != job->fast) return false;
  if (instance.kernel != MR_GPU_PLR_KERNEL) return true;
  return job->kernel == MR_GPU_PLR_KERNEL && job->channels == 1 && !job->interleaved && instance.samples == 2 * job->cascade[0].sections;
}

MrGpuStatus mr_gpu_plan_on(uint32_t index, const MrGpuJob* job, MrGpuPlan* plan, const MrGpuInstance** instance, char* why) {
  MrGpuDevice device;
  MrGpuStatus status = mr_gpu_check_job(job, why);
  if (status == MR_GPU_OK) status = check_process(why);
  if (status == MR_GPU_OK) status = mr_gpu_told(cudaSetDevice(static_cast<int>(index)), "taking the card", why);
  if (status == MR_GPU_OK) status = mr_gpu_told(describe(static_cast<int>(index), &device), "reading the card's properties", why);
  if (status != MR_GPU_OK) return status;
  MrGpuResource resource[MR_GPU_MOST_INSTANCES];
  const MrGpuInstance* from[MR_GPU_MOST_INSTANCES];
  uint32_t count = 0;
  cudaError_t error = cudaSuccess;
  mr_gpu_each_instance([&](const MrGpuInstance& i) {
    if (error != cudaSuccess || !is_for(i, job) || count == MR_GPU_MOST_INSTANCES) return;
    from[count] = &i;
    error = resource_of(i, &resource[count]);
    if (error == cudaSuccess) count++;
  });
  status = mr_gpu_told(error, "asking for a kernel", why);
  if (status == MR_GPU_OK) status = mr_gpu_plan(&device, job, resource, count, plan, why);
  if (status != MR_GPU_OK) return status;
  const MrGpuKernel kernel = plan->kernel == MR_GPU_CHANNELS ? MR_GPU_SEGMENTS : plan->kernel;
  *instance = nullptr;
  for (uint32_t i = 0; i < count && !*instance; i++)
    if (from[i]->kernel == kernel && resource[i].lanes == plan->lanes && resource[i].samples == plan->samples) *instance = from[i];
  return *instance ? MR_GPU_OK : refuse(why, "the plan names a kernel that was not compiled");
}
