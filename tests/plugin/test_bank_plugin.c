/* The Bank: files by message and by state, what is refused and what is then heard (promises 15, 16 and 21), and its samples against the library's.
   SPDX-License-Identifier: ISC */
#include "scene.h"

#include <dirent.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { CHANNELS = 4, FRAMES = 6000 };

static const HostOptions queued = {.fs = 48000, .worker = HOST_WORKER_QUEUE};

static const char good_text[] =
    "Preamp: -1.5 dB\nFilter: ON PK Fc 900.5 Hz Gain 7.25 dB Q 2.5\nFilter: ON HSC Fc 9000 Hz Gain -4 dB Q 0.7\n"
    "Channel: 2\nDelay: 1 ms\nFilter: ON LP Fc 5000 Hz\nChannel: 1 3\nFilter: ON Butterworth HP Order 8 Fc 40 Hz\n";
static const char other_text[] = "Filter: ON HP Fc 90 Hz\n";
static const char broken_text[] = "Filter: ON PK Fc 900 Hz Gain 7 dB Q 2\nFilter: ON PK Fc nine Hz Gain 7 dB Q 2\n";
static const char* const protecting[] = {"Copy: 1=0.5*1+0.5*2\nFilter: ON PK Fc\n", "Channel: 1\nDelay: 3 ms\nFilter: ON XY\n",
                                         "Crossover: LinkwitzRiley Order 4 Fc 300 Hz In 1 Out 1 2\nFilter: ON PK Fc\n"};

static bool keeps(Host* host, const char* text, size_t length) {
  HostState saved;
  assert_int_equal(host_save(host, &saved), LV2_STATE_SUCCESS);
  const HostStateItem* item = host_state_get(&saved, BANK_CONTENT);
  const bool same = item && item->type == host_urid(LV2_ATOM__Chunk) && item->size == length && !memcmp(item->value, text, length);
  host_state_free(&saved);
  return same;
}

static void load_text(Host* host, const char* name, const char* text, char path[4096]) {
  scene_file(path, 4096, name, text, strlen(text));
  scene_load(host, path);
}

static void restore_text(Host* host, const char* text) {
  HostState state = {.count = 0};
  host_state_put(&state, BANK_CONTENT, LV2_ATOM__Chunk, text, strlen(text));
  assert_int_equal(host_restore(host, &state), LV2_STATE_SUCCESS);
  host_state_free(&state);
}

/* What the library makes of the text, its filters all of one mode or as they are written (-1). */
static void render(const char* text, int mode, double gain_db, const Planar* in, Planar* out) {
  const MrReadOptions options = {.channels = in->channels, .fs = 48000};
  MrBank* bank = mr_bank_read_text(NULL, text, strlen(text), "bank", &options, NULL, NULL);
  assert_non_null(bank);
  for (uint32_t c = 0; mode >= 0 && c < bank->channels; c++)
    for (uint32_t i = 0; i < bank->channel[c].filters; i++) bank->channel[c].filter[i].mode = (MrMode)mode;
  MrEngine* engine = engine_of(in->channels, 48000, 0, 0);
  assert_int_equal(mr_engine_give(engine, mr_program_new(bank, 48000, NULL, NULL)), MR_OK);
  assert_int_equal(mr_engine_set_gain(engine, gain_db), MR_OK);
  run_blocks(engine, in, out, 0, in->frames, 0, NULL);
  mr_engine_free(engine);
  mr_bank_free(bank);
}

static void play_afresh(Host* host, const Planar* in, Planar* out) {
  host_deactivate(host);
  host_activate(host);
  scene_play(host, in, out, 300);
}

static bool is_silent(const float* samples, uint32_t frames) {
  for (uint32_t f = 0; f < frames; f++)
    if (samples[f] != 0) return false;
  return true;
}

/* ------------------------------------------------------------- what plays */

