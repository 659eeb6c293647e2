/* What headers say, written here by hand.
   SPDX-License-Identifier: ISC */
#include "container.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* A header in the making. */
typedef struct Header {
  uint8_t bytes[512];
  size_t size;
} Header;

static void put(Header* h, const char* text) {
  memcpy(h->bytes + h->size, text, strlen(text));
  h->size += strlen(text);
}

static void put_number(Header* h, uint64_t value, unsigned bytes, bool big_endian) {
  for (unsigned i = 0; i < bytes; ++i) h->bytes[h->size++] = (uint8_t)(value >> 8 * (big_endian ? bytes - 1 - i : i));
}

static MrContainer scan(const Header* h, size_t size) {
  MrContainerMemory memory = {h->bytes, size};
  return mr_container_scan(mr_container_read_memory, &memory);
}

static Header wave(const char* kind, uint64_t whole, uint16_t tag, uint16_t channels, uint32_t mask, uint64_t data) {
  const bool big = kind[3] == 'X';
  Header h = {.size = 0};
  put(&h, kind);
  put_number(&h, whole, 4, big);
  put(&h, "WAVE");
  put(&h, "junk");
  put_number(&h, 3, 4, big); /* odd: a pad byte follows */
  put_number(&h, 0, 4, big);
  put(&h, "fmt ");
  put_number(&h, tag == 0xfffe ? 40 : 16, 4, big);
  put_number(&h, tag, 2, big);
  put_number(&h, channels, 2, big);
  put_number(&h, 48000, 4, big);
  put_number(&h, 0, 4, big);
  put_number(&h, 4u * channels, 2, big);
  put_number(&h, 32, 2, big);
  if (tag == 0xfffe) {
    put_number(&h, 22, 2, big);
    put_number(&h, 32, 2, big);
    put_number(&h, mask, 4, big);
    for (int i = 0; i < 16; ++i) put_number(&h, 0, 1, big);
  }
  put(&h, "data");
  put_number(&h, data, 4, big);
  return h;
}

static void wave_files(void** state) {
  (void)state;
  Header h = wave("RIFF", 5000, 3, 7, 0, 4000);
  MrContainer c = scan(&h, h.size);
  assert_int_equal(c.kind, MR_CONTAINER_WAVE);
  assert_true(c.has_format && c.has_data && c.has_length && !c.extensible && !c.big_endian && !c.unfinished);
  assert_int_equal(c.channels, 7);
  assert_int_equal(c.data_at, h.size);
  assert_int_equal(c.size_at, h.size - 4);
  assert_int_equal(c.data_bytes, 4000);
  h = wave("RIFX", 5000, 0xfffe, 1024, 0x8003f60fu, 4000);
  c = scan(&h, h.size);
  assert_true(c.big_endian && c.extensible && c.has_length);
  assert_int_equal(c.channels, 1024);
  assert_int_equal(c.mask, 0x8003f60fu);
  assert_int_equal(h.bytes[c.mask_at], 0x80);
}

static void lengths_that_nobody_knew(void** state) {
  (void)state;
  const uint32_t unknown[] = {0xffffffffu, 0x7ffff000u, 0x7fffffffu, 0xfffff000u};
  for (size_t i = 0; i < sizeof unknown / sizeof unknown[0]; ++i) {
    const Header h = wave("RIFF", unknown[i], 3, 2, 0, unknown[i]);
    const MrContainer c = scan(&h, h.size);
    assert_true(c.has_data && !c.has_length && !c.unfinished);
  }
  Header h = wave("RIFF", 0, 3, 2, 0, 0); /* stopped before it could set its sizes */
  assert_true(scan(&h, h.size).unfinished && !scan(&h, h.size).has_length);
  h = wave("RIFF", h.size - 8, 3, 2, 0, 0); /* no frames, and meant so */
  assert_true(!scan(&h, h.size).unfinished && scan(&h, h.size).has_length);
  h = wave("RIFF", 0x70000000, 3, 2, 0, 0x70000000); /* long, but plausible */
  assert_true(scan(&h, h.size).has_length);
}

