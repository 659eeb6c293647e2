/* A program: a bank compiled at a rate, ready to be played as a side.
   SPDX-License-Identifier: ISC */
#ifndef MILLRACE_ENGINE_PROGRAM_H
#define MILLRACE_ENGINE_PROGRAM_H

#include "side.h"

struct MrProgram {
  double fs;
  uint32_t channels;
  MrSide* side;
  MrSection* section;  /* of all channels, one after another */
  size_t* section_end; /* [channels] */
  double* gain;        /* [channels] */
  uint32_t* delay;     /* [channels], frames */
  MrProgram* variant[MR_MAX_VARIANTS];
  uint32_t variants;
  MrProgram* next_idle; /* among the programs an engine has faded out */
};

/* The program for `copies` times its channels: channel k of copy i is channel i * channels + k. NULL: no memory. Thread: control. */
MrProgram* mr_program_repeat(const MrProgram* program, uint32_t copies);

/* What plays of a program at a choice of mr_engine_choose(). Real-time. */
const MrProgram* mr_program_choice(const MrProgram* program, uint32_t variant);

/* Whether a side is the program's or one of its variants'. Real-time. */
bool mr_program_has_side(const MrProgram* program, const MrSide* side);

/* mr_program_tail() down to `rest` of the sum of |h|. Thread: control (long). */
uint64_t mr_program_ring(const MrProgram* program, double rest, uint64_t limit);

#endif
