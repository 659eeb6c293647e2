/* What a picture is of: groups of channels, their cascades and bands.
   SPDX-License-Identifier: ISC */
#include "subject.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HIGHER_RATES 6 /* doublings of the rate at which a band above Nyquist is tried */

void mr_subject_free(MrSubject* subject) {
  if (!subject) return;
  free(subject->group);
  free(subject->band);
  free(subject->section);
  free(subject);
}

static MrSubject* subject_new(uint32_t channels, size_t groups, size_t bands, size_t sections, double fs) {
  MrSubject* subject = calloc(1, sizeof *subject);
  if (!subject) return NULL;
  subject->fs = fs;
  subject->channels = channels;
  subject->group = calloc(groups ? groups : 1, sizeof *subject->group);
  subject->band = calloc(bands ? bands : 1, sizeof *subject->band);
  subject->section = calloc(sections ? sections : 1, sizeof *subject->section);
  if (subject->group && subject->band && subject->section) return subject;
  mr_subject_free(subject);
  return NULL;
}

static size_t add_section(MrSubject* subject, const MrSection* section) {
  subject->section[subject->sections] = *section;
  return subject->sections++;
}

/* ----------------------------------------------------------------- names */

/* "Channels 1-3, 7" of flags, "" where all are set; what does not fit ends in "...". */
static void name_channels(const bool* same, uint32_t channels, char* name, size_t size) {
  uint32_t count = 0;
  for (uint32_t c = 0; c < channels; c++) count += same[c];
  name[0] = '\0';
  if (count == channels && channels > 1) return;
  size_t used = (size_t)snprintf(name, size, count == 1 ? "Channel" : "Channels");
  for (uint32_t c = 0; c < channels; c++) {
    if (!same[c]) continue;
    uint32_t last = c;
    while (last + 1 < channels && same[last + 1]) last++;
    char run[40];
    const char* between = last == c + 1 ? ", " : "\xe2\x80\x93"; /* en dash */
    const int length = last > c ? snprintf(run, sizeof run, " %u%s%u", c + 1, between, last + 1) : snprintf(run, sizeof run, " %u", c + 1);
    const bool first = used == strlen("Channel") || used == strlen("Channels");
    if (length < 0 || used + (size_t)length + sizeof ",, \xe2\x80\xa6" > size) {
      snprintf(name + used, size - used, ", \xe2\x80\xa6");
      return;
    }
    used += (size_t)snprintf(name + used, size - used, "%s%s", first ? "" : ",", run);
    c = last;
  }
}

static bool is_alone(const MrBank* bank) { return bank->channels == 1; }

/* ------------------------------------------------------------- a program */

static double term_gain(const MrTerm* term) {
  const double gain = term->is_db ? pow(10, term->gain / 20) : term->gain;
  return term->inverted ? -gain : gain;
}

/* Of a channel's route, where it is a gain; of a sum 1. */
static double route_gain(const MrChannel* channel) {
  if (channel->muted || !channel->terms) return 0;
  return channel->terms == 1 ? term_gain(&channel->term[0]) : 1;
}

static bool same_terms(const MrChannel* a, const MrChannel* b) {
  if (a->terms == 1 && b->terms == 1) return true; /* the gain is compared */
  if (a->terms != b->terms) return false;
  for (uint32_t i = 0; i < a->terms; i++)
    if (a->term[i].source != b->term[i].source || term_gain(&a->term[i]) != term_gain(&b->term[i])) return false;
  return true;
}

static bool same_channel(const MrBank* bank, const MrProgram* program, uint32_t a, uint32_t b) {
  const MrChannel *x = &bank->channel[a], *y = &bank->channel[b];
  const uint32_t n = mr_program_sections(program, a);
  if (n != mr_program_sections(program, b) || x->filters != y->filters || mr_program_gain(program, a) != mr_program_gain(program, b) ||
      mr_program_delay(program, a) != mr_program_delay(program, b) || route_gain(x) != route_gain(y) || !same_terms(x, y))
    return false;
  for (uint32_t i = 0; i < n; i++)
    if (memcmp(mr_program_section(program, a, i), mr_program_section(program, b, i), sizeof(MrSection)) != 0) return false;
  return true;
}

