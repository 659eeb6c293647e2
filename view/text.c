/* Text that may be shown.
   SPDX-License-Identifier: ISC */
#include "text.h"

#include <string.h>

/* How many bytes of a sequence of UTF-8, 0 where it is none: cairo draws nothing more, and JSON is none, after one that is not. */
static size_t sequence(const unsigned char* at) {
  const size_t length = at[0] < 0x80                    ? 1
                        : at[0] >= 0xc2 && at[0] < 0xe0 ? 2
                        : at[0] >= 0xe0 && at[0] < 0xf0 ? 3
                        : at[0] >= 0xf0 && at[0] < 0xf5 ? 4
                                                        : 0;
  for (size_t i = 1; i < length; i++)
    if ((at[i] & 0xc0) != 0x80) return 0;
  if (length == 3 && ((at[0] == 0xe0 && at[1] < 0xa0) || (at[0] == 0xed && at[1] > 0x9f))) return 0;
  if (length == 4 && ((at[0] == 0xf0 && at[1] < 0x90) || (at[0] == 0xf4 && at[1] > 0x8f))) return 0;
  return length;
}

void mr_text_clean(const char* text, char* to, size_t size) {
  size_t used = 0;
  for (const unsigned char* at = (const unsigned char*)text; *at;) {
    const size_t length = sequence(at), n = length ? length : 1;
    if (used + n + 1 > size) break;
    memcpy(to + used, at, n);
    if (!length || *at < 0x20) to[used] = '?';
    used += n;
    at += n;
  }
  to[used] = '\0';
}
