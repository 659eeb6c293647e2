/* Whether a stretch is worth sharing, as far as can be said beforehand.
   SPDX-License-Identifier: ISC */
#include "sharing_choice.h"

#define AUTO_SHARE 0.2 /* of a block's period that one thread may take before others are called for */
#define EAGER_GAIN 1.1 /* that sharing has to promise; in auto what the judge believes at first */
#define ROWS_NS    100 /* to copy the rows of a section for a cell */

bool mr_sharing_can_gain(const MrSharer* sharer, const MrSide* side) {
  if (sharer->options.policy != MR_THREADS_AUTO) return true;
  return mr_cut_most_ns(sharer, side, MR_SHARED_FRAMES) >= AUTO_SHARE * MR_SHARED_FRAMES / sharer->fs * 1e9;
}

static bool promises(const MrSharer* sharer, const MrCut* cut, double alone_ns, double fixed_ns) {
  if (cut->stages * cut->chunks * MR_TILES(sharer->channels) < 2) return false;
  if (sharer->options.policy == MR_THREADS_ALWAYS) return true;
  const double gain = mr_cut_gain(sharer, cut, alone_ns, fixed_ns);
  if (sharer->options.policy == MR_THREADS_EAGER) return gain >= EAGER_GAIN;
  return alone_ns + fixed_ns >= AUTO_SHARE * cut->n / sharer->fs * 1e9 && gain >= MR_JUDGE_PROMISE;
}

/* A side at rest. */
static void reckon(const MrSharer* sharer, const MrSide* side, bool interleaved, bool apart, uint32_t at, uint32_t n, MrReckoned* r) {
  const double alone = mr_cut_alone_ns(sharer, side, interleaved, n);
  r->interleaved = interleaved;
  r->apart = apart;
  r->cut = mr_cut_plan(sharer, &(MrCutAsked){.side = side, .n = n, .at = at, .apart = apart}, alone);
  r->promises = promises(sharer, &r->cut, alone, 0);
}

/* Longer blocks gain more: a search by halves. Above the longest, if nothing ever gains. */
static uint32_t least_frames(const MrSharer* sharer, const MrSide* side, bool interleaved) {
  uint32_t least = 1, beyond = MR_SHARED_FRAMES + 1;
  while (least < beyond) {
    const uint32_t n = (least + beyond) / 2;
    MrReckoned r;
    reckon(sharer, side, interleaved, false, 0, n, &r);
    if (r.promises)
      beyond = n;
    else
      least = n + 1;
  }
  return least;
}

void mr_sharing_look_at(const MrSharer* sharer, MrSide* side) {
  side->sharing->reckoned.cut.n = 0;
  for (int interleaved = 0; interleaved < 2; interleaved++) side->share_from[interleaved] = least_frames(sharer, side, interleaved);
}

bool mr_sharing_is_likely(const MrSharer* sharer, MrSide* side, bool interleaved, uint32_t n) {
  if (!side->sharing) return false;
  if (!side->share_from[interleaved]) mr_sharing_look_at(sharer, side);
  return n >= side->share_from[interleaved];
}

uint32_t mr_sharing_moving_sections(const MrSide* side) {
  return side && side->motion && mr_motion_moves(side->motion) ? mr_motion_moves_of_cell(side->motion)->sections : 0;
}

/* Fades and what glides are seldom: nothing is kept of what is reckoned for them. */
static bool choose_moving(const MrSharer* sharer, const MrStretch* s, MrCut* cut) {
  const uint32_t moving = mr_sharing_moving_sections(s->side) + mr_sharing_moving_sections(s->next);
  double alone = mr_cut_alone_ns(sharer, s->side, s->buffers->interleaved, s->n);
  if (s->next) alone += mr_cut_alone_ns(sharer, s->next, s->buffers->interleaved, s->n);
  *cut = mr_cut_plan(sharer, &(MrCutAsked){.side = s->side, .next = s->next, .n = s->n, .at = s->at, .moves = moving > 0}, alone);
  return promises(sharer, cut, alone, moving * (double)ROWS_NS);
}

static bool choose(MrSharer* sharer, const MrStretch* s, MrCut* cut) {
  if (s->next || mr_gain_moves(s->gain) || mr_sharing_moving_sections(s->side)) return choose_moving(sharer, s, cut);
  MrReckoned* r = &s->side->sharing->reckoned;
  if (r->cut.n != s->n || r->cut.at != s->at || r->interleaved != s->buffers->interleaved || r->apart != s->apart)
    reckon(sharer, s->side, s->buffers->interleaved, s->apart, s->at, s->n, r);
  *cut = r->cut;
  return r->promises;
}

static bool is_careful(const MrSide* side) {
  for (uint32_t t = 0; side && t < side->tiles; t++)
    if (side->tile[t].careful) return true;
  return false;
}

/* Sections need slots. */
static bool has_room(const MrSide* side) { return !side || side->sharing || !side->capacity; }

bool mr_sharing_choose(MrSharer* sharer, const MrStretch* s, MrCut* cut) {
  if (!has_room(s->side) || !has_room(s->next) || is_careful(s->side) || is_careful(s->next)) return false;
  return choose(sharer, s, cut);
}
