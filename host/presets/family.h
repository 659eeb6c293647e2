/* The plugins' URIs: a family's with the channel count behind.
   SPDX-License-Identifier: ISC */
#ifndef MR_HOST_PRESETS_FAMILY_H
#define MR_HOST_PRESETS_FAMILY_H

#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* The channel count in a plugin's URI; 0 where it is of another family, or has none. */
static inline uint32_t mr_family_channels(const char* uri, const char* family) {
  const size_t length = strlen(family);
  if (strncmp(uri, family, length) != 0 || !isdigit((unsigned char)uri[length])) return 0;
  const size_t digits = strspn(uri + length, "0123456789");
  return uri[length + digits] == '\0' && digits < 6 ? (uint32_t)strtoul(uri + length, NULL, 10) : 0;
}

#endif
