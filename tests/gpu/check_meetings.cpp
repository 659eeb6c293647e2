// Lanes that do not meet, threads that wait for ever, and addresses that are not there: each reported with its line.
// SPDX-License-Identifier: ISC
#include <cmath>
#include <vector>

#include "../../gpu/primitives.cuh"
#include "checks.h"

using mr_emulator::Fault;
using mr_emulator::last_report;
using mr_emulator::Options;
using mr_emulator::Report;
using mr_emulator::set_options;

struct Parameters {
  unsigned* words;
  float* numbers;
  unsigned count;
};

// The line of the nth statement that a test marks, to compare with reports.
static int lines[4];
#define MARK(n) lines[n] = __LINE__ + 1

MR_KERNEL(64, 1) divergent_lines(MR_PARAM(Parameters, p)) {
  if (mr_lane() < 7) {
    MARK(0);
    p.words[mr_thread()] = mr_shuffle(mr_lane(), 0);
  } else {
    MARK(1);
    p.words[mr_thread()] = mr_shuffle(mr_lane(), 1);
  }
}

MR_KERNEL(64, 1) divergent_kinds(MR_PARAM(Parameters, p)) { p.words[mr_thread()] = mr_thread() % 2 ? mr_ballot(true) : mr_shuffle(1u, 0); }

MR_KERNEL(64, 1) divergent_barriers(MR_PARAM(Parameters, p)) {
  if (mr_warp() == 0) {
    MARK(0);
    mr_sync_block();
  } else {
    MARK(1);
    mr_sync_block();
  }
  p.words[mr_thread()] = 1;
}

MR_KERNEL(64, 1) returns_before_barrier(MR_PARAM(Parameters, p)) {
  if (mr_thread() == p.count) return;
  MARK(0);
  mr_sync_block();
}

MR_KERNEL(64, 1) returns_before_shuffle(MR_PARAM(Parameters, p)) {
  if (mr_thread() == p.count) return;
  MARK(0);
  p.words[mr_thread()] = mr_shuffle_xor(1u, 1);
}

MR_KERNEL(64, 1) waits_across(MR_PARAM(Parameters, p)) {
  if (mr_thread() < 16) {
    MARK(0);
    mr_sync_warp();
  } else {
    MARK(1);
    mr_sync_block();
  }
  p.words[mr_thread()] = 1;
}

MR_KERNEL(64, 1) spins(MR_PARAM(Parameters, p)) {
  while (!mr_load_acquire(p.words)) mr_pause();
}

MR_KERNEL(64, 1) spins_without_pause(MR_PARAM(Parameters, p)) {
  while (!mr_load_relaxed(p.words)) {
  }
}

MR_KERNEL(64, 1) votes_for_ever(MR_PARAM(Parameters, p)) {
  while (mr_ballot(p.count == 0)) {
  }
}

// One thread waits for another of its warp, and for one of another block, as threads of a GPU may.
MR_KERNEL(64, 1) waits_for_others(MR_PARAM(Parameters, p)) {
  if (mr_thread() == 5) {
    while (mr_load_acquire(&p.words[mr_block()]) == 0) mr_pause();
    mr_store_release(&p.words[8 + mr_block()], 1);
  }
  if (mr_thread() == 40) {
    if (mr_block() + 1 < mr_blocks())
      while (mr_load_acquire(&p.words[8 + mr_block() + 1]) == 0) mr_pause();
    mr_store_release(&p.words[mr_block()], 1);
  }
}

MR_KERNEL(32, 1) loads_past_end(MR_PARAM(Parameters, p)) {
  MARK(0);
  p.words[0] = mr_load(&p.words[p.count]);
}

MR_KERNEL(32, 1) stores_before_start(MR_PARAM(Parameters, p)) {
  MARK(0);
  mr_store(p.words - 1, 7u);
}

MR_KERNEL(32, 1) loads_askew(MR_PARAM(Parameters, p)) {
  MARK(0);
  const float4 four = mr_load_once(reinterpret_cast<const float4*>(p.numbers + 1));
  mr_store(p.numbers, four.x);
}

