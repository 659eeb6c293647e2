/* What a picture is of: the cascades of a bank or of an EQ's bands, channels that do the same taken together.
   SPDX-License-Identifier: ISC

   The sections are the engine's own, at its rate; nothing is designed anew but bands that are off, to show where they would act. */
#ifndef MR_VIEW_SUBJECT_H
#define MR_VIEW_SUBJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../dsp/millrace.h"

#define MR_VIEW_NAME 96u /* bytes of a name, its end included: UTF-8 */

/* Sections and a gain with a response of their own. */
typedef struct MrPart {
  char name[MR_VIEW_NAME]; /* "Channels 1-3", "PK 1 kHz, -3 dB"; "": all channels */
  size_t first;            /* of its sections, in the subject's */
  uint32_t sections;
  double gain;      /* linear; 0: silence */
  uint32_t delay;   /* frames */
  double rate;      /* of the sections: the subject's, or a higher one for a band that the subject's cannot hold */
  double frequency; /* Hz, where a band's number stands; 0: nowhere */
  uint32_t number;  /* of a band, from 1, as people count them; of a whole: 0 */
  bool off;         /* contributes nothing: off, or above what the rate can hold */
} MrPart;

/* Channels that do the same. */
typedef struct MrGroup {
  MrPart whole;
  uint32_t first_band, bands; /* in the subject's */
  bool mixes;                 /* several inputs are added up: `whole` is what is done to the sum */
} MrGroup;

/* All memory is owned by the subject. */
typedef struct MrSubject {
  double fs;
  uint32_t channels, groups, bands;
  size_t sections;
  MrGroup* group;
  MrPart* band;
  MrSection* section;
} MrSubject;

/* Of a bank and the program that was made of it, of which nothing is kept. `wanted`: a flag a channel, of those to be shown; NULL: all. A route's gain
   counts where a channel has one input alone. NULL with *status: MR_ERR_MEMORY, or MR_ERR_ARGUMENT where nothing is wanted. Thread: control, as all
   of these. */
MrSubject* mr_subject_from_program(const MrBank* bank, const MrProgram* program, double fs, const bool* wanted, MrStatus* status);

/* Of an EQ's bands on 1 to 64 channels, with the gain behind them. Bands that are off are shown where their set has channels. */
MrSubject* mr_subject_from_bands(const MrBands* bands, uint32_t channels, double fs, double gain_db, MrStatus* status);

void mr_subject_free(MrSubject* subject); /* NULL is allowed */

/* A design in a few words: "PK 1 kHz, -3 dB". Thread: any. */
void mr_subject_name_design(const MrDesign* design, char* name, size_t size);
/* "950 Hz", "1.2 kHz". Thread: any. */
void mr_subject_name_frequency(double f, char* name, size_t size);

#endif
