// Options from the environment, and the names of faults.
// SPDX-License-Identifier: ISC
#include "options.h"

#include <cstdlib>
#include <cstring>

namespace mr_emulator {

namespace {

// The number in an environment variable, or what it was.
template <class T>
void read(const char* name, T& value) {
  const char* text = std::getenv(name);
  if (text && *text) value = static_cast<T>(std::strtoull(text, nullptr, 0));
}

}  // namespace

const char* fault_name(Fault fault) {
  static const char* const names[] = {"none",    "divergent",  "missing lane", "dead-lock",    "live-lock",
                                      "address", "misaligned", "stale",        "shared memory"};
  return names[static_cast<int>(fault)];
}

Options environment_options() {
  Options options;
  read("MILLRACE_EMULATOR_SEED", options.seed);
  const char* mode = std::getenv("MILLRACE_EMULATOR_MODE");
  if (mode && std::strcmp(mode, "threads") == 0) options.mode = Mode::threads;
  read("MILLRACE_EMULATOR_RESIDENT", options.resident);
  read("MILLRACE_EMULATOR_SHUFFLE", options.shuffle);
  read("MILLRACE_EMULATOR_FUZZ", options.fuzz);
  read("MILLRACE_EMULATOR_LOCKSTEP", options.lockstep);
  read("MILLRACE_EMULATOR_STEPS", options.steps);
  read("MILLRACE_EMULATOR_NO_DRIVER", options.no_driver);
  read("MILLRACE_EMULATOR_NO_DEVICE", options.no_device);
  read("MILLRACE_EMULATOR_FAIL_ALLOCATION", options.fail_allocation);
  read("MILLRACE_EMULATOR_LOSE_DEVICE", options.lose_device);
  read("MILLRACE_EMULATOR_LOST_ERROR", options.lost_error);
  read("MILLRACE_EMULATOR_MEMORY", options.device.memory_bytes);
  return options;
}

Counters& Counters::operator+=(const Counters& other) {
  blocks += other.blocks;
  barriers += other.barriers;
  warp_syncs += other.warp_syncs;
  shuffles += other.shuffles;
  ballots += other.ballots;
  loads += other.loads;
  loaded_bytes += other.loaded_bytes;
  stores += other.stores;
  stored_bytes += other.stored_bytes;
  loaded_sectors += other.loaded_sectors;
  stored_sectors += other.stored_sectors;
  copies += other.copies;
  tickets += other.tickets;
  pauses += other.pauses;
  fused += other.fused;
  return *this;
}

}  // namespace mr_emulator
