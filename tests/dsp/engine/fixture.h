/* What the tests of the engine share: noise, banks, bands, planar buffers and runs in random blocks.
   SPDX-License-Identifier: ISC */
#ifndef MILLRACE_TESTS_ENGINE_FIXTURE_H
#define MILLRACE_TESTS_ENGINE_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "dsp/millrace.h"

typedef struct Random {
  uint64_t state;
} Random;

uint32_t random_below(Random* random, uint32_t limit);
double random_between(Random* random, double low, double high);

/* channels x frames samples, one channel after another. */
typedef struct Planar {
  uint32_t channels, frames;
  float* samples;
  float** channel;
} Planar;

Planar planar_new(uint32_t channels, uint32_t frames);
void planar_free(Planar* planar);
Planar planar_noise(uint32_t channels, uint32_t frames, uint64_t seed);
void assert_same_bits(const Planar* a, const Planar* b);

MrDesign design_of(MrFilterType type, double fc, double gain_db, double q);
MrBand band_on_all(MrFilterType type, double fc, double gain_db, double q);
MrBand band_on(uint32_t channel, MrFilterType type, double fc, double gain_db, double q);

/* A program with the same filters on all channels, or, if different, ones that differ in kind and number by channel. */
MrProgram* program_of(uint32_t channels, double fs, bool different);

/* The program of a bank text, at 48 kHz. */
MrProgram* program_of_text(uint32_t channels, const char* text);

MrEngine* engine_of(uint32_t channels, double fs, uint32_t bands, uint32_t level);

/* Runs frames from .. to in blocks whose lengths the random numbers draw from 0 .. largest (0: one block). */
void run_blocks(MrEngine* engine, const Planar* in, Planar* out, uint32_t from, uint32_t to, uint32_t largest, Random* random);

#endif
