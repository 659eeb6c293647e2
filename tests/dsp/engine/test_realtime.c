/* process() allocates nothing, locks nothing and makes no system call, while bands glide and swap and programs come and go.
   SPDX-License-Identifier: ISC

   System calls: a child process in seccomp's strict mode, in which the kernel kills whoever makes any but read, write and
   exit. Allocation: malloc and its kin are replaced here and abort while they are forbidden. Locks: likewise. */
#define _GNU_SOURCE
#include "fixture.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define TRAPS 0 /* sanitizers have an allocator and system calls of their own: there the same calls are only played */
#elif defined(__linux__)
#define TRAPS 1
#else
#define TRAPS 0
#endif

#if TRAPS
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

extern void* __libc_malloc(size_t size);
extern void* __libc_calloc(size_t count, size_t size);
extern void* __libc_realloc(void* memory, size_t size);
extern void* __libc_memalign(size_t alignment, size_t size);
extern void __libc_free(void* memory);

static volatile int forbidden;

static void touch(void) {
  if (forbidden) abort();
}

/* NOLINTBEGIN(readability-inconsistent-declaration-parameter-name): the library's names are reserved */
void* malloc(size_t size) {
  touch();
  return __libc_malloc(size);
}
void* calloc(size_t count, size_t size) {
  touch();
  return __libc_calloc(count, size);
}
void* realloc(void* memory, size_t size) {
  touch();
  return __libc_realloc(memory, size);
}
void* aligned_alloc(size_t alignment, size_t size) {
  touch();
  return __libc_memalign(alignment, size);
}
void free(void* memory) {
  touch();
  __libc_free(memory);
}
/* NOLINTEND(readability-inconsistent-declaration-parameter-name) */
int pthread_mutex_lock(pthread_mutex_t* mutex) {
  (void)mutex;
  touch();
  return 0; /* this program has one thread */
}
int pthread_mutex_unlock(pthread_mutex_t* mutex) {
  (void)mutex;
  return 0;
}

#endif

enum { CHANNELS = 19, BLOCK = 300, BANDS = 16 };
static float source[CHANNELS * BLOCK]; /* noise; the buffers are filled from it again and again */
static MrEngine* fast;                 /* in float32 arithmetic, with routes and delays; plays with the others */

/* Everything a real-time thread does; what it needs has been made before. */
static void play(MrEngine* parametric, MrEngine* player, float* const* buffer, MrBand* band) {
  Random random = {7};
  for (int i = 0; i < 400; i++) {
    for (uint32_t b = 0; b < BANDS; b++) {
      MrDesign* design = &band[b].design;
      design->fc = random_between(&random, 20, 20000);
      design->gain_db = random_between(&random, -12, 12);
      if (i % 40 == 39) {
        const MrFilterType types[] = {MR_PEAK,   MR_LOWSHELF, MR_BUTTERWORTH, MR_LINKWITZ_RILEY,
                                      MR_BESSEL, MR_NOTCH,    MR_HIGHPASS1,   MR_ALLPASS};
        design->type = types[random_below(&random, 8)];
        design->response = random_below(&random, 2) ? MR_RESPONSE_HP : MR_RESPONSE_LP;
        design->order = 2 + 2 * random_below(&random, 7);
        design->mode = random_below(&random, 2) ? MR_MODE_MATCHED : MR_MODE_RBJ;
        band[b].on = random_below(&random, 3) > 0;
      }
    }
    const MrBands bands = {band, BANDS, false};
    if (i % 4 == 0 && mr_engine_set_bands(parametric, &bands) != MR_OK) abort();
    if (mr_engine_set_gain(parametric, random_between(&random, -3, 3)) != MR_OK) abort();
    if (mr_engine_set_gain(player, random_between(&random, -3, 3)) != MR_OK) abort();
    mr_engine_bypass(parametric, i / 100 % 2);
    mr_engine_mute(parametric, i / 35 % 2);
    mr_engine_mute(player, i / 70 % 3 == 1);
    mr_engine_choose(player, i / 9 % 3);
    const uint32_t n = random_below(&random, BLOCK);
    memcpy(buffer[0], source, sizeof source); /* the channels lie one after another */
    mr_engine_process_f32(parametric, (const float* const*)buffer, buffer, n);
    mr_engine_process_f32(player, (const float* const*)buffer, buffer, n);
    mr_engine_process_f32(fast, (const float* const*)buffer, buffer, n);
    if (i == 390) {
      mr_engine_reset(fast);
      mr_engine_reset(parametric);
      mr_engine_reset(player);
    }
  }
}

