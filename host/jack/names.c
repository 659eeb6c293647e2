/* What the ports are called.
   SPDX-License-Identifier: ISC */
#include "names.h"

#include <jack/metadata.h>
#include <jack/uuid.h>
#include <stdio.h>
#include <string.h>

/* In the order of WAVE files, as banks name them. */
static const char* speaker(uint32_t channel, uint32_t channels) {
  static const char* const names[] = {"L", "R", "C", "LFE", "BL", "BR", "SL", "SR", "TFL", "TFR", "TBL", "TBR"};
  const bool named = channels == 2 || channels == 6 || channels == 8 || channels == 10 || channels == 12;
  return named ? names[channel] : NULL;
}

void mr_jack_port_name(bool input, uint32_t channel, char* name, size_t size) {
  snprintf(name, size, "%s_%u", input ? "in" : "out", channel + 1);
}

void mr_jack_port_title(const char* bank, bool input, uint32_t channel, uint32_t channels, char* title, size_t size) {
  const char* const place = speaker(channel, channels);
  snprintf(title, size, "%s %s %u%s%s", bank, input ? "in" : "out", channel + 1, place ? " " : "", place ? place : "");
}

void mr_jack_names_set_aliases(jack_port_t* const* input, jack_port_t* const* output, uint32_t channels, const char* bank,
                               const char* client) {
  for (uint32_t k = 0; k < 2 * channels; ++k) {
    const bool is_input = k < channels;
    const uint32_t c = is_input ? k : k - channels;
    char title[128], alias[256];
    mr_jack_port_title(bank, is_input, c, channels, title, sizeof title);
    snprintf(alias, sizeof alias, "%s:%s", client, title);
    if ((int)sizeof alias > jack_port_name_size()) return;
    jack_port_set_alias(is_input ? input[c] : output[c], alias);
  }
}

/* PipeWire keeps metadata in its server. The others' library keeps it in a database of all clients of a user, where one that is ended in midst of a
   change leaves a lock that all others wait for, for ever: none for them. */
static bool has_safe_metadata(void) { return strstr(jack_get_version_string(), "PipeWire") != NULL; }

static bool is_set(jack_client_t* jack, jack_port_t* port, const char* key, const char* value, const char* type) {
  const jack_uuid_t uuid = jack_port_uuid(port);
  return !jack_uuid_empty(uuid) && jack_set_property(jack, uuid, key, value, type) == 0;
}

void mr_jack_names_set_properties(jack_client_t* jack, jack_port_t* const* input, jack_port_t* const* output, uint32_t channels,
                                  const char* bank) {
  if (!has_safe_metadata()) return;
  for (uint32_t k = 0; k < 2 * channels; ++k) {
    const bool is_input = k < channels;
    const uint32_t c = is_input ? k : k - channels;
    char title[128], order[16];
    mr_jack_port_title(bank, is_input, c, channels, title, sizeof title);
    snprintf(order, sizeof order, "%u", c + 1);
    jack_port_t* const port = is_input ? input[c] : output[c];
    if (!is_set(jack, port, JACK_METADATA_PRETTY_NAME, title, "text/plain") ||
        !is_set(jack, port, JACK_METADATA_ORDER, order, "http://www.w3.org/2001/XMLSchema#int"))
      return;
  }
}
