/* Sessions on a card, with every kernel, against an engine: the same samples within -120 dB, whatever the chunks; states in and out; trouble.
   SPDX-License-Identifier: ISC */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "gpu/job.h"
#include "gpu/library.h"

enum { RATE = 48000 };

static const MrGpuApi* api;

/* ---------------------------------------------------------------- streams */

/* Channels of unlike filters, of 0 to `sections` sections; or all of one. */
static MrProgram* program_of(uint32_t channels, uint32_t sections, bool alike) {
  MrBank* bank = mr_bank_new(channels);
  assert_non_null(bank);
  for (uint32_t c = 0; c < channels; c++) {
    const uint32_t order = 2 * (alike ? sections : (c * 7 + sections) % (sections + 1));
    MrDesign low = mr_design_default(MR_BUTTERWORTH), bell = mr_design_default(MR_PEAK);
    low.response = c % 2 ? MR_RESPONSE_HP : MR_RESPONSE_LP;
    low.order = order > 32 ? 32 : order;
    low.fc = alike ? 6000 : 6000 + 30 * c;
    bell.fc = 5000 + (alike ? 0 : 20 * c);
    bell.gain_db = c % 3 ? -3 : 6;
    if (alike) low.response = MR_RESPONSE_LP, bell.gain_db = -3;
    if (low.order) assert_int_equal(mr_bank_add_filter(bank, c, &low), MR_OK);
    for (uint32_t k = low.order / 2; k < order / 2; k++) assert_int_equal(mr_bank_add_filter(bank, c, &bell), MR_OK);
    bank->channel[c].preamp_db = -0.5 * (c % 5);
  }
  MrProgram* program = mr_program_new(bank, RATE, NULL, NULL);
  assert_non_null(program);
  mr_bank_free(bank);
  return program;
}

/* Noise of a fixed seed, interleaved. */
static double* noise(uint32_t channels, uint32_t frames, bool wide) {
  double* x = calloc((size_t)channels * frames, sizeof *x);
  assert_non_null(x);
  uint64_t state = 88172645463325252U;
  for (size_t i = 0; i < (size_t)channels * frames; i++) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    x[i] = (double)(int64_t)state * 0x1p-64;
    if (!wide) x[i] = (double)(float)x[i];
  }
  return x;
}

/* What the stream becomes on the CPU, in float64. */
static double* expected(MrProgram* program, uint32_t channels, const double* x, uint32_t frames) {
  const MrEngineOptions options = {.channels = channels, .fs = RATE};
  MrEngine* engine = mr_engine_new(&options, NULL);
  assert_non_null(engine);
  assert_int_equal(mr_engine_give(engine, program), MR_OK);
  double* y = calloc((size_t)channels * frames, sizeof *y);
  assert_non_null(y);
  mr_engine_process_interleaved_f64(engine, x, y, frames);
  mr_engine_free(engine);
  return y;
}

/* A sample's place in a chunk that begins at `first`. */
static size_t place(const MrGpuJob* job, uint32_t frame, uint32_t channel) {
  return job->interleaved ? (size_t)frame * job->channels + channel : (size_t)channel * job->chunk + frame;
}

static void put(const MrGpuJob* job, void* at, const double* x, uint32_t first, uint32_t frames) {
  for (uint32_t f = 0; f < frames; f++)
    for (uint32_t c = 0; c < job->channels; c++) {
      const double v = x[(size_t)(first + f) * job->channels + c];
      if (job->wide)
        ((double*)at)[place(job, f, c)] = v;
      else
        ((float*)at)[place(job, f, c)] = (float)v;
    }
}

static void get(const MrGpuJob* job, const void* at, double* y, uint32_t first, uint32_t frames) {
  for (uint32_t f = 0; f < frames; f++)
    for (uint32_t c = 0; c < job->channels; c++)
      y[(size_t)(first + f) * job->channels + c] =
          job->wide ? ((const double*)at)[place(job, f, c)] : (double)((const float*)at)[place(job, f, c)];
}

