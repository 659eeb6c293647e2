/* An instance of a plugin under a host without manners: its ports, its worker, what it tells, a block of it with all that must hold.
   SPDX-License-Identifier: ISC */
#ifndef MILLRACE_TESTS_FUZZ_PLUGIN_INSTANCE_H
#define MILLRACE_TESTS_FUZZ_PLUGIN_INSTANCE_H

#include <math.h>

#include "../../dsp/kernel/fpmode.h"
#include "../../plugin/bank.h"
#include "../../plugin/channel_list.h"
#include "../../plugin/eq.h"
#include "plugin_atoms.h"

#define CONTROLS 128u
#define CHANNELS 64u

typedef struct Plug {
  const LV2_Descriptor* descriptor;
  LV2_Handle handle;
  Offer offer;
  bool is_bank;
  uint32_t channels, before, last;
  const MrPort* table;
  float* control[CONTROLS]; /* blocks of their own, as the table counts them; NULL: not connected */
  uint8_t* messages;
  uint8_t* notify;
  uint32_t room; /* in notify, behind the head */
  uint32_t jobs; /* that the worker was asked for */
  uint32_t schedules;
  bool no_audio; /* a port without a buffer */
  bool tainted;  /* input was no number since the start of the stream */
  bool wild;     /* a bank of the fuzzer's own has been there, whose gain may be anything */
  unsigned mode; /* of the processor */
  size_t samples;
  uint32_t told; /* bits: EQ's sets and solo; file and message */
} Plug;

static MrEq* eq_of(const Plug* plug) { return plug->handle; }
static MrBankPlugin* bank_of(const Plug* plug) { return plug->handle; }

/* -------------------------------------------------------------- instance */

static LV2_Worker_Status respond(LV2_Worker_Respond_Handle handle, uint32_t size, const void* data) {
  (void)handle;
  (void)size;
  (void)data;
  return LV2_WORKER_SUCCESS;
}

static void work(Plug* plug) {
  const LV2_Worker_Interface* worker = plug->descriptor->extension_data(LV2_WORKER__interface);
  if (!worker) return;
  char* nothing = block_of("", 1);
  check(worker->work(plug->handle, respond, plug, 1, nothing) == LV2_WORKER_SUCCESS, "work is done");
  check(worker->work_response(plug->handle, 0, NULL) == LV2_WORKER_SUCCESS, "a response is heard");
  free(nothing);
}

static LV2_Worker_Status schedule(LV2_Worker_Schedule_Handle handle, uint32_t size, const void* data) {
  Plug* plug = handle;
  check(size && data, "work has data");
  plug->schedules++;
  if (plug->offer.worker == WORKER_FULL) return LV2_WORKER_ERR_NO_SPACE;
  if (plug->offer.worker == WORKER_INLINE)
    work(plug);
  else
    plug->jobs++;
  return LV2_WORKER_SUCCESS;
}

static uint32_t port_of(const Plug* plug, uint32_t control) { return control < plug->before ? control : control + 2 * plug->channels; }

static void connect_control(Plug* plug, uint32_t control, bool connects) {
  float* old = plug->control[control];
  float* block = connects ? block_of(old ? old : &plug->table[control].initial, sizeof(float)) : NULL;
  plug->control[control] = block;
  plug->descriptor->connect_port(plug->handle, port_of(plug, control), block);
  free(old);
}

static void connect_messages(Plug* plug, void* block) {
  plug->descriptor->connect_port(plug->handle, MR_EQ_CONTROL, block);
  free(plug->messages);
  plug->messages = block;
}

/* room: of the notify port; none at all where it is UINT32_MAX. */
static void connect_notify(Plug* plug, uint32_t room) {
  uint8_t* block = room == UINT32_MAX ? NULL : malloc(sizeof(LV2_Atom) + room);
  plug->descriptor->connect_port(plug->handle, MR_EQ_NOTIFY, block);
  free(plug->notify);
  plug->notify = block;
  plug->room = room;
}

static bool is_atom(const Plug* plug, uint32_t control) {
  return plug->table[control].kind == MR_ATOM_IN || plug->table[control].kind == MR_ATOM_OUT;
}

