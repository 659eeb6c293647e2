// Streams of the emulator: what the host forgets to wait for shows, and what it waits for is right under every schedule.
// SPDX-License-Identifier: ISC
#include <algorithm>
#include <vector>

#include "../../gpu/primitives.cuh"
#include "checks.h"

using mr_emulator::Options;
using mr_emulator::set_options;

static constexpr unsigned SEEDS = 40, COUNT = 64, GROUPS = 6, BUFFERS = 2;

struct Doubling {
  const float* from;
  float* to;
};

MR_KERNEL(COUNT, 1) twice(MR_PARAM(Doubling, p)) { mr_store(&p.to[mr_thread()], 2.0f * mr_load(&p.from[mr_thread()])); }

enum class Forgotten { nothing, upload, kernel, host_buffer, input_buffer, output_buffer, synchronise };

// Groups of samples through two buffers and three streams, as a bounce does it: uploads, kernels and downloads overlap. The samples that are wrong.
static unsigned bounce(Forgotten forgotten) {
  cudaStream_t up = nullptr, work = nullptr, down = nullptr;
  cudaStreamCreateWithFlags(&up, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&work, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&down, cudaStreamNonBlocking);
  float *pinned[BUFFERS], *back[BUFFERS], *from[BUFFERS], *to[BUFFERS];
  cudaEvent_t uploaded[BUFFERS], done[BUFFERS], downloaded[BUFFERS];
  for (unsigned b = 0; b < BUFFERS; b++) {
    cudaMallocHost(&pinned[b], COUNT * sizeof(float));
    cudaMallocHost(&back[b], COUNT * sizeof(float));
    cudaMalloc(&from[b], COUNT * sizeof(float));
    cudaMalloc(&to[b], COUNT * sizeof(float));
    for (cudaEvent_t* event : {&uploaded[b], &done[b], &downloaded[b]}) cudaEventCreateWithFlags(event, cudaEventDisableTiming);
  }
  std::vector<float> result(COUNT * GROUPS);
  const auto collect = [&](unsigned group) {
    if (forgotten != Forgotten::synchronise) cudaEventSynchronize(downloaded[group % BUFFERS]);
    std::copy_n(back[group % BUFFERS], COUNT, &result[group * COUNT]);
  };
  for (unsigned group = 0; group < GROUPS; group++) {
    const unsigned b = group % BUFFERS;
    // The events of a buffer are those of the group before last, or of none.
    if (forgotten != Forgotten::host_buffer) cudaEventSynchronize(uploaded[b]);
    if (forgotten != Forgotten::input_buffer) cudaStreamWaitEvent(up, done[b]);
    if (forgotten != Forgotten::output_buffer) cudaStreamWaitEvent(work, downloaded[b]);
    for (unsigned i = 0; i < COUNT; i++) pinned[b][i] = static_cast<float>(group * COUNT + i);
    cudaMemcpyAsync(from[b], pinned[b], COUNT * sizeof(float), cudaMemcpyHostToDevice, up);
    cudaEventRecord(uploaded[b], up);
    if (forgotten != Forgotten::upload) cudaStreamWaitEvent(work, uploaded[b]);
    const Doubling p{from[b], to[b]};
    MR_LAUNCH(twice, 1, COUNT, 0, work, p);
    cudaEventRecord(done[b], work);
    if (forgotten != Forgotten::kernel) cudaStreamWaitEvent(down, done[b]);
    if (group >= BUFFERS) collect(group - BUFFERS);
    cudaMemcpyAsync(back[b], to[b], COUNT * sizeof(float), cudaMemcpyDeviceToHost, down);
    cudaEventRecord(downloaded[b], down);
  }
  for (unsigned group = GROUPS - BUFFERS; group < GROUPS; group++) collect(group);
  EXPECT_EQUAL(cudaDeviceSynchronize(), cudaSuccess);
  unsigned wrong = 0;
  for (unsigned i = 0; i < COUNT * GROUPS; i++) wrong += result[i] != 2.0f * static_cast<float>(i);
  for (unsigned b = 0; b < BUFFERS; b++) {
    cudaFreeHost(pinned[b]);
    cudaFreeHost(back[b]);
    cudaFree(from[b]);
    cudaFree(to[b]);
    for (cudaEvent_t event : {uploaded[b], done[b], downloaded[b]}) cudaEventDestroy(event);
  }
  for (cudaStream_t stream : {up, work, down}) EXPECT_EQUAL(cudaStreamDestroy(stream), cudaSuccess);
  EXPECT_EQUAL(cudaGetLastError(), cudaSuccess);
  return wrong;
}