/* The design at the lowest of the doubled rates that hold it: a picture of what is not there. Its sections are put behind the subject's. */
static bool show_elsewhere(MrSubject* subject, MrPart* part, const MrDesign* design) {
  MrCascade cascade;
  double rate = subject->fs;
  for (int i = 0; i < HIGHER_RATES; i++) {
    rate *= 2;
    uint32_t notes = 0;
    if (rate > MR_MAX_RATE || mr_design(design, rate, &cascade, &notes) != MR_OK) return false;
    if (notes & MR_NOTE_ABOVE_NYQUIST) continue;
    part->rate = rate;
    part->gain = cascade.gain;
    part->sections = cascade.n;
    part->first = subject->sections;
    for (uint32_t k = 0; k < cascade.n; k++) add_section(subject, &cascade.section[k]);
    return true;
  }
  return false;
}

static double marker_of(const MrDesign* design) {
  if (design->type == MR_WEIGHTING || design->type == MR_ANALOGUE || design->type == MR_COEFFICIENTS || design->type == MR_NONE) return 0;
  if (design->type == MR_LINKWITZ_TRANSFORM) return design->transform[2];
  const bool two = design->type >= MR_BUTTERWORTH && design->type <= MR_LINKWITZ_RILEY &&
                   (design->response == MR_RESPONSE_BP || design->response == MR_RESPONSE_BS);
  return two ? sqrt(design->fc * design->fc2) : design->fc;
}

/* The filter's own cascade among the sections that the program has; `at` moves on. */
static void add_filter(MrSubject* subject, const MrBank* bank, const MrChannel* channel, uint32_t index, size_t* at) {
  const MrDesign* design = &channel->filter[index];
  MrPart* band = &subject->band[subject->bands++];
  MrCascade cascade;
  uint32_t notes = 0;
  MrStatus status = mr_design(design, subject->fs, &cascade, &notes);
  if (status == MR_ERR_RATE && bank->convert_rate) status = mr_design_convert(design, subject->fs, &cascade, &notes, NULL);
  *band = (MrPart){.first = *at, .sections = cascade.n, .gain = cascade.gain, .rate = subject->fs, .number = index + 1};
  mr_subject_name_design(design, band->name, sizeof band->name);
  band->frequency = marker_of(design);
  *at += cascade.n;
  band->off = status != MR_OK || notes & MR_NOTE_ABOVE_NYQUIST;
  if (band->off) show_elsewhere(subject, band, design);
}

static void add_group(MrSubject* subject, const MrBank* bank, const MrProgram* program, uint32_t c, const bool* same) {
  const MrChannel* channel = &bank->channel[c];
  MrGroup* group = &subject->group[subject->groups++];
  MrPart* whole = &group->whole;
  *group = (MrGroup){.first_band = subject->bands, .bands = channel->filters, .mixes = channel->terms > 1 && !channel->muted};
  *whole = (MrPart){.first = subject->sections,
                    .sections = mr_program_sections(program, c),
                    .gain = mr_program_gain(program, c) * route_gain(channel),
                    .delay = mr_program_delay(program, c),
                    .rate = subject->fs};
  if (!is_alone(bank)) name_channels(same, bank->channels, whole->name, sizeof whole->name);
  for (uint32_t k = 0; k < whole->sections; k++) add_section(subject, mr_program_section(program, c, k));
  size_t at = whole->first;
  for (uint32_t i = 0; i < channel->filters; i++) add_filter(subject, bank, channel, i, &at);
}

MrSubject* mr_subject_from_program(const MrBank* bank, const MrProgram* program, double fs, const bool* wanted, MrStatus* status) {
  bool done[MR_MAX_CHANNELS] = {false}, same[MR_MAX_CHANNELS];
  size_t bands = 0, sections = 0, groups = 0;
  for (uint32_t c = 0; c < bank->channels; c++) {
    if (wanted && !wanted[c]) continue;
    groups++;
    bands += bank->channel[c].filters;
    sections += mr_program_sections(program, c) + (size_t)bank->channel[c].filters * MR_MAX_DESIGN_SECTIONS;
  }
  *status = MR_ERR_ARGUMENT;
  if (!groups) return NULL;
  MrSubject* subject = subject_new(bank->channels, groups, bands, sections, fs);
  *status = subject ? MR_OK : MR_ERR_MEMORY;
  for (uint32_t c = 0; subject && c < bank->channels; c++) {
    if (done[c] || (wanted && !wanted[c])) continue;
    memset(same, 0, sizeof same);
    for (uint32_t k = c; k < bank->channels; k++) {
      same[k] = (!wanted || wanted[k]) && !done[k] && same_channel(bank, program, c, k);
      done[k] |= same[k];
    }
    add_group(subject, bank, program, c, same);
  }
  return subject;
}

