/* A card that filters a Bank's blocks while its host freewheels.
   SPDX-License-Identifier: ISC */
#include "card.h"

#include <stdlib.h>
#include <string.h>

#include "../gpu/job.h"
#include "../gpu/library.h"
#include "meter.h"

#define STILL_SECONDS 0.25
/* What counts as worth it: a minute of the stream saves more than the card's start takes, with time for calls that the plan knows nothing of. */
#define PLAYED_S 60.0
#define CALLS_S  1e-4

enum { CELL = MR_CELL, MOST_FRAMES = 1 << 16 };

/* Who may touch what: run() in all but OPENING, which is the worker's. */
enum { NONE, ASKED, OPENING, READY, USELESS };

struct MrCard {
  MrCardWish wish;
  MrKeeper* keeper;
  uint32_t channels, chunk; /* frames of a submission */
  double fs;
  atomic_int state;

  const MrGpuApi* api;
  MrGpuSession* session;
  float *in, *out;   /* the session's, [channels][chunk] */
  double* states;    /* [channels][sections][2] */
  unsigned number;   /* of the program, as the keeper counts them */
  uint64_t counted;  /* troubles that the card has told of since it was opened */
  uint64_t troubles; /* of all */

  /* of run() */
  unsigned seen;
  uint64_t still; /* frames since something changed */
};

/* ---------------------------------------------------------------- wishes */

