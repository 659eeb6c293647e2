/* Promise 15 for the plugins' state: restored before activation, while running, twice, half typed, from another version, under another locale,
   and in a race with messages, which the last one wins.
   SPDX-License-Identifier: ISC */
#include "scene.h"

#include <locale.h>
#include <stdio.h>

static const HostOptions plain = {.fs = 48000, .worker = HOST_WORKER_QUEUE};
static const char bank_text[] = "Filter: ON PK Fc 900,5 Hz Gain 7 dB Q 2\n";
static const char good_text[] = "Preamp: -1.5 dB\nFilter: ON PK Fc 900.5 Hz Gain 7.25 dB Q 2.5\n";

static const char* kept_text(const HostState* state, const char* key) {
  const HostStateItem* item = host_state_get(state, key);
  assert_non_null(item);
  assert_int_equal(item->type, host_urid(LV2_ATOM__String));
  assert_int_equal(strlen(item->value) + 1, item->size);
  return item->value;
}

static void assert_set(Host* host, const char* key, const char* text) {
  HostState state;
  assert_int_equal(host_save(host, &state), LV2_STATE_SUCCESS);
  assert_string_equal(kept_text(&state, key), text);
  host_state_free(&state);
  host_ask(host, key);
  host_run(host, 64);
  assert_string_equal(host_told(host, key)->text, text);
}

static void put_text(HostState* state, const char* key, const char* text) {
  host_state_put(state, key, LV2_ATOM__String, text, strlen(text) + 1);
}

/* Noise through a fresh start. */
static void play(Host* host, Planar* out) {
  Planar in = planar_noise(out->channels, out->frames, 3);
  host_deactivate(host);
  host_activate(host);
  scene_play(host, &in, out, 300);
  planar_free(&in);
}

/* ------------------------------------------------------------------- EQ */

static void promise_15_sets_by_message_and_by_state(void** state) {
  (void)state;
  Host *told = scene_host("eq", 6, &plain), *restored = scene_host("eq", 6, &plain);
  Planar one = planar_new(6, 4000), two = planar_new(6, 4000), other = planar_new(6, 4000);
  HostState saved;
  scene_bands(told);
  scene_bands(restored);
  play(told, &other);
  host_send_text(told, EQ_SET(2), LV2_ATOM__String, "1-3, 6");
  host_run(told, 64);
  assert_int_equal(told->state_changes, 1);
  assert_string_equal(host_told(told, EQ_SET(2))->text, "1-3 6");
  play(told, &one);
  assert_memory_not_equal(one.samples, other.samples, sizeof(float) * 6 * 4000);
  assert_int_equal(host_save(told, &saved), LV2_STATE_SUCCESS);
  assert_int_equal(host_restore(restored, &saved), LV2_STATE_SUCCESS); /* before activation */
  play(restored, &two);
  assert_same_bits(&one, &two);
  assert_int_equal(restored->state_changes, 0); /* by the host's own hands */
  assert_string_equal(host_told(restored, EQ_SET(2))->text, "1-3 6");
  assert_int_equal(host_restore(restored, &saved), LV2_STATE_SUCCESS); /* twice, the second time between blocks */
  assert_int_equal(host_restore(restored, &saved), LV2_STATE_SUCCESS);
  assert_set(restored, EQ_SET(2), "1-3 6");
  play(restored, &two);
  assert_same_bits(&one, &two);
  host_state_free(&saved);
  host_free(told);
  host_free(restored);
  planar_free(&one);
  planar_free(&two);
  planar_free(&other);
}