/* ----------------------------------------------------------------- bands */

/* As the engine's: the sections of a band that glides. */
static void add_band(MrSubject* subject, const MrBand* band, uint32_t number) {
  MrPart* part = &subject->band[subject->bands++];
  MrPrototype prototype;
  MrCascade cascade;
  uint32_t notes = 0;
  *part = (MrPart){.first = subject->sections, .gain = 1, .rate = subject->fs, .frequency = marker_of(&band->design), .number = number};
  mr_subject_name_design(&band->design, part->name, sizeof part->name);
  const bool made = mr_prototype(&band->design, &prototype) == MR_OK &&
                    mr_design_moving(&band->design, &prototype, subject->fs, &cascade, &notes) == MR_OK;
  const bool above = mr_design_is_off(&band->design, subject->fs);
  part->off = !band->on || !made || above;
  if (made && !above) {
    part->gain = cascade.gain;
    part->sections = cascade.n;
    for (uint32_t k = 0; k < cascade.n; k++) add_section(subject, &cascade.section[k]);
  } else if (!show_elsewhere(subject, part, &band->design)) {
    part->sections = 0;
  }
}

static bool acts_on(const MrBand* band, uint32_t c) { return band->set[c / 64] >> c % 64 & 1; }

/* Channels differ where a band that is on acts on one alone. */
static bool same_bands(const MrBands* bands, uint32_t a, uint32_t b) {
  for (uint32_t i = 0; i < bands->bands; i++)
    if (bands->band[i].on && acts_on(&bands->band[i], a) != acts_on(&bands->band[i], b)) return false;
  return true;
}

static void add_bands_group(MrSubject* subject, const MrBands* bands, uint32_t c, const bool* same, double gain) {
  MrGroup* group = &subject->group[subject->groups++];
  *group = (MrGroup){.first_band = subject->bands};
  for (uint32_t i = 0; i < bands->bands; i++)
    if (acts_on(&bands->band[i], c)) add_band(subject, &bands->band[i], i + 1);
  group->bands = subject->bands - group->first_band;
  MrPart* whole = &group->whole;
  *whole = (MrPart){.first = subject->sections, .gain = gain, .rate = subject->fs};
  for (uint32_t i = 0; i < group->bands; i++) { /* one after the other, as the whole has them */
    const MrPart* part = &subject->band[group->first_band + i];
    if (part->off) continue;
    whole->gain *= part->gain;
    for (uint32_t k = 0; k < part->sections; k++) add_section(subject, &subject->section[part->first + k]);
    whole->sections += part->sections;
  }
  if (bands->mid_side)
    snprintf(whole->name, sizeof whole->name, "%s", same[0] && same[1] ? "" : c ? "Side" : "Mid");
  else if (subject->channels > 1)
    name_channels(same, subject->channels, whole->name, sizeof whole->name);
}

MrSubject* mr_subject_from_bands(const MrBands* bands, uint32_t channels, double fs, double gain_db, MrStatus* status) {
  bool done[64] = {false}, same[64];
  *status = MR_ERR_ARGUMENT;
  if (!channels || channels > 64) return NULL;
  size_t groups = 0;
  for (uint32_t c = 0; c < channels; c++) {
    bool fresh = true;
    for (uint32_t k = 0; k < c; k++) fresh = fresh && !same_bands(bands, c, k);
    groups += fresh;
  }
  const size_t most = groups * bands->bands;
  MrSubject* subject = subject_new(channels, groups, most, 2 * most * MR_MAX_DESIGN_SECTIONS, fs);
  *status = subject ? MR_OK : MR_ERR_MEMORY;
  for (uint32_t c = 0; subject && c < channels; c++) {
    if (done[c]) continue;
    memset(same, 0, sizeof same);
    for (uint32_t k = c; k < channels; k++) done[k] |= same[k] = !done[k] && same_bands(bands, c, k);
    add_bands_group(subject, bands, c, same, pow(10, gain_db / 20));
  }
  return subject;
}
