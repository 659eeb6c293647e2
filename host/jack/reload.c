/* The bank that plays.
   SPDX-License-Identifier: ISC */
#include "reload.h"

#include <stdlib.h>
#include <string.h>

#include "../costs.h"
#include "../message.h"

void mr_reload_init(MrReload* reload, const MrJackOptions* options, MrJackRealtime* rt) {
  memset(reload, 0, sizeof *reload);
  reload->options = options;
  reload->rt = rt;
  reload->costs = mr_costs_read();
  reload->state = MR_JACK_MUTED;
  mr_sources_name(&options->sources, reload->name, sizeof reload->name);
}

void mr_reload_free(MrReload* reload) { mr_bank_input_free(&reload->text); }

const char* mr_jack_state_name(MrJackState state) {
  return state == MR_JACK_PLAYING ? "playing" : state == MR_JACK_MUTED ? "muted" : "passing";
}

/* --------------------------------------------------------------- engines */

/* NULL after a message. The program, which may be NULL, is taken. */
static MrJackEngine* engine_new(const MrReload* reload, uint32_t rate, uint32_t block, MrProgram* program) {
  const MrJackOptions* const wanted = reload->options;
  const MrThreadOptions threads = {
      .policy = wanted->threads == 1 ? MR_THREADS_ONE : MR_THREADS_EAGER, .threads = wanted->threads, .awake = wanted->awake};
  const MrEngineOptions options = {
      .channels = wanted->channels, .fs = rate, .largest_block = block, .threads = threads, .costs = &reload->costs};
  MrStatus status = MR_ERR_MEMORY;
  MrJackEngine* const made = calloc(1, sizeof *made);
  if (made) made->engine = mr_engine_new(&options, &status);
  if (made && made->engine) {
    made->rate = rate;
    if (!program) return made;
    status = mr_engine_give(made->engine, program);
    program = NULL;
    if (status == MR_OK) return made;
    mr_engine_free(made->engine);
  }
  mr_program_free(program);
  free(made);
  mr_say_error("the bank cannot be played: %s", mr_strerror(status));
  return NULL;
}

static void hand_over(MrReload* reload, MrJackEngine* made) {
  reload->engine = made->engine;
  reload->rate = made->rate;
  mr_jack_realtime_give(reload->rt, made);
}

/* ----------------------------------------------------------------- banks */

static bool is_same_text(const MrBankInput* a, const MrBankInput* b) {
  if (a->parts != b->parts) return false;
  for (size_t i = 0; i < a->parts; ++i) {
    const MrBankPart *const x = &a->part[i], *const y = &b->part[i];
    if (x->length != y->length || (x->length && memcmp(x->text, y->text, x->length) != 0)) return false;
  }
  return true;
}

/* NULL after a message. *protects: whether the bank may protect loudspeakers. */
static MrProgram* design(const MrReload* reload, const MrBankInput* text, uint32_t rate, bool* protects) {
  bool warnings = true;
  const MrReadOptions options = {.channels = reload->options->channels, .fs = rate, .convert_rate = reload->options->convert_rate};
  const MrMessages messages = {mr_say_library, &warnings};
  MrStatus status = MR_OK;
  MrBank* const bank = mr_bank_input_read(text, &options, warnings);
  MrProgram* const program = bank ? mr_program_new(bank, rate, &messages, &status) : NULL;
  *protects = (bank && mr_bank_protects(bank)) || mr_sources_may_protect(&reload->options->sources, text);
  if (bank && !program && status == MR_ERR_MEMORY) mr_say_error("no memory");
  mr_bank_free(bank);
  return program;
}

