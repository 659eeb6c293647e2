/* The keeper of the bank that plays: files, programs, notices.
   SPDX-License-Identifier: ISC */
#include "keeper.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bank_mode.h"
#include "keeper_inside.h"

#define LINE_SIZE 512u

/* -------------------------------------------------------------- messages */

/* What readers and compilers say: the first error, or else the first warning, is for people to see; all of it is for the log. */
typedef struct Said {
  const MrKeeper* keeper;
  char line[LINE_SIZE];
  bool has_error, has_warning;
} Said;

static const char* base_name(const char* path) {
  const char* slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

static void hear(void* handle, MrSeverity severity, const char* file, unsigned line, const char* text) {
  Said* said = handle;
  const MrUris* uris = said->keeper->uris;
  char whole[LINE_SIZE];
  if (line)
    snprintf(whole, sizeof whole, "%s, line %u: %s", file ? file : "bank", line, text);
  else
    snprintf(whole, sizeof whole, "%s%s%s", file ? file : "", file ? ": " : "", text);
  mr_features_log(said->keeper->features, severity == MR_ERROR ? uris->log_Error : uris->log_Warning, whole);
  const bool shown = severity == MR_ERROR ? !said->has_error : !said->has_error && !said->has_warning;
  if (shown) memcpy(said->line, whole, sizeof whole);
  said->has_error |= severity == MR_ERROR;
  said->has_warning |= severity == MR_WARNING;
}

static void say(Said* said, const char* file, const char* text) { hear(said, MR_ERROR, file, 0, text); }

/* --------------------------------------------------------------- notices */

static void free_list(MrNotice* notice) {
  while (notice) {
    MrNotice* next = notice->next;
    free(notice);
    notice = next;
  }
}

void mr_keeper_tell(MrKeeper* keeper, const char* message, bool by_message) {
  const char* path = keeper->path ? keeper->path : "";
  const size_t path_length = strlen(path), message_length = strlen(message);
  free_list(atomic_exchange_explicit(&keeper->kept.stale, NULL, memory_order_acquire));
  MrNotice* notice = malloc(sizeof *notice + path_length + message_length + 2);
  if (!notice) return;
  char* text = (char*)(notice + 1);
  memcpy(text, path, path_length + 1);
  memcpy(text + path_length + 1, message, message_length + 1);
  *notice = (MrNotice){.by_message = by_message,
                       .path_length = path_length,
                       .message_length = message_length,
                       .path = text,
                       .message = text + path_length + 1};
  MrNotice* missed = atomic_exchange_explicit(&keeper->kept.fresh, NULL, memory_order_acq_rel); /* run() has not taken it */
  notice->by_message |= missed && missed->by_message;
  free(missed);
  atomic_store_explicit(&keeper->kept.fresh, notice, memory_order_release);
}

MrNotice* mr_kept_take(MrKept* kept) {
  if (!atomic_load_explicit(&kept->fresh, memory_order_relaxed)) return NULL;
  return atomic_exchange_explicit(&kept->fresh, NULL, memory_order_acq_rel);
}

void mr_kept_return(MrKept* kept, MrNotice* notice) {
  if (!notice) return;
  MrNotice* head = atomic_load_explicit(&kept->stale, memory_order_relaxed);
  do notice->next = head;
  while (!atomic_compare_exchange_weak_explicit(&kept->stale, &head, notice, memory_order_release, memory_order_relaxed));
}

/* -------------------------------------------------------------- programs */

static MrBankStatus status_of(MrStatus status) {
  switch (status) {
    case MR_OK:
      return MR_BANK_FINE;
    case MR_ERR_MEMORY:
      return MR_BANK_NO_MEMORY;
    case MR_ERR_NOT_FINITE:
    case MR_ERR_RANGE:
    case MR_ERR_UNSTABLE:
    case MR_ERR_SINGULAR:
      return MR_BANK_NO_FILTER;
    case MR_ERR_RATE:
      return MR_BANK_OTHER_RATE;
    case MR_ERR_ROUTE:
    case MR_ERR_CHANNELS:
      return MR_BANK_OTHER_CHANNELS;
    case MR_ERR_IO:
      return MR_BANK_UNREADABLE;
    case MR_ERR_ARGUMENT:
    case MR_ERR_SYNTAX:
      break;
  }
  return MR_BANK_NO_BANK;
}

/* The bank as its file says and, as variants 1 and 2, all RBJ's and all matched: so that run() may choose. Changes the bank. */
static MrProgram* compile(const MrKeeper* keeper, MrBank* bank, const MrMessages* messages, MrBankWays* ways, MrStatus* status) {
  static const MrMode modes[] = {MR_MODE_RBJ, MR_MODE_MATCHED};
  MrProgram* program = mr_program_new(bank, keeper->fs, messages, status);
  if (program) mr_bank_ways_add(ways, 0, bank, program, keeper->fs);
  for (uint32_t i = 0; program && i < 2 && mr_bank_has_modes(bank); i++) {
    mr_bank_set_mode(bank, modes[i]);
    MrProgram* variant = mr_program_new(bank, keeper->fs, NULL, status); /* what it would warn of has been said */
    if (variant) {
      mr_bank_ways_add(ways, i + 1, bank, variant, keeper->fs);
      *status = mr_program_add_variant(program, variant);
    }
    if (*status == MR_OK) continue;
    if (messages) messages->say(messages->handle, MR_ERROR, NULL, 0, mr_strerror(*status));
    mr_program_free(program);
    program = NULL;
  }
  return program;
}

static MrBank* read_bank(const MrKeeper* keeper, const char* text, size_t length, const char* name, const MrMessages* messages,
                         MrStatus* status) {
  const MrReadOptions options = {.channels = keeper->channels, .fs = keeper->fs};
  switch (mr_bank_kind(name, text, length)) {
    case MR_BANK_TABLE:
      return mr_bank_read_table(NULL, text, length, name, &options, messages, status);
    case MR_BANK_JSON:
      messages->say(messages->handle, MR_ERROR, name, 0, "is JSON, which the plugin does not read: millrace sos writes it as a table");
      *status = MR_ERR_SYNTAX;
      return NULL;
    case MR_BANK_TEXT:
      break;
  }
  return mr_bank_read_text(NULL, text, length, name, &options, messages, status);
}

static MrProgram* program_of(const MrKeeper* keeper, const char* text, size_t length, const char* name, Said* said, MrBankWays* ways,
                             MrStatus* status) {
  const MrMessages messages = {hear, said};
  MrBank* bank = read_bank(keeper, text, length, name, &messages, status);
  MrProgram* program = bank ? compile(keeper, bank, &messages, ways, status) : NULL;
  mr_bank_free(bank);
  if (!program && !said->has_error) say(said, name, mr_strerror(*status));
  return program;
}

static MrStatus give(MrKeeper* keeper, MrProgram* program) {
  atomic_fetch_add(&keeper->kept.programs, 1);
  return mr_engine_give(keeper->engine, program);
}

MrProgram* mr_keeper_program(MrKeeper* keeper, unsigned* number) {
  static const MrFeatures silent;
  MrProgram* program = NULL;
  pthread_mutex_lock(&keeper->lock);
  *number = atomic_load(&keeper->kept.programs);
  if (keeper->plays && keeper->content) {
    const MrFeatures* features = keeper->features;
    Said said = {.keeper = keeper};
    MrStatus status;
    MrBankWays ways = {.large = false}; /* drawn already */
    keeper->features = &silent;         /* all has been said */
    program = program_of(keeper, keeper->content, keeper->length, keeper->path ? base_name(keeper->path) : "bank", &said, &ways, &status);
    mr_bank_ways_free(&ways);
    keeper->features = features;
  }
  pthread_mutex_unlock(&keeper->lock);
  return program;
}

static MrStatus give_nothing(MrKeeper* keeper) {
  MrStatus status = MR_ERR_MEMORY;
  MrBank* bank = mr_bank_new(keeper->channels);
  MrProgram* program = bank ? mr_program_new(bank, keeper->fs, NULL, &status) : NULL;
  if (program) {
    MrBankWays ways = {.large = false};
    mr_bank_ways_add(&ways, 0, bank, program, keeper->fs);
    mr_bank_picture_set(keeper->picture, &ways);
  }
  mr_bank_free(bank);
  return program ? give(keeper, program) : status;
}

/* --------------------------------------------------------------- keeping */

static void keep_path(MrKeeper* keeper, const char* path) {
  char* copy = path ? strdup(path) : NULL;
  free(keeper->path);
  keeper->path = copy;
}

static void keep_content(MrKeeper* keeper, char* content, size_t length) {
  free(keeper->content);
  keeper->content = content;
  keeper->length = length;
}

/* What cannot be read to its end may protect loudspeakers. */
static bool may_protect(const char* content, size_t length) { return !content || mr_bank_text_protects(content, length); }

/* Nothing that was put into the session gets lost: a bank that is refused is kept where none plays, and always where the session brought it. */
bool mr_keeper_refuse(MrKeeper* keeper, MrBankStatus status, const char* path, char* content, size_t length, bool by_message) {
  const bool kept = !keeper->plays || !by_message;
  if (!keeper->plays) {
    atomic_store(&keeper->kept.protects, may_protect(content, length));
    atomic_store(&keeper->kept.refused, true);
  }
  if (kept) {
    keep_path(keeper, path);
    keep_content(keeper, content, length);
    keeper->absent = content ? MR_BANK_FINE : status;
  } else {
    free(content);
  }
  atomic_store(&keeper->kept.status, status);
  return kept;
}

void mr_keeper_play(MrKeeper* keeper, char* content, size_t length, const char* path, bool by_message) {
  Said said = {.keeper = keeper};
  MrStatus status = MR_OK;
  MrBankWays ways = {.large = false};
  MrProgram* program = program_of(keeper, content, length, path ? base_name(path) : "bank", &said, &ways, &status);
  if (program) status = give(keeper, program);
  bool kept = true;
  if (status == MR_OK) mr_bank_picture_set(keeper->picture, &ways);
  mr_bank_ways_free(&ways);
  if (status != MR_OK) {
    kept = mr_keeper_refuse(keeper, status_of(status), path, content, length, by_message);
  } else {
    keep_path(keeper, path);
    keep_content(keeper, content, length);
    keeper->absent = MR_BANK_FINE;
    keeper->plays = true;
    atomic_store(&keeper->kept.status, MR_BANK_FINE);
    atomic_store(&keeper->kept.refused, false);
  }
  mr_keeper_tell(keeper, said.line, by_message && kept);
}

void mr_keeper_forget(MrKeeper* keeper) {
  if (keeper->plays) give_nothing(keeper);
  keep_path(keeper, NULL);
  keep_content(keeper, NULL, 0);
  keeper->absent = MR_BANK_FINE;
  keeper->plays = false;
  atomic_store(&keeper->kept.status, MR_BANK_FINE);
  atomic_store(&keeper->kept.refused, false);
  mr_keeper_tell(keeper, "", false);
}

/* ----------------------------------------------------------------- files */

MrBankStatus mr_keeper_read_file(const char* path, char** content, size_t* length) {
  const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a pipe without a writer must not hold the worker */
  struct stat about;
  *content = NULL;
  *length = 0;
  if (file < 0) return MR_BANK_UNREADABLE;
  MrBankStatus status = MR_BANK_UNREADABLE;
  if (fstat(file, &about) == 0 && !S_ISREG(about.st_mode))
    errno = S_ISDIR(about.st_mode) ? EISDIR : EINVAL;
  else if ((*content = malloc(MR_BANK_BYTES + 1)))
    for (ssize_t n = 1; n > 0 || (n < 0 && errno == EINTR);) {
      n = read(file, *content + *length, MR_BANK_BYTES + 1 - *length);
      *length += n > 0 ? (size_t)n : 0;
      if (n == 0) status = *length > MR_BANK_BYTES ? MR_BANK_TOO_LARGE : MR_BANK_FINE;
    }
  const int error = errno;
  close(file);
  if (status == MR_BANK_FINE) {
    if (!*length) (*content)[(*length)++] = '\n'; /* an empty file has a content, too, for a state to keep */
    char* fitting = realloc(*content, *length + 1);
    if (fitting) *content = fitting;
    (*content)[*length] = '\0';
    return status;
  }
  free(*content);
  *content = NULL;
  errno = error;
  return status;
}

void mr_keeper_open_locked(MrKeeper* keeper, const char* path, bool by_message) {
  char* content;
  size_t length;
  errno = 0;
  const MrBankStatus status = mr_keeper_read_file(path, &content, &length);
  if (status == MR_BANK_FINE) {
    mr_keeper_play(keeper, content, length, path, by_message);
    return;
  }
  Said said = {.keeper = keeper};
  say(&said, base_name(path), status == MR_BANK_TOO_LARGE ? "is larger than 4 MB" : errno ? strerror(errno) : "cannot be read");
  const bool kept = mr_keeper_refuse(keeper, status, path, NULL, 0, by_message);
  mr_keeper_tell(keeper, said.line, by_message && kept);
}

void mr_keeper_open(MrKeeper* keeper, const char* path, unsigned restores) {
  pthread_mutex_lock(&keeper->lock);
  if (atomic_load(&keeper->kept.restores) == restores) mr_keeper_open_locked(keeper, path, true);
  pthread_mutex_unlock(&keeper->lock);
}

/* -------------------------------------------------------------- instance */

MrStatus mr_keeper_init(MrKeeper* keeper, const MrFeatures* features, const MrUris* uris, MrEngine* engine, MrBankPicture* picture,
                        uint32_t channels, double fs) {
  memset(keeper, 0, sizeof *keeper);
  pthread_mutex_init(&keeper->lock, NULL);
  keeper->features = features;
  keeper->uris = uris;
  keeper->engine = engine;
  keeper->picture = picture;
  keeper->channels = channels;
  keeper->fs = fs;
  keeper->content_key = features->map->map(features->map->handle, MR_BANK_URI "content");
  keeper->file_key = features->map->map(features->map->handle, MR_BANK_URI "file");
  keeper->refused_key = features->map->map(features->map->handle, MR_BANK_URI "refused");
  mr_later_init(&keeper->later, features->map);
  return give_nothing(keeper);
}

void mr_keeper_free(MrKeeper* keeper) {
  free_list(atomic_load(&keeper->kept.stale));
  free(atomic_load(&keeper->kept.fresh));
  free(keeper->content);
  free(keeper->path);
  mr_later_free(&keeper->later);
  pthread_mutex_destroy(&keeper->lock);
}
