/* A model of the wavefront.
   SPDX-License-Identifier: ISC

   Events in the order of time. A group passes columns: its load, then its strands' stages, then its store. For each strand and stage there is the next group
   that it may take; a column of loads and one of stores may run for several groups at once. */
#include "wavefront_model.h"

#include <stdbool.h>
#include <stdlib.h>

typedef struct Group {
  double loaded;         /* when; < 0: not yet */
  uint32_t strands_left; /* to their ends */
  double ready;          /* to be stored */
  bool storing, stored;
} Group;

typedef struct Stage {
  uint32_t next; /* group */
  double free;   /* when the stage has done the last one */
} Stage;

typedef struct Model {
  const MrWavefront* w;
  double* core;    /* [cores] when each is free */
  Group* group;    /* [groups] */
  Stage* stage;    /* [strands][stages] */
  uint32_t loaded; /* groups whose load has begun */
  uint32_t stored;
  double* slot; /* [under_way] when a slot is free for the next group */
} Model;

/* What a core may do next: the earliest begin, then the lowest group, then the lowest stage. */
typedef struct Choice {
  enum { NOTHING, LOAD, RUN, STORE } what;
  uint32_t group, strand, stage;
  double begin;
} Choice;

static void consider(Choice* best, const Choice* c, double free) {
  const double begin = c->begin > free ? c->begin : free, known = best->begin > free ? best->begin : free;
  const bool better = best->what == NOTHING || begin < known ||
                      (begin == known && (c->group < best->group || (c->group == best->group && c->stage < best->stage)));
  if (better) *best = *c;
}

static uint32_t under_way(const MrWavefront* w) { return w->under_way && w->under_way < w->groups ? w->under_way : w->groups; }

static Choice choose(const Model* m, double free) {
  const MrWavefront* const w = m->w;
  Choice best = {NOTHING, 0, 0, 0, 0};
  if (m->loaded < w->groups) {
    const uint32_t most = under_way(w);
    const bool room = m->loaded < most || m->group[m->loaded - most].stored;
    if (room) consider(&best, &(Choice){LOAD, m->loaded, 0, 0, m->slot[m->loaded % most]}, free);
  }
  for (uint32_t strand = 0; strand < w->strands; strand++)
    for (uint32_t s = 0; s < w->stages; s++) {
      const Stage* const stage = &m->stage[strand * w->stages + s];
      const uint32_t g = stage->next;
      if (g == w->groups || (s ? stage[-1].next <= g : g >= m->loaded)) continue;
      double begin = s ? stage[-1].free : m->group[g].loaded;
      if (s && stage[-1].next > g + 1) begin = 0; /* long done */
      if (stage->free > begin) begin = stage->free;
      consider(&best, &(Choice){RUN, g, strand, s, begin}, free);
    }
  for (uint32_t g = 0; g < m->loaded; g++)
    if (!m->group[g].strands_left && !m->group[g].storing) consider(&best, &(Choice){STORE, g, 0, w->stages, m->group[g].ready}, free);
  return best;
}

static void take(Model* m, uint32_t core, const Choice* c) {
  const MrWavefront* const w = m->w;
  const double begin = c->begin > m->core[core] ? c->begin : m->core[core];
  const double own = c->what == LOAD ? w->load_ns : c->what == RUN ? w->node_ns : w->store_ns;
  const double end = begin + own + w->overhead_ns;
  Group* const group = &m->group[c->group];
  m->core[core] = end;
  if (c->what == LOAD) {
    group->loaded = end;
    m->loaded++;
  } else if (c->what == RUN) {
    Stage* const stage = &m->stage[c->strand * w->stages + c->stage];
    stage->next++;
    stage->free = end;
    if (c->stage + 1 == w->stages) {
      group->strands_left--;
      if (end > group->ready) group->ready = end;
    }
  } else {
    group->storing = group->stored = true;
    m->stored++;
    m->slot[c->group % under_way(w)] = end;
  }
}

static double run(Model* m) {
  const MrWavefront* const w = m->w;
  while (m->stored < w->groups) {
    uint32_t core = 0;
    for (uint32_t i = 1; i < w->cores; i++)
      if (m->core[i] < m->core[core]) core = i;
    const Choice c = choose(m, m->core[core]);
    if (c.what == NOTHING) return -1; /* cannot be: something is always ready, or will be */
    take(m, core, &c);
  }
  double last = 0;
  for (uint32_t i = 0; i < w->cores; i++)
    if (m->core[i] > last) last = m->core[i];
  return last;
}

MrWavefrontTime mr_wavefront_model(const MrWavefront* w) {
  Model m = {.w = w};
  m.core = calloc(w->cores, sizeof *m.core);
  m.group = calloc(w->groups, sizeof *m.group);
  m.stage = calloc((size_t)w->strands * w->stages, sizeof *m.stage);
  m.slot = calloc(under_way(w), sizeof *m.slot);
  MrWavefrontTime time = {-1, 0, 0};
  if (m.core && m.group && m.stage && m.slot) {
    for (uint32_t g = 0; g < w->groups; g++) m.group[g] = (Group){.loaded = -1, .strands_left = w->strands};
    time.ns = run(&m) + w->start_ns;
    const double alone = w->groups * (w->load_ns + w->store_ns + (double)w->strands * w->stages * w->node_ns);
    time.gain = alone / time.ns;
    time.efficiency = time.gain / w->cores;
  }
  free(m.core);
  free(m.group);
  free(m.stage);
  free(m.slot);
  return time;
}