/* False where the plugin refuses the rate. */
static bool plug_new(Plug* plug, uint32_t index, double fs, uint32_t features, uint32_t options) {
  memset(plug, 0, sizeof *plug);
  plug->descriptor = lv2_descriptor(index);
  plug->is_bank = !strncmp(plug->descriptor->URI, BANK, strlen(BANK));
  plug->channels = (uint32_t)atoi(strchr(plug->descriptor->URI, '#') + 1);
  plug->table = plug->is_bank ? mr_bank_ports : mr_eq_ports;
  plug->before = plug->is_bank ? MR_BANK_AUDIO : MR_EQ_AUDIO;
  plug->last = !plug->is_bank && plug->channels == 2 ? MR_EQ_LAST : 0;
  plug->mode = 0x1f80;
  offer_all(&plug->offer, features, options, plug, schedule);
  plug->handle = plug->descriptor->instantiate(plug->descriptor, fs, "", plug->offer.features);
  if (!plug->handle) return false;
  for (uint32_t i = 0; i < plug->before + plug->last; i++)
    if (!is_atom(plug, i)) connect_control(plug, i, true);
  connect_notify(plug, 2000);
  return true;
}

static void plug_free(Plug* plug) {
  plug->descriptor->cleanup(plug->handle);
  for (uint32_t i = 0; i < CONTROLS; i++) free(plug->control[i]);
  free(plug->messages);
  free(plug->notify);
}

/* ------------------------------------------------------------- messages */

static void hear_text(const LV2_Atom* value, const char* type) {
  check(value->type == urid(type) && value->size, "a text has its type");
  check(strnlen((const char*)(value + 1), value->size) == value->size - 1, "a text ends where it ends");
}

static void hear_eq(Plug* plug, LV2_URID property, const LV2_Atom* value) {
  const MrEq* eq = eq_of(plug);
  if (property == eq->solo_key) {
    check(value->type == urid(LV2_ATOM__Int) && value->size == 4, "solo is a number");
    check(((const LV2_Atom_Int*)value)->body == (int32_t)eq->settings.solo, "solo is told as it is");
    plug->told |= 1u << MR_EQ_SETS;
    return;
  }
  for (uint32_t k = 0; k < MR_EQ_SETS; k++) {
    if (property != eq->set_key[k]) continue;
    uint64_t set = 0;
    hear_text(value, LV2_ATOM__String);
    check(mr_channel_list_read((const char*)(value + 1), value->size - 1, &set) && set == eq->settings.set[k], "a set is told as it is");
    plug->told |= 1u << k;
    return;
  }
  check(false, "a property of the EQ");
}

static void hear_bank(Plug* plug, LV2_URID property, const LV2_Atom* value) {
  const bool is_file = property == bank_of(plug)->file_key;
  check(is_file || property == bank_of(plug)->message_key, "a property of the Bank");
  hear_text(value, is_file ? LV2_ATOM__Path : LV2_ATOM__String);
  plug->told |= is_file ? 1 : 2;
}

static void hear(void* handle, LV2_URID property, const LV2_Atom* value) {
  Plug* plug = handle;
  if (!property) return;
  if (plug->is_bank)
    hear_bank(plug, property, value);
  else
    hear_eq(plug, property, value);
}

/* ------------------------------------------------------------------- run */

/* Buffers of a block: each channel's are as long as the block and begin anywhere; which of them are the same, `alias` says. */
typedef struct Audio {
  float *block[2 * CHANNELS], *in[CHANNELS], *out[CHANNELS], *copy[CHANNELS];
  uint32_t blocks;
} Audio;

static float* audio_block(Audio* audio, uint32_t frames, uint32_t shift) {
  float* block = malloc((frames + shift) * sizeof *block);
  check(block != NULL, "memory");
  audio->block[audio->blocks++] = block;
  return block + shift;
}

