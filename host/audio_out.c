/* Audio files out, over libsndfile.
   SPDX-License-Identifier: ISC */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "audio_file.h"
#include "metadata.h"

/* Room for chunks beside the samples in a file of at most 4 GiB. */
static const uint64_t four_gib = (uint64_t)1 << 32, header_room = (uint64_t)32 << 20;

/* ---------------------------------------------------------------- plan */

static bool plan_fits(const MrAudioPlan* plan) {
  SF_INFO info = {.samplerate = plan->rate, .channels = (int)plan->channels, .format = plan->format};
  return sf_format_check(&info) != 0;
}

/* The encoding as asked, or where only the input asks for it the best one that the format can hold. */
static bool choose_encoding(MrAudioPlan* plan, int major, int endian, int wanted, int input, char* why) {
  const int fallback[] = {SF_FORMAT_FLOAT, SF_FORMAT_PCM_24, SF_FORMAT_PCM_16, SF_FORMAT_VORBIS, SF_FORMAT_MPEG_LAYER_III};
  const int first = wanted ? wanted : input;
  const int endians[] = {endian, SF_ENDIAN_FILE};
  for (int e = 0; e < 2; ++e) {
    plan->format = major | first | endians[e];
    if (plan_fits(plan)) return true;
  }
  for (size_t i = 0; !wanted && i < sizeof fallback / sizeof fallback[0]; ++i) {
    plan->format = major | fallback[i];
    if (plan_fits(plan)) return true;
  }
  snprintf(why, MR_WHY, "%s files cannot hold %u channels of %s at %d Hz", mr_format_name(major), plan->channels, mr_encoding_name(first),
           plan->rate);
  return false;
}

static bool can_pipe(int major) {
  return major == SF_FORMAT_WAV || major == SF_FORMAT_WAVEX || major == SF_FORMAT_AU || major == SF_FORMAT_CAF || major == SF_FORMAT_RAW ||
         major == SF_FORMAT_FLAC || major == SF_FORMAT_OGG;
}

/* Which of the WAVE family: RF64 where 4 GiB may not do. */
static int choose_wave(MrAudioPlan* plan, int major, bool asked, bool extensible, uint64_t bytes) {
  if (plan->to_pipe) return major == SF_FORMAT_RF64 ? SF_FORMAT_WAVEX : major; /* RF64 needs to know the length; see set_sizes() */
  if (major == SF_FORMAT_RF64) return major;
  if (!plan->has_length || bytes > four_gib - header_room) {
    plan->downgrade = !plan->has_length;
    return SF_FORMAT_RF64;
  }
  return asked || !extensible ? major : SF_FORMAT_WAVEX;
}

bool mr_audio_plan(MrAudioPlan* plan, const MrAudioIn* in, const char* path, int wanted_major, int wanted_encoding, char* why) {
  const int input_major = in->info.format & SF_FORMAT_TYPEMASK;
  const int input_encoding = in->info.format & SF_FORMAT_SUBMASK;
  int major = wanted_major;
  if (!major) {
    const int ending = mr_format_from_path(path);
    const bool same_family = mr_format_is_wave(ending) && mr_format_is_wave(input_major);
    major = ending && !same_family ? ending : input_major;
  }
  const int endian = major == input_major ? in->info.format & SF_FORMAT_ENDMASK : SF_ENDIAN_FILE;
  if (!choose_encoding(plan, major, endian, wanted_encoding, input_encoding, why)) return false;
  const unsigned sample = mr_encoding_bytes(plan->format);
  const uint64_t bytes = plan->frames * plan->channels * (sample ? sample : 4);
  if (mr_format_is_wave(major)) {
    const int chosen = choose_wave(plan, major, wanted_major != 0, in->container.extensible, bytes);
    if (!choose_encoding(plan, chosen, chosen == input_major ? endian : SF_ENDIAN_FILE, wanted_encoding, plan->format & SF_FORMAT_SUBMASK,
                         why))
      return false;
  } else if ((major == SF_FORMAT_AIFF || major == SF_FORMAT_AU) && !plan->to_pipe && plan->has_length && bytes > four_gib - header_room) {
    snprintf(why, MR_WHY, "%s files end at 4 GiB; choose --format rf64, w64 or caf", mr_format_name(major));
    return false;
  }
  if (plan->to_pipe && !can_pipe(plan->format & SF_FORMAT_TYPEMASK)) {
    snprintf(why, MR_WHY, "%s files cannot be written to a pipe; choose --format wav, au, caf, flac or raw", mr_format_name(major));
    return false;
  }
  return true;
}

/* ------------------------------------------------------------- writing */

static void put_number(uint8_t* at, uint64_t value, unsigned bytes, bool big_endian) {
  for (unsigned i = 0; i < bytes; ++i) at[big_endian ? bytes - 1 - i : i] = (uint8_t)(value >> (8 * i));
}

/* A pipe's header goes out once, so it has to hold the final sizes; where they are not known, or too large for the field, the value that
   stands for it in that format. */
