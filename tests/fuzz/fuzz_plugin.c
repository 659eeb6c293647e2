/* Fuzzes the plugins: a host without manners calls them in any order and with anything in its ports, messages and states.
   SPDX-License-Identifier: ISC

   Held all along: samples are finite where the input is, inputs are only read, what is told and saved is well formed and true, status and meters stay
   within their ranges, the floating-point mode is the host's after run(), what is saved restores to the same, and samples depend on no block. */
#include <float.h>

#include "plugin_instance.h"

#define SAMPLES 60000u /* of all channels in a test, about: more takes time and finds nothing */
#define CALLS   100u

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

static void run_some(Plug* plug, Bytes* bytes) {
  static const uint32_t lengths[] = {0, 1, 2, 3, 15, 16, 17, 31, 63, 64, 65, 100, 127, 128, 256, 500, 1024, 1152, 4096, 8192};
  const uint32_t alias = below(bytes, 8), sound = byte(bytes), seed = byte(bytes);
  uint32_t frames = lengths[below(bytes, COUNT(lengths))];
  if (plug->samples + frames * plug->channels > SAMPLES) frames %= 16;
  plug->samples += frames * plug->channels;
  Audio audio;
  make_audio(plug, &audio, frames, alias, sound >> 6, sound % 7, seed);
  run(plug, frames, &audio);
  check_audio(plug, &audio, frames);
  free_audio(plug, &audio);
}

/* ----------------------------------------------------------------- ports */

static float some_value(const MrPort* port, Bytes* bytes) {
  static const float odd[] = {NAN, -NAN, INFINITY, -INFINITY, FLT_MAX, -FLT_MAX, 1e-42f, -0.0f, 0.5f, -1, 1e9f};
  const uint32_t kind = byte(bytes), where = byte(bytes);
  if (kind < 160) return port->least + (port->most - port->least) * (float)where / 255;
  if (kind < 200) return roundf(port->least + (port->most - port->least) * (float)where / 255);
  return kind < 240 ? odd[where % COUNT(odd)] : value_of(word(bytes));
}

static void set_some(Plug* plug, Bytes* bytes) {
  const uint32_t i = byte(bytes) % (plug->before + plug->last);
  const float value = some_value(&plug->table[i], bytes);
  if (plug->control[i] && plug->table[i].kind == MR_CONTROL_IN) *plug->control[i] = value;
}

/* A band that is on; of the Bank, its gains. */
static void set_band(Plug* plug, Bytes* bytes) {
  const uint32_t first = plug->is_bank ? MR_BANK_PREAMP : MR_EQ_B1_ON + below(bytes, MR_EQ_BANDS) * MR_EQ_BAND_PORTS;
  for (uint32_t i = first; i < first + (plug->is_bank ? 4 : MR_EQ_BAND_PORTS); i++)
    if (plug->control[i]) *plug->control[i] = i == MR_EQ_BAND_ON + first && !plug->is_bank ? 1 : some_value(&plug->table[i], bytes);
}

static void reconnect_some(Plug* plug, Bytes* bytes) {
  const uint32_t kind = byte(bytes), i = byte(bytes) % (plug->before + plug->last);
  if (kind < 32)
    plug->descriptor->connect_port(plug->handle, plug->before + plug->last + 2 * plug->channels + kind, &plug->samples); /* there is none */
  else if (kind < 48)
    plug->no_audio = !plug->no_audio;
  else if (!is_atom(plug, i))
    connect_control(plug, i, kind & 3);
}

static void resize_notify(Plug* plug, Bytes* bytes) {
  const uint32_t kind = byte(bytes);
  connect_notify(plug, kind == 0 ? UINT32_MAX : kind < 64 ? kind - 1 : kind < 128 ? 100 + 4 * kind : 16 * kind);
}

/* ----------------------------------------------------------------- state */

static const LV2_State_Interface* state_of(const Plug* plug) { return plug->descriptor->extension_data(LV2_STATE__interface); }

static void restore(Plug* plug, Store* store) {
  check(state_of(plug)->restore(plug->handle, retrieve_property, store, 0, NULL) <= LV2_STATE_ERR_NO_SPACE, "a status");
}

