/* Banks as the command line gives them: -b files and -f lines, joined in order.
   SPDX-License-Identifier: ISC */
#include "bank_input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "formats/json.h"
#include "message.h"

enum { BYTES_AT_MOST = 256 << 20 };

static bool out_of_memory(void) {
  mr_say_error("no memory");
  return false;
}

static MrBankPart* add_part(MrBankInput* input, const char* name) {
  MrBankPart* const parts = realloc(input->part, (input->parts + 1) * sizeof *parts);
  if (!parts) return NULL;
  input->part = parts;
  MrBankPart* const part = &parts[input->parts];
  memset(part, 0, sizeof *part);
  part->name = strdup(name);
  if (!part->name) return NULL;
  ++input->parts;
  return part;
}

static bool read_all(int fd, MrBankPart* part) {
  size_t capacity = 0;
  for (;;) {
    if (part->length + 1 >= capacity) {
      capacity = capacity ? capacity * 2 : 16 << 10;
      char* const larger = capacity <= BYTES_AT_MOST ? realloc(part->text, capacity) : NULL;
      if (!larger) {
        errno = capacity <= BYTES_AT_MOST ? ENOMEM : EFBIG;
        return false;
      }
      part->text = larger;
    }
    const ssize_t n = read(fd, part->text + part->length, capacity - 1 - part->length);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return false;
    part->length += (size_t)n;
    part->text[part->length] = '\0';
    if (n == 0) return true;
  }
}

bool mr_bank_input_add_file(MrBankInput* input, const char* path) {
  MrBankPart* const part = add_part(input, path);
  if (!part) return out_of_memory();
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  struct stat status;
  const bool folder = fd >= 0 && fstat(fd, &status) == 0 && S_ISDIR(status.st_mode);
  const bool ok = fd >= 0 && !folder && read_all(fd, part);
  if (!ok) mr_say_error("%s: %s", path, folder ? "is a folder, not a bank file" : strerror(errno));
  if (fd >= 0) close(fd);
  if (ok) part->kind = mr_bank_kind(path, part->text, part->length);
  return ok;
}

bool mr_bank_input_add_text(MrBankInput* input, const char* name, const char* file, const char* text, size_t length) {
  MrBankPart* const part = add_part(input, name);
  if (part) part->text = malloc(length + 1);
  if (!part || !part->text) return out_of_memory();
  memcpy(part->text, text, length);
  part->text[length] = '\0';
  part->length = length;
  part->kind = mr_bank_kind(file, part->text, length);
  return true;
}

/* True where the line starts with a keyword and a colon. */
static bool has_keyword(const char* line) {
  line += strspn(line, " \t");
  if (*line == '#' || *line == '\0') return true; /* a comment or nothing: as it is */
  return strchr(line, ':') != NULL;
}

bool mr_bank_input_add_line(MrBankInput* input, const char* line) {
  MrBankPart* part = input->parts ? &input->part[input->parts - 1] : NULL;
  if (!part || !part->is_lines) part = add_part(input, "-f");
  if (!part) return out_of_memory();
  part->is_lines = true;
  const char* const words = line + strspn(line, " \t");
  const bool says_on = strncasecmp(words, "ON ", 3) == 0 || strncasecmp(words, "OFF ", 4) == 0;
  const char* const prefix = has_keyword(line) ? "" : says_on ? "Filter: " : "Filter: ON ";
  const size_t added = strlen(prefix) + strlen(line) + 1;
  char* const text = realloc(part->text, part->length + added + 1);
  if (!text) return out_of_memory();
  snprintf(text + part->length, added + 1, "%s%s\n", prefix, line);
  part->text = text;
  part->length += added;
  return true;
}

void mr_bank_input_free(MrBankInput* input) {
  for (size_t i = 0; i < input->parts; ++i) {
    free(input->part[i].name);
    free(input->part[i].text);
  }
  free(input->part);
  memset(input, 0, sizeof *input);
}

MrBank* mr_bank_input_read(const MrBankInput* input, const MrReadOptions* options, bool warnings) {
  const MrMessages messages = {mr_say_library, &warnings};
  MrBank* bank = NULL;
  for (size_t i = 0; i < input->parts; ++i) {
    const MrBankPart* const part = &input->part[i];
    MrStatus status = MR_OK;
    MrBank* next = NULL;
    const char* const text = part->text ? part->text : "";
    switch (part->kind) {
      case MR_BANK_TEXT:
        next = mr_bank_read_text(bank, text, part->length, part->name, options, &messages, &status);
        break;
      case MR_BANK_TABLE:
        next = mr_bank_read_table(bank, text, part->length, part->name, options, &messages, &status);
        break;
      case MR_BANK_JSON:
        next = mr_bank_read_json(bank, text, part->length, part->name, options, &messages, &status);
        break;
    }
    if (!next) {
      if (status == MR_ERR_MEMORY) out_of_memory();
      mr_bank_free(bank);
      return NULL;
    }
    bank = next;
  }
  return bank;
}

void mr_bank_input_name(const MrBankInput* input, char* name, size_t size) {
  size_t used = 0;
  name[0] = '\0';
  for (size_t i = 0; i < input->parts && used < size; ++i) {
    const int n = snprintf(name + used, size - used, "%s%s", i ? ", " : "", input->part[i].name);
    used += n > 0 ? (size_t)n : 0;
  }
}