static MrEngine* new_fast(void) {
  const MrEngineOptions options = {.channels = CHANNELS, .fs = 48000, .precision = MR_PRECISION_FAST};
  const MrTerm other = {.source = 2, .gain = 0.5};
  const MrDesign bell = design_of(MR_PEAK, 1000, 3, 1);
  MrEngine* engine = mr_engine_new(&options, NULL);
  MrBank* bank = mr_bank_new(CHANNELS);
  assert_true(engine && bank);
  for (uint32_t c = 0; c < CHANNELS; c++) assert_int_equal(mr_bank_add_filter(bank, c, &bell), MR_OK);
  assert_int_equal(mr_bank_set_terms(bank, 4, &other, 1), MR_OK);
  bank->channel[7].delay_samples = 100;
  assert_int_equal(mr_engine_give(engine, mr_program_new(bank, 48000, NULL, NULL)), MR_OK);
  mr_bank_free(bank);
  return engine;
}

static MrEngine* new_player(Planar* noise) {
  MrEngine* player = engine_of(CHANNELS, 48000, 0, 0);
  assert_int_equal(mr_engine_give(player, program_of(CHANNELS, 48000, true)), MR_OK);
  *noise = planar_noise(CHANNELS, BLOCK, 1);
  memcpy(source, noise->samples, sizeof source);
  mr_engine_process_f32(player, (const float* const*)noise->channel, noise->channel, BLOCK); /* the first one plays; the second fades in */
  MrProgram* program = program_of(CHANNELS, 48000, false);
  assert_int_equal(mr_program_add_variant(program, program_of(CHANNELS, 48000, true)), MR_OK);
  assert_int_equal(mr_engine_give(player, program), MR_OK);
  return player;
}

static void test_plays_on(void** state) {
  (void)state;
  Planar noise;
  MrEngine *parametric = engine_of(CHANNELS, 48000, BANDS, 0), *player = new_player(&noise);
  MrBand band[BANDS];
  for (uint32_t b = 0; b < BANDS; b++) band[b] = band_on_all(MR_PEAK, 1000, 3, 1);
  fast = new_fast();
  play(parametric, player, noise.channel, band);
  for (uint32_t i = 0; i < CHANNELS * BLOCK; i++) assert_true(isfinite(noise.samples[i]));
  assert_int_equal(mr_engine_troubles(parametric) + mr_engine_troubles(player) + mr_engine_troubles(fast), 0);
  mr_engine_free(parametric);
  mr_engine_free(player);
  mr_engine_free(fast);
  planar_free(&noise);
}

#if TRAPS
/* The exit status, or the signal negated, of `action` in a child. */
static int in_child(void (*action)(MrEngine*, MrEngine*, float* const*, MrBand*), bool strict) {
  Planar noise;
  MrEngine *parametric = engine_of(CHANNELS, 48000, BANDS, 0), *player = new_player(&noise);
  MrBand band[BANDS];
  for (uint32_t b = 0; b < BANDS; b++) band[b] = band_on_all(MR_PEAK, 1000, 3, 1);
  fast = new_fast();
  const pid_t child = fork();
  assert_true(child >= 0);
  if (!child) {
    if (strict && prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT)) _exit(3);
    forbidden = 1;
    action(parametric, player, noise.channel, band);
    syscall(SYS_exit, 0); /* the one way out that strict mode allows */
  }
  int status = 0;
  assert_int_equal(waitpid(child, &status, 0), child);
  mr_engine_free(parametric);
  mr_engine_free(player);
  mr_engine_free(fast);
  planar_free(&noise);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

static void allocate(MrEngine* a, MrEngine* b, float* const* c, MrBand* d) {
  (void)a, (void)b, (void)c, (void)d;
  void* volatile memory = malloc(10); /* volatile: or the compiler leaves both out */
  free(memory);
}

static void lock(MrEngine* a, MrEngine* b, float* const* c, MrBand* d) {
  (void)a, (void)b, (void)c, (void)d;
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&mutex);
}

static void call_system(MrEngine* a, MrEngine* b, float* const* c, MrBand* d) {
  (void)a, (void)b, (void)c, (void)d;
  syscall(SYS_getppid);
}

static void test_the_traps_work(void** state) {
  (void)state;
  assert_int_equal(in_child(allocate, false), -SIGABRT);
  assert_int_equal(in_child(lock, false), -SIGABRT);
  const int killed = in_child(call_system, true);
  if (killed == 3) skip(); /* a kernel without seccomp */
  assert_int_equal(killed, -SIGKILL);
}

static void test_no_allocation_and_no_lock(void** state) {
  (void)state;
  assert_int_equal(in_child(play, false), 0);
}

static void test_no_system_call(void** state) {
  (void)state;
  const int end = in_child(play, true);
  if (end == 3) skip();
  assert_int_equal(end, 0);
}

#endif

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_plays_on),
#if TRAPS
    cmocka_unit_test(test_the_traps_work),
    cmocka_unit_test(test_no_allocation_and_no_lock),
    cmocka_unit_test(test_no_system_call),
#endif
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
