// The schedules that kernels are tried on in the emulator.
// SPDX-License-Identifier: ISC
#ifndef MILLRACE_EMULATOR_SCHEDULES_H
#define MILLRACE_EMULATOR_SCHEDULES_H

#include <cstdint>
#include <cstdlib>
#include <string>

#include "options.h"

namespace mr_test {

// 3, or what MILLRACE_SEEDS says.
inline uint64_t seeds() {
  const char* said = std::getenv("MILLRACE_SEEDS");
  const uint64_t n = said ? std::strtoull(said, nullptr, 10) : 0;
  return n ? n : 3;
}

// Blocks in any order, few at a time, and stores that come late. 0: all in turn.
inline void choose_schedule(uint64_t seed) {
  mr_emulator::Options o = mr_emulator::environment_options();
  o.seed = seed;
  o.shuffle = seed != 0;
  o.fuzz = seed != 0;
  o.resident = static_cast<unsigned>(2 + seed % 3);
  mr_emulator::set_options(o);
}

inline uint64_t schedule_seed() { return mr_emulator::options().seed; }
inline std::string schedule_report() { return mr_emulator::last_report().text; }

}  // namespace mr_test

#endif
