/* No memory at the k-th allocation, for every k: an error, nothing lost, nothing leaked.
   SPDX-License-Identifier: ISC */
#include "bank_support.h"

#if defined(__has_feature)
#define HAS_FEATURE(x) __has_feature(x)
#else
#define HAS_FEATURE(x) 0
#endif
#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && !HAS_FEATURE(address_sanitizer) && \
    !HAS_FEATURE(thread_sanitizer)
#define CAN_FAIL 1
#else
#define CAN_FAIL 0 /* a sanitizer has an allocator of its own */
#endif

static const char text[] =
    "Preamp: -3 dB\nFilter: ON PK Fc 100 Hz Gain 1 dB Q 1\nFilter: ON Analogue Gain 1 Zeros 0 Poles 20 30 Hz\n"
    "Copy: X=0.5*1+0.5*2 2=1 3=1+-6 dB*2+0.1*3\nCrossover: LinkwitzRiley Order 6 Fc 100 1000 In X Out 1 2 3\nDelay: 1 ms\n"
    "Filter: ON PK Fc 100 Hz Gain 1 dB Q 1\nUnlisted: mute\n";

#if CAN_FAIL
/* glibc's own, behind the names that this program takes over. */
extern void* __libc_malloc(size_t size);
extern void* __libc_calloc(size_t n, size_t size);
extern void* __libc_realloc(void* old, size_t size);

static long left = -1; /* allocations until one fails; below 0: none does */
static long held;      /* that were made and not freed, while counting */
static bool counting;

static bool fails(void) {
  if (left < 0) return false;
  return left-- == 0;
}

void* malloc(size_t size) {
  if (fails()) return NULL;
  held += counting;
  return __libc_malloc(size);
}

void* calloc(size_t nmemb, size_t size) {
  if (fails()) return NULL;
  held += counting;
  return __libc_calloc(nmemb, size);
}

void* realloc(void* ptr, size_t size) {
  if (fails()) return NULL;
  held += counting && !ptr;
  return __libc_realloc(ptr, size);
}

extern void __libc_free(void* memory);
void free(void* ptr) {
  held -= counting && ptr;
  __libc_free(ptr);
}

/* Reads with the k-th allocation failing; true once none was left to fail. */
static bool try_at(long k, MrBank* onto) {
  const MrReadOptions options = {.channels = 4};
  Said said = {.errors = 0};
  const MrMessages messages = {note_message, &said};
  MrStatus status = MR_OK;
  counting = true;
  held = 0;
  left = k;
  MrBank* bank = mr_bank_read_text(onto, text, sizeof text - 1, "bank.txt", &options, &messages, &status);
  const bool done = left >= 0;
  left = -1;
  counting = false;
  if (done) {
    assert_non_null(bank);
    if (!onto) mr_bank_free(bank);
    return true;
  }
  assert_null(bank);
  assert_int_equal(status, MR_ERR_MEMORY);
  assert_int_equal(held, 0);
  return false;
}

static void reading(void** state) {
  (void)state;
  long k = 0;
  while (!try_at(k, NULL)) k++;
  print_message("%ld allocations\n", k);
  assert_true(k > 20);
}

static void reading_onto_a_bank(void** state) {
  (void)state;
  MrBank *bank = read_text(4, "Filter: ON Analogue Gain 1 Poles 20 Hz\nDelay: 3 ms\n"),
         *same = read_text(4, "Filter: ON Analogue Gain 1 Poles 20 Hz\nDelay: 3 ms\n");
  long k = 0;
  for (; !try_at(k, bank); k++) assert_true(mr_bank_equal(bank, same));
  assert_false(mr_bank_equal(bank, same));
  assert_true(k > 30);
  mr_bank_free(bank);
  mr_bank_free(same);
}

static void adding(void** state) {
  (void)state;
  MrBank *bank = mr_bank_new(2), *same = mr_bank_new(2);
  const MrRoots roots = {.poles = 1, .pole = {{.re = 20}}};
  MrDesign design = mr_design_default(MR_ANALOGUE);
  design.roots = &roots;
  for (long k = 0; k < 2; k++) {
    left = k;
    const MrStatus status = mr_bank_add_filter(bank, 0, &design);
    left = -1;
    assert_int_equal(status, MR_ERR_MEMORY);
  }
  left = 0;
  const MrStatus status = mr_bank_set_terms(bank, 0, (MrTerm[]){{.gain = 2}}, 1);
  left = -1;
  assert_int_equal(status, MR_ERR_MEMORY);
  assert_true(mr_bank_equal(bank, same));
  long k = 0;
  for (MrBank* made = NULL; !made; k++) {
    left = k;
    made = mr_bank_new(4);
    left = -1;
    mr_bank_free(made);
  }
  assert_int_equal(k, 2 + 4 + 1);
  mr_bank_free(bank);
  mr_bank_free(same);
}
#else
/* A sanitizer's allocator cannot be made to fail here: all that is left is that the text reads, and that nothing leaks. */
static void reading(void** state) {
  (void)state;
  mr_bank_free(read_text(4, text));
}
#endif

int main(void) {
#if CAN_FAIL
  const struct CMUnitTest tests[] = {cmocka_unit_test(reading), cmocka_unit_test(reading_onto_a_bank), cmocka_unit_test(adding)};
#else
  const struct CMUnitTest tests[] = {cmocka_unit_test(reading)};
#endif
  return cmocka_run_group_tests(tests, NULL, NULL);
}
