/* What the keeper's two halves, playing and state, have in common. The lock is held around all of these.
   SPDX-License-Identifier: ISC */
#ifndef MILLRACE_PLUGIN_KEEPER_INSIDE_H
#define MILLRACE_PLUGIN_KEEPER_INSIDE_H

#include "keeper.h"

/* Plays a text, which the keeper owns from then on; path may be NULL. by_message: not from the session. */
void mr_keeper_play(MrKeeper* keeper, char* content, size_t length, const char* path, bool by_message);
/* Refuses a bank whose text, which the keeper owns from then on, is NULL where it could not be had: then it may protect. True where it is kept. */
bool mr_keeper_refuse(MrKeeper* keeper, MrBankStatus status, const char* path, char* content, size_t length, bool by_message);
void mr_keeper_open_locked(MrKeeper* keeper, const char* path, bool by_message);

/* Back to a plugin without a bank. */
void mr_keeper_forget(MrKeeper* keeper);

/* Tells run() the path as it is and a message. */
void mr_keeper_tell(MrKeeper* keeper, const char* message, bool by_message);

/* A file's bytes, with a zero behind them, to be freed: of one that is too large the first MR_BANK_BYTES, of one that cannot be read NULL, and the
   system's error stands in errno. */
MrBankStatus mr_keeper_read_file(const char* path, char** content, size_t* length);

#endif
