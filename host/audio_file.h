/* Audio files in and out, over libsndfile.
   SPDX-License-Identifier: ISC

   Errors are told as a short text in `why` (MR_WHY bytes), without the file's name and without a full stop. */
#ifndef MR_HOST_AUDIO_FILE_H
#define MR_HOST_AUDIO_FILE_H

#include <sndfile.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "container.h"
#include "encoding.h"
#include "stream.h"

enum { MR_WHY = 512 };

/* What a file of bare samples cannot say itself. */
typedef struct MrRawFormat {
  int rate; /* Hz */
  int channels;
  int encoding; /* of mr_encoding_parse_raw() */
} MrRawFormat;

typedef struct MrAudioIn {
  int fd;
  MrStreamIn stream;
  SNDFILE* file;
  SNDFILE* samples; /* what is read from: `file`, or its samples as a raw file where the header does not know where they end */
  SF_INFO info;     /* format, rate and channels */
  MrContainer container;
  struct stat status; /* which file it is */
  bool has_length;    /* `frames` holds: not of endless input, nor of formats that only tell at their end */
  uint64_t frames;    /* that there are to be */
  uint64_t frames_read;
} MrAudioIn;

/* "-" is standard input. raw may be NULL. NULL with *why on an error: a file that cannot be opened or is no audio, channels out of
   1 to 1024, a file that is shorter than its header says. */
MrAudioIn* mr_audio_in_open(const char* path, const MrRawFormat* raw, char* why);

/* Up to `frames` interleaved frames as float32 or, if wide, as float64, integers scaled to full scale 1; fewer in *got only at the end.
   False with *why on an error: unreadable, damaged, ended before the length that was promised. */
bool mr_audio_in_read(MrAudioIn* in, void* to, bool wide, uint32_t frames, uint32_t* got, char* why);

void mr_audio_in_close(MrAudioIn* in); /* NULL is allowed */

/* What is to be written. */
typedef struct MrAudioPlan {
  int format; /* libsndfile's: major type, encoding, byte order */
  uint32_t channels;
  int rate;        /* Hz */
  bool has_length; /* `frames` holds */
  uint64_t frames;
  bool to_pipe;
  bool downgrade; /* RF64 that becomes WAV if it ends below 4 GiB */
  uint32_t mask;  /* of loudspeakers, for extensible WAVE formats; 0: none named */
} MrAudioPlan;

/* What a file gets: the encoding and format asked for (0: as the input's), or the nearest that can hold it; WAVE becomes RF64 where its
   4 GiB end. `wanted_major` of 0 follows the ending of `path`, then the input. False with *why where nothing fits. */
bool mr_audio_plan(MrAudioPlan* plan, const MrAudioIn* in, const char* path, int wanted_major, int wanted_encoding, char* why);

typedef struct MrAudioOut {
  MrStreamOut stream;
  SNDFILE* file;
  MrAudioPlan plan;
  uint64_t frames_written;
} MrAudioOut;

/* Borrows the descriptor. `like` gives metadata (may be NULL); `whole`: its channels are all kept, in place. */
MrAudioOut* mr_audio_out_open(int fd, const MrAudioPlan* plan, const MrAudioIn* like, bool whole, char* why);

/* Interleaved frames: of the kind that mr_encoding_kind() has for the plan's format or, unless that is an integer, float64. */
bool mr_audio_out_write(MrAudioOut* out, const void* samples, MrSampleKind kind, uint32_t frames, char* why);

/* Ends the file and frees `out`, on an error too. */
bool mr_audio_out_finish(MrAudioOut* out, char* why);

/* Frees `out`; the file is not whole. NULL is allowed. */
void mr_audio_out_abandon(MrAudioOut* out);

#endif
