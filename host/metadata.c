/* What a recording says of itself beside its samples.
   SPDX-License-Identifier: ISC */
#include "metadata.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* libsndfile's own structs end in short arrays; these have about the most that it takes back. */
typedef SF_BROADCAST_INFO_VAR(15 << 10) MrBroadcast;
typedef SF_CART_INFO_VAR(15 << 10) MrCart;

static void copy_strings(SNDFILE* in, SNDFILE* out) {
  for (int kind = SF_STR_FIRST; kind <= SF_STR_LAST; ++kind) {
    const char* const text = sf_get_string(in, kind);
    if (text && *text) sf_set_string(out, kind, text);
  }
}

/* One command to get a thing, one to set it, over memory of a size. */
static void copy_thing(SNDFILE* in, SNDFILE* out, int get, int set, size_t size) {
  void* const thing = calloc(1, size);
  if (thing && sf_command(in, get, thing, (int)size) == SF_TRUE) sf_command(out, set, thing, (int)size);
  free(thing);
}

static void copy_cues(SNDFILE* in, SNDFILE* out) {
  uint32_t count = 0;
  if (sf_command(in, SFC_GET_CUE_COUNT, &count, sizeof count) != SF_TRUE || !count || count > 100000) return;
  copy_thing(in, out, SFC_GET_CUE, SFC_SET_CUE, sizeof(uint32_t) + count * sizeof(SF_CUE_POINT));
}

static void copy_chunk(SNDFILE* in, SNDFILE* out, const char* id) {
  SF_CHUNK_INFO chunk;
  memset(&chunk, 0, sizeof chunk);
  memcpy(chunk.id, id, 4);
  chunk.id_size = 4;
  SF_CHUNK_ITERATOR* const at = sf_get_chunk_iterator(in, &chunk);
  if (!at || sf_get_chunk_size(at, &chunk) != SF_ERR_NO_ERROR || chunk.datalen == 0 || chunk.datalen > 16u << 20) return;
  chunk.data = calloc(1, chunk.datalen + 4);
  if (chunk.data && sf_get_chunk_data(at, &chunk) == SF_ERR_NO_ERROR) {
    memset(chunk.id, 0, sizeof chunk.id);
    memcpy(chunk.id, id, 4);
    chunk.id_size = 4;
    sf_set_chunk(out, &chunk);
  }
  free(chunk.data);
}

static void copy_channel_map(SNDFILE* in, SNDFILE* out) {
  SF_INFO info;
  memset(&info, 0, sizeof info);
  if (sf_command(in, SFC_GET_CURRENT_SF_INFO, &info, sizeof info) != 0 || info.channels < 1) return;
  copy_thing(in, out, SFC_GET_CHANNEL_MAP_INFO, SFC_SET_CHANNEL_MAP_INFO, (size_t)info.channels * sizeof(int));
}

void mr_metadata_copy(SNDFILE* in, SNDFILE* out, bool whole) {
  copy_strings(in, out);
  copy_thing(in, out, SFC_GET_BROADCAST_INFO, SFC_SET_BROADCAST_INFO, sizeof(MrBroadcast));
  copy_thing(in, out, SFC_GET_CART_INFO, SFC_SET_CART_INFO, sizeof(MrCart));
  copy_thing(in, out, SFC_GET_INSTRUMENT, SFC_SET_INSTRUMENT, sizeof(SF_INSTRUMENT));
  copy_cues(in, out);
  copy_chunk(in, out, "iXML");
  if (!whole) return;
  copy_channel_map(in, out);
  copy_chunk(in, out, "axml");
  copy_chunk(in, out, "chna");
  if (sf_command(in, SFC_WAVEX_GET_AMBISONIC, NULL, 0) == SF_AMBISONIC_B_FORMAT)
    sf_command(out, SFC_WAVEX_SET_AMBISONIC, NULL, SF_AMBISONIC_B_FORMAT);
}