static void set_sizes(MrAudioOut* out) {
  MrStreamOut* const stream = &out->stream;
  MrContainerMemory memory = {stream->held, stream->held_size};
  const MrContainer c = mr_container_scan(mr_container_read_memory, &memory);
  const MrAudioPlan* const plan = &out->plan;
  const uint64_t sample = mr_encoding_bytes(plan->format);
  const bool known = plan->has_length && sample != 0;
  const uint64_t bytes = known ? plan->frames * plan->channels * sample : 0;
  const uint64_t unknown = 0xffffffffu;
  if (!c.has_data || c.data_at > stream->held_size) return;
  if (c.kind == MR_CONTAINER_WAVE) {
    const bool fits = known && bytes < four_gib - header_room;
    put_number(stream->held + 4, fits ? c.data_at - 8 + bytes + (bytes & 1) : unknown, 4, c.big_endian);
    put_number(stream->held + c.size_at, fits ? bytes : unknown, 4, c.big_endian);
    if (c.fact_at) put_number(stream->held + c.fact_at, fits ? plan->frames : unknown, 4, c.big_endian);
    if (c.mask_at) put_number(stream->held + c.mask_at, plan->mask, 4, c.big_endian);
  } else if (c.kind == MR_CONTAINER_AU) {
    put_number(stream->held + c.size_at, known && bytes < unknown ? bytes : unknown, 4, c.big_endian);
  } else if (c.kind == MR_CONTAINER_CAF) {
    put_number(stream->held + c.size_at, known ? bytes + 4 : UINT64_MAX, 8, true);
  }
}

MrAudioOut* mr_audio_out_open(int fd, const MrAudioPlan* plan, const MrAudioIn* like, bool whole, char* why) {
  MrAudioOut* const out = calloc(1, sizeof *out);
  if (!out) {
    snprintf(why, MR_WHY, "no memory");
    return NULL;
  }
  out->plan = *plan;
  mr_stream_out_start(&out->stream, fd, !plan->to_pipe);
  SF_INFO info = {.samplerate = plan->rate, .channels = (int)plan->channels, .format = plan->format};
  out->file = sf_open_virtual(&mr_stream_out_io, SFM_WRITE, &info, &out->stream);
  if (!out->file) {
    snprintf(why, MR_WHY, "cannot be written: %s", out->stream.error ? strerror(out->stream.error) : sf_strerror(NULL));
    mr_audio_out_abandon(out);
    return NULL;
  }
  sf_command(out->file, SFC_SET_ADD_PEAK_CHUNK, NULL, SF_FALSE); /* halves the time of float files */
  if (plan->downgrade) sf_command(out->file, SFC_RF64_AUTO_DOWNGRADE, NULL, SF_TRUE);
  if (like) mr_metadata_copy(like->file, out->file, whole);
  return out;
}

static bool say_write_failure(const MrAudioOut* out, char* why) {
  if (out->stream.error == EPIPE) {
    snprintf(why, MR_WHY, "the pipe was closed before the end");
  } else if (out->stream.error) {
    snprintf(why, MR_WHY, "cannot be written: %s", strerror(out->stream.error));
  } else {
    snprintf(why, MR_WHY, "cannot be written: %s", out->file ? sf_strerror(out->file) : "the file came out wrong");
    why[strcspn(why, "\n")] = '\0';
  }
  return false;
}

bool mr_audio_out_write(MrAudioOut* out, const void* samples, MrSampleKind kind, uint32_t frames, char* why) {
  if (!frames) return true;
  sf_count_t n = 0;
  switch (kind) {
    case MR_SAMPLE_FLOAT:
      n = sf_writef_float(out->file, samples, frames);
      break;
    case MR_SAMPLE_DOUBLE:
      n = sf_writef_double(out->file, samples, frames);
      break;
    case MR_SAMPLE_INT16:
      n = sf_writef_short(out->file, samples, frames);
      break;
    case MR_SAMPLE_INT32:
      n = sf_writef_int(out->file, samples, frames);
      break;
  }
  if (n > 0) out->frames_written += (uint64_t)n;
  if (n != (sf_count_t)frames || out->stream.error) return say_write_failure(out, why);
  if (out->plan.to_pipe && !out->stream.released) {
    set_sizes(out);
    if (!mr_stream_out_release(&out->stream)) return say_write_failure(out, why);
  }
  return true;
}

static size_t read_back(void* handle, uint64_t offset, void* to, size_t bytes) {
  const MrStreamOut* const stream = handle;
  const ssize_t n = pread(stream->fd, to, bytes, (off_t)offset);
  return n > 0 ? (size_t)n : 0;
}

/* A finished file: the mask as it was in the input (libsndfile makes up its own), and the length that it should have. */
static bool set_mask_and_check(MrAudioOut* out, char* why) {
  const MrAudioPlan* const plan = &out->plan;
  const MrContainer c = mr_container_scan(read_back, &out->stream);
  if (c.mask_at) {
    uint8_t mask[4];
    put_number(mask, plan->mask, 4, c.big_endian);
    if (pwrite(out->stream.fd, mask, 4, (off_t)c.mask_at) != 4) {
      out->stream.error = errno;
      return say_write_failure(out, why);
    }
  }
  const uint64_t bytes = out->frames_written * plan->channels * mr_encoding_bytes(plan->format);
  const bool right = !bytes || !c.has_data || c.data_bytes == bytes || c.data_bytes == bytes + (bytes & 1); /* some count the pad byte */
  return right || say_write_failure(out, why);
}

bool mr_audio_out_finish(MrAudioOut* out, char* why) {
  const int closed = sf_close(out->file);
  out->file = NULL;
  bool ok = closed == 0 && !out->stream.error;
  if (ok && out->plan.to_pipe && !out->stream.released) {
    set_sizes(out);
    ok = mr_stream_out_release(&out->stream);
  }
  if (!ok) {
    say_write_failure(out, why);
  } else if (!out->plan.to_pipe) {
    ok = set_mask_and_check(out, why);
  }
  mr_audio_out_abandon(out);
  return ok;
}

void mr_audio_out_abandon(MrAudioOut* out) {
  if (!out) return;
  if (out->file) {
    out->stream.error = out->stream.error ? out->stream.error : ECANCELED; /* nothing more is written */
    sf_close(out->file);
  }
  mr_stream_out_free(&out->stream);
  free(out);
}
