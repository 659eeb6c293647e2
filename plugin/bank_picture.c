/* What the Bank shows in a host's mixer strip.
   SPDX-License-Identifier: ISC */
#include "bank_picture.h"

#include <string.h>

#define MOST_SECTIONS 4096u /* a picture of more would keep the host's drawing waiting */

/* ------------------------------------------------------- control thread */

/* Of channels that pass. */
static MrSubject* nothing(uint32_t channels, double fs) {
  MrStatus status;
  MrBank* bank = mr_bank_new(channels);
  MrProgram* program = bank ? mr_program_new(bank, fs, NULL, &status) : NULL;
  MrSubject* subject = program ? mr_subject_from_program(bank, program, fs, NULL, &status) : NULL;
  mr_program_free(program);
  mr_bank_free(bank);
  return subject;
}

static bool is_large(const MrBank* bank, const MrProgram* program) {
  for (uint32_t c = 0; c < bank->channels; c++)
    if (mr_program_sections(program, c) > MOST_SECTIONS) return true;
  return false;
}

void mr_bank_ways_add(MrBankWays* ways, uint32_t way, const MrBank* bank, const MrProgram* program, double fs) {
  MrStatus status;
  bool large = is_large(bank, program);
  MrSubject* subject = large ? NULL : mr_subject_from_program(bank, program, fs, NULL, &status);
  if (subject && subject->sections > MOST_SECTIONS) {
    mr_subject_free(subject);
    subject = NULL;
    large = true;
  }
  ways->large |= large;
  ways->subject[way] = large && !way ? nothing(bank->channels, fs) : subject;
}

void mr_bank_ways_free(MrBankWays* ways) {
  for (uint32_t i = 0; i < MR_BANK_WAYS; i++) mr_subject_free(ways->subject[i]);
  memset(ways, 0, sizeof *ways);
}

bool mr_bank_picture_init(MrBankPicture* picture, const MrFeatures* features, const char* bundle, double fs) {
  pthread_mutex_init(&picture->lock, NULL);
  picture->last = (MrBankScene){.enabled = true};
  return mr_inline_init(&picture->display, features, bundle, fs) && mr_snapshot_init(&picture->scene, &picture->last, sizeof picture->last);
}

void mr_bank_picture_free(MrBankPicture* picture) {
  mr_inline_free(&picture->display);
  mr_snapshot_free(&picture->scene);
  mr_bank_ways_free(&picture->ways);
  pthread_mutex_destroy(&picture->lock);
}

void mr_bank_picture_set(MrBankPicture* picture, MrBankWays* ways) {
  pthread_mutex_lock(&picture->lock);
  MrBankWays before = picture->ways;
  picture->ways = *ways;
  atomic_fetch_add_explicit(&picture->banks, 1, memory_order_relaxed);
  pthread_mutex_unlock(&picture->lock);
  mr_bank_ways_free(&before);
  memset(ways, 0, sizeof *ways);
}

/* ----------------------------------------------------- real-time thread */

static bool is_same(const MrBankScene* a, const MrBankScene* b) {
  return a->gain_db == b->gain_db && a->way == b->way && a->enabled == b->enabled && a->muted == b->muted;
}

void mr_bank_picture_step(MrBankPicture* picture, const MrBankScene* scene, uint32_t n, bool freewheels) {
  const unsigned banks = atomic_load_explicit(&picture->banks, memory_order_relaxed);
  if (!is_same(scene, &picture->last)) {
    picture->last = *scene;
    mr_snapshot_put(&picture->scene, scene);
    mr_inline_touch(&picture->display);
  }
  if (banks != picture->seen) mr_inline_touch(&picture->display);
  picture->seen = banks;
  mr_inline_step(&picture->display, n, freewheels);
}

/* ------------------------------------------------------- drawing thread */

/* Gain behind the bank, of all channels. */
static void add_gain(MrCurves* curves, double db) {
  for (uint32_t c = 0; c < curves->curves; c++)
    for (uint32_t i = 0; curves->curve[c].role == MR_CURVE_WHOLE && i < curves->points; i++) curves->curve[c].magnitude_db[i] += db;
}

MrInlineImage* mr_bank_picture_render(MrBankPicture* picture, uint32_t width, uint32_t most_height) {
  bool fresh;
  MrCurves* curves = NULL;
  if (!mr_inline_open(&picture->display)) return NULL;
  const MrBankScene* scene = mr_snapshot_take(&picture->scene, &fresh);
  pthread_mutex_lock(&picture->lock); /* a bank that has been read waits for this picture's numbers */
  const unsigned banks = atomic_load_explicit(&picture->banks, memory_order_relaxed);
  fresh |= banks != picture->drawn;
  picture->drawn = banks;
  const bool large = picture->ways.large, has = !fresh && mr_inline_has(&picture->display, width, most_height);
  const MrSubject* subject = picture->ways.subject[scene->way < MR_BANK_WAYS ? scene->way : 0];
  if (!subject) subject = picture->ways.subject[0];
  if (!has && subject) curves = mr_inline_curves(subject);
  pthread_mutex_unlock(&picture->lock);
  if (has) return &picture->display.image;
  if (curves) add_gain(curves, scene->gain_db);
  const char* note = !scene->enabled ? "off" : scene->muted ? "muted" : large ? "not drawn" : NULL;
  MrInlineImage* image = mr_inline_draw(&picture->display, curves, note != NULL, note, width, most_height);
  mr_curves_free(curves);
  return image;
}
