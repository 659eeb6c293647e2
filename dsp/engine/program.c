/* A program: a bank compiled at a rate, ready to be played as a side.
   SPDX-License-Identifier: ISC */
#include "program.h"

#include <math.h>

#include "findings.h"
#include "memory.h"

static size_t section_begin(const MrProgram* program, uint32_t channel) { return channel ? program->section_end[channel - 1] : 0; }

/* One filter's sections appended to the program; its gain multiplies the channel's. */
static MrStatus compile_filter(MrProgram* program, const MrBank* bank, uint32_t channel, uint32_t filter, size_t* used,
                               MrFinding* finding) {
  const MrDesign* design = &bank->channel[channel].filter[filter];
  MrCascade cascade;
  MrStatus status = mr_design(design, program->fs, &cascade, &finding->notes);
  if (status == MR_ERR_RATE && bank->convert_rate) {
    status = mr_design_convert(design, program->fs, &cascade, &finding->notes, &finding->error_db);
    finding->notes |= MR_NOTE_RATE_CONVERTED;
  }
  if (status != MR_OK) return status;
  memcpy(program->section + *used, cascade.section, cascade.n * sizeof *cascade.section);
  *used += cascade.n;
  program->gain[channel] *= cascade.gain;
  return MR_OK;
}

static size_t count_filters(const MrBank* bank) {
  size_t filters = 0;
  for (uint32_t c = 0; c < bank->channels; c++) filters += bank->channel[c].filters;
  return filters;
}

static double term_gain(const MrTerm* term) {
  const double gain = term->is_db ? pow(10, term->gain / 20) : term->gain;
  return term->inverted ? -gain : gain;
}

static bool is_own_input(const MrBank* bank, uint32_t channel) {
  const MrChannel* row = &bank->channel[channel];
  return row->terms == 1 && row->term[0].source == channel && term_gain(&row->term[0]) == 1 && !row->muted;
}

static MrStatus compile_routes(MrSide* side, const MrBank* bank) {
  bool own = true;
  size_t terms = 0;
  for (uint32_t c = 0; c < bank->channels; c++) {
    own = own && is_own_input(bank, c);
    terms += bank->channel[c].terms;
  }
  if (own) return MR_OK;
  if (!mr_side_make_routes(side, terms)) return MR_ERR_MEMORY;
  uint32_t used = 0;
  for (uint32_t c = 0; c < bank->channels; c++) {
    const MrChannel* row = &bank->channel[c];
    for (uint32_t i = 0; i < row->terms && !row->muted; i++) {
      if (row->term[i].source >= bank->channels) return MR_ERR_ROUTE;
      const double gain = term_gain(&row->term[i]);
      if (!isfinite(gain)) return MR_ERR_NOT_FINITE; /* 1e5 dB */
      side->route[used++] = (MrRoute){row->term[i].source, gain};
    }
    side->route_end[c] = used;
    side->tile[c / MR_LANES].routed |= !is_own_input(bank, c);
  }
  return MR_OK;
}

static MrStatus compile_delays(MrProgram* program, const MrBank* bank) {
  for (uint32_t c = 0; c < bank->channels; c++) {
    const double frames = round(bank->channel[c].delay_ms * 1e-3 * program->fs + bank->channel[c].delay_samples);
    if (!(frames >= 0 && frames <= 10 * program->fs + 1)) return MR_ERR_RANGE; /* 10 s, and what rounding adds */
    program->delay[c] = (uint32_t)frames;
  }
  return MR_OK;
}

/* Delay lines of the side, from the program's delays. */
static bool make_delays(MrProgram* program) {
  MrSide* side = program->side;
  uint32_t delays = 0;
  for (uint32_t c = 0; c < program->channels; c++) delays += program->delay[c] > 0;
  if (!delays) return true;
  side->delay = mr_memory_new(delays, sizeof *side->delay);
  if (!side->delay) return false;
  for (uint32_t c = 0; c < program->channels; c++) {
    MrTile* tile = &side->tile[c / MR_LANES];
    if (c % MR_LANES == 0) tile->delay_begin = side->delays;
    if (program->delay[c]) {
      MrDelay* delay = &side->delay[side->delays];
      delay->channel = c;
      delay->frames = program->delay[c];
      delay->line = mr_memory_new(delay->frames, sizeof(double));
      if (!delay->line) return false;
      side->delays++;
    }
    tile->delay_end = side->delays;
  }
  return true;
}

