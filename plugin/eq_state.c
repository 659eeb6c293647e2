/* The EQ's state beside its ports: the channel sets.
   SPDX-License-Identifier: ISC */
#include <string.h>

#include "channel_list.h"
#include "eq.h"

static LV2_State_Status save(LV2_Handle handle, LV2_State_Store_Function store, LV2_State_Handle state, uint32_t flags,
                             const LV2_Feature* const* features) {
  MrEq* eq = handle;
  const MrUris* uris = &eq->rt.uris;
  (void)flags;
  (void)features;
  pthread_mutex_lock(&eq->lock);
  LV2_State_Status status = mr_later_save(&eq->later, uris, store, state);
  for (uint32_t k = 0; k < MR_EQ_SETS && status == LV2_STATE_SUCCESS; k++) {
    char text[MR_CHANNEL_LIST_SIZE];
    const size_t length = mr_channel_list_write(atomic_load_explicit(&eq->shared.set[k], memory_order_relaxed), text);
    status = store(state, eq->set_key[k], text, length + 1, uris->atom_String, LV2_STATE_IS_POD | LV2_STATE_IS_PORTABLE);
  }
  pthread_mutex_unlock(&eq->lock);
  return status;
}

/* Sets that the state has not, or that are no lists, become the initial ones: what is restored is the same whatever was there before. */
static LV2_State_Status restore(LV2_Handle handle, LV2_State_Retrieve_Function retrieve, LV2_State_Handle state, uint32_t flags,
                                const LV2_Feature* const* features) {
  MrEq* eq = handle;
  const MrUris* uris = &eq->rt.uris;
  (void)flags;
  (void)features;
  MrEqSettings initial;
  mr_eq_settings_initial(&initial, eq->rt.channels);
  pthread_mutex_lock(&eq->lock);
  mr_later_restore(&eq->later, uris, retrieve, state);
  for (uint32_t k = 0; k < MR_EQ_SETS; k++) {
    size_t size = 0;
    uint32_t type = 0, kept = 0;
    const char* text = retrieve(state, eq->set_key[k], &size, &type, &kept);
    uint64_t set = initial.set[k];
    if (text && type == uris->atom_String) mr_channel_list_read(text, strnlen(text, size), &set);
    atomic_store_explicit(&eq->shared.set[k], set, memory_order_relaxed);
  }
  atomic_fetch_add_explicit(&eq->shared.restored, 1, memory_order_release);
  pthread_mutex_unlock(&eq->lock);
  return LV2_STATE_SUCCESS;
}

const LV2_State_Interface mr_eq_state = {save, restore};
