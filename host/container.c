/* What an audio file's own header says of its length, channels and speakers.
   SPDX-License-Identifier: ISC */
#include "container.h"

#include <string.h>

enum { CHUNKS_AT_MOST = 4096 };

typedef struct Scan {
  MrContainerRead read;
  void* handle;
  MrContainer c;
} Scan;

static uint64_t number(const uint8_t* p, unsigned bytes, bool big_endian) {
  uint64_t value = 0;
  for (unsigned i = 0; i < bytes; ++i) value = value << 8 | p[big_endian ? i : bytes - 1 - i];
  return value;
}

static bool get(Scan* s, uint64_t offset, void* to, size_t bytes) { return s->read(s->handle, offset, to, bytes) == bytes; }

size_t mr_container_read_memory(void* handle, uint64_t offset, void* to, size_t bytes) {
  const MrContainerMemory* memory = handle;
  if (offset >= memory->size) return 0;
  const size_t there = memory->size - (size_t)offset;
  const size_t n = bytes < there ? bytes : there;
  memcpy(to, memory->bytes + offset, n);
  return n;
}

/* Programs that write to a pipe cannot know the length: they write 2^32 - 1, or (SoX and others) a little less than 2^31 or 2^32. */
static bool is_placeholder(uint64_t size) {
  return (size >= 0x7fff0000u && size <= 0x7fffffffu) || (size >= 0xffff0000u && size <= 0xffffffffu);
}

static void wave_format(Scan* s, uint64_t at, uint64_t size) {
  uint8_t b[40];
  const size_t wanted = size < sizeof b ? (size_t)size : sizeof b;
  if (wanted < 16 || !get(s, at, b, wanted)) return;
  s->c.has_format = true;
  s->c.channels = (uint32_t)number(b + 2, 2, s->c.big_endian);
  s->c.frame_bytes = (uint32_t)number(b + 12, 2, s->c.big_endian);
  if (wanted == sizeof b && number(b, 2, s->c.big_endian) == 0xfffe) {
    s->c.extensible = true;
    s->c.mask = (uint32_t)number(b + 20, 4, s->c.big_endian);
    s->c.mask_at = at + 20;
  }
}

static void scan_wave(Scan* s) {
  uint64_t long_size = 0; /* of RF64's ds64 chunk */
  uint64_t at = 12;
  uint8_t b[24];
  const uint64_t file_size =
      get(s, 4, b, 4) ? number(b, 4, s->c.big_endian) : 0; /* less 8; a program that was stopped leaves one too small */
  for (int i = 0; i < CHUNKS_AT_MOST && get(s, at, b, 8); ++i) {
    uint64_t size = number(b + 4, 4, s->c.big_endian);
    if (memcmp(b, "data", 4) == 0) {
      s->c.has_data = true;
      s->c.data_at = at + 8;
      s->c.size_at = at + 4;
      if (s->c.kind == MR_CONTAINER_RF64 && size == 0xffffffffu) {
        s->c.data_bytes = long_size;
        s->c.has_length = long_size != 0 && long_size < (uint64_t)1 << 62;
      } else {
        s->c.data_bytes = size;
        s->c.unfinished = size == 0 && (file_size < at || is_placeholder(file_size));
        s->c.has_length = !s->c.unfinished && !is_placeholder(size);
      }
      return;
    }
    if (memcmp(b, "fmt ", 4) == 0) wave_format(s, at + 8, size);
    if (memcmp(b, "fact", 4) == 0 && size >= 4) s->c.fact_at = at + 8;
    if (memcmp(b, "ds64", 4) == 0 && get(s, at + 8, b, 16)) long_size = number(b + 8, 8, false);
    at += 8 + size + (size & 1);
  }
}

static void scan_aiff(Scan* s) {
  uint64_t at = 12;
  uint8_t b[8];
  for (int i = 0; i < CHUNKS_AT_MOST && get(s, at, b, 8); ++i) {
    const uint64_t size = number(b + 4, 4, true);
    if (memcmp(b, "SSND", 4) == 0) {
      s->c.has_data = true;
      s->c.size_at = at + 4;
      s->c.data_at = at + 16;
      s->c.has_length = size > 8 && !is_placeholder(size);
      s->c.data_bytes = size > 8 ? size - 8 : 0;
      return;
    }
    uint8_t channels[2];
    if (memcmp(b, "COMM", 4) == 0 && get(s, at + 8, channels, 2)) {
      s->c.has_format = true;
      s->c.channels = (uint32_t)number(channels, 2, true);
    }
    at += 8 + size + (size & 1);
  }
}

