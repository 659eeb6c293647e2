/* A host that uses oneTBB itself: its parallel_for keeps its threads while engines have theirs, and where it limits oneTBB, engines take none of what it
   left itself.
   SPDX-License-Identifier: ISC */
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/info.h>
#include <oneapi/tbb/parallel_for.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <thread>
#include <vector>

#include "dsp/millrace.h"

namespace tbb = oneapi::tbb;
using Clock = std::chrono::steady_clock;

static constexpr uint32_t CHANNELS = 64, FRAMES = 512, WORKERS = 3;
static int passed, failed;

static void expect(bool holds, const char* text) {
  if (!holds) std::printf("FAILED: %s\n", text);
  (holds ? passed : failed)++;
}

static double seconds_since(Clock::time_point begun) { return std::chrono::duration<double>(Clock::now() - begun).count(); }

/* What loops of the host's share: not on a stack, so that a checker of data races, which does not look into oneTBB, sees no more than these. */
static std::atomic<int> wanted_width, inside, widest;
static std::atomic<MrEngine*> begun_engine;
static std::atomic<bool> all_begun;

/* Threads that are inside one parallel_for at once: each waits a while for as many as are wanted. */
static int width_of_parallel_for(int wanted) {
  wanted_width = wanted;
  inside = widest = 0;
  for (int attempt = 0; attempt < 5 && widest < wanted; attempt++)
    tbb::parallel_for(
        0, 4 * wanted,
        [](int) {
          const int now = ++inside;
          for (int seen = widest; seen < now && !widest.compare_exchange_weak(seen, now);) continue;
          const auto begun = Clock::now();
          while (widest < wanted_width && seconds_since(begun) < 0.05) std::this_thread::yield();
          inside--;
        },
        tbb::simple_partitioner());
  return widest;
}

static MrEngine* new_engine() {
  const char text[] = "Filter: ON Butterworth LP Order 16 Fc 5000 Hz";
  MrReadOptions read{};
  read.channels = CHANNELS;
  read.fs = 48000;
  MrBank* bank = mr_bank_read_text(nullptr, text, std::strlen(text), "test", &read, nullptr, nullptr);
  MrProgram* program = mr_program_new(bank, 48000, nullptr, nullptr);
  mr_bank_free(bank);
  MrEngineOptions options{};
  options.channels = CHANNELS;
  options.fs = 48000;
  options.threads.policy = MR_THREADS_ALWAYS;
  options.threads.threads = WORKERS + 1;
  MrEngine* engine = mr_engine_new(&options, nullptr);
  if (!program || !engine || mr_engine_give(engine, program) != MR_OK) std::abort();
  return engine;
}

/* Callbacks on a thread of their own, until the end. */
class Player {
 public:
  explicit Player(MrEngine* played)
      : engine(played), samples(2 * CHANNELS, std::vector<float>(FRAMES, 0.25f)), thread([this] { play(); }) {}
  ~Player() {
    ending = true;
    thread.join();
  }
  Player(const Player&) = delete;
  Player& operator=(const Player&) = delete;

 private:
  void play() {
    std::vector<const float*> in;
    std::vector<float*> out;
    for (uint32_t c = 0; c < CHANNELS; c++) in.push_back(samples[c].data());
    for (uint32_t c = 0; c < CHANNELS; c++) out.push_back(samples[CHANNELS + c].data());
    while (!ending) {
      mr_engine_process_f32(engine, in.data(), out.data(), FRAMES);
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
  MrEngine* engine;
  std::vector<std::vector<float>> samples;
  std::atomic<bool> ending{false};
  std::thread thread;
};

static bool has_workers(const MrEngine* engine, uint32_t wanted) {
  for (int i = 0; i < 2000 && mr_engine_thread_report(engine).workers != wanted; i++)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  return mr_engine_thread_report(engine).workers == wanted;
}

static void free_quickly(MrEngine* engine) {
  const auto begun = Clock::now();
  mr_engine_free(engine);
  expect(seconds_since(begun) < 5, "engines are freed without long waits");
}

static void keeps_its_threads(int own) {
  MrEngine* engine = new_engine();
  {
    const Player player(engine);
    expect(has_workers(engine, WORKERS), "all workers begin");
    expect(width_of_parallel_for(own) == own, "parallel_for has its threads beside the crew");
    expect(mr_engine_thread_report(engine).workers == WORKERS, "the crew has its own then");
  }
  free_quickly(engine);
  expect(width_of_parallel_for(own) == own, "parallel_for has its threads after the crew");
}

static void crew_begins_beside_parallel_for(int own) {
  tbb::parallel_for(0, own, [](int i) {
    if (i) return;
    begun_engine = new_engine();
    all_begun = has_workers(begun_engine, WORKERS);
  });
  expect(all_begun, "all workers begin while parallel_for runs");
  free_quickly(begun_engine);
}

static void respects_a_limit(int limit) {
  const tbb::global_control control(tbb::global_control::max_allowed_parallelism, static_cast<size_t>(limit));
  MrEngine* engine = new_engine();
  {
    const Player player(engine);
    expect(width_of_parallel_for(limit) == limit, "parallel_for has what its limit leaves it");
    expect(mr_engine_thread_report(engine).workers == 0, "engines take nothing of it");
  }
  free_quickly(engine);
}

static void limit_comes_later(int limit) {
  MrEngine* engine = new_engine();
  expect(has_workers(engine, WORKERS), "all workers begin before the limit");
  const auto control = std::make_unique<tbb::global_control>(tbb::global_control::max_allowed_parallelism, static_cast<size_t>(limit));
  {
    const Player player(engine);
    MrEngine* second = new_engine();
    free_quickly(second);
  }
  free_quickly(engine);
}

int main() {
  const int own = tbb::info::default_concurrency();
  expect(width_of_parallel_for(own) == own, "parallel_for has its threads before there is a crew");
  keeps_its_threads(own);
  crew_begins_beside_parallel_for(own);
  respects_a_limit(1);
  respects_a_limit(own);
  limit_comes_later(1);
  keeps_its_threads(own);
  std::printf("%d passed, %d failed\n", passed, failed);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