static void promise_15_half_typed_text_changes_nothing(void** state) {
  (void)state;
  const char* const half[] = {"1-", "-", "1,,x", "0", "65", "3-1", "1 2 three", "9999999999999999999999", "1-2-3", "\xc3\xa4", "1;2"};
  Host* host = scene_host("eq", 8, &plain);
  host_activate(host);
  host_send_text(host, EQ_SET(3), LV2_ATOM__String, "2-5");
  host_run(host, 64);
  for (size_t i = 0; i < sizeof half / sizeof *half; i++) {
    host_send_text(host, EQ_SET(3), LV2_ATOM__String, half[i]);
    host_run(host, 64);
    assert_set(host, EQ_SET(3), "2-5");
    HostState state_of_it = {.count = 0};
    put_text(&state_of_it, EQ_SET(3), half[i]);
    assert_int_equal(host_restore(host, &state_of_it), LV2_STATE_SUCCESS);
    host_run(host, 64);
    assert_set(host, EQ_SET(3), "4"); /* of eight channels: the LFE */
    host_state_free(&state_of_it);
    host_send_text(host, EQ_SET(3), LV2_ATOM__String, "2-5");
    host_run(host, 64);
  }
  host_send_int(host, EQ_SET(3), 7);                    /* of another type */
  host_send_text(host, EQ_SOLO, LV2_ATOM__String, "3"); /* likewise */
  host_send_int(host, EQ_SOLO, 17);                     /* beyond the bands */
  host_send_int(host, EQ_SOLO, -1);
  host_run(host, 64);
  assert_set(host, EQ_SET(3), "2-5");
  host_ask(host, EQ_SOLO);
  host_run(host, 64);
  assert_int_equal(host_told(host, EQ_SOLO)->number, 0);
  host_send_text(host, EQ_SET(3), LV2_ATOM__String, ""); /* no channel is a set, too */
  host_run(host, 64);
  assert_set(host, EQ_SET(3), "");
  host_free(host);
}

/* Solo is heard at once, told, and not kept. */
static void promise_15_solo_is_not_kept(void** state) {
  (void)state;
  Host* host = scene_host("eq", 2, &plain);
  HostState saved;
  host_activate(host);
  host_send_int(host, EQ_SOLO, 4);
  host_run(host, 64);
  assert_int_equal(host_told(host, EQ_SOLO)->number, 4);
  assert_int_equal(host->state_changes, 0);
  assert_int_equal(host_save(host, &saved), LV2_STATE_SUCCESS);
  assert_null(host_state_get(&saved, EQ_SOLO));
  host_state_free(&saved);
  host_free(host);
}

/* Keys that this version does not know are no trouble; those that a later one has put where every version looks are handed on. */
static void promise_15_a_key_of_the_future_is_kept(void** state) {
  (void)state;
  const char later[] = "colour blue\nlookahead 3.5\n";
  for (int kind = 0; kind < 2; kind++) {
    Host* host = scene_host(kind ? "bank" : "eq", 4, &plain);
    HostState future = {.count = 0}, saved;
    const int32_t version = 99;
    put_text(&future, "urn:millrace:later", later);
    host_state_put(&future, "urn:millrace:version", LV2_ATOM__Int, &version, sizeof version);
    put_text(&future, "urn:millrace:unheard-of", "x");
    if (kind)
      host_state_put(&future, BANK_CONTENT, LV2_ATOM__Chunk, good_text, sizeof good_text - 1);
    else
      put_text(&future, EQ_SET(1), "4");
    assert_int_equal(host_restore(host, &future), LV2_STATE_SUCCESS);
    host_activate(host);
    host_run(host, 64);
    assert_true(host_get(host, "status") == 0);
    assert_int_equal(host_save(host, &saved), LV2_STATE_SUCCESS);
    assert_string_equal(kept_text(&saved, "urn:millrace:later"), later);
    if (!kind) assert_string_equal(kept_text(&saved, EQ_SET(1)), "4");
    host_state_free(&saved);
    host_state_free(&future);
    assert_int_equal(host_restore(host, &future), LV2_STATE_SUCCESS); /* an empty one */
    assert_int_equal(host_save(host, &saved), LV2_STATE_SUCCESS);
    assert_null(host_state_get(&saved, "urn:millrace:later"));
    assert_null(host_state_get(&saved, BANK_CONTENT));
    host_state_free(&saved);
    host_free(host);
  }
}

/* ------------------------------------------------------------------ races */

static bool keeps_good_text(Host* host) {
  HostState saved;
  assert_int_equal(host_save(host, &saved), LV2_STATE_SUCCESS);
  const HostStateItem* item = host_state_get(&saved, BANK_CONTENT);
  const bool same = item && item->size == sizeof good_text - 1 && !memcmp(item->value, good_text, item->size);
  host_state_free(&saved);
  return same;
}

typedef struct Race {
  Host* host;
  HostState one, two;
  atomic_bool ends;
} Race;

static void* restore_and_save(void* data) {
  Race* race = data;
  for (int i = 0; i < 300; i++) {
    HostState saved;
    if (host_restore(race->host, i % 2 ? &race->two : &race->one) != LV2_STATE_SUCCESS) abort();
    if (host_save(race->host, &saved) != LV2_STATE_SUCCESS) abort();
    host_state_free(&saved);
  }
  atomic_store(&race->ends, true);
  return NULL;
}