static unsigned seeds_with_wrong_samples(Forgotten forgotten) {
  unsigned seen = 0;
  for (unsigned seed = 0; seed < SEEDS; seed++) {
    Options options;
    options.seed = seed;
    set_options(options);
    seen += bounce(forgotten) != 0;
  }
  return seen;
}

// A buffer in the host's own memory is read when the copy happens, and written when it happens: not when it is queued.
static void late_copies() {
  unsigned late = 0, read_late = 0;
  for (unsigned seed = 0; seed < SEEDS; seed++) {
    Options options;
    options.seed = seed;
    set_options(options);
    float host = 1.0f, *device = nullptr;
    cudaMalloc(&device, sizeof(float));
    cudaMemcpyAsync(device, &host, sizeof host, cudaMemcpyHostToDevice);
    host = 2.0f;
    cudaDeviceSynchronize();
    float found = 0.0f;
    cudaMemcpyAsync(&found, device, sizeof found, cudaMemcpyDeviceToHost);
    late += found == 0.0f;
    cudaStreamSynchronize(nullptr);
    EXPECT(found == 1.0f || found == 2.0f);
    read_late += found == 2.0f;
    cudaFree(device);
  }
  EXPECT(late > SEEDS / 2 && read_late > SEEDS / 2);
  EXPECT(late < SEEDS && read_late < SEEDS);
}

// The default stream waits for blocking streams, and they for it; not so a stream that is not blocking.
static void default_stream() {
  unsigned unordered = 0;
  for (unsigned seed = 0; seed < SEEDS; seed++) {
    Options options;
    options.seed = seed;
    set_options(options);
    for (const unsigned flags : {cudaStreamDefault, cudaStreamNonBlocking}) {
      cudaStream_t stream = nullptr;
      unsigned char *device = nullptr, found[3] = {};
      cudaStreamCreateWithFlags(&stream, flags);
      cudaMalloc(&device, 1);
      cudaMemsetAsync(device, 1, 1, stream);
      cudaMemcpyAsync(&found[0], device, 1, cudaMemcpyDeviceToHost);
      cudaMemsetAsync(device, 2, 1);
      cudaMemcpyAsync(&found[1], device, 1, cudaMemcpyDeviceToHost, stream);
      cudaMemsetAsync(device, 3, 1, stream);
      EXPECT_EQUAL(cudaStreamDestroy(stream), cudaSuccess);  // which does not forget what is queued
      cudaDeviceSynchronize();
      cudaMemcpy(&found[2], device, 1, cudaMemcpyDeviceToHost);
      const bool ordered = found[0] == 1 && found[1] == 2 && found[2] == 3;
      EXPECT(flags == cudaStreamNonBlocking || ordered);
      unordered += !ordered;
      cudaFree(device);
    }
  }
  EXPECT(unordered > 0);
}