/* The side of a program whose sections, gains and delays are there, without routes. */
static bool make_side(MrProgram* program) {
  uint32_t capacity = 0;
  for (uint32_t c = 0; c < program->channels; c++) {
    const uint32_t sections = mr_program_sections(program, c);
    if (sections > capacity) capacity = sections;
  }
  MrSide* side = program->side = mr_side_new(program->channels, capacity);
  if (!side) return false;
  for (uint32_t c = 0; c < program->channels; c++) {
    MrTile* tile = &side->tile[c / MR_LANES];
    const uint32_t sections = mr_program_sections(program, c);
    if (sections > tile->sections) tile->sections = sections;
    tile->gain[c % MR_LANES] = program->gain[c];
    side->passes = side->passes && !sections && program->gain[c] == 1;
  }
  for (uint32_t t = 0; t < side->tiles; t++) {
    MrTile* tile = &side->tile[t];
    for (uint32_t l = 0; l < MR_LANES; l++)
      for (uint32_t k = 0; k < tile->sections; k++) {
        const bool there = l < tile->lanes && k < mr_program_sections(program, tile->first + l);
        mr_tile_set_section(tile, k, l, there ? mr_program_section(program, tile->first + l, k) : NULL);
      }
  }
  return make_delays(program);
}

static MrStatus compile_side(MrProgram* program, const MrBank* bank) {
  MrStatus status = compile_delays(program, bank);
  if (status == MR_OK && !make_side(program)) status = MR_ERR_MEMORY;
  if (status == MR_OK) status = compile_routes(program->side, bank);
  return status;
}

/* Gives back what the filters might have taken and did not. */
static void trim_sections(MrProgram* program, size_t used) {
  MrSection* fitting = realloc(program->section, (used ? used : 1) * sizeof *fitting);
  if (fitting) program->section = fitting;
}

/* The cascades and gains of all channels. */
static MrStatus compile_cascades(MrProgram* program, const MrBank* bank, MrFinding* finding, const MrMessages* messages) {
  size_t used = 0;
  for (uint32_t c = 0; c < bank->channels; c++) {
    const MrChannel* channel = &bank->channel[c];
    program->gain[c] = 1;
    for (uint32_t i = 0; i < channel->filters; i++, finding++) {
      const MrStatus status = compile_filter(program, bank, c, i, &used, finding);
      if (status == MR_OK) continue;
      mr_findings_line(messages, MR_ERROR, "channel %u, filter %u: %s", c + 1, i + 1, mr_strerror(status));
      return status;
    }
    program->section_end[c] = used;
    program->gain[c] *= pow(10, channel->preamp_db / 20);
    if (channel->inverted) program->gain[c] = -program->gain[c];
    if (channel->muted) program->gain[c] = 0;
    if (!isfinite(program->gain[c])) {
      mr_findings_line(messages, MR_ERROR, "channel %u: its gains together are beyond all bounds", c + 1);
      return MR_ERR_RANGE;
    }
  }
  trim_sections(program, used);
  return MR_OK;
}

static bool make_channels(MrProgram* program) {
  program->section_end = mr_memory_new(program->channels, sizeof *program->section_end);
  program->gain = mr_memory_new(program->channels, sizeof *program->gain);
  program->delay = mr_memory_new(program->channels, sizeof *program->delay);
  return program->section_end && program->gain && program->delay;
}

static void decide_passing(MrSide* side) { side->passes = side->passes && !side->route && !side->delays; }

static MrStatus compile(MrProgram* program, const MrBank* bank, const MrMessages* messages) {
  const size_t filters = count_filters(bank);
  program->section = mr_memory_new(filters, MR_MAX_DESIGN_SECTIONS * sizeof *program->section);
  MrFinding* finding = mr_memory_new(filters, sizeof *finding);
  MrStatus status =
      make_channels(program) && program->section && finding ? compile_cascades(program, bank, finding, messages) : MR_ERR_MEMORY;
  if (status == MR_OK) mr_findings_say(finding, bank, program->fs, messages);
  free(finding);
  if (status != MR_OK) return status;
  status = compile_side(program, bank);
  if (status != MR_OK) {
    mr_findings_line(messages, MR_ERROR, "%s", mr_strerror(status));
    return status;
  }
  decide_passing(program->side);
  return MR_OK;
}

MrProgram* mr_program_new(const MrBank* bank, double fs, const MrMessages* messages, MrStatus* status) {
  MrStatus ignored;
  if (!status) status = &ignored;
  *status = MR_ERR_ARGUMENT;
  if (!bank || !bank->channels || bank->channels > MR_MAX_CHANNELS) return NULL;
  *status = MR_ERR_RANGE;
  if (!(fs >= MR_MIN_RATE && fs <= MR_MAX_RATE)) return NULL;
  *status = MR_ERR_MEMORY;
  MrProgram* program = mr_memory_new(1, sizeof *program);
  if (!program) return NULL;
  program->fs = fs;
  program->channels = bank->channels;
  *status = compile(program, bank, messages);
  if (*status == MR_OK) return program;
  mr_program_free(program);
  return NULL;
}

void mr_program_free(MrProgram* program) {
  if (!program) return;
  for (uint32_t i = 0; i < program->variants; i++) mr_program_free(program->variant[i]);
  mr_side_free(program->side);
  free(program->section);
  free(program->section_end);
  free(program->gain);
  free(program->delay);
  free(program);
}

