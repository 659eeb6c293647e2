/* Where a bank comes from, so that it can be read again.
   SPDX-License-Identifier: ISC */
#include "sources.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../message.h"

static MrSource* add(MrSources* sources, const char* text) {
  MrSource* const larger = realloc(sources->source, (sources->sources + 1) * sizeof *larger);
  if (larger) {
    sources->source = larger;
    MrSource* const source = &larger[sources->sources];
    memset(source, 0, sizeof *source);
    source->text = strdup(text);
    if (source->text) {
      ++sources->sources;
      return source;
    }
  }
  mr_say_error("no memory");
  return NULL;
}

bool mr_sources_add_file(MrSources* sources, const char* path) {
  struct stat about;
  MrSource* const source = add(sources, path);
  if (!source) return false;
  source->is_kept = stat(path, &about) == 0 && !S_ISREG(about.st_mode) && !S_ISDIR(about.st_mode);
  return !source->is_kept || mr_bank_input_add_file(&source->kept, path);
}

bool mr_sources_add_line(MrSources* sources, const char* line) {
  MrSource* const source = add(sources, line);
  if (source) source->is_line = true;
  return source != NULL;
}

void mr_sources_free(MrSources* sources) {
  for (size_t i = 0; i < sources->sources; ++i) {
    free(sources->source[i].text);
    mr_bank_input_free(&sources->source[i].kept);
  }
  free(sources->source);
  memset(sources, 0, sizeof *sources);
}

static bool is_unchanged(const struct stat* a, const struct stat* b) {
  return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size && a->st_mtim.tv_sec == b->st_mtim.tv_sec &&
         a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

static MrSourcesRead read_file(const char* path, MrBankInput* input) {
  struct stat before, after;
  const bool there = stat(path, &before) == 0;
  if (there && !S_ISREG(before.st_mode) && !S_ISDIR(before.st_mode)) { /* a pipe might never end */
    mr_say_error("%s: is not a regular file", path);
    return MR_SOURCES_UNREADABLE;
  }
  if (!mr_bank_input_add_file(input, path)) return MR_SOURCES_UNREADABLE;
  return there && stat(path, &after) == 0 && is_unchanged(&before, &after) ? MR_SOURCES_READ : MR_SOURCES_MOVING;
}

static MrSourcesRead read_one(const MrSource* source, MrBankInput* input) {
  bool ok = false;
  if (source->is_line) {
    ok = mr_bank_input_add_line(input, source->text);
  } else if (source->is_kept) {
    const MrBankPart* const part = source->kept.part;
    ok = mr_bank_input_add_text(input, part->name, part->name, part->text ? part->text : "", part->length);
  } else {
    return read_file(source->text, input);
  }
  return ok ? MR_SOURCES_READ : MR_SOURCES_UNREADABLE;
}

MrSourcesRead mr_sources_read(const MrSources* sources, MrBankInput* input) {
  for (size_t i = 0; i < sources->sources; ++i) {
    const MrSourcesRead read = read_one(&sources->source[i], input);
    if (read != MR_SOURCES_READ) return read;
  }
  return MR_SOURCES_READ;
}

bool mr_sources_may_protect(const MrSources* sources, const MrBankInput* input) {
  size_t files = 0, files_read = 0;
  for (size_t i = 0; i < sources->sources; ++i) files += !sources->source[i].is_line;
  for (size_t i = 0; i < input->parts; ++i) {
    const MrBankPart* const part = &input->part[i];
    if (!part->text || mr_bank_text_protects(part->text, part->length)) return true;
    files_read += !part->is_lines;
  }
  return files_read < files;
}

size_t mr_sources_files(const MrSources* sources, const char** path) {
  size_t files = 0;
  for (size_t i = 0; i < sources->sources; ++i)
    if (!sources->source[i].is_line && !sources->source[i].is_kept) path[files++] = sources->source[i].text;
  return files;
}

void mr_sources_name(const MrSources* sources, char* name, size_t size) {
  snprintf(name, size, "filter");
  for (size_t i = 0; i < sources->sources; ++i) {
    const MrSource* const source = &sources->source[i];
    if (source->is_line) continue;
    const char* const slash = strrchr(source->text, '/');
    const char* const base = slash && slash[1] ? slash + 1 : source->text;
    const char* const point = strrchr(base, '.');
    snprintf(name, size, "%.*s", point && point > base ? (int)(point - base) : (int)strlen(base), base);
    return;
  }
}