/* States and messages by turns from two threads while blocks run; what comes last, when all is quiet, is what is there. */
static void promise_15_messages_and_states_race(void** state) {
  (void)state;
  Race race = {.host = scene_host("eq", 8, &plain)};
  Planar in = planar_noise(8, 4096, 4), out = planar_new(8, 4096);
  put_text(&race.one, EQ_SET(1), "1 2");
  put_text(&race.two, EQ_SET(1), "3-8");
  scene_bands(race.host);
  scene_band(race.host, 3, SCENE_BELL, 500, 9, 1, 2, 1);
  host_activate(race.host);
  host_connect_audio(race.host, in.channel, out.channel);
  for (int last = 0; last < 3; last++) {
    pthread_t thread;
    atomic_store(&race.ends, false);
    assert_int_equal(pthread_create(&thread, NULL, restore_and_save, &race), 0);
    for (int i = 0; !atomic_load(&race.ends); i++) {
      host_send_text(race.host, EQ_SET(1), LV2_ATOM__String, i % 2 ? "5" : "6");
      host_run(race.host, 128);
    }
    pthread_join(thread, NULL);
    if (last == 0) { /* a state */
      assert_int_equal(host_restore(race.host, &race.one), LV2_STATE_SUCCESS);
      host_run(race.host, 128);
      assert_set(race.host, EQ_SET(1), "1 2");
    } else { /* a message, which may say what run() has known before the last state */
      host_send_text(race.host, EQ_SET(1), LV2_ATOM__String, "5");
      host_run(race.host, 128);
      assert_int_equal(host_restore(race.host, &race.two), LV2_STATE_SUCCESS);
      host_send_text(race.host, EQ_SET(1), LV2_ATOM__String, "5");
      host_run(race.host, 128);
      assert_set(race.host, EQ_SET(1), "5");
    }
  }
  host_state_free(&race.one);
  host_state_free(&race.two);
  host_free(race.host);
  planar_free(&in);
  planar_free(&out);
}

static void promise_15_banks_by_message_and_state_race(void** state) {
  (void)state;
  static const char other[] = "Filter: ON HP Fc 90 Hz\n";
  char path[4096];
  scene_file(path, sizeof path, "race.txt", good_text, sizeof good_text - 1);
  for (int worker = HOST_WORKER_NONE; worker <= HOST_WORKER_THREAD; worker += HOST_WORKER_THREAD) {
    const HostOptions options = {.fs = 48000, .worker = (HostWorker)worker};
    Race race = {.host = scene_host("bank", 2, &options)};
    host_state_put(&race.one, BANK_CONTENT, LV2_ATOM__Chunk, other, sizeof other - 1);
    host_state_put(&race.two, BANK_CONTENT, LV2_ATOM__Chunk, bank_text, sizeof bank_text - 1); /* no bank */
    host_activate(race.host);
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, restore_and_save, &race), 0);
    for (int i = 0; !atomic_load(&race.ends); i++) {
      if (i % 5 == 0) host_send_text(race.host, BANK_FILE, LV2_ATOM__Path, path);
      host_set(race.host, "mode", (float)(i % 3));
      host_run(race.host, 128);
    }
    pthread_join(thread, NULL);
    bool same = false;
    for (int i = 0; i < 2000 && !same; i++) { /* a job of the worker's may still be under way, and another one to come */
      scene_load(race.host, path);
      same = keeps_good_text(race.host);
    }
    assert_true(same);
    host_state_free(&race.one);
    host_state_free(&race.two);
    host_free(race.host);
  }
}

/* A worker that is late must not put an earlier file in the place of a later state. */
static void promise_15_a_late_worker_does_not_undo_a_state(void** state) {
  (void)state;
  static const char other[] = "Filter: ON HP Fc 90 Hz\n";
  char path[4096];
  HostState restored = {.count = 0};
  scene_file(path, sizeof path, "late.txt", other, sizeof other - 1);
  host_state_put(&restored, BANK_CONTENT, LV2_ATOM__Chunk, good_text, sizeof good_text - 1);
  Host* host = scene_host("bank", 2, &plain);
  host_activate(host);
  host_send_text(host, BANK_FILE, LV2_ATOM__Path, path);
  host_run(host, 64);
  assert_int_equal(host_restore(host, &restored), LV2_STATE_SUCCESS);
  assert_int_equal(host_work(host), 1);
  assert_true(keeps_good_text(host));
  host_run(host, 64);
  assert_string_equal(host_told(host, BANK_FILE)->text, "");
  scene_load(host, path); /* a message after the state wins */
  assert_false(keeps_good_text(host));
  assert_string_equal(host_told(host, BANK_FILE)->text, path);
  host_state_free(&restored);
  host_free(host);
}