static bool read_wish(const char* value, MrCardWish* wish) {
  static const char* const names[] = {[MR_CARD_NEVER] = "cpu", [MR_CARD_AUTO] = "auto", [MR_CARD_ALWAYS] = "cuda"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (!strcmp(value, names[i])) {
      *wish = (MrCardWish)i;
      return true;
    }
  return false;
}

static bool take_line(void* handle, const char* key, const char* value) { return strcmp(key, "device") != 0 || read_wish(value, handle); }

MrCardWish mr_card_wish(bool* wrong) {
  MrCardWish wish = MR_CARD_NEVER;
  bool fine = mr_configuration_read(take_line, &wish);
  const char* value = getenv("MILLRACE_DEVICE");
  if (value && *value) fine &= read_wish(value, &wish);
  *wrong = !fine;
  return wish;
}

/* ---------------------------------------------------------------- worker */

static void close_session(MrCard* card) {
  if (card->session) card->api->close(card->session);
  free(card->states);
  card->session = NULL;
  card->states = NULL;
}

/* Seconds that the CPU takes for a block; the program is the engine's from then on. */
static double cpu_seconds(const MrCard* card, MrProgram* program) {
  const MrEngineOptions options = {.channels = card->channels, .fs = card->fs, .largest_block = card->chunk};
  MrEngine* engine = mr_engine_new(&options, NULL);
  if (!engine) {
    mr_program_free(program);
    return 0;
  }
  const double seconds = mr_engine_give(engine, program) == MR_OK ? 1e-9 * mr_engine_predict(engine, card->chunk, false) : 0;
  mr_engine_free(engine);
  return seconds;
}

static bool pays(const MrCard* card, const MrGpuPlan* plan, double cpu_s) {
  const double saved = cpu_s - (2 * plan->transfer_s + plan->kernel_s + CALLS_S);
  return saved * card->fs / card->chunk * PLAYED_S > MR_GPU_START_S;
}

static bool open_session(MrCard* card, const MrGpuJob* job, uint32_t sections) {
  char why[MR_GPU_WHY];
  if (card->api->open(0, job, &card->session, why) != MR_GPU_OK) return false;
  const size_t bytes = (size_t)card->channels * card->chunk * sizeof(float);
  card->in = card->api->allocate(card->session, bytes);
  card->out = card->api->allocate(card->session, bytes);
  card->states = calloc((size_t)card->channels * sections * 2 + 1, sizeof *card->states);
  card->counted = 0;
  return card->in && card->out && card->states;
}

/* Takes the program. */
static bool open_for(MrCard* card, MrProgram* program) {
  char why[MR_GPU_WHY];
  MrGpuStatus status = MR_GPU_OK;
  const MrGpuJob wanted = {.channels = card->channels, .chunk = card->chunk, .submissions = 1};
  MrGpuProgram made;
  bool ready = false;
  if (mr_gpu_program_make(program, &wanted, &made, why) == MR_GPU_OK) {
    card->api = mr_gpu_library(&status, why);
    MrGpuPlan plan;
    ready = card->api != NULL;
    if (ready && card->wish == MR_CARD_AUTO) {
      ready = card->api->foresee(0, &made.job, &plan, why) == MR_GPU_OK && pays(card, &plan, cpu_seconds(card, program));
      program = NULL;
    }
    ready = ready && open_session(card, &made.job, made.sections);
    mr_gpu_program_free(&made);
  }
  mr_program_free(program);
  return ready;
}

void mr_card_work(MrCard* card) {
  int expected = ASKED;
  if (!card || !atomic_compare_exchange_strong(&card->state, &expected, OPENING)) return;
  close_session(card);
  MrProgram* program = mr_keeper_program(card->keeper, &card->number);
  const bool ready = program && open_for(card, program);
  if (!ready) close_session(card);
  atomic_store_explicit(&card->state, ready ? READY : USELESS, memory_order_release);
}

/* -------------------------------------------------------------- instance */

MrCard* mr_card_new(MrCardWish wish, MrKeeper* keeper, uint32_t channels, double fs, uint32_t largest_block) {
  if (wish == MR_CARD_NEVER) return NULL;
  MrCard* card = calloc(1, sizeof *card);
  if (!card) return NULL;
  const uint32_t frames = largest_block < MOST_FRAMES ? largest_block : MOST_FRAMES;
  card->wish = wish;
  card->keeper = keeper;
  card->channels = channels;
  card->fs = fs;
  card->chunk = frames < CELL ? CELL : (frames + CELL - 1) / CELL * CELL;
  atomic_init(&card->state, NONE);
  return card;
}

void mr_card_free(MrCard* card) {
  if (!card) return;
  close_session(card);
  free(card);
}

/* ----------------------------------------------------------------- run() */

void mr_card_disturb(MrCard* card) {
  if (card) card->still = 0;
}

uint64_t mr_card_troubles(const MrCard* card) { return card ? card->troubles : 0; }

/* Buffers from a frame on. */
typedef struct View {
  const float* in[MR_METER_CHANNELS];
  float* out[MR_METER_CHANNELS];
} View;

static void run_engine(const MrCard* card, MrEngine* engine, const float* const* in, float* const* out, uint32_t at, uint32_t n) {
  if (!n) return;
  View view;
  for (uint32_t c = 0; c < card->channels; c++) {
    view.in[c] = in[c] + at;
    view.out[c] = out[c] + at;
  }
  mr_engine_process_f32(engine, view.in, view.out, n);
}

/* One submission; its state goes from card->states to card->states. Inputs are taken before outputs are written. */
static bool run_piece(MrCard* card, double gain, const float* const* in, float* const* out, uint32_t at, uint32_t n) {
  char why[MR_GPU_WHY];
  uint64_t troubles = 0;
  if (card->api->set_state(card->session, card->states, why) != MR_GPU_OK) return false; /* a child's memory may not be the card's */
  for (uint32_t c = 0; c < card->channels; c++) memcpy(card->in + (size_t)c * card->chunk, in[c] + at, n * sizeof(float));
  if (card->api->submit(card->session, card->in, card->out, n, why) != MR_GPU_OK) return false;
  if (card->api->collect(card->session, card->states, &troubles, why) != MR_GPU_OK) return false;
  for (uint32_t c = 0; c < card->channels; c++) {
    const float* from = card->out + (size_t)c * card->chunk;
    for (uint32_t i = 0; i < n; i++) out[c][at + i] = (float)(gain * (double)from[i]);
  }
  card->troubles += troubles - card->counted;
  card->counted = troubles;
  return true;
}

/* Whether the card is there and has what plays; asks for it where not. */
static bool is_ready(MrCard* card, bool* ask) {
  const int state = atomic_load_explicit(&card->state, memory_order_acquire);
  if (state == READY && card->number == card->seen) return true;
  const bool stale = (state == READY || state == USELESS) && card->number != card->seen;
  if (state != NONE && !stale) return false;
  atomic_store_explicit(&card->state, ASKED, memory_order_release);
  *ask = true;
  return false;
}

bool mr_card_filter(MrCard* card, MrEngine* engine, uint64_t position, double gain, const float* const* in, float* const* out, uint32_t n,
                    bool* ask) {
  const unsigned number = atomic_load_explicit(&card->keeper->kept.programs, memory_order_acquire);
  *ask = false;
  if (number != card->seen) card->still = 0;
  card->seen = number;
  const bool rests = (double)card->still >= STILL_SECONDS * card->fs;
  card->still += n;
  if (!rests || !is_ready(card, ask)) return false;
  const uint32_t head = (uint32_t)((CELL - position % CELL) % CELL);
  if (n < head + CELL) return false;
  run_engine(card, engine, in, out, 0, head);
  uint32_t at = head;
  if (mr_engine_state(engine, card->states) == MR_OK) {
    const uint32_t end = head + (n - head) / CELL * CELL;
    bool good = true;
    while (good && at < end) {
      const uint32_t piece = end - at < card->chunk ? end - at : card->chunk;
      good = run_piece(card, gain, in, out, at, piece);
      if (good) at += piece;
    }
    if (!good) atomic_store_explicit(&card->state, USELESS, memory_order_release);
    mr_engine_set_state(engine, card->states); /* that after the last piece that came back */
  }
  run_engine(card, engine, in, out, at, n - at);
  return true;
}
