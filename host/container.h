/* What an audio file's own header says of its length, channels and speakers.
   SPDX-License-Identifier: ISC

   libsndfile shortens a file that ends early without a word, and keeps a channel mask only where it knows every bit of it.
   This reads both straight from the header. */
#ifndef MR_HOST_CONTAINER_H
#define MR_HOST_CONTAINER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum MrContainerKind {
  MR_CONTAINER_OTHER = 0, /* nothing is known */
  MR_CONTAINER_WAVE,      /* RIFF, RIFX */
  MR_CONTAINER_RF64,      /* RF64, BW64 */
  MR_CONTAINER_AIFF,
  MR_CONTAINER_CAF,
  MR_CONTAINER_AU,
  MR_CONTAINER_W64
} MrContainerKind;

typedef struct MrContainer {
  MrContainerKind kind;
  bool big_endian;      /* of the header's numbers */
  bool has_format;      /* `channels` holds */
  uint32_t frame_bytes; /* WAVE, W64: of all channels, as written */
  uint32_t channels;    /* as written: 0 and 65535 too */
  bool extensible;      /* WAVE_FORMAT_EXTENSIBLE: `mask` holds */
  uint32_t mask;        /* of loudspeakers; 0: none named */
  uint64_t mask_at;     /* byte offset of the mask's 32 bits; 0: none */
  bool has_data;        /* `data_at` and `size_at` hold */
  uint64_t data_at;     /* byte offset of the first sample */
  uint64_t size_at;     /* byte offset of the field with the data's size */
  uint64_t fact_at;     /* byte offset of a WAVE `fact` chunk's frame count; 0: none */
  bool has_length;      /* `data_bytes` holds: the header's writer knew the length */
  uint64_t data_bytes;  /* that the header promises */
  bool unfinished;      /* WAVE: a size of 0 that its writer never came back to set */
} MrContainer;

/* Reads `bytes` bytes at `offset`; returns how many there were. */
typedef size_t (*MrContainerRead)(void* handle, uint64_t offset, void* to, size_t bytes);

/* Never fails: what is not understood is MR_CONTAINER_OTHER or lacks its has_ flags. Allocates nothing. */
MrContainer mr_container_scan(MrContainerRead read, void* handle);

/* A read function over memory: handle is an MrContainerMemory. */
typedef struct MrContainerMemory {
  const uint8_t* bytes;
  size_t size;
} MrContainerMemory;
size_t mr_container_read_memory(void* handle, uint64_t offset, void* to, size_t bytes);

#endif
