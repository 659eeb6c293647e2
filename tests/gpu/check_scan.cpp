// A kernel that is right passes under every schedule; each planted fault is caught under some.
// SPDX-License-Identifier: ISC
#include "scan.cuh"

#include <vector>

#include "checks.h"

using mr_emulator::Fault;
using mr_emulator::last_report;
using mr_emulator::Mode;
using mr_emulator::Options;
using mr_emulator::set_options;

static constexpr unsigned COUNT = 5001, SEEDS = 16;

static Options quiet() {
  Options options;
  options.steps = 100000;
  options.report = [](const mr_emulator::Report&) {};
  return options;
}

// How many values of a prefix sum are wrong; all of them where a call fails.
template <Planted planted>
static unsigned scan(unsigned count) {
  std::vector<unsigned> from(count), right(count), found(count);
  unsigned noise = 1, sum = 0;
  for (unsigned i = 0; i < count; i++) {
    noise = noise * 1664525u + 1013904223u;
    from[i] = noise >> 16;
    right[i] = sum += from[i];
  }
  const unsigned tiles = (count + SCAN_TILE - 1) / SCAN_TILE;
  ScanParameters p{};
  unsigned* input = nullptr;
  cudaMalloc(&input, count * sizeof(unsigned));
  cudaMalloc(&p.to, count * sizeof(unsigned));
  cudaMalloc(&p.tiles, tiles * sizeof(ScanTile));
  cudaMalloc(&p.ticket, sizeof(unsigned));
  p.from = input;
  p.count = count;
  cudaMemcpy(input, from.data(), count * sizeof(unsigned), cudaMemcpyHostToDevice);
  cudaMemset(p.tiles, 0, tiles * sizeof(ScanTile));
  cudaMemset(p.ticket, 0, sizeof(unsigned));
  MR_LAUNCH((scan_kernel<planted>), tiles, SCAN_THREADS, SCAN_TILE * sizeof(unsigned), nullptr, p);
  cudaMemcpy(found.data(), p.to, count * sizeof(unsigned), cudaMemcpyDeviceToHost);
  unsigned wrong = 0;
  for (unsigned i = 0; i < count; i++) wrong += found[i] != right[i];
  if (cudaGetLastError() != cudaSuccess) wrong = count;
  for (void* memory : {static_cast<void*>(input), static_cast<void*>(p.to), static_cast<void*>(p.tiles), static_cast<void*>(p.ticket)})
    cudaFree(memory);
  return wrong;
}

static void passes(Options options) {
  for (unsigned seed = 0; seed < SEEDS; seed++) {
    options.seed = seed;
    set_options(options);
    const unsigned wrong = scan<Planted::nothing>(COUNT);
    EXPECT_EQUAL(wrong, 0);
    EXPECT(last_report().fault == Fault::none);
  }
}

// In how many of the seeds a fault shows, and what it is reported as, if at all.
template <Planted planted>
static unsigned caught(Options options, Fault fault) {
  unsigned seen = 0;
  for (unsigned seed = 1; seed <= SEEDS; seed++) {
    options.seed = seed;
    set_options(options);
    seen += scan<planted>(COUNT) != 0;
    EXPECT(last_report().fault == Fault::none || last_report().fault == fault);
  }
  return seen;
}

template <Planted planted>
static unsigned caught_in_fuzz() {
  Options options = quiet();
  options.fuzz = true;
  return caught<planted>(options, planted == Planted::read_only ? Fault::stale : Fault::none);
}

int main() {
  checks.run("one block at a time", [] { passes(quiet()); });
  checks.run("with fuzz, and blocks in any order", [] {
    Options options = quiet();
    options.fuzz = options.shuffle = true;
    passes(options);
  });
  checks.run("one resident block, and many", [] {
    Options options = quiet();
    options.shuffle = true;
    options.resident = 1;
    passes(options);
    options.resident = 64;
    passes(options);
  });
  checks.run("a thread for each block", [] {
    Options options = quiet();
    options.mode = Mode::threads;
    options.steps = 100000000;  // the machine may have other things to do
    passes(options);
    options.fuzz = options.shuffle = true;
    passes(options);
  });
  checks.run("in lockstep", [] {
    Options options = quiet();
    options.lockstep = true;
    passes(options);
    options.fuzz = true;
    passes(options);
  });
  checks.run("the same seed, the same run", [] {
    Options options = quiet();
    options.fuzz = options.shuffle = true;
    options.seed = 5;
    uint64_t pauses[2];
    for (uint64_t& count : pauses) {
      set_options(options);
      scan<Planted::nothing>(COUNT);
      count = mr_emulator::last_counters().pauses;
    }
    EXPECT(pauses[0] > 0);
    EXPECT_EQUAL(pauses[0], pauses[1]);
  });
  checks.run("no release", [] { EXPECT(caught_in_fuzz<Planted::no_release>() >= 1); });
  checks.run("the flag before the value", [] { EXPECT(caught_in_fuzz<Planted::flag_first>() >= 1); });
  checks.run("values of others through the read-only path", [] { EXPECT_EQUAL(caught_in_fuzz<Planted::read_only>(), SEEDS); });
  checks.run("no barrier", [] { EXPECT_EQUAL(caught<Planted::no_barrier>(quiet(), Fault::none), SEEDS); });
  checks.run("no wait for copies", [] { EXPECT_EQUAL(caught<Planted::no_wait>(quiet(), Fault::none), SEEDS); });
  checks.run("no commit of copies", [] { EXPECT_EQUAL(caught<Planted::no_commit>(quiet(), Fault::none), SEEDS); });
  checks.run("a wait that leaves a group under way", [] { EXPECT_EQUAL(caught<Planted::wait_for_one_less>(quiet(), Fault::none), SEEDS); });
  checks.run("no ticket", [] {
    Options options = quiet();
    options.shuffle = true;
    EXPECT_EQUAL(caught<Planted::no_ticket>(options, Fault::live_lock), SEEDS);
    const std::string text = last_report().text;
    EXPECT(text.find("scan.cuh:") != std::string::npos);
  });
  return checks.end();
}
