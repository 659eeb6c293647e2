/* Names of sample encodings and file formats, and what they hold.
   SPDX-License-Identifier: ISC */
#ifndef MR_HOST_ENCODING_H
#define MR_HOST_ENCODING_H

#include <stdbool.h>
#include <stdint.h>

/* How samples of a format go through libsndfile. */
typedef enum MrSampleKind {
  MR_SAMPLE_FLOAT, /* as float32 */
  MR_SAMPLE_DOUBLE,
  MR_SAMPLE_INT16, /* as int16: 16 bits or fewer */
  MR_SAMPLE_INT32
} MrSampleKind;

/* libsndfile's format of an encoding name ("s16", "float" ...), a SF_FORMAT_ subtype; 0: no such name. */
int mr_encoding_parse(const char* name);
/* As mr_encoding_parse, for raw files: "s16", "s16le", "s16be" with an SF_ENDIAN_ (little where none is said). */
int mr_encoding_parse_raw(const char* name);
/* A format's encoding name: one that mr_encoding_parse takes where there is one, else libsndfile's. */
const char* mr_encoding_name(int format);
/* All names, for messages: "u8, s8, s16 ...". */
#define MR_ENCODING_NAMES "u8, s8, s16, s24, s32, float, double, ulaw, alaw"

/* An SF_FORMAT_ major type of a name ("wav" ...) or a file name's ending; 0: no such name. */
int mr_format_parse(const char* name);
int mr_format_from_path(const char* path);
const char* mr_format_name(int format);
/* The usual ending without its point; "audio" where it is not known. */
const char* mr_format_ending(int format);
#define MR_FORMAT_NAMES "wav, wavex, rf64, w64, caf, flac, aiff, au, raw, ogg"

/* True for WAV, WAVEX and RF64: one family to a user. */
bool mr_format_is_wave(int format);

MrSampleKind mr_encoding_kind(int format);
/* Bits of integer encodings; 0 for the others. */
unsigned mr_encoding_bits(int format);
/* Bytes of a sample where all samples have one size; 0 where they have not. */
unsigned mr_encoding_bytes(int format);
/* True where float64 streams are needed to keep every bit: s32, double. */
bool mr_encoding_is_wide(int format);

#endif