static void rf64_files(void** state) {
  (void)state;
  Header h = {.size = 0};
  put(&h, "RF64");
  put_number(&h, 0xffffffffu, 4, false);
  put(&h, "WAVEds64");
  put_number(&h, 28, 4, false);
  put_number(&h, 0x1000000000u + 100, 8, false);
  put_number(&h, 0x1000000000u, 8, false);
  put_number(&h, 0, 8, false);
  put_number(&h, 0, 4, false);
  put(&h, "data");
  put_number(&h, 0xffffffffu, 4, false);
  const MrContainer c = scan(&h, h.size);
  assert_int_equal(c.kind, MR_CONTAINER_RF64);
  assert_true(c.has_length && !c.has_format);
  assert_int_equal(c.data_bytes, 0x1000000000u);
}

static void other_kinds(void** state) {
  (void)state;
  Header h = {.size = 0};
  put(&h, "FORM");
  put_number(&h, 1000, 4, true);
  put(&h, "AIFFCOMM");
  put_number(&h, 18, 4, true);
  put_number(&h, 5, 2, true);
  for (int i = 0; i < 16; ++i) put_number(&h, 0, 1, true);
  put(&h, "SSND");
  put_number(&h, 608, 4, true);
  put_number(&h, 0, 8, true);
  MrContainer c = scan(&h, h.size);
  assert_int_equal(c.kind, MR_CONTAINER_AIFF);
  assert_true(c.has_length && c.channels == 5 && c.data_bytes == 600 && c.data_at == h.size);

  h.size = 0;
  put(&h, "caff");
  put_number(&h, 0x00010000, 4, true);
  put(&h, "desc");
  put_number(&h, 32, 8, true);
  for (int i = 0; i < 24; ++i) put_number(&h, 0, 1, true);
  put_number(&h, 9, 4, true);
  put_number(&h, 32, 4, true);
  put(&h, "data");
  put_number(&h, 604, 8, true);
  put_number(&h, 0, 4, true);
  c = scan(&h, h.size);
  assert_int_equal(c.kind, MR_CONTAINER_CAF);
  assert_true(c.has_length && c.channels == 9 && c.data_bytes == 600 && c.data_at == h.size);
  memset(h.bytes + c.size_at, 0xff, 8);
  assert_false(scan(&h, h.size).has_length);

  h.size = 0;
  put(&h, ".snd");
  put_number(&h, 28, 4, true);
  put_number(&h, 600, 4, true);
  put_number(&h, 6, 4, true);
  put_number(&h, 48000, 4, true);
  put_number(&h, 3, 4, true);
  c = scan(&h, h.size);
  assert_int_equal(c.kind, MR_CONTAINER_AU);
  assert_true(c.has_length && c.channels == 3 && c.data_bytes == 600 && c.data_at == 28 && c.big_endian);
}

/* Whatever is cut or wrong: nothing is read that is not there, and it ends. */
static void nonsense_is_harmless(void** state) {
  (void)state;
  const char* const kinds[] = {"RIFF", "RIFX", "RF64", "FORM", "caff", ".snd", "riff"};
  srand(3);
  for (int round = 0; round < 20000; ++round) {
    Header h = wave(kinds[round % 7], 5000, round & 8 ? 0xfffe : 1, 2, 3, 4000);
    for (int i = 0; i < 6; ++i) h.bytes[4 + rand() % (int)(h.size - 4)] = (uint8_t)rand();
    const size_t size = (size_t)rand() % (h.size + 1);
    uint8_t* const exact = malloc(size + !size); /* of its own, so that sanitizers see the end */
    assert_non_null(exact);
    memcpy(exact, h.bytes, size);
    MrContainerMemory memory = {exact, size};
    const MrContainer c = mr_container_scan(mr_container_read_memory, &memory);
    assert_true(c.has_data || !c.has_length);
    free(exact);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(wave_files),  cmocka_unit_test(lengths_that_nobody_knew), cmocka_unit_test(rf64_files),
      cmocka_unit_test(other_kinds), cmocka_unit_test(nonsense_is_harmless),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