// Asking is enough for things to happen; an event counts as of its last record; one that nobody recorded holds nobody up.
static void events() {
  for (unsigned seed = 0; seed < SEEDS; seed++) {
    Options options;
    options.seed = seed;
    set_options(options);
    cudaStream_t stream = nullptr, other = nullptr;
    cudaEvent_t first = nullptr, last = nullptr, never = nullptr;
    cudaStreamCreate(&stream);
    cudaStreamCreate(&other);
    cudaEventCreate(&first);
    cudaEventCreate(&last);
    cudaEventCreate(&never);
    EXPECT_EQUAL(cudaEventQuery(never), cudaSuccess);
    cudaStreamWaitEvent(stream, never);
    unsigned char *device = nullptr, found = 0;
    cudaMalloc(&device, 1);
    cudaEventRecord(first, stream);
    cudaMemsetAsync(device, 5, 1, stream);
    cudaEventRecord(last, stream);
    cudaMemsetAsync(device, 6, 1, stream);
    cudaEventRecord(last, stream);
    cudaStreamWaitEvent(other, last);
    cudaMemcpyAsync(&found, device, 1, cudaMemcpyDeviceToHost, other);
    unsigned asked = 0;
    while (cudaStreamQuery(other) == cudaErrorNotReady && asked < 100) asked++;
    EXPECT(asked < 100);
    EXPECT_EQUAL(found, 6);
    EXPECT_EQUAL(cudaEventQuery(last), cudaSuccess);
    float milliseconds = -1.0f;
    EXPECT_EQUAL(cudaEventElapsedTime(&milliseconds, first, last), cudaSuccess);
    EXPECT(milliseconds >= 0.0f && milliseconds < 1e4f);
    EXPECT_EQUAL(cudaEventElapsedTime(&milliseconds, first, never), cudaErrorInvalidResourceHandle);
    bool called = false;
    cudaLaunchHostFunc(
        other, [](void* flag) { *static_cast<bool*>(flag) = true; }, &called);
    cudaStreamSynchronize(other);
    EXPECT(called);
    cudaFree(device);
    for (cudaEvent_t event : {first, last, never}) cudaEventDestroy(event);
    cudaStreamDestroy(stream);
    cudaStreamDestroy(other);
  }
}

// Rows of a picture with gaps, there and back.
static void rows() {
  set_options(Options{});
  unsigned char *device = nullptr, from[3 * 7], back[3 * 5];
  for (unsigned i = 0; i < sizeof from; i++) from[i] = static_cast<unsigned char>(i + 1);
  cudaMalloc(&device, 3 * 16);
  EXPECT_EQUAL(cudaMemcpy2DAsync(device, 16, from, 7, 4, 3, cudaMemcpyHostToDevice), cudaSuccess);
  EXPECT_EQUAL(cudaMemcpy2DAsync(back, 5, device, 16, 4, 3, cudaMemcpyDeviceToHost), cudaSuccess);
  cudaDeviceSynchronize();
  for (unsigned r = 0; r < 3; r++)
    for (unsigned i = 0; i < 4; i++) EXPECT_EQUAL(back[5 * r + i], 7 * r + i + 1);
  EXPECT_EQUAL(cudaMemcpy2DAsync(device, 16, from, 3, 4, 3, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  EXPECT_EQUAL(cudaMemcpy2DAsync(device, 16, from, 7, 4, 4, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  EXPECT_EQUAL(cudaGetLastError(), cudaErrorInvalidValue);
  cudaFree(device);
}

int main() {
  checks.run("a bounce that waits for all", [] { EXPECT_EQUAL(seeds_with_wrong_samples(Forgotten::nothing), 0); });
  checks.run("no wait for the upload", [] { EXPECT(seeds_with_wrong_samples(Forgotten::upload) > 1); });
  checks.run("no wait for the kernel", [] { EXPECT(seeds_with_wrong_samples(Forgotten::kernel) > 1); });
  checks.run("a host buffer that is still read", [] { EXPECT(seeds_with_wrong_samples(Forgotten::host_buffer) > 1); });
  checks.run("a device buffer that is still read", [] { EXPECT(seeds_with_wrong_samples(Forgotten::input_buffer) > 1); });
  checks.run("a device buffer that is not yet fetched", [] { EXPECT(seeds_with_wrong_samples(Forgotten::output_buffer) > 1); });
  checks.run("no wait before the result is read", [] { EXPECT(seeds_with_wrong_samples(Forgotten::synchronise) > SEEDS / 2); });
  checks.run("copies are late", late_copies);
  checks.run("the default stream", default_stream);
  checks.run("events, and questions", events);
  checks.run("rows", rows);
  return checks.end();
}