static bool copy_channels(const MrProgram* from, MrProgram* to) {
  const size_t sections = from->section_end[from->channels - 1];
  to->section = mr_memory_new(sections * (to->channels / from->channels), sizeof *to->section);
  if (!to->section || !make_channels(to)) return false;
  for (uint32_t c = 0; c < to->channels; c++) {
    const uint32_t source = c % from->channels, copy = c / from->channels;
    if (source == 0) memcpy(to->section + copy * sections, from->section, sections * sizeof *to->section);
    to->section_end[c] = copy * sections + from->section_end[source];
    to->gain[c] = from->gain[source];
    to->delay[c] = from->delay[source];
  }
  return true;
}

static bool copy_routes(const MrSide* from, MrSide* to) {
  if (!from->route) return true;
  const uint32_t routes = from->route_end[from->channels - 1];
  if (!mr_side_make_routes(to, (size_t)routes * (to->channels / from->channels))) return false;
  for (uint32_t c = 0; c < to->channels; c++) {
    const uint32_t source = c % from->channels, copy = c / from->channels, first = copy * from->channels;
    if (source == 0)
      for (uint32_t i = 0; i < routes; i++) to->route[copy * routes + i] = (MrRoute){first + from->route[i].source, from->route[i].gain};
    to->route_end[c] = copy * routes + from->route_end[source];
    to->tile[c / MR_LANES].routed |= from->tile[source / MR_LANES].routed;
  }
  return true;
}

MrProgram* mr_program_repeat(const MrProgram* program, uint32_t copies) {
  MrProgram* repeated = mr_memory_new(1, sizeof *repeated);
  if (!repeated) return NULL;
  repeated->fs = program->fs;
  repeated->channels = program->channels * copies;
  if (copy_channels(program, repeated) && make_side(repeated) && copy_routes(program->side, repeated->side)) {
    decide_passing(repeated->side);
    return repeated;
  }
  mr_program_free(repeated);
  return NULL;
}

uint32_t mr_program_sections(const MrProgram* program, uint32_t channel) {
  return channel < program->channels ? (uint32_t)(program->section_end[channel] - section_begin(program, channel)) : 0;
}

const MrSection* mr_program_section(const MrProgram* program, uint32_t channel, uint32_t index) {
  return index < mr_program_sections(program, channel) ? &program->section[section_begin(program, channel) + index] : NULL;
}

double mr_program_gain(const MrProgram* program, uint32_t channel) { return channel < program->channels ? program->gain[channel] : 0; }

uint32_t mr_program_delay(const MrProgram* program, uint32_t channel) { return channel < program->channels ? program->delay[channel] : 0; }

bool mr_program_routes(const MrProgram* program) { return program->side->route != NULL; }

/* Channels often share a cascade: each is run once for its neighbours of the same sections. */
uint64_t mr_program_ring(const MrProgram* program, double rest, uint64_t limit) {
  uint64_t longest = 0, ring = 0;
  for (uint32_t c = 0; c < program->channels; c++) {
    const uint32_t sections = mr_program_sections(program, c);
    const MrSection* section = program->section + section_begin(program, c);
    const bool same =
        c && mr_program_sections(program, c - 1) == sections && !memcmp(section, section - sections, sections * sizeof *section);
    if (!same) ring = mr_sections_ring_time(section, sections, rest, limit);
    if (ring + program->delay[c] > longest) longest = ring + program->delay[c];
  }
  return longest < limit ? longest : limit;
}

uint64_t mr_program_tail(const MrProgram* program, uint64_t limit) { return mr_program_ring(program, 1e-6, limit); }

/* ------------------------------------------------------------- variants */

MrStatus mr_program_add_variant(MrProgram* program, MrProgram* variant) {
  if (program == variant) return MR_ERR_ARGUMENT;
  MrStatus status = MR_OK;
  if (!program || !variant || variant->variants)
    status = MR_ERR_ARGUMENT;
  else if (variant->channels != program->channels)
    status = MR_ERR_CHANNELS;
  else if (variant->fs != program->fs)
    status = MR_ERR_RATE;
  else if (program->variants == MR_MAX_VARIANTS)
    status = MR_ERR_RANGE;
  if (status == MR_OK)
    program->variant[program->variants++] = variant;
  else
    mr_program_free(variant);
  return status;
}

const MrProgram* mr_program_choice(const MrProgram* program, uint32_t variant) {
  return variant && variant <= program->variants ? program->variant[variant - 1] : program;
}

bool mr_program_has_side(const MrProgram* program, const MrSide* side) {
  if (program->side == side) return true;
  for (uint32_t i = 0; i < program->variants; i++)
    if (program->variant[i]->side == side) return true;
  return false;
}
