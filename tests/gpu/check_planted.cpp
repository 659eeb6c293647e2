// Faults planted in the kernels are seen: a check that could not fail would be none. (A warm-up that is too short: check_segments, check_states.)
// SPDX-License-Identifier: ISC
#include "checks.h"
#include "kernel_orders.h"

using namespace mr_test;

typedef MrCarryLookback<false> Right;

// Flags without an order.
struct NoRelease : Right {
  template <class T>
  static MR_DEVICE void publish_local(const MrGpuLaunch& p, uint32_t k, const MrGpuPlace& place, const MrGpuPair<T>& local) {
    if (mr_thread() != 0) return;
    const uint64_t at = place_of(p, k, place.group, place.channel);
    mr_pair_publish(p.groups.local, at, local);
    mr_store_relaxed(p.groups.flag + at, 2 * p.groups.launch + 1);
  }
  template <class T>
  static MR_DEVICE void publish_global(const MrGpuLaunch& p, uint32_t k, const MrGpuPlace& place, const MrGpuPair<T>& carry) {
    if (mr_thread() != 0) return;
    const uint64_t at = place_of(p, k, place.group, place.channel);
    mr_pair_publish(p.groups.global, at, carry);
    mr_store_relaxed(p.groups.flag + at, 2 * p.groups.launch + 2);
  }
};

// The flag before what it stands for.
struct FlagFirst : Right {
  template <class T>
  static MR_DEVICE void publish_local(const MrGpuLaunch& p, uint32_t k, const MrGpuPlace& place, const MrGpuPair<T>& local) {
    if (mr_thread() != 0) return;
    const uint64_t at = place_of(p, k, place.group, place.channel);
    mr_store_release(p.groups.flag + at, 2 * p.groups.launch + 1);
    mr_pair_publish(p.groups.local, at, local);
  }
};

// Flags that an earlier launch has left count: the number of the launch is not in them.
struct StaleFlags : Right {
  template <class T>
  static MR_DEVICE MrGpuPair<T> find(MrGpuLaunch p, const T* jump, uint32_t k, const MrGpuPlace& place, const MrGpuPair<T>& first, uint32_t depth) {
    p.groups.launch = 1;
    return Right::find(p, jump, k, place, first, depth);
  }
};

// Groups by the number of the block in place of a ticket: with blocks started in any order, one waits for a group that nobody has begun.
static MR_KERNEL_REGISTERS(255) no_ticket_kernel(MR_PARAM(MrGpuLaunch, p)) {
  typedef MrGpuGroupShared<float, 32> Shared;
  MR_DYNAMIC_SHARED(float, rows);
  MR_SHARED(Shared, shared, 1);
  const MrGpuPlace place = {(int64_t)mr_block(), 0};
  MrGpuLanes<float, 32> lanes(&shared->exchange);
  mr_group_run<float, float, MrMethodStates, Right, 32, 32>(p, lanes, place, rows, (float*)nullptr, true);
}

static Case paper() {
  Case c;
  c.filter = {lowpass(4, 0.1)};
  c.frames = 40 * 1024;
  return c;
}

// How many of twenty schedules show the fault; at most a few need not.
template <class Run>
static unsigned seen(const Case& c, Run run) {
  unsigned wrong = 0;
  for (uint64_t seed = 1; seed <= 20; seed++) {
    choose_schedule(seed);
    mr_emulator::Options o = mr_emulator::options();
    o.report = [](const mr_emulator::Report&) {};
    o.steps = 100000;
    mr_emulator::set_options(o);
    const Result r = run(c);
    wrong += r.status != cudaSuccess || !(r.error <= GATE);
  }
  choose_schedule(0);
  return wrong;
}

static void test_no_fault_is_seen_where_there_is_none() {
  EXPECT(seen(paper(), run_groups<float, float, MrMethodStates, Right, 32, 32>) == 0);
}
static void test_no_release() { EXPECT(seen(paper(), run_groups<float, float, MrMethodStates, NoRelease, 32, 32>) >= 10); }
static void test_flag_first() { EXPECT(seen(paper(), run_groups<float, float, MrMethodStates, FlagFirst, 32, 32>) >= 10); }
static void test_stale_flags() {
  Case c = paper();
  c.chunks = {20 * 1024};
  EXPECT(seen(c, run_groups<float, float, MrMethodStates, StaleFlags, 32, 32>) >= 10);
  EXPECT(seen(c, run_groups<float, float, MrMethodStates, Right, 32, 32>) == 0);
}
static void test_no_ticket() {
  EXPECT(seen(paper(), [](const Case& c) {
           return run_case<float, float>(c, [](const MrGpuLaunch& p) {
             MR_LAUNCH((no_ticket_kernel), p.groups.count, 32, (mr_groups_shared<float, float, Right, 32, 32>(p.cascades.sections)), nullptr, p);
           });
         }) >= 10);
}

int main() {
  checks.run("none", test_no_fault_is_seen_where_there_is_none);
  checks.run("no release", test_no_release);
  checks.run("flag before value", test_flag_first);
  checks.run("flags of an earlier launch", test_stale_flags);
  checks.run("no ticket", test_no_ticket);
  return checks.end();
}
