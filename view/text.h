/* Text that may be shown.
   SPDX-License-Identifier: ISC */
#ifndef MR_VIEW_TEXT_H
#define MR_VIEW_TEXT_H

#include <stddef.h>

/* What can be shown of a text that may hold anything: UTF-8, with question marks for bytes that are none and for control characters, cut between two
   characters where `to` is too small. Thread: any. */
void mr_text_clean(const char* text, char* to, size_t size);

#endif