static void promise_07_a_bank_sounds_as_the_library_renders_it(void** state) {
  (void)state;
  const char matched[] = "Mode: Matched\nFilter: ON PK Fc 9000 Hz Gain 7 dB Q 1\nMode: RBJ\nFilter: ON PK Fc 12000 Hz Gain -7 dB Q 1\n";
  const char* const texts[] = {good_text, other_text, matched};
  Planar in = planar_noise(CHANNELS, FRAMES, 5), right = planar_new(CHANNELS, FRAMES), out = planar_new(CHANNELS, FRAMES);
  char path[4096];
  for (int worker = HOST_WORKER_NONE; worker <= HOST_WORKER_INLINE; worker++) {
    const HostOptions options = {.fs = 48000, .worker = (HostWorker)worker};
    Host* host = scene_host("bank", CHANNELS, &options);
    host_activate(host);
    for (size_t i = 0; i < 3; i++) {
      load_text(host, "plays.txt", texts[i], path);
      assert_string_equal(host_told(host, BANK_FILE)->text, path);
      for (int mode = 0; mode < 3; mode++)
        for (int loud = 0; loud < 2; loud++) {
          host_set(host, "mode", (float)mode);
          host_set(host, "preamp", loud ? 2.5f : 0);
          host_set(host, "gain", loud ? -7 : 0);
          play_afresh(host, &in, &out);
          render(texts[i], mode - 1, loud ? -4.5 : 0, &in, &right);
          assert_same_bits(&right, &out);
          assert_true(host_get(host, "status") == 0 && host_get(host, "muted") == 0);
        }
    }
    host_free(host);
  }
  planar_free(&in);
  planar_free(&right);
  planar_free(&out);
}

static void promise_15_the_state_has_changed_after_a_message_alone(void** state) {
  (void)state;
  char path[4096];
  Host* host = scene_host("bank", CHANNELS, &queued);
  host_activate(host);
  load_text(host, "broken.txt", broken_text, path); /* what is refused is kept where nothing plays */
  assert_int_equal(host->state_changes, 1);
  host->state_changes = 0;
  restore_text(host, other_text);
  host_run(host, 64);
  assert_int_equal(host->state_changes, 0);
  load_text(host, "changes.txt", good_text, path);
  assert_int_equal(host->state_changes, 1);
  assert_true(keeps(host, good_text, sizeof good_text - 1));
  load_text(host, "broken.txt", broken_text, path);
  assert_int_equal(host->state_changes, 1);
  restore_text(host, other_text);
  host_run(host, 64);
  assert_int_equal(host->state_changes, 1);
  host_free(host);
}

static void promise_15_get_is_answered(void** state) {
  (void)state;
  char path[4096];
  Host* host = scene_host("bank", CHANNELS, &queued);
  host_activate(host);
  host_ask(host, NULL);
  host_run(host, 64);
  assert_string_equal(host_told(host, BANK_FILE)->text, "");
  assert_string_equal(host_told(host, BANK_MESSAGE)->text, "");
  load_text(host, "asked.txt", good_text, path);
  const uint32_t files = host_told(host, BANK_FILE)->count, messages = host_told(host, BANK_MESSAGE)->count;
  host_run(host, 64);
  assert_int_equal(host_told(host, BANK_FILE)->count, files);
  host_ask(host, BANK_FILE);
  host_run(host, 64);
  assert_int_equal(host_told(host, BANK_FILE)->count, files + 1);
  assert_int_equal(host_told(host, BANK_MESSAGE)->count, messages);
  assert_string_equal(host_told(host, BANK_FILE)->text, path);
  host_free(host);
}

/* -------------------------------------------------------- what is refused */

static void make_nothing(const char* path) { (void)path; }
static void make_folder(const char* path) { assert_int_equal(mkdir(path, 0755), 0); }
static void make_pipe(const char* path) { assert_int_equal(mkfifo(path, 0644), 0); }

/* Larger than 4 MB: filters enough; or a sparse file of 5 GB. */
static void make_large(const char* path) {
  FILE* file = fopen(path, "wb");
  assert_non_null(file);
  for (int i = 0; i < 110000; i++) fputs("Filter: ON PK Fc 1000 Hz Gain 0.1 dB Q 1\n", file);
  assert_int_equal(fclose(file), 0);
}
static void make_huge(const char* path) {
  FILE* file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(ftruncate(fileno(file), (off_t)5 << 30), 0);
  assert_int_equal(fclose(file), 0);
}

static const struct {
  const char* name;
  void (*make)(const char* path);
  float status;
  const char* says;
} unreadable[] = {{"missing.txt", make_nothing, 1, "missing.txt: No such file"},
                  {"folder", make_folder, 1, "folder: Is a directory"},
                  {"pipe", make_pipe, 1, "pipe: "},
                  {"large.txt", make_large, 2, "large.txt: is larger than 4 MB"},
                  {"huge.txt", make_huge, 2, "huge.txt: is larger than 4 MB"}};