/* Plays the program at the rate, whatever played before. */
static MrReloaded play(MrReload* reload, MrProgram* program, uint32_t rate, uint32_t block) {
  const bool first = !reload->engine;
  if (!first && rate == reload->rate && reload->state != MR_JACK_MUTED) {
    const MrStatus status = mr_engine_give(reload->engine, program);
    if (status != MR_OK) {
      mr_say_error("the bank cannot be played: %s", mr_strerror(status));
      return MR_RELOAD_REFUSED;
    }
  } else {
    MrJackEngine* const made = engine_new(reload, rate, block, program);
    if (!made) return MR_RELOAD_IMPOSSIBLE;
    made->fades_in = !first;
    hand_over(reload, made);
  }
  reload->state = MR_JACK_PLAYING;
  return MR_RELOADED;
}

/* Nothing can play at the rate. */
static MrReloaded be_without(MrReload* reload, bool protects, uint32_t rate, uint32_t block) {
  const MrJackState state = protects || !reload->options->passes_on_error ? MR_JACK_MUTED : MR_JACK_PASSING;
  if (!reload->engine || rate != reload->rate || state != reload->state) {
    MrJackEngine* const made = engine_new(reload, rate, block, NULL);
    if (!made) return MR_RELOAD_IMPOSSIBLE;
    made->muted = state == MR_JACK_MUTED;
    hand_over(reload, made);
  }
  reload->state = state;
  mr_bank_input_free(&reload->text);
  if (state == MR_JACK_PASSING)
    mr_say_warning("no bank plays: the input passes as it is until one can be read");
  else if (protects)
    mr_say_warning("no bank plays, and the one that was refused may protect loudspeakers: muted until one can be read");
  else
    mr_say_warning("no bank plays: muted until one can be read");
  return MR_RELOAD_REFUSED;
}

/* Takes the text. */
static MrReloaded take_text(MrReload* reload, MrBankInput* text, bool readable, uint32_t rate, uint32_t block) {
  bool protects = true;
  MrProgram* const program = readable ? design(reload, text, rate, &protects) : NULL;
  if (!readable) protects = mr_sources_may_protect(&reload->options->sources, text);
  MrReloaded done = program ? play(reload, program, rate, block) : MR_RELOAD_REFUSED;
  if (done == MR_RELOADED) {
    mr_bank_input_free(&reload->text);
    reload->text = *text;
    return done;
  }
  ++reload->refusals;
  if (done == MR_RELOAD_REFUSED && reload->state == MR_JACK_PLAYING && rate == reload->rate)
    mr_say_note("millrace: the bank as it was plays on");
  else if (done == MR_RELOAD_REFUSED)
    done = be_without(reload, protects, rate, block);
  mr_bank_input_free(text);
  return done;
}

static MrReloaded read_and_take(MrReload* reload, uint32_t rate, uint32_t block, bool waits) {
  MrBankInput text = {NULL, 0};
  const MrSourcesRead read = mr_sources_read(&reload->options->sources, &text);
  if (read == MR_SOURCES_MOVING && waits) {
    mr_bank_input_free(&text);
    return MR_RELOAD_TRY_LATER;
  }
  if (read != MR_SOURCES_UNREADABLE && reload->state == MR_JACK_PLAYING && rate == reload->rate && is_same_text(&text, &reload->text)) {
    mr_bank_input_free(&text);
    return MR_RELOAD_UNCHANGED;
  }
  return take_text(reload, &text, read != MR_SOURCES_UNREADABLE, rate, block);
}

MrReloaded mr_reload_start(MrReload* reload, uint32_t rate, uint32_t block) { return read_and_take(reload, rate, block, false); }

MrReloaded mr_reload_files(MrReload* reload, uint32_t block) {
  const MrReloaded done = read_and_take(reload, reload->rate, block, true);
  reload->reloads += done == MR_RELOADED;
  return done;
}

MrReloaded mr_reload_rate(MrReload* reload, uint32_t rate, uint32_t block) {
  if (reload->state != MR_JACK_PLAYING) return read_and_take(reload, rate, block, false);
  MrBankInput text = reload->text;
  reload->text = (MrBankInput){NULL, 0};
  return take_text(reload, &text, true, rate, block);
}