static MrGpuSession* open_session(const MrProgram* program, const MrGpuJob* job) {
  char why[MR_GPU_WHY] = "";
  MrGpuProgram made;
  MrGpuSession* session = NULL;
  if (mr_gpu_program_make(program, job, &made, why) != MR_GPU_OK || api->open(0, &made.job, &session, why) != MR_GPU_OK)
    fail_msg("%s", why);
  mr_gpu_program_free(&made);
  return session;
}

/* All of the stream, in chunks of `piece` frames (0: job->chunk), as many under way as may be. */
static double* through(MrGpuSession* session, const MrGpuJob* job, const double* x, uint32_t frames, uint32_t piece, uint64_t* troubles) {
  const size_t bytes = (size_t)job->channels * job->chunk * (job->wide ? sizeof(double) : sizeof(float));
  char why[MR_GPU_WHY] = "";
  void *in[8], *out[8];
  uint32_t first[8];
  for (uint32_t i = 0; i < job->submissions; i++) {
    in[i] = api->allocate(session, bytes);
    out[i] = api->allocate(session, bytes);
    assert_non_null(in[i]);
    assert_non_null(out[i]);
  }
  double* y = calloc((size_t)job->channels * frames, sizeof *y);
  assert_non_null(y);
  uint64_t submitted = 0, collected = 0;
  if (!piece) piece = job->chunk;
  for (uint32_t f = 0; f < frames || collected < submitted;) {
    if (f < frames && submitted - collected < job->submissions) {
      const uint32_t n = frames - f < piece ? frames - f : piece, i = submitted++ % job->submissions;
      put(job, in[i], x, f, n);
      first[i] = f;
      if (api->submit(session, in[i], out[i], n, why) != MR_GPU_OK) fail_msg("%s", why);
      f += n;
      continue;
    }
    const uint32_t i = collected++ % job->submissions, n = frames - first[i] < piece ? frames - first[i] : piece;
    if (api->collect(session, NULL, troubles, why) != MR_GPU_OK) fail_msg("%s", why);
    get(job, out[i], y, first[i], n);
  }
  for (uint32_t i = 0; i < job->submissions; i++) {
    api->release(session, in[i]);
    api->release(session, out[i]);
  }
  return y;
}

/* The largest difference over the largest sample. */
static double difference(const double* a, const double* b, size_t n) {
  double most = 0, peak = 0;
  for (size_t i = 0; i < n; i++) {
    if (!(fabs(a[i] - b[i]) <= most)) most = fabs(a[i] - b[i]);
    peak = fmax(peak, fabs(a[i]));
  }
  return peak > 0 ? most / peak : most;
}

static void compare(const MrGpuJob* job, uint32_t sections, bool alike, uint32_t frames, uint32_t piece, double bound) {
  MrProgram* program = program_of(job->channels, sections, alike);
  double* x = noise(job->channels, frames, job->wide);
  MrGpuSession* session = open_session(program, job);
  const MrGpuPlan plan = api->plan(session);
  uint64_t troubles = 0;
  double *got = through(session, job, x, frames, piece, &troubles), *want = expected(program, job->channels, x, frames);
  const double error = difference(want, got, (size_t)job->channels * frames);
  if (!(error < bound))
    fail_msg("%.3g: kernel %d (asked for %d) of %u x %u, %u channels, %u sections, %s%s%s, pieces of %u", error, (int)plan.kernel,
             (int)job->kernel, plan.lanes, plan.samples, job->channels, sections, job->wide ? "wide " : "", job->fast ? "fast " : "",
             job->interleaved ? "interleaved" : "planar", piece);
  if (job->kernel) assert_int_equal(plan.kernel, job->kernel);
  assert_int_equal(troubles, 0);
  api->close(session);
  free(x);
  free(got);
  free(want);
}

/* ------------------------------------------------------------------ tests */