static const struct {
  const char *name, *text;
  float status;
  const char* says;
} broken[] = {{"broken.txt", "Filter: ON PK Fc 900 Hz Gain 7 dB Q 2\nFilter: ON PK Fc nine Hz Gain 7 dB Q 2\n", 3, "broken.txt, line 2: "},
              {"unstable.txt", "Filter: ON IIR Order 2 Coefficients 1 0 0 1 -2.5 1.2\n", 4, "unstable.txt"},
              {"rate.txt", "Rate: 44100 Hz\nFilter: ON IIR Order 2 Coefficients 1 0 0 1 -1.5 0.7\n", 5, "rate.txt"},
              {"channel.txt", "Crossover: LinkwitzRiley Order 4 Fc 300 Hz In 1 Out 3 9\n", 6, "channel.txt, line 1: "},
              {"bank.json", "{\"fs\": 48000, \"sos\": [[1, 0, 0, 1, 0, 0]]}\n", 3, "bank.json: is JSON"}};

/* After a good bank the samples go on to the bit, whatever is refused; status, message and log tell why. */
static void expect_refused(Host* host, const char* path, float status, const char* says, const Planar* in, const Planar* right,
                           Planar* out) {
  scene_load(host, path);
  if (host_get(host, "status") != status)
    fail_msg("%s: status %g: %s", path, (double)host_get(host, "status"), host_told(host, BANK_MESSAGE)->text);
  assert_true(host_get(host, "muted") == 0);
  assert_non_null(strstr(host_told(host, BANK_MESSAGE)->text, says));
  assert_true(host_log_has(host, host_told(host, BANK_MESSAGE)->text));
  assert_true(keeps(host, good_text, sizeof good_text - 1));
  assert_int_equal(atomic_load(&host->log_lines_in_run), 0);
  host->said[0] = '\0';
  play_afresh(host, in, out);
  assert_same_bits(right, out);
}

static void promise_21_a_file_with_a_fault_keeps_the_old_bank(void** state) {
  (void)state;
  char path[4096], good[4096];
  Planar in = planar_noise(CHANNELS, FRAMES, 5), right = planar_new(CHANNELS, FRAMES), out = planar_new(CHANNELS, FRAMES);
  Host* host = scene_host("bank", CHANNELS, &queued);
  host_activate(host);
  load_text(host, "good.txt", good_text, good);
  render(good_text, -1, 0, &in, &right);
  for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
    scene_file(path, sizeof path, broken[i].name, broken[i].text, strlen(broken[i].text));
    expect_refused(host, path, broken[i].status, broken[i].says, &in, &right, &out);
    assert_string_equal(host_told(host, BANK_FILE)->text, good); /* of what plays */
  }
  for (size_t i = 0; i < sizeof unreadable / sizeof *unreadable; i++) {
    scene_file(path, sizeof path, unreadable[i].name, "", 0);
    unlink(path);
    unreadable[i].make(path);
    expect_refused(host, path, unreadable[i].status, unreadable[i].says, &in, &right, &out);
  }
  scene_load(host, good);
  assert_true(host_get(host, "status") == 0);
  assert_string_equal(host_told(host, BANK_MESSAGE)->text, "");
  host_free(host);
  planar_free(&in);
  planar_free(&right);
  planar_free(&out);
}

static void promise_21_a_path_too_long_is_no_trouble(void** state) {
  (void)state;
  char path[6000];
  memset(path, 'x', sizeof path);
  path[0] = '/';
  path[sizeof path - 1] = '\0';
  Host* host = scene_host("bank", CHANNELS, &queued);
  host_activate(host);
  host_send_text(host, BANK_FILE, LV2_ATOM__Path, path);
  host_run(host, 64);
  assert_int_equal(host->schedules, 0);
  assert_non_null(host_told(host, BANK_FILE)); /* as it is still */
  assert_string_equal(host_told(host, BANK_FILE)->text, "");
  host_send_text(host, BANK_FILE, LV2_ATOM__Path, "");
  host_send_int(host, BANK_FILE, 5);
  host_run(host, 64);
  assert_int_equal(host->schedules, 0);
  host_free(host);
}