static float value_of(uint32_t bits) {
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static float sample(uint32_t kind, uint32_t seed, uint32_t frame) {
  const uint32_t noise = (seed + frame) * 2654435761u ^ (seed << 13);
  switch (kind) {
    case 0:
      return 0;
    case 1:
      return frame == 0 ? 1 : 0;
    case 2:
      return 4;
    case 3:
      return value_of(noise & 0x807fffffu); /* subnormal */
    case 4:
      return frame % 61 == seed % 61 ? value_of(noise | 0x7f000000u) : 0.5f; /* huge, infinite or none */
    default:
      return (float)(int32_t)(noise * 2246822519u) / 2147483648.0f;
  }
}

static void make_audio(Plug* plug, Audio* audio, uint32_t frames, uint32_t alias, uint32_t shift, uint32_t kind, uint32_t seed) {
  const uint32_t n = plug->channels;
  audio->blocks = 0;
  for (uint32_t c = 0; c < n; c++) {
    audio->in[c] = alias >= 6 && c ? audio->in[0] : audio_block(audio, frames, (shift + c) % 4);
    for (uint32_t f = 0; f < frames; f++) audio->in[c][f] = sample(kind, seed + (alias >= 6 ? 0 : c), f);
    audio->copy[c] = block_of(audio->in[c], frames * sizeof(float));
  }
  for (uint32_t c = 0; c < n; c++) {
    const bool shared = alias < 3 ? false : alias < 6 ? true : alias == 6 ? false : c == seed % n;
    audio->out[c] = shared ? audio->in[alias == 4 ? (c + seed) % n : alias == 5 ? n - 1 - c : c] : audio_block(audio, frames, shift % 4);
  }
  plug->tainted |= kind == 4;
}

static void free_audio(const Plug* plug, Audio* audio) {
  while (audio->blocks) free(audio->block[--audio->blocks]);
  for (uint32_t c = 0; c < plug->channels; c++) free(audio->copy[c]);
}

static bool is_output(const Plug* plug, const Audio* audio, const float* in) {
  for (uint32_t c = 0; c < plug->channels; c++)
    if (audio->out[c] == in) return true;
  return false;
}

static void check_audio(const Plug* plug, const Audio* audio, uint32_t frames) {
  for (uint32_t c = 0; c < plug->channels; c++) {
    if (plug->no_audio || !is_output(plug, audio, audio->in[c]))
      check(!memcmp(audio->in[c], audio->copy[c], frames * sizeof(float)), "inputs are only read");
    for (uint32_t f = 0; f < frames && !plug->no_audio && !plug->tainted && !plug->wild; f++)
      check(isfinite(audio->out[c][f]), "samples are finite");
  }
}

static void check_output(const Plug* plug, uint32_t control) {
  const MrPort* port = &plug->table[control];
  const float value = plug->control[control] ? *plug->control[control] : port->initial;
  check(value >= port->least && value <= port->most, "an output is within its range");
  if (control != (plug->is_bank ? MR_BANK_PEAK_IN : MR_EQ_PEAK_IN) && control != (plug->is_bank ? MR_BANK_PEAK_OUT : MR_EQ_PEAK_OUT))
    check(value == floorf(value), "an output is a whole number");
}

static void run(Plug* plug, uint32_t frames, const Audio* audio) {
  for (uint32_t c = 0; c < plug->channels; c++) {
    plug->descriptor->connect_port(plug->handle, plug->before + c, plug->no_audio && !c ? NULL : audio->in[c]);
    plug->descriptor->connect_port(plug->handle, plug->before + plug->channels + c, audio->out[c]);
  }
  if (plug->notify) *(LV2_Atom*)plug->notify = (LV2_Atom){plug->room, urid(LV2_ATOM__Chunk)};
  plug->schedules = 0;
#if defined(__SSE2__)
  _mm_setcsr(plug->mode);
  plug->descriptor->run(plug->handle, frames);
  const unsigned after = _mm_getcsr();
  _mm_setcsr(0x1f80);
  check(!((after ^ plug->mode) & ~0x3fu), "the mode of the processor is the host's"); /* 3f: what has happened, which never goes away */
#else
  plug->descriptor->run(plug->handle, frames);
#endif
  check(plug->schedules <= 1, "the worker is asked once a block");
  for (uint32_t i = 0; i < plug->before + plug->last; i++)
    if (plug->table[i].kind == MR_CONTROL_OUT) check_output(plug, i);
  if (plug->notify) read_notices(plug->notify, plug->room, hear, plug);
}

#endif
