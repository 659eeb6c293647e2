// How the emulator runs kernels, what it finds wrong in them, and what it counts.
// SPDX-License-Identifier: ISC
#ifndef MILLRACE_EMULATOR_OPTIONS_H
#define MILLRACE_EMULATOR_OPTIONS_H

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

namespace mr_emulator {

enum class Mode {
  serial,   // one block runs at a time, on the thread that synchronises: a seed gives the same run every time
  threads,  // every resident block is a thread of its own
};

// What is wrong with a kernel, and the CUDA error that its launch ends with.
enum class Fault {
  none,
  divergent,      // lanes meet at different lines: cudaErrorLaunchFailure
  missing_lane,   // a lane has returned where others wait for it: cudaErrorLaunchFailure
  dead_lock,      // all threads of a block wait: cudaErrorLaunchTimeout
  live_lock,      // too many steps without any store: cudaErrorLaunchTimeout
  address,        // an access to what is not allocated: cudaErrorIllegalAddress
  misaligned,     // cudaErrorMisalignedAddress
  stale,          // mr_load of what the same launch has written: cudaErrorLaunchFailure
  shared_memory,  // too much of it, or a write past an array's end: cudaErrorLaunchFailure
};

const char* fault_name(Fault fault);

struct Report {
  Fault fault = Fault::none;
  std::string text;  // one line or more, with file and line of every place that matters
  std::string kernel;
  std::string file;  // and line: where the thread that found it stands
  int line = 0;
  unsigned block = 0, thread = 0;
};

// The made-up device: compute capability 8.6 and its limits.
struct Device {
  int multiprocessors = 28, clock_khz = 1777000, memory_clock_khz = 7501000, memory_bus_bits = 192, single_to_double = 64;
  int major = 8, minor = 6, l2_bytes = 2359296;
  int registers = 65536, threads = 1536, blocks = 16;  // of a multiprocessor
  int shared_bytes = 102400, shared_reserved = 1024;   // of a multiprocessor, and of it taken by each block
  int block_shared_bytes = 49152, block_shared_most = 101376;
  int kernel_registers = 64;  // a thread, in every kernel: nothing compiles them here
  size_t memory_bytes = size_t{1} << 30;
};

// Each can be given by an environment variable, MILLRACE_EMULATOR_ and the capitals at its end.
struct Options {
  uint64_t seed = 0;                          // of all choices; 0: lanes, blocks and streams in turn [SEED]
  Mode mode = Mode::serial;                   // serial or threads [MODE]
  unsigned resident = 4;                      // blocks at a time [RESIDENT]
  bool shuffle = false;                       // blocks start in a random order [SHUFFLE]
  bool fuzz = false;                          // stores are seen by other blocks late and in any order, unless released [FUZZ]
  bool lockstep = false;                      // lanes meet at every access to global memory, to count sectors [LOCKSTEP]
  uint64_t steps = 20000000;                  // without a store, before a launch counts as live-locked [STEPS]
  bool no_driver = false;                     // cudaErrorInsufficientDriver [NO_DRIVER]
  bool no_device = false;                     // cudaErrorNoDevice [NO_DEVICE]
  unsigned fail_allocation = 0;               // which one from now on is out of memory, device or pinned; 0: none [FAIL_ALLOCATION]
  unsigned lose_device = 0;                   // with which launch from now on the device is lost [LOSE_DEVICE]
  int lost_error = 719;                       // and the error: cudaErrorLaunchFailure, or 700, cudaErrorIllegalAddress [LOST_ERROR]
  Device device;                              // of it device.memory_bytes [MEMORY]
  std::function<void(const Report&)> report;  // called once for a launch; none: prints to standard error
};

// What a launch did. Meetings count once for a block or warp, all else once for a thread.
struct Counters {
  uint64_t blocks = 0, barriers = 0, warp_syncs = 0, shuffles = 0, ballots = 0;
  uint64_t loads = 0, loaded_bytes = 0, stores = 0, stored_bytes = 0;  // global memory, asynchronous copies among the loads
  uint64_t loaded_sectors = 0, stored_sectors = 0;  // of 32 bytes, that a warp's lanes touch together; only with Options::lockstep
  uint64_t copies = 0, tickets = 0, pauses = 0, fused = 0;

  Counters& operator+=(const Counters& other);
};

// The options in force: those of the environment at first. Setting them also starts the counts of faults to inject anew.
const Options& options();
void set_options(const Options& options);
Options environment_options();

// The last report, and whatever came since set_options; fault none if nothing did.
Report last_report();

// Of the last launch that has run, and of all launches of a kernel (by its address; nullptr: of all kernels) since clear_counters.
Counters last_counters();
Counters total_counters(const void* kernel);
void clear_counters();

}  // namespace mr_emulator

#endif