/* Nothing plays, and a bank that protects loudspeakers is refused: silence to the bit, though the input is asked for. */
static void promise_21_a_protecting_bank_refused_is_silent(void** state) {
  (void)state;
  Planar in = planar_noise(CHANNELS, FRAMES, 5), out = planar_new(CHANNELS, FRAMES);
  char path[4096];
  for (int by_message = 0; by_message < 2; by_message++)
    for (size_t i = 0; i < 3; i++) {
      Host* host = scene_host("bank", CHANNELS, &queued);
      host_set(host, "on_error", 1);
      if (by_message) {
        host_activate(host);
        load_text(host, "protects.txt", protecting[i], path);
        scene_play(host, &in, &out, 100); /* fades */
        scene_play(host, &in, &out, 100);
      } else {
        restore_text(host, protecting[i]);
        play_afresh(host, &in, &out);
      }
      for (uint32_t c = 0; c < CHANNELS; c++) assert_true(is_silent(out.channel[c], FRAMES));
      assert_true(host_get(host, "muted") == 1);
      assert_true(host_get(host, "status") == 3);
      assert_true(keeps(host, protecting[i], strlen(protecting[i]))); /* nothing that was put into the session gets lost */
      in.channel[1][5] = NAN;
      play_afresh(host, &in, &out);
      in.channel[1][5] = 0;
      for (uint32_t c = 0; c < CHANNELS; c++) assert_true(is_silent(out.channel[c], FRAMES));
      load_text(host, "mends.txt", other_text, path); /* a good one ends it */
      assert_true(host_get(host, "muted") == 0 && host_get(host, "status") == 0);
      play_afresh(host, &in, &out);
      assert_false(is_silent(out.channel[0], FRAMES));
      host_free(host);
    }
  planar_free(&in);
  planar_free(&out);
}

/* One that does not protect follows the port, to and fro; a file that is missing might protect. */
static void promise_21_another_bank_refused_follows_the_port(void** state) {
  (void)state;
  Planar in = planar_noise(CHANNELS, FRAMES, 5), out = planar_new(CHANNELS, FRAMES);
  char path[4096];
  for (int missing = 0; missing < 2; missing++) {
    Host* host = scene_host("bank", CHANNELS, &queued);
    host_activate(host);
    if (missing)
      scene_load(host, "/nowhere/at/all.txt");
    else
      load_text(host, "plain.txt", broken_text, path);
    for (int input = 0; input < 2; input++) {
      host_set(host, "on_error", (float)input);
      play_afresh(host, &in, &out);
      assert_true(host_get(host, "muted") == (missing || !input));
      assert_true(host_get(host, "status") == (missing ? 1 : 3));
      if (input && !missing)
        assert_same_bits(&in, &out);
      else
        for (uint32_t c = 0; c < CHANNELS; c++) assert_true(is_silent(out.channel[c], FRAMES));
    }
    host_set(host, "on_error", 0);
    host_run(host, 64);
    restore_text(host, other_text);
    host_run(host, 64);
    assert_true(host_get(host, "muted") == 0);
    host_free(host);
  }
  planar_free(&in);
  planar_free(&out);
}

/* More than 4 MB of filters, with a line that protects at its end. */
static void write_large(char path[4096]) {
  scene_file(path, 4096, "large.txt", "", 0);
  FILE* file = fopen(path, "wb");
  assert_non_null(file);
  for (int i = 0; i < 110000; i++) fputs("Filter: ON PK Fc 1000 Hz Gain 0.1 dB Q 1\n", file);
  fputs("Copy: 1=2\n", file);
  assert_int_equal(fclose(file), 0);
}

static void expect_silence(Host* host, const Planar* in, Planar* out, float status) {
  for (int input = 0; input < 2; input++) {
    host_set(host, "on_error", (float)input);
    play_afresh(host, in, out);
    for (uint32_t c = 0; c < CHANNELS; c++) assert_true(is_silent(out->channel[c], FRAMES));
    assert_true(host_get(host, "muted") == 1);
    assert_true(host_get(host, "status") == status);
  }
}

/* Banks that cannot be read to their end, or not as text: what is not known to be harmless is silent, and stays so over sessions, in a host without
   a map of paths, too. */
