/* Which format an output gets.
   SPDX-License-Identifier: ISC */
#include "audio_file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static MrAudioIn input(int format, int channels, bool extensible) {
  MrAudioIn in;
  memset(&in, 0, sizeof in);
  in.info.format = format;
  in.info.channels = channels;
  in.info.samplerate = 48000;
  in.container.extensible = extensible;
  return in;
}

typedef struct Case {
  int format, channels; /* of the input */
  bool extensible, has_length, to_pipe, downgrade;
  int major, encoding; /* as asked */
  int expected;        /* 0: refused */
  uint64_t frames;
  const char* path;
} Case;

enum {
  WAV = SF_FORMAT_WAV,
  WAVEX = SF_FORMAT_WAVEX,
  RF64 = SF_FORMAT_RF64,
  F = SF_FORMAT_FLOAT,
  S16 = SF_FORMAT_PCM_16,
  S24 = SF_FORMAT_PCM_24
};

static const Case cases[] = {
    /* as the input */
    {WAV | F, 64, false, true, false, false, 0, 0, WAV | F, 48000, "o.wav"},
    {WAVEX | S24, 6, true, true, false, false, 0, 0, WAVEX | S24, 48000, "o.wav"},
    {SF_FORMAT_AIFF | S16, 2, false, true, false, false, 0, 0, SF_FORMAT_AIFF | S16, 48000, "o"},
    {RF64 | F, 2, true, true, false, false, 0, 0, RF64 | F, 48000, "o.wav"},
    /* 64 float channels at 48 kHz pass 4 GiB after 349 s; chunks beside the samples need some room too */
    {WAV | F, 64, false, true, false, false, 0, 0, WAV | F, 48000 * 330, "o.wav"},
    {WAV | F, 64, false, true, false, false, 0, 0, RF64 | F, 48000 * 350, "o.wav"},
    {WAVEX | F, 64, true, true, false, false, 0, 0, RF64 | F, 48000 * 350, "o.wav"},
    {WAV | F, 64, false, true, false, false, WAV, 0, RF64 | F, 48000 * 350, "o.wav"},
    {WAV | F, 64, false, false, false, true, 0, 0, RF64 | F, 0, "o.wav"},
    {SF_FORMAT_AIFF | F, 64, false, true, false, false, 0, 0, 0, 48000 * 350, "o.aiff"},
    {SF_FORMAT_CAF | F, 64, false, true, false, false, 0, 0, SF_FORMAT_CAF | F, 48000 * 350, "o.caf"},
    {WAV | S16, 64, false, true, false, false, 0, F, RF64 | F, 48000 * 350, "o.wav"},
    {WAV | F, 64, false, true, false, false, 0, S16, WAV | S16, 48000 * 350, "o.wav"},
    /* a pipe's header cannot be set later, so it stays WAV */
    {RF64 | F, 64, true, true, true, false, 0, 0, WAVEX | F, 48000 * 350, "-"},
    {WAV | F, 64, false, false, true, false, 0, 0, WAV | F, 0, "-"},
    {SF_FORMAT_AIFF | F, 2, false, true, true, false, 0, 0, 0, 48000, "-"},
    /* as asked, or as the name asks */
    {WAV | S16, 2, false, true, false, false, 0, 0, SF_FORMAT_FLAC | S16, 48000, "o.FLAC"},
    {WAV | S16, 2, false, true, false, false, 0, 0, WAV | S16, 48000, "a.b/o"},
    {WAV | S16, 2, false, true, false, false, SF_FORMAT_W64, S24, SF_FORMAT_W64 | S24, 48000, "o.flac"},
    {WAV | F, 2, false, true, false, false, 0, 0, SF_FORMAT_FLAC | S24, 48000, "o.flac"},
    {WAV | F, 2, false, true, false, false, 0, F, 0, 48000, "o.flac"},
    {WAV | F, 9, false, true, false, false, 0, 0, 0, 48000, "o.flac"},
    {WAV | F, 2, false, true, false, false, 0, 0, SF_FORMAT_OGG | SF_FORMAT_VORBIS, 48000, "o.ogg"},
};

static void formats(void** state) {
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    const Case* const c = &cases[i];
    const MrAudioIn in = input(c->format, c->channels, c->extensible);
    MrAudioPlan plan = {
        .channels = (uint32_t)c->channels, .rate = 48000, .has_length = c->has_length, .frames = c->frames, .to_pipe = c->to_pipe};
    char why[MR_WHY] = "";
    const bool ok = mr_audio_plan(&plan, &in, c->path, c->major, c->encoding, why);
    if (ok != (c->expected != 0)) fail_msg("case %zu: %s", i, why);
    if (ok && plan.format != c->expected) fail_msg("case %zu: %#x", i, (unsigned)plan.format);
    if (ok) assert_int_equal(plan.downgrade, c->downgrade);
    if (!ok) assert_true(strlen(why) > 10);
  }
}

static void names(void** state) {
  (void)state;
  assert_int_equal(mr_encoding_parse("S24"), SF_FORMAT_PCM_24);
  assert_int_equal(mr_encoding_parse("s25"), 0);
  assert_int_equal(mr_encoding_parse(""), 0);
  assert_int_equal(mr_encoding_parse_raw("s16be"), SF_FORMAT_PCM_16 | SF_ENDIAN_BIG);
  assert_int_equal(mr_encoding_parse_raw("double"), SF_FORMAT_DOUBLE | SF_ENDIAN_LITTLE); /* which ends in "le" by itself */
  assert_int_equal(mr_encoding_parse_raw("doublebe"), SF_FORMAT_DOUBLE | SF_ENDIAN_BIG);
  assert_int_equal(mr_encoding_parse_raw("le"), 0);
  assert_int_equal(mr_encoding_parse_raw("a name that is far too long"), 0);
  assert_int_equal(mr_format_parse("RF64"), SF_FORMAT_RF64);
  assert_int_equal(mr_format_from_path("a/b.wav"), SF_FORMAT_WAV);
  assert_int_equal(mr_format_from_path("a.wav/b"), 0);
  assert_string_equal(mr_encoding_name(SF_FORMAT_WAV | SF_FORMAT_PCM_24), "s24");
  assert_string_equal(mr_format_name(SF_FORMAT_CAF | SF_FORMAT_FLOAT), "caf");
  assert_true(mr_encoding_is_wide(SF_FORMAT_PCM_32) && mr_encoding_is_wide(SF_FORMAT_DOUBLE) && !mr_encoding_is_wide(SF_FORMAT_PCM_24));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(formats), cmocka_unit_test(names)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
