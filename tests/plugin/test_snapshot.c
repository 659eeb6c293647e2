/* A snapshot is whole and the latest, whatever the two threads do.
   SPDX-License-Identifier: ISC */
#include "snapshot.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { WORDS = 200, STATES = 300000 };

typedef struct State {
  uint32_t word[WORDS];
} State;

static State state_of(uint32_t number) {
  State state;
  for (uint32_t i = 0; i < WORDS; i++) state.word[i] = number + i;
  return state;
}

static void takes_what_was_put_last(void** state) {
  (void)state;
  MrSnapshot snapshot;
  bool fresh;
  State s = state_of(7);
  assert_true(mr_snapshot_init(&snapshot, &s, sizeof s));
  assert_int_equal(((const State*)mr_snapshot_take(&snapshot, &fresh))->word[3], 10);
  assert_true(fresh);
  assert_int_equal(((const State*)mr_snapshot_take(&snapshot, &fresh))->word[3], 10);
  assert_false(fresh);
  for (uint32_t n = 1; n < 6; n++) {
    for (uint32_t i = 0; i < n; i++) {
      s = state_of(100 * n + i);
      mr_snapshot_put(&snapshot, &s);
    }
    assert_int_equal(((const State*)mr_snapshot_take(&snapshot, &fresh))->word[0], 100 * n + n - 1);
    assert_true(fresh);
    assert_int_equal(((const State*)mr_snapshot_take(&snapshot, &fresh))->word[0], 100 * n + n - 1);
    assert_false(fresh);
  }
  mr_snapshot_free(&snapshot);
}

static void* put_all(void* data) {
  for (uint32_t n = 1; n <= STATES; n++) {
    const State s = state_of(n);
    mr_snapshot_put(data, &s);
  }
  return NULL;
}

static void is_whole_and_never_older(void** state) {
  (void)state;
  MrSnapshot snapshot;
  const State first = state_of(0);
  assert_true(mr_snapshot_init(&snapshot, &first, sizeof first));
  pthread_t thread;
  assert_int_equal(pthread_create(&thread, NULL, put_all, &snapshot), 0);
  uint32_t last = 0, seen = 0, torn = 0, older = 0;
  while (last < STATES) {
    bool fresh;
    const State* s = mr_snapshot_take(&snapshot, &fresh);
    const uint32_t number = s->word[0];
    for (uint32_t i = 1; i < WORDS; i++) torn += s->word[i] != number + i;
    older += number < last || (!fresh && number != last);
    seen += fresh;
    last = number;
  }
  pthread_join(thread, NULL);
  assert_int_equal(torn, 0);
  assert_int_equal(older, 0);
  assert_true(seen > 1);
  mr_snapshot_free(&snapshot);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(takes_what_was_put_last), cmocka_unit_test(is_whole_and_never_older)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
