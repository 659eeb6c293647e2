/* Ring time of sections, by running an impulse.
   SPDX-License-Identifier: ISC */
#include <math.h>

#include "section.h"

enum { FRAMES = 64, LONGEST = 512 /* sections of one run */ };

/* An impulse on its way through the sections, FRAMES at a time. */
typedef struct Impulse {
  const MrSection* section;
  size_t n;
  bool started;
  double w[LONGEST], d[LONGEST];
} Impulse;

static void impulse_start(Impulse* impulse, const MrSection* section, size_t n) {
  impulse->section = section;
  impulse->n = n;
  impulse->started = false;
  for (size_t k = 0; k < n; ++k) impulse->w[k] = impulse->d[k] = 0.0;
}

static void impulse_run(Impulse* impulse, double y[FRAMES]) {
  for (int i = 0; i < FRAMES; ++i) y[i] = 0.0;
  if (!impulse->started) y[0] = 1.0;
  impulse->started = true;
  for (size_t k = 0; k < impulse->n; ++k) {
    const MrSection c = impulse->section[k];
    double w = impulse->w[k], d = impulse->d[k];
    for (int i = 0; i < FRAMES; ++i) {
      const double next = (y[i] - c.P * d) + (d - c.s * w);
      y[i] = c.D * y[i] + (c.e1 * w + c.e2 * d);
      w += next;
      d = next;
    }
    impulse->w[k] = w;
    impulse->d[k] = d;
  }
}

/* Frames in which the slowest mode of a section falls by e. 1 - z solves v^2 - (s + P) v + s = 0; complex poles have |z|^2 = 1 - P. */
static double decay_frames(const MrSection* c) {
  const double half = 0.5 * (c->s + c->P), discriminant = half * half - c->s;
  if (discriminant < 0.0) return -2.0 / log1p(-c->P);
  const double fast = half + sqrt(discriminant), slow = c->s / fast;
  const double positive = slow < 1.0 ? -1.0 / log1p(-slow) : 0.0;    /* the pole nearest to z = 1 */
  const double negative = fast > 1.0 ? -1.0 / log(fast - 1.0) : 0.0; /* the pole nearest to z = -1 */
  return fmax(positive, negative);
}

/* Sum of |h|, up to where what follows is far below `rest` of it; false if `limit` frames do not reach that. */
static bool total_of(Impulse* impulse, double rest, uint64_t limit, long double* total) {
  double slowest = 0.0;
  for (size_t k = 0; k < impulse->n; ++k) slowest = fmax(slowest, decay_frames(&impulse->section[k]));
  /* A window in which even the slowest mode falls by e^2. It also holds the pure delays (two frames a section). */
  const double frames = fmax(2.0 * slowest, 2.0 * (double)impulse->n + 2.0);
  const uint64_t window = frames < 1e15 ? (uint64_t)frames / FRAMES + 1 : UINT64_MAX; /* in blocks */
  double y[FRAMES];
  long double sum = 0.0L, before = 0.0L, now = 0.0L; /* of many, to far below their last digits */
  uint64_t blocks = 0;
  for (uint64_t frame = 0; frame < limit; frame += FRAMES) {
    impulse_run(impulse, y);
    for (int i = 0; i < FRAMES; ++i) now += fabs(y[i]);
    if (++blocks < window) continue;
    sum += now;
    /* Two windows in a row give the rate of decay, and a geometric bound of all that follows. */
    const long double ratio = before > 0.0L ? now / before : 1.0L;
    if (sum > 0.0L && ratio < 0.9L && now * ratio / (1.0L - ratio) < 1e-3L * rest * sum) {
      *total = sum;
      return true;
    }
    if (now == 0.0L && before == 0.0L && frame > window * FRAMES) { /* it has died to nothing, or never was */
      *total = sum;
      return true;
    }
    before = now;
    now = 0.0L;
    blocks = 0;
  }
  return false;
}

static uint64_t ring_of(const MrSection* sections, size_t n, double rest, uint64_t limit) {
  Impulse impulse;
  double y[FRAMES];
  long double total = 0.0L, sum = 0.0L;
  impulse_start(&impulse, sections, n);
  if (!total_of(&impulse, rest, limit, &total)) return limit;
  if (total == 0.0L) return 0;
  impulse_start(&impulse, sections, n);
  for (uint64_t frame = 0; frame < limit; frame += FRAMES) {
    impulse_run(&impulse, y);
    for (uint64_t i = 0; i < FRAMES; ++i) {
      sum += fabs(y[i]);
      if (total - sum < rest * total) return frame + i + 1 < limit ? frame + i + 1 : limit;
    }
  }
  return limit;
}

uint64_t mr_sections_ring_time(const MrSection* sections, size_t n, double rest, uint64_t limit) {
  uint64_t frames = 0;
  if (n == 0 || !(rest < 1.0)) return 0;
  /* More sections than one run holds: their runs one after another, which is no shorter than the whole. */
  for (size_t done = 0; done < n && frames < limit; done += LONGEST) {
    const size_t part = n - done < LONGEST ? n - done : LONGEST;
    frames += ring_of(sections + done, part, rest, limit - frames);
  }
  return frames < limit ? frames : limit;
}
