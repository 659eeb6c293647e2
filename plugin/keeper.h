/* The keeper of the bank that plays: reads it, compiles it, gives it to the engine, and remembers its text for the session.
   SPDX-License-Identifier: ISC

   Thread: control, any of them at any time: a lock, which run() never takes, keeps them apart. What run() is to know comes to it through the
   atomics and notices of MrKept. */
#ifndef MILLRACE_PLUGIN_KEEPER_H
#define MILLRACE_PLUGIN_KEEPER_H

#include <pthread.h>
#include <stdatomic.h>

#include "../dsp/millrace.h"
#include "bank_picture.h"
#include "host_features.h"
#include "later.h"

#define MR_BANK_BYTES (4u << 20) /* of a bank's text at most */

/* As the status port's scale points count them. */
typedef enum MrBankStatus {
  MR_BANK_FINE = 0,
  MR_BANK_UNREADABLE,
  MR_BANK_TOO_LARGE,
  MR_BANK_NO_BANK,
  MR_BANK_NO_FILTER,
  MR_BANK_OTHER_RATE,
  MR_BANK_OTHER_CHANNELS,
  MR_BANK_NO_MEMORY,
  MR_BANK_FILE_CHANGED,
  MR_BANK_TROUBLE
} MrBankStatus;

/* What is told about the file. */
typedef struct MrNotice {
  struct MrNotice* next;
  bool by_message; /* what it tells of came by a message, not from the session: the state has changed */
  size_t path_length, message_length;
  const char *path, *message; /* behind the struct, each with its end */
} MrNotice;

/* What run() sees of the keeper. */
typedef struct MrKept {
  atomic_int status;        /* MrBankStatus */
  atomic_uint restores;     /* counts states restored: a file that was wanted before the last one is out of date */
  atomic_uint programs;     /* counts those given to the engine, before they are */
  atomic_bool refused;      /* nothing plays, as a bank was refused */
  atomic_bool protects;     /* that bank protects loudspeakers, or may do so */
  _Atomic(MrNotice*) fresh; /* not taken yet */
  _Atomic(MrNotice*) stale; /* a list that run() has done with */
} MrKept;

typedef struct MrKeeper {
  pthread_mutex_t lock;
  const MrFeatures* features;
  const MrUris* uris;
  MrEngine* engine;
  MrBankPicture* picture;
  uint32_t channels;
  double fs;

  char*
      content; /* for the session: of the bank that plays, or of one that was refused where none does or the session brought it; NULL: none */
  size_t length;
  char* path;          /* NULL: none */
  bool plays;          /* a bank */
  MrBankStatus absent; /* why a bank that was refused has no content here, or MR_BANK_FINE */
  LV2_URID content_key, file_key, refused_key;
  MrLater later;

  MrKept kept;
} MrKeeper;

/* Gives the engine a bank that changes nothing, to begin with. The keeper keeps features, uris, engine and picture. */
MrStatus mr_keeper_init(MrKeeper* keeper, const MrFeatures* features, const MrUris* uris, MrEngine* engine, MrBankPicture* picture,
                        uint32_t channels, double fs);
void mr_keeper_free(MrKeeper* keeper);

/* Reads a file and plays it. Where that cannot be, what plays plays on. Nothing where a state has been restored since the file was wanted,
   when the count of restores was `restores`. */
void mr_keeper_open(MrKeeper* keeper, const char* path, unsigned restores);

/* The program that was given last, compiled anew, and its number in kept.programs; NULL where no bank plays, or there is no memory. The caller's. */
MrProgram* mr_keeper_program(MrKeeper* keeper, unsigned* number);

/* The host's state extension. */
LV2_State_Status mr_keeper_save(MrKeeper* keeper, LV2_State_Store_Function store, LV2_State_Handle state,
                                const LV2_Feature* const* features);
LV2_State_Status mr_keeper_restore(MrKeeper* keeper, LV2_State_Retrieve_Function retrieve, LV2_State_Handle state,
                                   const LV2_Feature* const* features);

/* The notice that is new, or NULL; and one that run() has done with. Thread: real-time. */
MrNotice* mr_kept_take(MrKept* kept);
void mr_kept_return(MrKept* kept, MrNotice* notice);

#endif