static void any_channels_planar_and_interleaved(void** state) {
  (void)state;
  static const uint32_t counts[] = {1, 2, 3, 5, 8, 17, 31, 32, 33, 67};
  for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
    for (int interleaved = 0; interleaved < 2; interleaved++) {
      const uint32_t channels = counts[i], chunk = channels > 16 ? 1024 : 4096;
      const MrGpuJob job = {.channels = channels, .interleaved = interleaved, .chunk = chunk, .submissions = 3};
      compare(&job, 4, channels % 2, chunk * 2 + 777, 0, 1e-6);
    }
}

/* Kernels of every kind, arithmetic and order; float32's own digits in fast ones. */
static void every_kernel(void** state) {
  (void)state;
  static const uint32_t shapes[][2] = {{0, 0}, {128, 32}}, wide_shapes[][2] = {{0, 0}, {256, 16}};
  for (int kernel = MR_GPU_AUTO; kernel <= MR_GPU_WINDOWS; kernel++)
    for (int type = 0; type < 3; type++)
      for (size_t s = 0; s < (kernel >= MR_GPU_RUNS ? 2 : 1); s++) {
        const uint32_t* const shape = type == 2 ? wide_shapes[s] : shapes[s];
        const uint32_t orders[] = {1, 8, 32};
        const uint32_t most = kernel < MR_GPU_RUNS ? 24 : 32; /* states of more do not fit the shared memory of this card */
        const uint32_t order = orders[(s + (size_t)type) % 3], sections = order < most ? order : most;
        const MrGpuJob job = {.channels = 2,
                              .wide = type == 2,
                              .fast = type == 0,
                              .interleaved = s % 2,
                              .chunk = 16384,
                              .submissions = 2,
                              .kernel = (MrGpuKernel)kernel,
                              .lanes = shape[0],
                              .samples = shape[1]};
        compare(&job, sections, s % 2, sections > 8 ? 20000 : 40000, 0, type == 0 ? 1e-4 : type == 1 ? 1e-6 : 1e-8);
      }
}

/* Kernels that carry outputs go on from chunk to chunk; what float32 makes of them is tested beside the kernels. */
static void the_papers_kernels(void** state) {
  (void)state;
  static const uint32_t shapes[][2] = {{32, 32}, {32, 64}, {32, 128}, {64, 64}};
  for (int kernel = MR_GPU_PH_KERNEL; kernel <= MR_GPU_DTCR_KERNEL; kernel++)
    for (size_t s = 0; s < 4; s++)
      for (int fast = 0; fast < 2; fast++) {
        const MrGpuJob job = {.channels = 2,
                              .fast = fast,
                              .chunk = 8192,
                              .submissions = 2,
                              .kernel = (MrGpuKernel)kernel,
                              .lanes = shapes[s][0],
                              .samples = shapes[s][1]};
        /* in float64 those that find room in a thread's registers */
        const bool fits = shapes[s][0] == 32 && shapes[s][1] == 32;
        if (fast || fits) compare(&job, 4, true, 20000, 0, fast ? 1e-4 : 1e-6);
      }
}

/* Chunks of any length, as long as they are whole cells: fixed look-back to the bit. */
static void chunks_do_not_show(void** state) {
  (void)state;
  const uint32_t frames = 10000;
  const MrGpuKernel kernels[] = {MR_GPU_SEGMENTS, MR_GPU_CHANNELS, MR_GPU_RUNS, MR_GPU_WINDOWS};
  double* x = noise(3, frames, true);
  for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
    const MrGpuJob job = {.channels = 3, .wide = true, .interleaved = true, .chunk = 8192, .submissions = 3, .kernel = kernels[k]};
    double* whole = NULL;
    for (uint32_t piece = 0; piece <= 4096; piece = piece ? piece * 8 : 64) {
      MrProgram* program = program_of(3, 6, false);
      MrGpuSession* session = open_session(program, &job);
      uint64_t troubles = 0;
      double* y = through(session, &job, x, frames, piece, &troubles);
      if (whole) {
        const double error = difference(whole, y, (size_t)3 * frames);
        if (!(error < 1e-8)) fail_msg("%.3g: kernel %d, pieces of %u", error, (int)kernels[k], piece);
        free(y);
      } else {
        whole = y;
      }
      api->close(session);
      mr_program_free(program);
    }
    free(whole);
  }
  free(x);
}

