/* Tables of sections as JSON, written.
   SPDX-License-Identifier: ISC */
#include <jansson.h>
#include <stdlib.h>

#include "json.h"

typedef struct Sink {
  MrWrite write;
  void* handle;
} Sink;

static int put(const char* text, size_t length, void* data) {
  const Sink* sink = data;
  return sink->write(sink->handle, text, length) ? 0 : -1;
}

static void warn(const MrMessages* messages, const char* text) {
  if (messages && messages->say) messages->say(messages->handle, MR_WARNING, NULL, 0, text);
}

static bool routes(const MrBank* bank) {
  for (uint32_t k = 0; k < bank->channels; k++) {
    const MrChannel* channel = &bank->channel[k];
    const MrTerm* term = channel->term;
    if (channel->terms != 1 || term->source != k || term->is_db || term->inverted || term->gain != 1.0) return true;
  }
  return false;
}

/* NULL if there is no memory. */
static json_t* channel_object(const MrProgram* program, uint32_t k) {
  json_t* rows = json_array();
  for (uint32_t i = 0; rows && i < mr_program_sections(program, k); i++) {
    const MrBiquad q = mr_section_to_biquad(mr_program_section(program, k, i));
    if (json_array_append_new(rows, json_pack("[f,f,f,f,f,f]", q.b0, q.b1, q.b2, 1.0, q.a1, q.a2)) == 0) continue;
    json_decref(rows);
    rows = NULL;
  }
  if (!rows) return NULL;
  return json_pack("{s:f,s:I,s:o}", "gain", mr_program_gain(program, k), "delay", (json_int_t)mr_program_delay(program, k), "sos", rows);
}

MrStatus mr_bank_write_json(const MrBank* bank, double fs, MrWrite write, void* handle, const MrMessages* messages) {
  if (!bank || !write) return MR_ERR_ARGUMENT;
  MrStatus status = MR_OK;
  MrProgram* program = mr_program_new(bank, fs, messages, &status);
  if (!program) return status;
  json_t* list = json_array();
  for (uint32_t k = 0; list && k < bank->channels; k++) {
    if (json_array_append_new(list, channel_object(program, k)) == 0) continue;
    json_decref(list);
    list = NULL;
  }
  mr_program_free(program);
  json_t* root = list ? json_pack("{s:f,s:o}", "fs", fs, "channels", list) : NULL;
  if (!root) return MR_ERR_MEMORY;
  Sink sink = {write, handle};
  if (json_dump_callback(root, put, &sink, JSON_REAL_PRECISION(17) | JSON_COMPACT) != 0 || !write(handle, "\n", 1)) status = MR_ERR_IO;
  json_decref(root);
  if (status == MR_OK && routes(bank)) warn(messages, "a table of sections cannot hold routes: they are left out");
  return status;
}