static void promise_21_what_may_protect_is_silent_in_every_session(void** state) {
  (void)state;
  static const char utf16[] =
      "\xff\xfe"
      "C\0o\0p\0y\0:\0 \0001\0=\0002\0";
  static const char returns[] = "Preamp: x dB\rCopy: 1=2\r", spaced[] =
                                                                 "\xc2\xa0"
                                                                 "Copy: 1=2 nonsense\n";
  Planar in = planar_noise(CHANNELS, FRAMES, 5), out = planar_new(CHANNELS, FRAMES);
  char path[5][4096] = {"/nowhere/at/all.txt"};
  write_large(path[1]);
  scene_file(path[2], sizeof path[2], "utf16.txt", utf16, sizeof utf16 - 1);
  scene_file(path[3], sizeof path[3], "returns.txt", returns, sizeof returns - 1);
  scene_file(path[4], sizeof path[4], "spaced.txt", spaced, sizeof spaced - 1);
  const float status[] = {1, 2, 3, 3, 3};
  for (size_t i = 0; i < 5; i++) {
    Host* host = scene_host("bank", CHANNELS, &queued);
    host_activate(host);
    scene_load(host, path[i]);
    expect_silence(host, &in, &out, status[i]);
    for (int session = 0; session < 2; session++) {
      HostState saved;
      assert_int_equal(host_save(host, &saved), LV2_STATE_SUCCESS);
      host_free(host);
      host = scene_host("bank", CHANNELS, &queued);
      assert_int_equal(host_restore(host, &saved), LV2_STATE_SUCCESS);
      expect_silence(host, &in, &out, status[i]);
      host_state_free(&saved);
    }
    host_free(host);
  }
  planar_free(&in);
  planar_free(&out);
}

/* What a state holds in place of a bank's text is refused, never taken for nothing. */
static void promise_21_a_state_that_cannot_be_used_is_silent(void** state) {
  (void)state;
  Planar in = planar_noise(CHANNELS, FRAMES, 5), out = planar_new(CHANNELS, FRAMES);
  const size_t large = 5 << 20;
  char* text = malloc(large);
  assert_non_null(text);
  memset(text, '\n', large);
  const struct {
    const char* type;
    size_t size;
    float status;
  } cases[] = {{LV2_ATOM__Chunk, large, 2}, {LV2_ATOM__Int, 4, 3}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    HostState kept = {.count = 0};
    host_state_put(&kept, BANK_CONTENT, cases[i].type, text, cases[i].size);
    Host* host = scene_host("bank", CHANNELS, &queued);
    assert_int_not_equal(host_restore(host, &kept), LV2_STATE_SUCCESS);
    expect_silence(host, &in, &out, cases[i].status);
    host_free(host);
    host_state_free(&kept);
  }
  free(text);
  planar_free(&in);
  planar_free(&out);
}

static char* nowhere(LV2_State_Map_Path_Handle handle, const char* path) {
  (void)handle;
  (void)path;
  return NULL;
}

/* A file's name that is longer than any, of another type, or that the host maps to nothing: what it stood for may protect. It is not kept either, as no
   port has room to tell it; the text beside it plays. */
static void promise_21_a_state_whose_path_cannot_be_used_is_silent(void** state) {
  (void)state;
  Planar in = planar_noise(CHANNELS, FRAMES, 5), out = planar_new(CHANNELS, FRAMES);
  char* path = malloc(1 << 20);
  assert_non_null(path);
  memset(path, 'x', 1 << 20);
  LV2_State_Map_Path map = {NULL, nowhere, nowhere};
  const struct {
    const char* type;
    size_t size;
    LV2_State_Map_Path* map;
  } cases[] = {{LV2_ATOM__Path, 1 << 20, NULL}, {LV2_ATOM__String, 4096, NULL}, {LV2_ATOM__Chunk, 10, NULL}, {LV2_ATOM__Path, 10, &map}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    for (int has_text = 0; has_text < 2; has_text++) {
      HostOptions options = queued;
      options.map = cases[i].map;
      HostState kept = {.count = 0};
      host_state_put(&kept, BANK_FILE, cases[i].type, path, cases[i].size);
      if (has_text) host_state_put(&kept, BANK_CONTENT, LV2_ATOM__Chunk, good_text, strlen(good_text));
      Host* host = scene_host("bank", CHANNELS, &options);
      assert_int_equal(host_restore(host, &kept), LV2_STATE_SUCCESS);
      host_activate(host);
      host_connect_audio(host, host->in, host->out);
      host_run(host, 64);
      assert_non_null(host_told(host, BANK_FILE)); /* which a path that does not fit would keep from being told */
      assert_string_equal(host_told(host, BANK_FILE)->text, "");
      if (has_text)
        assert_true(host_get(host, "muted") == 0 && keeps(host, good_text, strlen(good_text)));
      else
        expect_silence(host, &in, &out, 1);
      host_free(host);
      host_state_free(&kept);
    }
  }
  free(path);
  planar_free(&in);
  planar_free(&out);
}

