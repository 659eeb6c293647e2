// Which stream's next task may go, and which goes.
// SPDX-License-Identifier: ISC
#include "streams.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace mr_emulator {

Streams::Streams() { streams_.push_back(std::make_unique<CUstream_st>()); }

CUstream_st* Streams::add(bool blocking) {
  streams_.push_back(std::make_unique<CUstream_st>());
  streams_.back()->blocking = blocking;
  return streams_.back().get();
}

CUstream_st* Streams::find(cudaStream_t stream) {
  if (!stream) return streams_.front().get();
  for (const auto& known : streams_)
    if (known.get() == stream && known != streams_.front() && !known->destroyed) return stream;
  return nullptr;
}

void Streams::remove(CUstream_st* stream) {
  stream->destroyed = true;
  if (stream->tasks.empty()) streams_.remove_if([stream](const auto& known) { return known.get() == stream; });
}

CUevent_st* Streams::add_event(bool timing) {
  events_.push_back(std::make_shared<CUevent_st>());
  events_.back()->timing = timing;
  return events_.back().get();
}

std::shared_ptr<CUevent_st> Streams::find_event(cudaEvent_t event) {
  for (const auto& known : events_)
    if (known.get() == event) return known;
  return nullptr;
}

void Streams::remove_event(cudaEvent_t event) {
  events_.remove_if([event](const auto& known) { return known.get() == event; });
}

void Streams::push(CUstream_st* stream, std::function<void()> run) { stream->tasks.push_back({++number_, std::move(run), nullptr, 0}); }

void Streams::record(CUstream_st* stream, const std::shared_ptr<CUevent_st>& event) {
  const uint64_t record = event->asked = ++number_;
  push(stream, [event, record] {
    event->done = std::max(event->done, record);
    event->when = std::chrono::steady_clock::now();
  });
}

void Streams::wait(CUstream_st* stream, const std::shared_ptr<CUevent_st>& event) {
  stream->tasks.push_back({++number_, {}, event, event->asked});
}

bool Streams::may_go(const CUstream_st& stream) const {
  if (stream.tasks.empty()) return false;
  const Task& task = stream.tasks.front();
  if (task.event && task.event->done < task.until) return false;
  if (!stream.blocking) return true;
  // The default stream waits for what was queued before in blocking streams, and these for it.
  const CUstream_st& plain = *streams_.front();
  for (const auto& other : streams_) {
    const bool ordered = other->blocking && other.get() != &stream && (&stream == &plain || other.get() == &plain);
    if (ordered && !other->tasks.empty() && other->tasks.front().number < task.number) return false;
  }
  return true;
}

bool Streams::step() {
  std::vector<CUstream_st*> able;
  for (const auto& stream : streams_)
    if (may_go(*stream)) able.push_back(stream.get());
  if (able.empty()) return false;
  CUstream_st* chosen = able[0];
  if (seeded_) {
    chosen = able[random_.below(static_cast<unsigned>(able.size()))];
  } else {
    for (CUstream_st* stream : able)
      if (stream->tasks.front().number < chosen->tasks.front().number) chosen = stream;
  }
  const Task task = std::move(chosen->tasks.front());
  chosen->tasks.pop_front();
  if (task.run) task.run();  // which may drop everything
  streams_.remove_if([](const auto& stream) { return stream->destroyed && stream->tasks.empty(); });
  return true;
}

void Streams::chance() {
  while (seeded_ && random_.below(4) == 0 && step()) {
  }
}

void Streams::drop(bool all) {
  for (const auto& stream : streams_) stream->tasks.clear();
  for (const auto& event : events_) event->done = event->asked;
  if (!all) return;
  streams_.erase(std::next(streams_.begin()), streams_.end());
  events_.clear();
}

void Streams::start(uint64_t seed) {
  seeded_ = seed != 0;
  random_.start(seed, 0);
}

}  // namespace mr_emulator