static void put_some(Plug* plug, Store* store, Bytes* bytes) {
  const LV2_URID key = one_of(bytes, properties, COUNT(properties));
  const uint32_t kind = byte(bytes);
  char text[5000];
  for (uint32_t i = 0; i < store->count; i++)
    if (store->item[i].key == key) return;
  const int32_t number = (int32_t)below(bytes, 12) - 1;
  const LV2_URID type = kind & 64 ? one_of(bytes, types, COUNT(types)) : urid(types[kind % 8 == 7 ? 2 : kind % 5]);
  if (kind == 255) {
    const size_t size = MR_BANK_BYTES + below(bytes, 2); /* the largest, or larger */
    char* big = calloc(1, size + 1);
    store_put(store, key, type, memset(big, '#', size), size, 0);
    free(big);
  } else if (kind % 8 == 7) {
    store_put(store, key, type, &number, sizeof number, 0);
  } else if (kind & 16) {
    const char* known = banks[below(bytes, COUNT(banks))];
    store_put(store, key, type, known, strlen(known) + (kind >> 5 & 1), 0);
  } else {
    const size_t size = some_text(bytes, text);
    store_put(store, key, type, text, size, kind);
    plug->wild |= key == urid(BANK "content");
  }
}

static void restore_some(Plug* plug, Bytes* bytes) {
  Store store = {0};
  for (uint32_t count = below(bytes, 8); count; count--) put_some(plug, &store, bytes);
  restore(plug, &store);
  store_clear(&store);
}

static void save(const Plug* plug, Store* store) {
  check(state_of(plug)->save(plug->handle, store_property, store, 0, NULL) == LV2_STATE_SUCCESS, "state is saved");
}

/* A host that stores no more says so, and the plugin hands that on. */
static void save_in_vain(const Plug* plug, uint32_t refuses) {
  Store store = {.refuses = refuses};
  const LV2_State_Status status = state_of(plug)->save(plug->handle, store_property, &store, 0, NULL);
  check((status == LV2_STATE_SUCCESS) == (store.refuses > 0), "a store that is full is told");
  store_clear(&store);
}

static void check_equal(const Store* a, const Store* b) {
  check(a->count == b->count, "what is saved restores to as much");
  for (uint32_t i = 0; i < a->count; i++) {
    const Item *x = &a->item[i], *y = &b->item[i];
    check(x->key == y->key && x->type == y->type && x->size == y->size && !memcmp(x->value, y->value, x->size),
          "what is saved restores to the same");
  }
}

static void check_same_eq(const MrEq* a, const MrEq* b) {
  for (uint32_t k = 0; k < MR_EQ_SETS; k++)
    check(atomic_load(&a->shared.set[k]) == atomic_load(&b->shared.set[k]) && b->settings.set[k] == atomic_load(&b->shared.set[k]),
          "sets restore to the same");
}

/* What a bank's state makes of a fresh plugin: what plays plays, what was refused is refused, and may protect as it did. */
static void check_same_bank(const MrBankPlugin* a, const MrBankPlugin* b) {
  const MrKept *was = &a->keeper.kept, *is = &b->keeper.kept;
  if (a->keeper.plays && atomic_load(&was->status) == MR_BANK_FINE)
    check(b->keeper.plays && (atomic_load(&is->status) == MR_BANK_FINE || atomic_load(&is->status) == MR_BANK_FILE_CHANGED),
          "a bank plays again");
  if (!a->keeper.plays && (a->keeper.content || !a->keeper.path)) {
    check(!b->keeper.plays && atomic_load(&is->refused) == atomic_load(&was->refused), "a bank is refused again");
    check(!atomic_load(&was->refused) || atomic_load(&is->protects) == atomic_load(&was->protects), "a bank that protects does so again");
    check(atomic_load(&is->status) == atomic_load(&was->status), "a status is the same again");
  }
}

static void save_and_restore(Plug* plug, uint32_t index, double fs, uint32_t features) {
  if (plug->offer.worker == WORKER_NONE) return; /* its thread may load something meanwhile */
  Plug* other = malloc(sizeof *other);
  Store saved = {0}, again = {0};
  check(other && plug_new(other, index, fs, features, 0), "another instance");
  save(plug, &saved);
  restore(other, &saved);
  Audio audio;
  make_audio(other, &audio, 0, 0, 0, 0, 0);
  run(other, 0, &audio);
  save(other, &again);
  if (!plug->is_bank) check_same_eq(eq_of(plug), eq_of(other));
  if (plug->is_bank) check_same_bank(bank_of(plug), bank_of(other));
  if (!plug->is_bank || bank_of(plug)->keeper.content || !bank_of(plug)->keeper.path) check_equal(&saved, &again);
  free_audio(plug, &audio);
  store_clear(&saved);
  store_clear(&again);
  plug_free(other);
  free(other);
}

/* ------------------------------------------------------------------ test */

static void change_file(Plug* plug, Bytes* bytes) {
  const uint32_t kind = byte(bytes);
  if (kind < 192) {
    const char* known = banks[kind % COUNT(banks)];
    write_file(known, strlen(known));
  } else {
    size_t size;
    const uint8_t* own = some(bytes, &size);
    plug->wild = true;
    write_file(own, size);
  }
}