/* Bypass is asked for by the user, and passes as it does while a bank plays; the port says what is. */
static void promise_09_bypass_passes_a_refused_bank_and_says_so(void** state) {
  (void)state;
  Planar in = planar_noise(CHANNELS, FRAMES, 5), out = planar_new(CHANNELS, FRAMES);
  Host* host = scene_host("bank", CHANNELS, &queued);
  restore_text(host, protecting[0]);
  expect_silence(host, &in, &out, 3);
  host_set(host, "enabled", 0);
  play_afresh(host, &in, &out);
  assert_same_bits(&in, &out);
  assert_true(host_get(host, "muted") == 0);
  host_set(host, "enabled", 1);
  expect_silence(host, &in, &out, 3);
  host_free(host);
  planar_free(&in);
  planar_free(&out);
}

/* The old bank plays on, but the session's own text is what the next state holds. */
static void promise_15_a_refused_session_keeps_its_own_text(void** state) {
  (void)state;
  Planar in = planar_noise(CHANNELS, FRAMES, 5), right = planar_new(CHANNELS, FRAMES), out = planar_new(CHANNELS, FRAMES);
  char path[4096];
  Host* host = scene_host("bank", CHANNELS, &queued);
  host_activate(host);
  load_text(host, "good.txt", good_text, path);
  render(good_text, -1, 0, &in, &right);
  restore_text(host, protecting[0]);
  play_afresh(host, &in, &out);
  assert_same_bits(&right, &out);
  assert_true(host_get(host, "status") == 3);
  assert_true(keeps(host, protecting[0], strlen(protecting[0])));
  load_text(host, "broken.txt", broken_text, path); /* while a file that is refused changes nothing */
  assert_true(keeps(host, protecting[0], strlen(protecting[0])));
  host_free(host);
  planar_free(&in);
  planar_free(&right);
  planar_free(&out);
}

static void promise_21_a_hundred_thousand_filters(void** state) {
  (void)state;
  enum { FILTERS = 100000 };
  const char line[] = "Filter: ON PK Fc 1000 Hz Gain 0 dB Q 1\n";
  const size_t size = sizeof line - 1;
  char path[4096], *text = malloc(FILTERS * size);
  assert_non_null(text);
  for (size_t i = 0; i < FILTERS; i++) memcpy(text + i * size, line, size);
  scene_file(path, sizeof path, "many.txt", text, FILTERS * size);
  Host* host = scene_host("bank", 1, &queued);
  host_activate(host);
  scene_load(host, path);
  assert_true(host_get(host, "status") == 0);
  for (uint32_t f = 0; f < 128; f++) host->in[0][f] = 0.25f;
  host_deactivate(host);
  host_activate(host);
  host_run(host, 128);
  for (uint32_t f = 0; f < 128; f++) assert_true(fabsf(host->out[0][f] - 0.25f) < 1e-4f); /* bells of 0 dB */
  assert_true(keeps(host, text, FILTERS * size));
  host_free(host);
  free(text);
}

/* ------------------------------------------------------------- the session */

static char prefix[4096];

static char* abstract_path(LV2_State_Map_Path_Handle handle, const char* path) {
  (void)handle;
  return strdup(!strncmp(path, prefix, strlen(prefix)) ? path + strlen(prefix) : path);
}

static char* absolute_path(LV2_State_Map_Path_Handle handle, const char* path) {
  (void)handle;
  char whole[8192];
  snprintf(whole, sizeof whole, "%s%s", *path == '/' ? "" : prefix, path);
  return strdup(whole);
}

