/* Names of sample encodings and file formats, and what they hold.
   SPDX-License-Identifier: ISC */
#include "encoding.h"

#include <sndfile.h>
#include <string.h>
#include <strings.h>

static const struct Encoding {
  const char* name;
  int subtype;
  unsigned bits, bytes;
} encodings[] = {
    {"s16", SF_FORMAT_PCM_16, 16, 2},        {"s24", SF_FORMAT_PCM_24, 24, 3},       {"s32", SF_FORMAT_PCM_32, 32, 4},
    {"float", SF_FORMAT_FLOAT, 0, 4},        {"double", SF_FORMAT_DOUBLE, 0, 8},     {"u8", SF_FORMAT_PCM_U8, 8, 1},
    {"s8", SF_FORMAT_PCM_S8, 8, 1},          {"ulaw", SF_FORMAT_ULAW, 16, 1},        {"alaw", SF_FORMAT_ALAW, 16, 1},
    {"alac16", SF_FORMAT_ALAC_16, 16, 0},    {"alac20", SF_FORMAT_ALAC_20, 20, 0},   {"alac24", SF_FORMAT_ALAC_24, 24, 0},
    {"alac32", SF_FORMAT_ALAC_32, 32, 0},    {"vorbis", SF_FORMAT_VORBIS, 0, 0},     {"opus", SF_FORMAT_OPUS, 0, 0},
    {"mp3", SF_FORMAT_MPEG_LAYER_III, 0, 0}, {"mp2", SF_FORMAT_MPEG_LAYER_II, 0, 0}, {"mp1", SF_FORMAT_MPEG_LAYER_I, 0, 0},
    {"dwvw24", SF_FORMAT_DWVW_24, 24, 0},
};
enum { ENCODINGS = sizeof encodings / sizeof encodings[0], CHOOSABLE = 9 };

static const struct Format {
  const char* name;
  int major;
  const char* endings[3];
} formats[] = {
    {"wav", SF_FORMAT_WAV, {"wav", "wave", NULL}},
    {"wavex", SF_FORMAT_WAVEX, {"wav", NULL}},
    {"rf64", SF_FORMAT_RF64, {"wav", "rf64", NULL}},
    {"w64", SF_FORMAT_W64, {"w64", NULL}},
    {"caf", SF_FORMAT_CAF, {"caf", NULL}},
    {"flac", SF_FORMAT_FLAC, {"flac", NULL}},
    {"aiff", SF_FORMAT_AIFF, {"aiff", "aif", "aifc"}},
    {"au", SF_FORMAT_AU, {"au", "snd", NULL}},
    {"raw", SF_FORMAT_RAW, {"raw", NULL}},
    {"ogg", SF_FORMAT_OGG, {"ogg", "oga", "opus"}},
    {"mp3", SF_FORMAT_MPEG, {"mp3", NULL}},
};
enum { FORMATS = sizeof formats / sizeof formats[0] };

static const struct Encoding* find_encoding(int format) {
  for (int i = 0; i < ENCODINGS; ++i)
    if (encodings[i].subtype == (format & SF_FORMAT_SUBMASK)) return &encodings[i];
  return NULL;
}

static const struct Format* find_format(int format) {
  for (int i = 0; i < FORMATS; ++i)
    if (formats[i].major == (format & SF_FORMAT_TYPEMASK)) return &formats[i];
  return NULL;
}

int mr_encoding_parse(const char* name) {
  for (int i = 0; i < CHOOSABLE; ++i)
    if (strcasecmp(name, encodings[i].name) == 0) return encodings[i].subtype;
  return 0;
}

int mr_encoding_parse_raw(const char* name) {
  char plain[16];
  const size_t length = strlen(name);
  if (length >= sizeof plain) return 0;
  memcpy(plain, name, length + 1);
  int endian = SF_ENDIAN_LITTLE;
  if (length > 2 && (strcasecmp(plain + length - 2, "le") == 0 || strcasecmp(plain + length - 2, "be") == 0)) {
    if (strcasecmp(plain + length - 2, "be") == 0) endian = SF_ENDIAN_BIG;
    if (!mr_encoding_parse(plain)) plain[length - 2] = '\0'; /* no encoding's own name ends so: it is a byte order */
  }
  const int subtype = mr_encoding_parse(plain);
  return subtype ? subtype | endian : 0;
}

const char* mr_encoding_name(int format) {
  const struct Encoding* encoding = find_encoding(format);
  if (encoding) return encoding->name;
  SF_FORMAT_INFO info = {.format = format & SF_FORMAT_SUBMASK};
  return sf_command(NULL, SFC_GET_FORMAT_INFO, &info, sizeof info) == 0 && info.name ? info.name : "another encoding";
}

int mr_format_parse(const char* name) {
  for (int i = 0; i < FORMATS; ++i)
    if (strcasecmp(name, formats[i].name) == 0) return formats[i].major;
  return 0;
}

int mr_format_from_path(const char* path) {
  const char* const slash = strrchr(path, '/');
  const char* const point = strrchr(slash ? slash : path, '.');
  if (!point) return 0;
  for (int i = 0; i < FORMATS; ++i)
    for (int k = 0; k < 3 && formats[i].endings[k]; ++k)
      if (strcasecmp(point + 1, formats[i].endings[k]) == 0) return formats[i].major;
  return 0;
}

const char* mr_format_name(int format) {
  const struct Format* known = find_format(format);
  if (known) return known->name;
  SF_FORMAT_INFO info = {.format = format & SF_FORMAT_TYPEMASK};
  return sf_command(NULL, SFC_GET_FORMAT_INFO, &info, sizeof info) == 0 && info.name ? info.name : "another format";
}

const char* mr_format_ending(int format) {
  const struct Format* known = find_format(format);
  return known ? known->endings[0] : "audio";
}

bool mr_format_is_wave(int format) {
  const int major = format & SF_FORMAT_TYPEMASK;
  return major == SF_FORMAT_WAV || major == SF_FORMAT_WAVEX || major == SF_FORMAT_RF64;
}

MrSampleKind mr_encoding_kind(int format) {
  const int subtype = format & SF_FORMAT_SUBMASK;
  if (subtype == SF_FORMAT_DOUBLE) return MR_SAMPLE_DOUBLE;
  const unsigned bits = mr_encoding_bits(format);
  return bits == 0 ? MR_SAMPLE_FLOAT : bits <= 16 ? MR_SAMPLE_INT16 : MR_SAMPLE_INT32;
}

unsigned mr_encoding_bits(int format) {
  const struct Encoding* encoding = find_encoding(format);
  return encoding ? encoding->bits : 16; /* the rest of libsndfile's are ADPCM and the like, of 16 bits or fewer */
}

unsigned mr_encoding_bytes(int format) {
  const struct Encoding* encoding = find_encoding(format);
  return encoding && (format & SF_FORMAT_TYPEMASK) != SF_FORMAT_FLAC ? encoding->bytes : 0;
}

bool mr_encoding_is_wide(int format) {
  const int subtype = format & SF_FORMAT_SUBMASK;
  return subtype == SF_FORMAT_DOUBLE || mr_encoding_bits(format) > 24;
}