/* A state that is taken out, and given to another session or to an engine, goes on. */
static void states_go_on_elsewhere(void** state) {
  (void)state;
  enum { CHANNELS = 5, FRAMES = 16384, AT = 8192, SECTIONS = 7 };
  for (int kernel = MR_GPU_SEGMENTS; kernel <= MR_GPU_WINDOWS; kernel++)
    for (int fast = 0; fast < 2; fast++) {
      const double bound = fast ? 1e-4 : 1e-6;
      const MrGpuJob job = {
          .channels = CHANNELS, .interleaved = true, .chunk = AT, .submissions = 2, .fast = fast, .kernel = (MrGpuKernel)kernel};
      MrProgram* program = program_of(CHANNELS, SECTIONS, false);
      double *x = noise(CHANNELS, FRAMES, false), *kept = calloc((size_t)CHANNELS * SECTIONS * 2, sizeof *kept);
      float* samples = calloc((size_t)CHANNELS * AT, sizeof *samples);
      float* rest = calloc((size_t)CHANNELS * AT, sizeof *rest);
      assert_true(kept && samples && rest);
      char why[MR_GPU_WHY] = "";
      uint64_t troubles = 0;
      MrGpuSession *one = open_session(program, &job), *two = open_session(program, &job);
      put(&job, samples, x, 0, AT);
      assert_int_equal(api->submit(one, samples, rest, AT, why), MR_GPU_OK);
      assert_int_equal(api->collect(one, kept, &troubles, why), MR_GPU_OK);
      put(&job, samples, x, AT, AT);
      assert_int_equal(api->set_state(two, kept, why), MR_GPU_OK);
      assert_int_equal(api->submit(two, samples, rest, AT, why), MR_GPU_OK);
      assert_int_equal(api->collect(two, NULL, &troubles, why), MR_GPU_OK);
      double *on_card = calloc((size_t)CHANNELS * AT, sizeof(double)), *on_cpu = calloc((size_t)CHANNELS * AT, sizeof(double));
      assert_true(on_card && on_cpu);
      get(&job, rest, on_card, 0, AT);
      const MrEngineOptions options = {.channels = CHANNELS, .fs = RATE};
      MrEngine* engine = mr_engine_new(&options, NULL);
      assert_int_equal(mr_engine_give(engine, program_of(CHANNELS, SECTIONS, false)), MR_OK);
      assert_int_equal(mr_engine_set_state(engine, kept), MR_OK);
      mr_engine_process_interleaved_f64(engine, x + (size_t)AT * CHANNELS, on_cpu, AT);
      mr_engine_free(engine);
      double* want = expected(program, CHANNELS, x, FRAMES);
      const double card = difference(want + (size_t)AT * CHANNELS, on_card, (size_t)CHANNELS * AT);
      const double cpu = difference(want + (size_t)AT * CHANNELS, on_cpu, (size_t)CHANNELS * AT);
      if (!(card < bound && cpu < bound)) fail_msg("kernel %d: %.3g on the card, %.3g on the CPU", kernel, card, cpu);
      api->close(one);
      api->close(two);
      free(x);
      free(kept);
      free(samples);
      free(rest);
      free(on_card);
      free(on_cpu);
      free(want);
    }
}

