/* Audio files in, over libsndfile.
   SPDX-License-Identifier: ISC */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../dsp/millrace.h"
#include "audio_file.h"

/* libsndfile's text without line ends and full stops. */
static void library_text(SNDFILE* file, char* text, size_t size) {
  snprintf(text, size, "%s", sf_strerror(file));
  text[strcspn(text, "\n")] = '\0';
  size_t length = strlen(text);
  while (length && (text[length - 1] == '.' || text[length - 1] == ' ')) text[--length] = '\0';
}

static bool open_descriptor(MrAudioIn* in, const char* path, char* why) {
  in->fd = strcmp(path, "-") == 0 ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
  if (in->fd < 0 || fstat(in->fd, &in->status) != 0) {
    snprintf(why, MR_WHY, "cannot be read: %s", strerror(errno));
    return false;
  }
  if (S_ISDIR(in->status.st_mode)) {
    snprintf(why, MR_WHY, "is a folder, not an audio file");
    return false;
  }
  if (S_ISREG(in->status.st_mode) && in->status.st_size == 0) {
    snprintf(why, MR_WHY, "is empty");
    return false;
  }
  return true;
}

static bool check_channels(int64_t channels, char* why) {
  if (channels >= 1 && channels <= MR_MAX_CHANNELS) return true;
  snprintf(why, MR_WHY, "has %" PRId64 " channels; 1 to %u are possible", channels, MR_MAX_CHANNELS);
  return false;
}

static void say_open_failure(const MrAudioIn* in, char* why) {
  char text[MR_WHY / 2];
  library_text(NULL, text, sizeof text);
  if (in->stream.error) {
    snprintf(why, MR_WHY, "cannot be read: %s", strerror(in->stream.error));
  } else if (in->stream.seekable || in->container.kind == MR_CONTAINER_OTHER) {
    const bool unknown = sf_error(NULL) == SF_ERR_UNRECOGNISED_FORMAT;
    snprintf(why, MR_WHY, unknown ? "is no audio file that can be read (bare samples need --raw)" : "is damaged or of an unknown kind: %s",
             text);
  } else {
    snprintf(why, MR_WHY, "this kind of file cannot be read from a pipe (%s)", text);
  }
}

/* Bytes of a frame; 0 where they are not constant. */
static uint64_t frame_bytes(const MrAudioIn* in) { return (uint64_t)mr_encoding_bytes(in->info.format) * (uint64_t)in->info.channels; }

/* A WAVE file whose writer did not know its length: libsndfile stops where the header's placeholder says, after 2 or 4 GiB or at once. So what
   follows the header is read as a raw file of the same encoding, until its end. */
static bool read_to_the_end(MrAudioIn* in, char* why) {
  const MrContainer* const c = &in->container;
  const uint64_t bytes = frame_bytes(in);
  if ((c->kind != MR_CONTAINER_WAVE && c->kind != MR_CONTAINER_RF64) || !c->has_data || c->has_length || !bytes || c->frame_bytes != bytes)
    return true;
  SF_INFO info = {.samplerate = in->info.samplerate, .channels = in->info.channels};
  info.format = SF_FORMAT_RAW | (in->info.format & SF_FORMAT_SUBMASK) | (c->big_endian ? SF_ENDIAN_BIG : SF_ENDIAN_LITTLE);
  mr_stream_in_samples_at(&in->stream, c->data_at);
  in->samples = sf_open_virtual(&mr_stream_in_io, SFM_READ, &info, &in->stream.samples);
  if (!in->samples) {
    say_open_failure(in, why);
    return false;
  }
  in->info.frames = info.frames;
  return true;
}

