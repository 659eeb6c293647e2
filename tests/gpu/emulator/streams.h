// Streams and events: what is queued, and which of it may happen next.
// SPDX-License-Identifier: ISC
#ifndef MILLRACE_EMULATOR_STREAMS_H
#define MILLRACE_EMULATOR_STREAMS_H

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <memory>

#include "grid.h"
#include "runtime.h"

struct CUevent_st {
  bool timing = true;
  uint64_t asked = 0, done = 0;  // number of the last record, and of the last that has happened; 0: none
  std::chrono::steady_clock::time_point when;
};

namespace mr_emulator {

struct Task {
  uint64_t number = 0;        // in the order of queueing, over all streams
  std::function<void()> run;  // empty: only waits
  std::shared_ptr<CUevent_st> event;
  uint64_t until = 0;  // which record of it the stream waits for
};

}  // namespace mr_emulator

struct CUstream_st {
  bool blocking = true;    // waits for the default stream, and it for this
  bool destroyed = false;  // by the host, with tasks left
  std::deque<mr_emulator::Task> tasks;
};

namespace mr_emulator {

class Streams {
 public:
  Streams();
  CUstream_st* add(bool blocking);
  // The stream of a handle: nullptr for one that is not known. 0 is the default stream.
  CUstream_st* find(cudaStream_t stream);
  void remove(CUstream_st* stream);

  CUevent_st* add_event(bool timing);
  std::shared_ptr<CUevent_st> find_event(cudaEvent_t event);
  void remove_event(cudaEvent_t event);

  void push(CUstream_st* stream, std::function<void()> run);
  void record(CUstream_st* stream, const std::shared_ptr<CUevent_st>& event);
  void wait(CUstream_st* stream, const std::shared_ptr<CUevent_st>& event);

  // Does one thing that may happen now: the oldest, or with a seed any. False: nothing is queued.
  bool step();
  // With a seed, may do some of it.
  void chance();
  // Forgets what is queued, and with all = true the streams and events too.
  void drop(bool all);
  void start(uint64_t seed);

 private:
  bool may_go(const CUstream_st& stream) const;

  std::list<std::unique_ptr<CUstream_st>> streams_;  // the default stream first
  std::list<std::shared_ptr<CUevent_st>> events_;
  uint64_t number_ = 0;
  bool seeded_ = false;
  Random random_;
};

}  // namespace mr_emulator

#endif