/* ---------------------------------------------------------------- locales */

/* Takes a locale that writes 1,5 for 1.5: one of the system's, or one made for the test. */
static bool take_comma_locale(void) {
  const char* const names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "fr_FR.utf8", "de_DE"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (setlocale(LC_ALL, names[i])) return true;
  char command[4096];
  const char* folder = getenv("TMPDIR");
  snprintf(command, sizeof command, "localedef -c -i de_DE -f UTF-8 '%s/de_DE.UTF-8' >'%s/localedef.log' 2>&1", folder ? folder : "/tmp",
           folder ? folder : "/tmp");
  if (system(command) == -1) return false;
  setenv("LOCPATH", folder ? folder : "/tmp", 1);
  return setlocale(LC_ALL, "de_DE.UTF-8") != NULL;
}

/* Saved as text under one locale and read under another, through lilv as hosts do it, and the bank's numbers have points in both. */
static void check_locale(bool comma_first) {
  setlocale(LC_ALL, "C");
  if (comma_first && !take_comma_locale()) {
    print_message("skipped: there is no locale with a decimal comma, and none can be made\n");
    skip();
  }
  Planar one = planar_new(2, 3000), two = planar_new(2, 3000);
  Host *eq = scene_host("eq", 2, &plain), *bank = scene_host("bank", 2, &plain), *reader = scene_host("bank", 2, &plain);
  HostState saved, chunk = {.count = 0};
  host_send_text(eq, EQ_SET(1), LV2_ATOM__String, "1 2");
  host_run(eq, 64);
  assert_set(eq, EQ_SET(1), "1 2");
  host_state_put(&chunk, BANK_CONTENT, LV2_ATOM__Chunk, good_text, sizeof good_text - 1);
  assert_int_equal(host_restore(bank, &chunk), LV2_STATE_SUCCESS);
  play(bank, &one);
  assert_true(host_get(bank, "status") == 0);
  LilvState* text = lilv_state_new_from_instance(bank->plugin, bank->instance, host_map(), NULL, NULL, NULL, NULL, NULL, NULL,
                                                 LV2_STATE_IS_POD | LV2_STATE_IS_PORTABLE, NULL);
  assert_non_null(text);
  assert_int_equal(host_save(bank, &saved), LV2_STATE_SUCCESS);
  if (comma_first)
    setlocale(LC_ALL, "C");
  else if (!take_comma_locale())
    skip();
  lilv_state_restore(text, reader->instance, NULL, NULL, 0, NULL);
  play(reader, &two);
  assert_true(host_get(reader, "status") == 0);
  assert_same_bits(&one, &two);
  assert_int_equal(host_restore(reader, &saved), LV2_STATE_SUCCESS);
  play(reader, &two);
  assert_same_bits(&one, &two);
  setlocale(LC_ALL, "C");
  lilv_state_free(text);
  host_state_free(&saved);
  host_state_free(&chunk);
  host_free(eq);
  host_free(bank);
  host_free(reader);
  planar_free(&one);
  planar_free(&two);
}

static void promise_15_a_state_of_a_comma_locale_reads_elsewhere(void** state) {
  (void)state;
  check_locale(true);
}

static void promise_15_a_state_reads_under_a_comma_locale(void** state) {
  (void)state;
  check_locale(false);
}

static int end(void** state) {
  (void)state;
  host_world_end();
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(promise_15_sets_by_message_and_by_state),
      cmocka_unit_test(promise_15_half_typed_text_changes_nothing),
      cmocka_unit_test(promise_15_solo_is_not_kept),
      cmocka_unit_test(promise_15_a_key_of_the_future_is_kept),
      cmocka_unit_test(promise_15_messages_and_states_race),
      cmocka_unit_test(promise_15_banks_by_message_and_state_race),
      cmocka_unit_test(promise_15_a_late_worker_does_not_undo_a_state),
      cmocka_unit_test(promise_15_a_state_of_a_comma_locale_reads_elsewhere),
      cmocka_unit_test(promise_15_a_state_reads_under_a_comma_locale),
  };
  return cmocka_run_group_tests(tests, NULL, end);
}
