/* A flow graph over groups of a stream, on oneTBB.
   SPDX-License-Identifier: ISC

   A function_node that takes one message at a time still passes its results on in any order: it lets the next message in before it gives the last
   result out. So before every stage stands a sequencer_node, which puts the groups back in their order.

   The graph itself orders everything; Message and Turn say the same once more in this file's own atomics, so that a checker of data races, which
   does not look into oneTBB's binary, sees the order too. */
#include "flow.h"

#include <atomic>
#include <chrono>
#include <memory>
#include <tuple>
#include <vector>

#include <oneapi/tbb/flow_graph.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/info.h>
#include <oneapi/tbb/task_arena.h>

#include "../kernel/fpmode.h"

namespace {

/* What goes from node to node: a group. */
class Message {
 public:
  Message() = default;
  Message(uint64_t number, uint32_t group, uint32_t slot) : count(number), place(static_cast<uint64_t>(group) << 32 | slot) {}
  Message(const Message& from) : Message() { *this = from; }
  Message& operator=(const Message& from) {
    count.store(from.count.load(std::memory_order_acquire), std::memory_order_release);
    place.store(from.place.load(std::memory_order_acquire), std::memory_order_release);
    return *this;
  }
  void take() const { count.load(std::memory_order_acquire); }              /* before all else that a node reads, its own captures too */
  uint64_t number() const { return count.load(std::memory_order_acquire); } /* of all groups since the flow was made */
  uint32_t group() const { return static_cast<uint32_t>(place.load(std::memory_order_acquire) >> 32); }
  uint32_t slot() const { return static_cast<uint32_t>(place.load(std::memory_order_acquire)); }

 private:
  std::atomic<uint64_t> count{0}, place{0};
};

struct alignas(64) Turn {
  std::atomic<uint64_t> passed{0};
  void take() const { passed.load(std::memory_order_acquire); }
  void pass() { passed.fetch_add(1, std::memory_order_acq_rel); }
};

using Node = tbb::flow::function_node<Message, Message>;
using Order = tbb::flow::sequencer_node<Message>;
using Choice = tbb::flow::multifunction_node<Message, std::tuple<Message>>;

uint64_t now() {
  return static_cast<uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch()).count());
}

struct NumberOf {
  size_t operator()(const Message& m) const { return static_cast<size_t>(m.number()); }
};

}  // namespace

struct MrFlow {
  explicit MrFlow(const MrFlowOptions& wanted);

  MrStatus run(uint32_t count);

  MrTrace* trace = nullptr;

 private:
  const MrFlowOptions options;
  std::unique_ptr<tbb::global_control> allowance; /* where oneTBB would have fewer threads */
  tbb::task_arena arena;
  std::unique_ptr<tbb::flow::graph> graph;
  std::unique_ptr<Node> load;
  std::vector<std::unique_ptr<Order>> orders;
  std::vector<std::unique_ptr<Node>> stages;
  std::unique_ptr<Choice> arrived, store;
  std::vector<Turn> stage_turn, slot_turn;
  std::unique_ptr<std::atomic<uint32_t>[]> strands_left; /* of the group in a slot */
  Turn all;
  std::atomic<uint32_t> next{0}; /* group to be let in */
  uint64_t before = 0;           /* groups of earlier runs */
  uint32_t groups = 0;
  bool broken = false;

  void build();
  void build_strand(uint32_t strand);
  void start();
  void let_next_in(const Message& last, Choice::output_ports_type& ports);
  template <class Work>
  void at_work(const Message& m, MrTraceNode node, uint32_t strand, uint32_t stage, Work&& work);
};

MrFlow::MrFlow(const MrFlowOptions& wanted)
    : options(wanted),
      arena(static_cast<int>(wanted.threads), 1),
      stage_turn(static_cast<size_t>(wanted.strands) * wanted.stages),
      slot_turn(wanted.slots),
      strands_left(new std::atomic<uint32_t>[wanted.slots]) {
  if (options.threads > static_cast<uint32_t>(tbb::info::default_concurrency()))
    allowance.reset(new tbb::global_control(tbb::global_control::max_allowed_parallelism, options.threads));
  arena.execute([this] { build(); }); /* the graph belongs to the arena in which it is made */
}

/* One node's work, in the floating-point mode of a task and with what the checker is to know. */
template <class Work>
void MrFlow::at_work(const Message& m, MrTraceNode node, uint32_t strand, uint32_t stage, Work&& work) {
  all.take();
  slot_turn[m.slot()].take();
  MrTrace* const to = trace;
  const uint64_t begin = to ? now() : 0;
  const MrFpMode host = mr_fpmode_enter();
  work();
  mr_fpmode_leave(host);
  if (to) {
    const uint32_t at = __atomic_fetch_add(&to->count, 1, __ATOMIC_RELAXED);
    const auto thread = static_cast<uint32_t>(tbb::this_task_arena::current_thread_index());
    if (at < to->room) to->event[at] = MrTraceEvent{node, strand, stage, m.group(), thread, begin, now()};
  }
  slot_turn[m.slot()].pass();
}