static bool find_length(MrAudioIn* in, const MrRawFormat* raw, char* why) {
  const MrContainer* const c = &in->container;
  const uint64_t bytes = frame_bytes(in);
  if (in->info.frames < 0) {
    snprintf(why, MR_WHY, "is damaged: its length is negative");
    return false;
  }
  in->frames = (uint64_t)in->info.frames;
  in->has_length = in->frames < (uint64_t)1 << 56;
  if (!in->stream.seekable) { /* the header alone can tell */
    if (raw) in->has_length = false;
    if (c->kind != MR_CONTAINER_OTHER) in->has_length = c->has_length && bytes != 0;
    if (c->kind != MR_CONTAINER_OTHER && in->has_length) in->frames = c->data_bytes / bytes;
    return true;
  }
  if (raw && bytes && in->stream.size % bytes) {
    snprintf(why, MR_WHY, "is no whole number of frames of %" PRIu64 " bytes", bytes);
    return false;
  }
  const uint64_t there = c->has_data && in->stream.size > c->data_at ? in->stream.size - c->data_at : 0;
  if (c->has_data && c->has_length && c->data_bytes > there) {
    if (bytes) {
      snprintf(why, MR_WHY, "ends early: its header promises %" PRIu64 " frames, %" PRIu64 " are there", c->data_bytes / bytes,
               there / bytes);
    } else {
      snprintf(why, MR_WHY, "ends early: its header promises %" PRIu64 " bytes of sound, %" PRIu64 " are there", c->data_bytes, there);
    }
    return false;
  }
  if (c->has_length && bytes && c->frame_bytes == bytes && in->frames < c->data_bytes / bytes) {
    snprintf(why, MR_WHY, "cannot be read whole: %" PRIu64 " of %" PRIu64 " frames", in->frames, c->data_bytes / bytes);
    return false;
  }
  if (!in->has_length && (in->info.format & SF_FORMAT_TYPEMASK) == SF_FORMAT_OGG) {
    snprintf(why, MR_WHY, "ends early or is damaged: its last page is missing");
    return false;
  }
  return true;
}

static bool open_audio(MrAudioIn* in, const MrRawFormat* raw, char* why) {
  mr_stream_in_start(&in->stream, in->fd);
  if (raw) {
    in->info.samplerate = raw->rate;
    in->info.channels = raw->channels;
    in->info.format = SF_FORMAT_RAW | raw->encoding;
  } else {
    in->container = mr_container_scan(mr_stream_in_peek, &in->stream);
    if (in->container.has_format && !check_channels(in->container.channels, why)) return false;
    in->stream.at = 0;
  }
  in->file = sf_open_virtual(&mr_stream_in_io, SFM_READ, &in->info, &in->stream.whole);
  if (!in->file) {
    say_open_failure(in, why);
    return false;
  }
  in->samples = in->file;
  if (!check_channels(in->info.channels, why)) return false;
  if (in->info.samplerate < MR_MIN_RATE || in->info.samplerate > MR_MAX_RATE) {
    snprintf(why, MR_WHY, "has a rate of %d Hz; %.0f to %.0f Hz are possible", in->info.samplerate, MR_MIN_RATE, MR_MAX_RATE);
    return false;
  }
  if (!read_to_the_end(in, why)) return false;
  mr_stream_in_opened(&in->stream);
  return find_length(in, raw, why);
}

MrAudioIn* mr_audio_in_open(const char* path, const MrRawFormat* raw, char* why) {
  MrAudioIn* const in = calloc(1, sizeof *in);
  if (!in) {
    snprintf(why, MR_WHY, "no memory");
    return NULL;
  }
  if (open_descriptor(in, path, why) && open_audio(in, raw, why)) return in;
  mr_audio_in_close(in);
  return NULL;
}

/* At the end: is it the one that was promised? */
static bool check_end(const MrAudioIn* in, char* why) {
  if (in->has_length && in->frames_read < in->frames) {
    snprintf(why, MR_WHY, "ends early: %" PRIu64 " of %" PRIu64 " frames could be read", in->frames_read, in->frames);
    return false;
  }
  const uint64_t bytes = frame_bytes(in);
  const bool raw = (in->info.format & SF_FORMAT_TYPEMASK) == SF_FORMAT_RAW;
  if (raw && bytes && !in->stream.seekable && in->stream.taken % bytes) {
    snprintf(why, MR_WHY, "ends inside a frame");
    return false;
  }
  return true;
}

bool mr_audio_in_read(MrAudioIn* in, void* to, bool wide, uint32_t frames, uint32_t* got, char* why) {
  *got = 0;
  const sf_count_t n = wide ? sf_readf_double(in->samples, to, frames) : sf_readf_float(in->samples, to, frames);
  if (n > 0) {
    *got = (uint32_t)n;
    in->frames_read += *got;
  }
  if (in->stream.error) {
    snprintf(why, MR_WHY, "cannot be read: %s", strerror(in->stream.error));
    return false;
  }
  if (*got == frames) return true;
  if (sf_error(in->samples)) {
    char text[MR_WHY / 2];
    library_text(in->samples, text, sizeof text);
    snprintf(why, MR_WHY, "is damaged or ends early after frame %" PRIu64 ": %s", in->frames_read, text);
    return false;
  }
  return check_end(in, why);
}

void mr_audio_in_close(MrAudioIn* in) {
  if (!in) return;
  if (in->samples && in->samples != in->file) sf_close(in->samples);
  if (in->file) sf_close(in->file);
  mr_stream_in_free(&in->stream);
  if (in->fd >= 0) close(in->fd);
  free(in);
}