static void promise_15_the_content_counts_and_the_path_is_the_hosts(void** state) {
  (void)state;
  LV2_State_Map_Path map = {NULL, abstract_path, absolute_path};
  const HostOptions options = {.fs = 48000, .worker = HOST_WORKER_QUEUE, .map = &map};
  const char* folder = getenv("TMPDIR");
  snprintf(prefix, sizeof prefix, "%s/", folder ? folder : "/tmp");
  Planar in = planar_noise(CHANNELS, FRAMES, 5), right = planar_new(CHANNELS, FRAMES), out = planar_new(CHANNELS, FRAMES);
  char path[4096];
  HostState saved;
  Host *host = scene_host("bank", CHANNELS, &options), *unmapped = scene_host("bank", CHANNELS, &queued);
  host_activate(host);
  load_text(host, "session.txt", good_text, path);
  assert_int_equal(host_save(host, &saved), LV2_STATE_SUCCESS);
  assert_string_equal(host_state_get(&saved, BANK_FILE)->value, "session.txt"); /* nothing of this machine */
  assert_int_equal(host_state_get(&saved, BANK_FILE)->type, host_urid(LV2_ATOM__Path));
  host_free(host);
  render(good_text, -1, 0, &in, &right);
  const struct {
    const char* on_disk;
    float status;
  } cases[] = {{good_text, 0}, {other_text, 8}, {"", 8}, {NULL, 0}, {broken_text, 8}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    if (cases[i].on_disk)
      scene_file(path, sizeof path, "session.txt", cases[i].on_disk, strlen(cases[i].on_disk));
    else
      assert_int_equal(unlink(path), 0);
    host = scene_host("bank", CHANNELS, &options);
    assert_int_equal(host_restore(host, &saved), LV2_STATE_SUCCESS);
    play_afresh(host, &in, &out);
    assert_same_bits(&right, &out); /* whatever is on the disk */
    assert_true(host_get(host, "status") == cases[i].status);
    assert_string_equal(host_told(host, BANK_FILE)->text, path);
    assert_int_equal(strlen(host_told(host, BANK_MESSAGE)->text) > 0, cases[i].status > 0);
    assert_true(keeps(host, good_text, sizeof good_text - 1));
    host_free(host);
  }
  host_activate(unmapped); /* a host without a map of paths: the content is kept, and no path */
  load_text(unmapped, "session.txt", good_text, path);
  host_state_free(&saved);
  assert_int_equal(host_save(unmapped, &saved), LV2_STATE_SUCCESS);
  assert_null(host_state_get(&saved, BANK_FILE));
  assert_non_null(host_state_get(&saved, BANK_CONTENT));
  host_state_free(&saved);
  host_free(unmapped);
  planar_free(&in);
  planar_free(&right);
  planar_free(&out);
}

/* An empty file is a bank that changes nothing; what is put into the file later is not heard in the session. */
static void promise_15_an_empty_file_is_kept_too(void** state) {
  (void)state;
  LV2_State_Map_Path map = {NULL, abstract_path, absolute_path};
  const HostOptions options = {.fs = 48000, .worker = HOST_WORKER_QUEUE, .map = &map};
  Planar in = planar_noise(CHANNELS, FRAMES, 5), out = planar_new(CHANNELS, FRAMES);
  char path[4096];
  HostState saved;
  Host *host = scene_host("bank", CHANNELS, &options), *later = scene_host("bank", CHANNELS, &options);
  host_activate(host);
  load_text(host, "empty.txt", "", path);
  assert_true(host_get(host, "status") == 0);
  assert_int_equal(host_save(host, &saved), LV2_STATE_SUCCESS);
  assert_int_equal(host_restore(later, &saved), LV2_STATE_SUCCESS);
  play_afresh(later, &in, &out);
  assert_true(host_get(later, "status") == 0);
  scene_file(path, sizeof path, "empty.txt", good_text, strlen(good_text));
  assert_int_equal(host_restore(later, &saved), LV2_STATE_SUCCESS);
  play_afresh(later, &in, &out);
  assert_same_bits(&in, &out);
  assert_true(host_get(later, "status") == 8);
  HostState text = {.count = 0}; /* written by hand */
  host_state_put(&text, BANK_CONTENT, LV2_ATOM__String, "", 1);
  assert_int_equal(host_restore(later, &text), LV2_STATE_SUCCESS);
  assert_true(keeps(later, "\n", 1));
  host_state_free(&text);
  host_state_free(&saved);
  host_free(host);
  host_free(later);
  planar_free(&in);
  planar_free(&out);
}

/* ------------------------------------------------------------ ends of life */