/* What is not a number restarts its own channel and leaves the others as they are. */
static void trouble_stays_in_its_channel(void** state) {
  (void)state;
  enum { CHANNELS = 3, FRAMES = 16384 };
  for (int kernel = MR_GPU_SEGMENTS; kernel <= MR_GPU_WINDOWS; kernel++) {
    const MrGpuJob job = {.channels = CHANNELS, .interleaved = true, .chunk = 8192, .submissions = 2, .kernel = (MrGpuKernel)kernel};
    MrProgram* program = program_of(CHANNELS, 3, true);
    double* x = noise(CHANNELS, FRAMES, false);
    MrGpuSession* session = open_session(program, &job);
    uint64_t clean = 0, troubled = 0;
    double* want = through(session, &job, x, FRAMES, 0, &clean);
    api->close(session);
    x[(size_t)5000 * CHANNELS + 1] = NAN;
    session = open_session(program, &job);
    double* got = through(session, &job, x, FRAMES, 0, &troubled);
    api->close(session);
    assert_int_equal(clean, 0);
    assert_true(troubled >= 1);
    for (uint32_t f = 0; f < FRAMES; f++)
      for (uint32_t c = 0; c < CHANNELS; c++) {
        const double a = want[(size_t)f * CHANNELS + c], b = got[(size_t)f * CHANNELS + c];
        if (c != 1 && fabs(a - b) > 1e-6) fail_msg("kernel %d: frame %u of channel %u has changed", kernel, f, c + 1);
        if (c == 1 && f >= 16000 && !(fabs(a - b) < 1e-6)) fail_msg("kernel %d: frame %u is not as it would be without", kernel, f);
      }
    mr_program_free(program);
    free(x);
    free(want);
    free(got);
  }
}

static void misuse_is_refused(void** state) {
  (void)state;
  char why[MR_GPU_WHY] = "";
  uint64_t troubles = 0;
  float x[64] = {0}, y[64] = {0};
  MrGpuJob job = {.channels = 1, .interleaved = true, .chunk = 64, .submissions = 1};
  MrProgram* program = program_of(1, 1, true);
  MrGpuSession* session = open_session(program, &job);
  assert_int_equal(api->collect(session, NULL, &troubles, why), MR_GPU_REFUSED);
  assert_int_equal(api->submit(session, x, y, 65, why), MR_GPU_REFUSED);
  assert_int_equal(api->submit(session, x, y, 64, why), MR_GPU_OK);
  assert_int_equal(api->submit(session, x, y, 64, why), MR_GPU_REFUSED);
  assert_int_equal(api->set_state(session, (double[2]){0, 0}, why), MR_GPU_REFUSED);
  assert_int_equal(api->collect(session, NULL, &troubles, why), MR_GPU_OK);
  assert_int_equal(api->submit(session, x, y, 7, why), MR_GPU_OK);
  assert_int_equal(api->collect(session, NULL, &troubles, why), MR_GPU_OK);
  assert_int_equal(api->submit(session, x, y, 7, why), MR_GPU_REFUSED);
  api->close(session);
  api->close(NULL);
  MrGpuProgram made;
  job.chunk = 65;
  assert_int_equal(mr_gpu_program_make(program, &job, &made, why), MR_GPU_OK);
  assert_int_equal(api->open(0, &made.job, &session, why), MR_GPU_REFUSED);
  made.job.chunk = 64;
  assert_int_equal(api->open(7, &made.job, &session, why), MR_GPU_NO_DEVICE);
  mr_gpu_program_free(&made);
  mr_program_free(program);
}

static void measurements_are_taken(void** state) {
  (void)state;
  char why[MR_GPU_WHY] = "";
  double seconds[3] = {-1, -1, -1};
  const MrGpuJob job = {.channels = 1, .chunk = 65536, .submissions = 0, .fast = true};
  MrProgram* program = program_of(1, 4, true);
  MrGpuSession* session = open_session(program, &job);
  for (int copy = 0; copy < 2; copy++) {
    if (api->measure(session, 65536, 2, 3, copy, seconds, why) != MR_GPU_OK) fail_msg("%s", why);
    for (int i = 0; i < 3; i++) assert_true(seconds[i] >= 0);
  }
  assert_int_equal(api->measure(session, 65537, 2, 3, false, seconds, why), MR_GPU_REFUSED);
  api->close(session);
  mr_program_free(program);
  for (uint32_t sections = 1; sections <= 8; sections *= 2) {
    MrGpuJob direct = job;
    direct.kernel = MR_GPU_PLR_KERNEL;
    direct.submissions = 1;
    program = program_of(1, sections, true);
    session = open_session(program, &direct);
    assert_int_equal(api->measure(session, 65536, 1, 1, false, seconds, why), MR_GPU_OK);
    assert_int_equal(api->submit(session, &direct, &direct, 64, why), MR_GPU_REFUSED);
    api->close(session);
    mr_program_free(program);
  }
}

