/* The keeper's state: the bank's text, which counts, and the path that it came from.
   SPDX-License-Identifier: ISC */
#include <stdlib.h>
#include <string.h>

#include "keeper_inside.h"
#include "loader.h"

#define FLAGS (LV2_STATE_IS_POD | LV2_STATE_IS_PORTABLE)

/* The host's way with paths for this call: its own features come before those of instantiation. */
static MrFeatures features_of(const MrKeeper* keeper, const LV2_Feature* const* features) {
  MrFeatures found;
  mr_features_find(&found, features);
  if (!found.map_path) found.map_path = keeper->features->map_path;
  if (!found.free_path) found.free_path = keeper->features->free_path;
  return found;
}

static void free_path(const MrFeatures* features, char* path) {
  if (features->free_path)
    features->free_path->free_path(features->free_path->handle, path);
  else
    free(path);
}

/* Without the host's map of paths there is no portable one, and none is kept: the text is what counts. */
static LV2_State_Status save_path(const MrKeeper* keeper, const MrFeatures* features, LV2_State_Store_Function store,
                                  LV2_State_Handle state) {
  if (!features->map_path) return LV2_STATE_SUCCESS;
  char* path = features->map_path->abstract_path(features->map_path->handle, keeper->path);
  if (!path) return LV2_STATE_SUCCESS;
  const LV2_State_Status status = store(state, keeper->file_key, path, strlen(path) + 1, keeper->uris->atom_Path, FLAGS);
  free_path(features, path);
  return status;
}

LV2_State_Status mr_keeper_save(MrKeeper* keeper, LV2_State_Store_Function store, LV2_State_Handle state,
                                const LV2_Feature* const* features) {
  pthread_mutex_lock(&keeper->lock);
  const MrFeatures found = features_of(keeper, features); /* under the lock: others put theirs in the keeper's place for a moment */
  LV2_State_Status status = mr_later_save(&keeper->later, keeper->uris, store, state);
  if (status == LV2_STATE_SUCCESS && keeper->content && keeper->length)
    status = store(state, keeper->content_key, keeper->content, keeper->length, keeper->uris->atom_Chunk, FLAGS);
  if (status == LV2_STATE_SUCCESS && keeper->absent) { /* the next instance must not take it for a plugin that never had a bank */
    const int32_t absent = keeper->absent;
    status = store(state, keeper->refused_key, &absent, sizeof absent, keeper->uris->atom_Int, FLAGS);
  }
  if (status == LV2_STATE_SUCCESS && keeper->path) status = save_path(keeper, &found, store, state);
  pthread_mutex_unlock(&keeper->lock);
  return status;
}

/* The path in the state, as this machine has it; NULL if there is none or, with *lost, none that can be used: of another type, mapped to nothing, or
   longer than any, which no notify port has room for. To be freed. */
static char* restore_path(const MrKeeper* keeper, const MrFeatures* features, LV2_State_Retrieve_Function retrieve, LV2_State_Handle state,
                          bool* lost) {
  size_t size = 0;
  uint32_t type = 0, flags = 0;
  const char* kept = retrieve(state, keeper->file_key, &size, &type, &flags);
  *lost = kept && size;
  if (!*lost || (type != keeper->uris->atom_Path && type != keeper->uris->atom_String)) return NULL;
  char* path = strndup(kept, size);
  if (path && features->map_path) {
    char* absolute = features->map_path->absolute_path(features->map_path->handle, path);
    free(path);
    path = absolute ? strdup(absolute) : NULL;
    if (absolute) free_path(features, absolute);
  }
  if (path && strlen(path) >= MR_PATH_SIZE) {
    free(path);
    path = NULL;
  }
  *lost = !path;
  return path;
}