static void activate(Plug* plug) {
  if (plug->descriptor->deactivate) plug->descriptor->deactivate(plug->handle);
  plug->descriptor->activate(plug->handle);
  plug->tainted = false;
}

/* A stream in one block and, after a new start, in many: the same samples, whatever plays. */
static void play_twice(Plug* plug, Bytes* bytes) {
  const uint32_t frames = 1 + byte(bytes) * 2, length = 1 + byte(bytes);
  if (plug->no_audio || plug->offer.worker == WORKER_NONE || plug->samples > SAMPLES) return; /* a thread may load something meanwhile */
  plug->samples += 2 * frames * plug->channels;
  Audio whole, part;
  connect_messages(plug, NULL);
  make_audio(plug, &whole, frames, 0, 0, 5, frames);
  make_audio(plug, &part, frames, 0, 1, 5, frames);
  run(plug, 0, &whole); /* what waits is taken */
  activate(plug);
  run(plug, frames, &whole);
  activate(plug);
  Audio at = part;
  for (uint32_t done = 0, n; done < frames; done += n) {
    n = frames - done < length ? frames - done : length;
    run(plug, n, &at);
    for (uint32_t c = 0; c < plug->channels; c++) at.in[c] += n, at.out[c] += n;
  }
  for (uint32_t c = 0; c < plug->channels; c++)
    check(!memcmp(whole.out[c], part.out[c], frames * sizeof(float)), "samples depend on no block");
  free_audio(plug, &whole);
  free_audio(plug, &part);
}

static void call(Plug* plug, Bytes* bytes, uint32_t index, double fs, uint32_t features) {
  switch (below(bytes, 16)) {
    case 0:
      set_some(plug, bytes);
      return;
    case 1:
      set_band(plug, bytes);
      return;
    case 2:
      play_twice(plug, bytes);
      return;
    case 3:
      reconnect_some(plug, bytes);
      return;
    case 4:
    case 5:
      connect_messages(plug, some_sequence(bytes, urid(plug->descriptor->URI)));
      return;
    case 6:
      connect_messages(plug, NULL);
      return;
    case 7:
      resize_notify(plug, bytes);
      return;
    case 8:
      restore_some(plug, bytes);
      return;
    case 9:
      save_and_restore(plug, index, fs, features);
      return;
    case 10:
      save_in_vain(plug, 1 + below(bytes, 4));
      return;
    case 11:
      activate(plug);
      return;
    case 12:
      if (!plug->jobs || below(bytes, 2) == 0) work(plug); /* asked or not */
      while (plug->jobs) work(plug), plug->jobs--;
      return;
    case 13:
      change_file(plug, bytes);
      return;
    case 14:
      plug->mode = 0x1f80 | below(bytes, 4) << 13 | (byte(bytes) & 1 ? 0x8040 : 0);
      return;
    default:
      run_some(plug, bytes);
  }
}

/* It still listens, and has all told in the end. */
static void ask(Plug* plug) {
  Audio audio;
  connect_messages(plug, ask_for_all());
  connect_notify(plug, 8192); /* as the Turtle asks for */
  plug->told = 0;
  make_audio(plug, &audio, 16, 0, 0, 5, 0);
  run(plug, 16, &audio);
  check(plug->told == (plug->is_bank ? 3 : (2u << MR_EQ_SETS) - 1), "all is told that was asked for");
  free_audio(plug, &audio);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const double rates[] = {48000, 44100, 192000, 8000, 768000, 1, 1000, 0, -48000, NAN, INFINITY, 1e300};
  static const uint32_t variants[] = {1, 0, 2, 3, 5, 8, 14, 1}; /* of the descriptors: 2, 1, 4, 6, 9, 16, 64 channels */
  Bytes bytes = {data, size};
  const uint32_t kind = byte(&bytes), features = byte(&bytes), options = byte(&bytes), rate = byte(&bytes);
  const uint32_t index = variants[kind >> 1 & 7] + (kind & 1) * 15;
  const double fs = rates[rate < 200 ? 0 : rate % COUNT(rates)];
  write_file(banks[0], strlen(banks[0]));
  Plug* plug = malloc(sizeof *plug);
  if (!plug) return 0;
  if (plug_new(plug, index, fs, features, options)) {
    if (!(kind & 16)) activate(plug); /* a host may forget it */
    for (uint32_t i = 0; bytes.left && i < CALLS; i++) call(plug, &bytes, index, fs, features);
    ask(plug);
    plug_free(plug);
  }
  free(plug);
  return 0;
}
