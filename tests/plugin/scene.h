/* Settings and signals that the tests of the plugins share.
   SPDX-License-Identifier: ISC */
#ifndef MILLRACE_TESTS_PLUGIN_SCENE_H
#define MILLRACE_TESTS_PLUGIN_SCENE_H

#include "dsp/engine/fixture.h"
#include "host.h"

static const uint32_t scene_counts[] = {1, 2, 4, 6, 8, 9, 10, 12, 16, 24, 25, 32, 36, 49, 64};
#define SCENE_COUNTS (sizeof scene_counts / sizeof *scene_counts)

enum { SCENE_BELL, SCENE_LOWSHELF, SCENE_HIGHSHELF, SCENE_LOWPASS, SCENE_HIGHPASS, SCENE_BUTTERWORTH_HP = 9, SCENE_TYPES = 14 };

/* "eq" or "bank", and the channels. */
Host* scene_host(const char* kind, uint32_t channels, const HostOptions* options);

void scene_band(Host* host, unsigned band, int type, float frequency, float gain, float q, float order, float set);

/* Four bands: a bell, a high-pass of order 8 and a shelf on all channels, a bell on set 2. */
void scene_bands(Host* host);

/* A file in the test's own folder; the name is `size` bytes at most. */
void scene_file(char* path, size_t size, const char* name, const char* text, size_t length);

/* Wants the file by message, and runs blocks until the plugin has told of one more message; without sound. */
void scene_load(Host* host, const char* path);

/* Runs blocks of silence, with pauses, until the property has been told `count` times. */
void scene_wait_told(Host* host, const char* property, uint32_t count);

void scene_assert_finite(const Planar* planar);

/* Noise of the host's channels through the plugin, out of place, in blocks. */
void scene_play(Host* host, const Planar* in, Planar* out, uint32_t block);

#define EQ_SET(n)    "urn:millrace:eq#set" #n
#define EQ_SOLO      "urn:millrace:eq#solo"
#define BANK_FILE    "urn:millrace:bank#file"
#define BANK_MESSAGE "urn:millrace:bank#message"
#define BANK_CONTENT "urn:millrace:bank#content"

#endif
