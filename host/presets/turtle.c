/* A look at a Turtle file before lilv reads it.
   SPDX-License-Identifier: ISC */
#include "presets/turtle.h"

#include <errno.h>
#include <lv2/core/lv2.h>
#include <serd/serd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"

#define SEE_ALSO "http://www.w3.org/2000/01/rdf-schema#seeAlso"

typedef struct Reading {
  MrTurtle* turtle;
  SerdEnv* env;
  const char* path;
  bool failed; /* and a message has been said */
} Reading;

static bool add(MrUriList* list, const SerdNode* node) {
  for (size_t i = 0; i < list->count; ++i)
    if (strcmp(list->uri[i], (const char*)node->buf) == 0) return true;
  char** const larger = realloc(list->uri, (list->count + 1) * sizeof *larger);
  if (!larger) return false;
  list->uri = larger;
  list->uri[list->count] = strdup((const char*)node->buf);
  return list->uri[list->count] && ++list->count;
}

static SerdStatus set_base(void* handle, const SerdNode* uri) { return serd_env_set_base_uri(((Reading*)handle)->env, uri); }

static SerdStatus set_prefix(void* handle, const SerdNode* name, const SerdNode* uri) {
  return serd_env_set_prefix(((Reading*)handle)->env, name, uri);
}

static bool is_uri(const SerdNode* node) { return node->type == SERD_URI || node->type == SERD_CURIE; }

/* serd reads on over a prefix that was never said, and lilv then loses what stands behind it. */
static bool is_known(Reading* reading, const SerdNode* node) {
  SerdChunk prefix, suffix;
  if (!node || node->type != SERD_CURIE || serd_env_expand(reading->env, node, &prefix, &suffix) == SERD_SUCCESS) return true;
  if (!reading->failed) mr_say_error("%s: has no @prefix for %s", reading->path, (const char*)node->buf);
  reading->failed = true;
  return false;
}

static SerdStatus statement(void* handle, SerdStatementFlags flags, const SerdNode* graph, const SerdNode* subject,
                            const SerdNode* predicate, const SerdNode* object, const SerdNode* datatype, const SerdNode* language) {
  Reading* const reading = handle;
  (void)flags;
  (void)graph;
  (void)language;
  if (!is_known(reading, subject) || !is_known(reading, predicate) || !is_known(reading, object) || !is_known(reading, datatype))
    return SERD_ERR_BAD_CURIE;
  SerdNode what = serd_env_expand_node(reading->env, predicate);
  if (!what.buf) return SERD_SUCCESS;
  const bool applies = strcmp((const char*)what.buf, LV2_CORE__appliesTo) == 0;
  const SerdNode* const named = applies ? subject : strcmp((const char*)what.buf, SEE_ALSO) == 0 ? object : NULL;
  serd_node_free(&what);
  if (!named || !is_uri(named)) return SERD_SUCCESS;
  SerdNode whole = serd_env_expand_node(reading->env, named);
  const bool ok = !whole.buf || add(applies ? &reading->turtle->applies : &reading->turtle->further, &whole);
  serd_node_free(&whole);
  return ok ? SERD_SUCCESS : SERD_ERR_INTERNAL;
}

static SerdStatus complain(void* handle, const SerdError* error) {
  Reading* const reading = handle;
  if (reading->failed) return SERD_SUCCESS; /* the first mistake is the one to look at */
  reading->failed = true;
  char text[256];
  vsnprintf(text, sizeof text, error->fmt, *error->args); /* NOLINT(clang-analyzer-valist.Uninitialized): serd has started it */
  text[strcspn(text, "\n")] = '\0';
  mr_say_error("%s:%u: is not valid Turtle: %s", reading->path, error->line, text);
  return SERD_SUCCESS;
}

static SerdStatus read_open(Reading* reading, FILE* file, const SerdNode* base) {
  SerdReader* const reader = serd_reader_new(SERD_TURTLE, reading, NULL, set_base, set_prefix, statement, NULL);
  if (!reader) return SERD_ERR_INTERNAL;
  serd_reader_set_error_sink(reader, complain, reading);
  const SerdStatus status = serd_reader_read_file_handle(reader, file, base->buf);
  serd_reader_free(reader);
  return status;
}

bool mr_turtle_read(MrTurtle* turtle, const char* path) {
  memset(turtle, 0, sizeof *turtle);
  FILE* const file = fopen(path, "rb");
  if (!file) {
    mr_say_error("%s: %s", path, strerror(errno));
    return false;
  }
  SerdNode base = serd_node_new_file_uri((const uint8_t*)path, NULL, NULL, true);
  Reading reading = {.turtle = turtle, .env = serd_env_new(&base), .path = path};
  const SerdStatus status = reading.env ? read_open(&reading, file, &base) : SERD_ERR_INTERNAL;
  const bool broken = (status != SERD_SUCCESS && status != SERD_FAILURE) || ferror(file); /* a failure is an empty file */
  if (broken && !reading.failed) mr_say_error("%s: cannot be read", path);
  if (reading.env) serd_env_free(reading.env);
  serd_node_free(&base);
  fclose(file);
  return !broken && !reading.failed;
}

static void free_list(MrUriList* list) {
  for (size_t i = 0; i < list->count; ++i) free(list->uri[i]);
  free(list->uri);
}

void mr_turtle_free(MrTurtle* turtle) {
  free_list(&turtle->applies);
  free_list(&turtle->further);
  memset(turtle, 0, sizeof *turtle);
}