void MrFlow::build_strand(uint32_t strand) {
  tbb::flow::sender<Message>* from = load.get();
  for (uint32_t stage = 0; stage < options.stages; stage++) {
    orders.emplace_back(new Order(*graph, NumberOf()));
    tbb::flow::make_edge(*from, *orders.back());
    Turn* const turn = &stage_turn[static_cast<size_t>(strand) * options.stages + stage];
    stages.emplace_back(new Node(*graph, tbb::flow::serial, [this, strand, stage, turn](const Message& m) {
      m.take();
      turn->take();
      at_work(m, MR_TRACE_RUN, strand, stage, [&] { options.work.run(options.work.handle, strand, stage, m.group(), m.slot()); });
      turn->pass();
      return m;
    }));
    tbb::flow::make_edge(*orders.back(), *stages.back());
    from = stages.back().get();
  }
  tbb::flow::make_edge(*from, *arrived);
}

void MrFlow::build() {
  graph.reset(new tbb::flow::graph);
  load.reset(new Node(*graph, tbb::flow::unlimited, [this](const Message& m) {
    m.take();
    strands_left[m.slot()].store(options.strands ? options.strands : 1, std::memory_order_relaxed);
    if (options.work.load) at_work(m, MR_TRACE_LOAD, 0, 0, [&] { options.work.load(options.work.handle, m.group(), m.slot()); });
    return m;
  }));
  /* of a group's strands the last one goes on to the store */
  arrived.reset(new Choice(*graph, tbb::flow::unlimited, [this](const Message& m, Choice::output_ports_type& ports) {
    m.take();
    if (strands_left[m.slot()].fetch_sub(1, std::memory_order_acq_rel) == 1) std::get<0>(ports).try_put(m);
  }));
  const size_t stores = options.store_in_order ? tbb::flow::serial : tbb::flow::unlimited;
  store.reset(new Choice(*graph, stores, [this](const Message& m, Choice::output_ports_type& ports) {
    m.take();
    if (options.work.store) at_work(m, MR_TRACE_STORE, 0, 0, [&] { options.work.store(options.work.handle, m.group(), m.slot()); });
    let_next_in(m, ports);
  }));
  for (uint32_t strand = 0; strand < options.strands; strand++) build_strand(strand);
  if (!options.strands) tbb::flow::make_edge(*load, *arrived);
  if (options.store_in_order) {
    orders.emplace_back(new Order(*graph, NumberOf()));
    tbb::flow::make_edge(tbb::flow::output_port<0>(*arrived), *orders.back());
    tbb::flow::make_edge(*orders.back(), *store);
  } else {
    tbb::flow::make_edge(tbb::flow::output_port<0>(*arrived), *store);
  }
  tbb::flow::make_edge(tbb::flow::output_port<0>(*store), *load);
  graph->wait_for_all(); /* an edge out of a sequencer_node makes a task, which must not outlive it */
}

void MrFlow::let_next_in(const Message& last, Choice::output_ports_type& ports) {
  const uint32_t group = next.fetch_add(1, std::memory_order_relaxed);
  if (group < groups) std::get<0>(ports).try_put(Message{before + group, group, last.slot()});
  all.pass();
}

void MrFlow::start() {
  const uint32_t first = groups < options.slots ? groups : options.slots;
  next.store(first, std::memory_order_relaxed);
  all.pass();
  for (uint32_t group = 0; group < first; group++) load->try_put(Message{before + group, group, group});
  graph->wait_for_all();
  all.take();
}

MrStatus MrFlow::run(uint32_t count) {
  if (broken) return MR_ERR_MEMORY;
  if (!count) return MR_OK;
  groups = count;
  try {
    arena.execute([this] { start(); });
  } catch (...) { /* std::bad_alloc: all that oneTBB throws here */
    broken = true;
    return MR_ERR_MEMORY;
  }
  before += count;
  return MR_OK;
}

extern "C" {

bool mr_flow_has_threads(void) { return true; }

MrFlow* mr_flow_new(const MrFlowOptions* options, MrStatus* status) {
  *status = MR_ERR_ARGUMENT;
  if (!options->threads || options->threads > MR_FLOW_THREADS || !options->slots || !options->stages ||
      (options->strands && !options->work.run))
    return nullptr;
  try {
    MrFlow* const flow = new MrFlow(*options);
    *status = MR_OK;
    return flow;
  } catch (...) {
    *status = MR_ERR_MEMORY;
    return nullptr;
  }
}

void mr_flow_free(MrFlow* flow) { delete flow; }

void mr_flow_trace(MrFlow* flow, MrTrace* trace) { flow->trace = trace; }

MrStatus mr_flow_run(MrFlow* flow, uint32_t groups) { return flow->run(groups); }
}
