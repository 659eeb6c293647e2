/* What the Bank shows in a host's mixer strip.
   SPDX-License-Identifier: ISC */
#ifndef MILLRACE_PLUGIN_BANK_PICTURE_H
#define MILLRACE_PLUGIN_BANK_PICTURE_H

#include <pthread.h>

#include "inline_display.h"
#include "snapshot.h"

#define MR_BANK_WAYS 3u /* a bank as its file says, all RBJ's, all matched */

/* What is shown of a bank, made on a control thread; subjects that are NULL are as the first. */
typedef struct MrBankWays {
  MrSubject* subject[MR_BANK_WAYS];
  bool large; /* of too many sections to be drawn */
} MrBankWays;

/* What run() knows. */
typedef struct MrBankScene {
  double gain_db;
  uint32_t way; /* that plays */
  bool enabled, muted;
} MrBankScene;

typedef struct MrBankPicture {
  MrInlineDisplay display;
  MrSnapshot scene; /* MrBankScene */
  MrBankScene last; /* of run() */
  unsigned seen;    /* likewise: banks */

  atomic_uint banks; /* how many there have been */

  pthread_mutex_t lock; /* of what follows; run() never takes it */
  MrBankWays ways;
  unsigned drawn; /* the bank that was drawn last */
} MrBankPicture;

/* False without memory. Thread: control, as the next two. */
bool mr_bank_picture_init(MrBankPicture* picture, const MrFeatures* features, const char* bundle, double fs);
void mr_bank_picture_free(MrBankPicture* picture);
/* Adds what a program of the bank, as it is now, does. Nothing is kept of either. Where memory lacks, that way is not shown. */
void mr_bank_ways_add(MrBankWays* ways, uint32_t way, const MrBank* bank, const MrProgram* program, double fs);
void mr_bank_ways_free(MrBankWays* ways); /* one that is all zeros is allowed */
/* That bank plays from now on. Takes the ways. */
void mr_bank_picture_set(MrBankPicture* picture, MrBankWays* ways);

/* Once a block. Thread: real-time. */
void mr_bank_picture_step(MrBankPicture* picture, const MrBankScene* scene, uint32_t n, bool freewheels);

/* Thread: the host's drawing one. */
MrInlineImage* mr_bank_picture_render(MrBankPicture* picture, uint32_t width, uint32_t most_height);

#endif