/* A file that is no longer what the session holds is reported, never played by itself. */
static void compare_file(MrKeeper* keeper) {
  char* content;
  size_t length;
  if (!keeper->path) return;
  const MrBankStatus status = mr_keeper_read_file(keeper->path, &content, &length);
  if (status == MR_BANK_UNREADABLE) return;
  const bool same = status == MR_BANK_FINE && length == keeper->length && !memcmp(content, keeper->content, length);
  free(content);
  if (same) return;
  atomic_store(&keeper->kept.status, MR_BANK_FILE_CHANGED);
  mr_keeper_tell(keeper, "the session's bank plays; the file on disk has changed since, and is read if it is chosen again", false);
}

/* The bank's text in the state; NULL with a status where there is none (MR_BANK_FINE) or none that can be used. To be freed. */
static char* restore_content(const MrKeeper* keeper, LV2_State_Retrieve_Function retrieve, LV2_State_Handle state, size_t* length,
                             MrBankStatus* status) {
  uint32_t type = 0, flags = 0;
  const char* content = retrieve(state, keeper->content_key, length, &type, &flags);
  *status = MR_BANK_FINE;
  if (!content) return NULL;
  *status = MR_BANK_NO_BANK;
  if (type != keeper->uris->atom_Chunk && type != keeper->uris->atom_String) return NULL;
  if (type == keeper->uris->atom_String) *length = strnlen(content, *length); /* without its end: of a preset written by hand */
  *status = MR_BANK_TOO_LARGE;
  if (*length > MR_BANK_BYTES) return NULL;
  *status = MR_BANK_NO_MEMORY;
  char* copy = malloc(*length + 2);
  if (!copy) return NULL;
  memcpy(copy, content, *length);
  if (!*length) copy[(*length)++] = '\n'; /* as of an empty file: for the next state to keep */
  copy[*length] = '\0';
  *status = MR_BANK_FINE;
  return copy;
}

/* Why the state's bank had no content, where it was refused. */
static MrBankStatus restore_absent(const MrKeeper* keeper, LV2_State_Retrieve_Function retrieve, LV2_State_Handle state) {
  size_t size = 0;
  uint32_t type = 0, flags = 0;
  const void* kept = retrieve(state, keeper->refused_key, &size, &type, &flags);
  int32_t status = MR_BANK_FINE;
  if (!kept) return MR_BANK_FINE;
  if (type == keeper->uris->atom_Int && size == sizeof status) memcpy(&status, kept, sizeof status);
  return status > MR_BANK_FINE && status < MR_BANK_FILE_CHANGED ? (MrBankStatus)status : MR_BANK_NO_BANK;
}

LV2_State_Status mr_keeper_restore(MrKeeper* keeper, LV2_State_Retrieve_Function retrieve, LV2_State_Handle state,
                                   const LV2_Feature* const* features) {
  size_t length = 0;
  MrBankStatus unusable;
  pthread_mutex_lock(&keeper->lock);
  const MrFeatures found = features_of(keeper, features);
  atomic_fetch_add(&keeper->kept.restores, 1);
  mr_later_restore(&keeper->later, keeper->uris, retrieve, state);
  char* content = restore_content(keeper, retrieve, state, &length, &unusable);
  MrBankStatus absent = content ? MR_BANK_FINE : unusable ? unusable : restore_absent(keeper, retrieve, state);
  bool lost;
  char* path = restore_path(keeper, &found, retrieve, state, &lost);
  if (!content && !absent && lost) absent = MR_BANK_UNREADABLE; /* the file may protect */
  if (content) {
    mr_keeper_play(keeper, content, length, path, false);
    if (atomic_load(&keeper->kept.status) == MR_BANK_FINE) compare_file(keeper);
  } else if (path && !unusable) { /* written by hand, a preset perhaps, or not to be read when it was saved */
    mr_keeper_open_locked(keeper, path, false);
  } else if (absent) {
    mr_keeper_refuse(keeper, absent, path, NULL, 0, false);
    mr_keeper_tell(keeper, "the session's bank was refused, and its text is not there: choose the file again", false);
  } else {
    mr_keeper_forget(keeper);
  }
  free(path);
  pthread_mutex_unlock(&keeper->lock);
  return unusable ? LV2_STATE_ERR_UNKNOWN : LV2_STATE_SUCCESS;
}