static uint32_t threads_now(uint64_t blocked[64]) {
  uint32_t count = 0;
  DIR* tasks = opendir("/proc/self/task");
  assert_non_null(tasks);
  /* cppcheck-suppress readdirCalled ; one thread reads */
  for (const struct dirent* entry; (entry = readdir(tasks));) {
    char path[512], line[256];
    if (entry->d_name[0] == '.') continue;
    snprintf(path, sizeof path, "/proc/self/task/%s/status", entry->d_name);
    FILE* status = fopen(path, "r");
    assert_true(status && count < 64);
    while (fgets(line, sizeof line, status))
      if (!strncmp(line, "SigBlk:", 7)) blocked[count] = strtoull(line + 7, NULL, 16);
    assert_int_equal(fclose(status), 0);
    count++;
  }
  closedir(tasks);
  return count;
}

/* One thread, that takes no signals of the host's, where there is no worker; none where there is one; none left in the end. */
static void promise_15_a_thread_only_where_there_is_no_worker(void** state) {
  (void)state;
  const HostOptions options = {.fs = 48000};
  uint64_t before[64] = {0}, during[64] = {0};
  const uint32_t count = threads_now(before);
  Host* host = scene_host("bank", 2, &queued);
  assert_int_equal(threads_now(during), count);
  host_free(host);
  host = scene_host("bank", 2, &options);
  assert_int_equal(threads_now(during), count + 1);
  const uint64_t wanted = 1u << (SIGINT - 1) | 1u << (SIGTERM - 1) | 1u << (SIGALRM - 1) | 1u << (SIGCHLD - 1) | 1u << (SIGUSR1 - 1);
  assert_true((during[count] & wanted) == wanted); /* the newest comes last */
  host_free(host);
  assert_int_equal(threads_now(during), count);
}

/* A thread of our own may be reading when the instance ends: at any moment, with a bank that takes a while. */
static void promise_15_an_end_while_the_loader_works(void** state) {
  (void)state;
  enum { FILTERS = 3000 };
  const char line[] = "Filter: ON PK Fc 1000 Hz Gain 0.1 dB Q 1\n";
  const size_t size = sizeof line - 1;
  char path[4096], *text = malloc(FILTERS * size);
  assert_non_null(text);
  for (size_t i = 0; i < FILTERS; i++) memcpy(text + i * size, line, size);
  scene_file(path, sizeof path, "slow.txt", text, FILTERS * size);
  free(text);
  const HostOptions options = {.fs = 48000};
  for (int i = 0; i < 12; i++) {
    Host* host = scene_host("bank", 2, &options);
    host_activate(host);
    host_send_text(host, BANK_FILE, LV2_ATOM__Path, path);
    host_run(host, 64);
    nanosleep(&(struct timespec){.tv_nsec = i * 4000000L}, NULL);
    if (i % 2) host_run(host, 64);
    host_free(host);
  }
}

static int end(void** state) {
  (void)state;
  host_world_end();
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(promise_07_a_bank_sounds_as_the_library_renders_it),
      cmocka_unit_test(promise_15_the_state_has_changed_after_a_message_alone),
      cmocka_unit_test(promise_15_get_is_answered),
      cmocka_unit_test(promise_21_a_file_with_a_fault_keeps_the_old_bank),
      cmocka_unit_test(promise_21_a_path_too_long_is_no_trouble),
      cmocka_unit_test(promise_21_a_protecting_bank_refused_is_silent),
      cmocka_unit_test(promise_21_another_bank_refused_follows_the_port),
      cmocka_unit_test(promise_21_what_may_protect_is_silent_in_every_session),
      cmocka_unit_test(promise_21_a_state_that_cannot_be_used_is_silent),
      cmocka_unit_test(promise_21_a_state_whose_path_cannot_be_used_is_silent),
      cmocka_unit_test(promise_09_bypass_passes_a_refused_bank_and_says_so),
      cmocka_unit_test(promise_15_a_refused_session_keeps_its_own_text),
      cmocka_unit_test(promise_21_a_hundred_thousand_filters),
      cmocka_unit_test(promise_15_the_content_counts_and_the_path_is_the_hosts),
      cmocka_unit_test(promise_15_an_empty_file_is_kept_too),
      cmocka_unit_test(promise_15_a_thread_only_where_there_is_no_worker),
      cmocka_unit_test(promise_15_an_end_while_the_loader_works),
  };
  return cmocka_run_group_tests(tests, NULL, end);
}