static void scan_caf(Scan* s) {
  uint64_t at = 8;
  uint8_t b[12];
  for (int i = 0; i < CHUNKS_AT_MOST && get(s, at, b, 12); ++i) {
    const uint64_t size = number(b + 4, 8, true);
    if (memcmp(b, "data", 4) == 0) {
      s->c.has_data = true;
      s->c.size_at = at + 4;
      s->c.data_at = at + 16; /* after the edit count */
      s->c.has_length = size >= 4 && size < (uint64_t)1 << 62;
      s->c.data_bytes = s->c.has_length ? size - 4 : 0;
      return;
    }
    uint8_t channels[4];
    if (memcmp(b, "desc", 4) == 0 && get(s, at + 12 + 24, channels, 4)) {
      s->c.has_format = true;
      s->c.channels = (uint32_t)number(channels, 4, true);
    }
    if (size > (uint64_t)1 << 62) return;
    at += 12 + size;
  }
}

static void scan_au(Scan* s) {
  uint8_t b[24];
  if (!get(s, 0, b, 24)) return;
  const uint64_t size = number(b + 8, 4, s->c.big_endian);
  s->c.has_format = true;
  s->c.channels = (uint32_t)number(b + 20, 4, s->c.big_endian);
  s->c.has_data = true;
  s->c.data_at = number(b + 4, 4, s->c.big_endian);
  s->c.size_at = 8;
  s->c.has_length = !is_placeholder(size);
  s->c.data_bytes = size;
}

static void scan_w64(Scan* s) {
  uint64_t at = 40;
  uint8_t b[24];
  for (int i = 0; i < CHUNKS_AT_MOST && get(s, at, b, 24); ++i) {
    const uint64_t size = number(b + 16, 8, false); /* with these 24 bytes */
    if (size < 24 || size > (uint64_t)1 << 62) return;
    if (memcmp(b, "data", 4) == 0) {
      s->c.has_data = true;
      s->c.size_at = at + 16;
      s->c.data_at = at + 24;
      s->c.has_length = size > 24;
      s->c.data_bytes = size - 24;
      return;
    }
    if (memcmp(b, "fmt ", 4) == 0) wave_format(s, at + 24, size - 24);
    at += (size + 7) & ~(uint64_t)7;
  }
}

MrContainer mr_container_scan(MrContainerRead read, void* handle) {
  Scan s = {.read = read, .handle = handle};
  uint8_t b[28];
  memset(b, 0, sizeof b);
  if (read(handle, 0, b, sizeof b) < 24) return s.c;
  const bool wave = memcmp(b + 8, "WAVE", 4) == 0;
  if (wave && (memcmp(b, "RIFF", 4) == 0 || memcmp(b, "RIFX", 4) == 0)) {
    s.c.kind = MR_CONTAINER_WAVE;
    s.c.big_endian = b[3] == 'X';
    scan_wave(&s);
  } else if (wave && (memcmp(b, "RF64", 4) == 0 || memcmp(b, "BW64", 4) == 0)) {
    s.c.kind = MR_CONTAINER_RF64;
    scan_wave(&s);
  } else if (memcmp(b, "FORM", 4) == 0 && (memcmp(b + 8, "AIFF", 4) == 0 || memcmp(b + 8, "AIFC", 4) == 0)) {
    s.c.kind = MR_CONTAINER_AIFF;
    s.c.big_endian = true;
    scan_aiff(&s);
  } else if (memcmp(b, "caff", 4) == 0) {
    s.c.kind = MR_CONTAINER_CAF;
    s.c.big_endian = true;
    scan_caf(&s);
  } else if (memcmp(b, ".snd", 4) == 0 || memcmp(b, "dns.", 4) == 0) {
    s.c.kind = MR_CONTAINER_AU;
    s.c.big_endian = b[0] == '.';
    scan_au(&s);
  } else if (memcmp(b, "riff", 4) == 0 && memcmp(b + 24, "wave", 4) == 0) {
    s.c.kind = MR_CONTAINER_W64;
    scan_w64(&s);
  }
  return s.c;
}
