/* The EQ: its instance.
   SPDX-License-Identifier: ISC */
#ifndef MILLRACE_PLUGIN_EQ_H
#define MILLRACE_PLUGIN_EQ_H

#include <pthread.h>
#include <stdatomic.h>

#include "eq_picture.h"
#include "eq_settings.h"
#include "host_features.h"
#include "later.h"
#include "realtime.h"

/* What run() shares with save() and restore(), which may be called at any time from another thread. */
typedef struct MrEqShared {
  _Atomic uint64_t set[MR_EQ_SETS]; /* as they are; whoever writes last wins */
  atomic_uint restored;             /* counts restores, which run() then takes over */
} MrEqShared;

typedef struct MrEq {
  /* of run() */
  MrRealtime rt;
  MrEqSettings settings;
  MrBand band[MR_EQ_BANDS];
  bool beyond;   /* a band that is on is off, being above what the rate can hold */
  uint32_t tell; /* properties to tell the host: bit k for set k, MR_EQ_SETS for solo */
  bool changed;  /* the state, and the host is to be told */
  uint32_t restored;

  MrEqShared shared;
  MrEqPicture picture; /* with rules of its own */

  /* of the control threads */
  pthread_mutex_t lock; /* never taken in run() */
  MrLater later;
  LV2_URID set_key[MR_EQ_SETS], solo_key; /* never change */
} MrEq;

const void* mr_eq_extension(const char* uri);
LV2_Handle mr_eq_instantiate(const LV2_Descriptor* descriptor, double fs, const char* bundle, const LV2_Feature* const* features);
void mr_eq_connect(LV2_Handle handle, uint32_t port, void* data);
void mr_eq_activate(LV2_Handle handle);
void mr_eq_run(LV2_Handle handle, uint32_t n);
void mr_eq_cleanup(LV2_Handle handle);

/* The host's state extension. Thread: any but run()'s. */
extern const LV2_State_Interface mr_eq_state;

#endif