MR_KERNEL(32, 1) writes_past_shared(MR_PARAM(Parameters, p)) {
  MR_SHARED(unsigned, before, 8);
  MR_SHARED(unsigned, after, 8);
  unsigned* place = before;
  place[p.count] = 1;
  after[mr_lane() % 8] = 1;
}

MR_KERNEL(32, 1) shares_too_much(MR_PARAM(Parameters, p)) {
  MR_SHARED(float, large, 12289);
  large[mr_lane()] = 0.0f;
  mr_store(&p.numbers[mr_lane()], large[mr_lane()]);
}

MR_KERNEL(32, 1) copies_past_shared(MR_PARAM(Parameters, p)) {
  MR_SHARED(float, tile, 32);
  MARK(0);
  mr_copy_async<4>(&tile[mr_lane() + 1], &p.numbers[mr_lane()], true);
}

// What comes of reading before anybody wrote: NaN, in shared memory and in fresh memory of the device.
MR_KERNEL(32, 1) reads_fresh(MR_PARAM(Parameters, p)) {
  MR_SHARED(float, tile, 32);
  MR_DYNAMIC_SHARED(double, more);
  const float fresh = mr_load(&p.numbers[mr_lane()]);
  mr_store(&p.words[mr_lane()], static_cast<unsigned>(std::isnan(tile[mr_lane()]) && std::isnan(more[mr_lane()]) && std::isnan(fresh)));
  tile[mr_lane()] = 0.0f;
  more[mr_lane()] = 0.0;
}

static Options quiet(uint64_t seed) {
  Options options;
  options.seed = seed;
  options.steps = 20000;
  options.report = [](const Report&) {};
  return options;
}

// Runs a kernel and says how it ended; its words are zeros at first, its numbers fresh.
static constexpr unsigned WORDS = 64;
static cudaError_t run(MrKernel<Parameters> kernel, Options options, unsigned blocks, unsigned threads, unsigned count,
                       unsigned* words = nullptr, size_t shared = 0) {
  set_options(options);
  Parameters p{};
  p.count = count;
  cudaMalloc(&p.words, WORDS * sizeof(unsigned));
  cudaMalloc(&p.numbers, WORDS * sizeof(float));
  cudaMemset(p.words, 0, WORDS * sizeof(unsigned));
  MR_LAUNCH(kernel, blocks, threads, shared, nullptr, p);
  const cudaError_t error = cudaDeviceSynchronize();
  if (words) cudaMemcpy(words, p.words, WORDS * sizeof(unsigned), cudaMemcpyDeviceToHost);
  EXPECT(cudaGetLastError() == error);
  cudaFree(p.words);
  cudaFree(p.numbers);
  return error;
}

// That a kernel is caught under all seeds, as that fault, in a report that names the marked lines.
static void caught(MrKernel<Parameters> kernel, Fault fault, cudaError_t error, unsigned threads, unsigned count, int marks) {
  for (uint64_t seed = 0; seed < 12; seed++) {
    unsigned reports = 0;
    Options options = quiet(seed);
    options.report = [&](const Report&) { reports++; };
    const cudaError_t found = run(kernel, options, 3, threads, count);
    EXPECT_EQUAL(found, error);
    const Report report = last_report();
    EXPECT_EQUAL(static_cast<int>(report.fault), static_cast<int>(fault));
    EXPECT_EQUAL(reports, 1);
    bool named = marks != 1 || report.line == lines[0];
    for (int i = 0; i < marks; i++) {
      const std::string place = std::string(__FILE__) + ":" + std::to_string(lines[i]);
      named = named && (report.text.find(place) != std::string::npos || (report.line == lines[i] && report.file == __FILE__));
    }
    EXPECT(named);
    if (!named) std::printf("    %s\n", report.text.c_str());
  }
}