/* A child of a process that has opened the card leaves it alone, the parent's session too, and is told so. */
static void a_child_is_told(void** state) {
  (void)state;
  const MrGpuJob job = {.channels = 1, .interleaved = true, .chunk = 4096, .submissions = 1};
  MrProgram* program = program_of(1, 2, true);
  MrGpuSession* session = open_session(program, &job);
  const pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    char why[MR_GPU_WHY] = "";
    float x[64] = {0}, y[64] = {0};
    double kept[4] = {0};
    uint64_t troubles = 0;
    MrGpuStatus status = MR_GPU_OK;
    MrGpuSession* other = NULL;
    int wrong = 0;
    wrong |= (mr_gpu_library(&status, why) != NULL || status != MR_GPU_LOST || !why[0]) << 0;
    wrong |= (api->submit(session, x, y, 64, why) != MR_GPU_LOST) << 1;
    wrong |= (api->collect(session, NULL, &troubles, why) != MR_GPU_LOST) << 2;
    wrong |= (api->set_state(session, kept, why) != MR_GPU_LOST) << 3;
    wrong |= (api->allocate(session, 64) != NULL) << 4;
    MrGpuProgram made;
    wrong |= (mr_gpu_program_make(program, &job, &made, why) != MR_GPU_OK) << 5;
    wrong |= (api->open(0, &made.job, &other, why) != MR_GPU_LOST || other) << 6;
    mr_gpu_program_free(&made);
    api->close(session);
    _exit(wrong);
  }
  int status = -1;
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_true(WIFEXITED(status));
  assert_int_equal(WEXITSTATUS(status), 0);
  double* x = noise(1, 5000, false);
  uint64_t troubles = 0;
  double *got = through(session, &job, x, 5000, 0, &troubles), *want = expected(program, 1, x, 5000);
  assert_true(difference(want, got, 5000) < 1e-6);
  api->close(session);
  free(x);
  free(got);
  free(want);
}

int main(void) {
  char why[MR_GPU_WHY] = "", module[4096];
  MrGpuStatus status;
  const char* build = getenv("MILLRACE_BUILD");
  if (!getenv("MILLRACE_GPU_MODULE")) {
    snprintf(module, sizeof module, "%s/gpu/millrace-emulator.so", build ? build : "build");
    setenv("MILLRACE_GPU_MODULE", module, 1);
  }
  setenv("MILLRACE_EMULATOR_SEED", "1", 0); /* streams in a random order: what does not wait for what it needs is seen */
  if (access(getenv("MILLRACE_GPU_MODULE"), R_OK) != 0) {
    puts("[  SKIPPED ] the emulated card was not built: there is no C++ compiler");
    return 0;
  }
  api = mr_gpu_library(&status, why);
  if (!api) {
    fprintf(stderr, "%s\n", why);
    return 1;
  }
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(any_channels_planar_and_interleaved),
      cmocka_unit_test(every_kernel),
      cmocka_unit_test(the_papers_kernels),
      cmocka_unit_test(chunks_do_not_show),
      cmocka_unit_test(states_go_on_elsewhere),
      cmocka_unit_test(trouble_stays_in_its_channel),
      cmocka_unit_test(misuse_is_refused),
      cmocka_unit_test(measurements_are_taken),
      cmocka_unit_test(a_child_is_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