int main() {
  const cudaError_t failure = cudaErrorLaunchFailure, timeout = cudaErrorLaunchTimeout, address = cudaErrorIllegalAddress;
  checks.run("lanes at different lines", [=] { caught(divergent_lines, Fault::divergent, failure, 64, 0, 2); });
  checks.run("lanes in different meetings", [=] { caught(divergent_kinds, Fault::divergent, failure, 64, 0, 0); });
  checks.run("warps at different barriers", [=] { caught(divergent_barriers, Fault::divergent, failure, 64, 0, 2); });
  checks.run("a lane that returns before a barrier", [=] {
    for (const unsigned who : {0u, 31u, 63u}) caught(returns_before_barrier, Fault::missing_lane, failure, 64, who, 1);
  });
  checks.run("a lane that returns before a shuffle", [=] {
    for (const unsigned who : {0u, 40u, 63u}) caught(returns_before_shuffle, Fault::missing_lane, failure, 64, who, 1);
  });
  checks.run("a dead-lock", [=] { caught(waits_across, Fault::dead_lock, timeout, 64, 0, 2); });
  checks.run("a live-lock", [=] {
    caught(spins, Fault::live_lock, timeout, 64, 0, 0);
    caught(spins_without_pause, Fault::live_lock, timeout, 64, 0, 0);
    caught(votes_for_ever, Fault::live_lock, timeout, 64, 0, 0);
  });
  checks.run("threads that wait for others are no lock", [] {
    for (uint64_t seed = 0; seed < 12; seed++) {
      Options options = quiet(seed);
      EXPECT_EQUAL(run(waits_for_others, options, 4, 64, 0), cudaSuccess);
      options.fuzz = true;
      EXPECT_EQUAL(run(waits_for_others, options, 4, 64, 0), cudaSuccess);
      options.mode = mr_emulator::Mode::threads;
      options.steps = 100000000;
      EXPECT_EQUAL(run(waits_for_others, options, 4, 64, 0), cudaSuccess);
    }
  });
  checks.run("a load past the end", [=] { caught(loads_past_end, Fault::address, address, 32, WORDS, 1); });
  checks.run("a store before the start", [=] { caught(stores_before_start, Fault::address, address, 32, 0, 1); });
  checks.run("a load that is not aligned", [=] { caught(loads_askew, Fault::misaligned, cudaErrorMisalignedAddress, 32, 0, 1); });
#ifndef __SANITIZE_ADDRESS__  // which ends the program first
  checks.run("a write past a shared array", [=] { caught(writes_past_shared, Fault::shared_memory, failure, 32, 8, 0); });
#endif
  checks.run("more shared memory than there is", [=] { caught(shares_too_much, Fault::shared_memory, failure, 32, 0, 0); });
  checks.run("a copy past a shared array", [=] { caught(copies_past_shared, Fault::address, address, 32, 0, 1); });
  checks.run("what nobody wrote is NaN", [] {
    unsigned words[WORDS];
    for (unsigned blocks : {1u, 9u}) {
      EXPECT_EQUAL(run(reads_fresh, quiet(0), blocks, 32, 0, words, 32 * sizeof(double)), cudaSuccess);
      for (unsigned i = 0; i < 32; i++) EXPECT_EQUAL(words[i], 1);
    }
  });
  checks.run("after a fault all calls fail, until a reset", [] {
    EXPECT_EQUAL(run(spins, quiet(0), 1, 32, 0), cudaErrorLaunchTimeout);
    float* memory = nullptr;
    EXPECT_EQUAL(cudaMalloc(&memory, 4), cudaErrorLaunchTimeout);
    EXPECT_EQUAL(cudaGetLastError(), cudaErrorLaunchTimeout);
    EXPECT_EQUAL(cudaPeekAtLastError(), cudaErrorLaunchTimeout);
    EXPECT_EQUAL(cudaDeviceReset(), cudaSuccess);
    EXPECT_EQUAL(cudaMalloc(&memory, 4), cudaSuccess);
    EXPECT_EQUAL(cudaFree(memory), cudaSuccess);
  });
  return checks.end();
}
