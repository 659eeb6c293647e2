/* Connections that --connect asks for.
   SPDX-License-Identifier: ISC */
#include "links.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../message.h"

static bool has_alias(const jack_port_t* port, const char* pattern) {
  const size_t size = (size_t)jack_port_name_size();
  char* alias[2] = {calloc(1, size), calloc(1, size)};
  const int n = alias[0] && alias[1] ? jack_port_get_aliases(port, alias) : 0;
  bool fits = false;
  for (int i = 0; i < n && i < 2; ++i) fits |= mr_jack_rule_fits(pattern, alias[i]);
  free(alias[0]);
  free(alias[1]);
  return fits;
}

static MrJackLink* find(MrJackLinks* links, bool input, uint32_t channel, const char* other) {
  for (size_t i = 0; i < links->links; ++i) {
    MrJackLink* const link = &links->link[i];
    if (link->input == input && link->channel == channel && strcmp(link->other, other) == 0) return link;
  }
  return NULL;
}

static void connect(MrJackClient* client, const MrJackLink* link, bool on) {
  const char* const own = jack_port_name(link->input ? client->input[link->channel] : client->output[link->channel]);
  const char *const from = link->input ? link->other : own, *const to = link->input ? own : link->other;
  const int error = on ? jack_connect(client->jack, from, to) : jack_disconnect(client->jack, from, to);
  if (on && error && error != EEXIST) mr_say_warning("%s cannot be connected to %s", from, to);
}

static void want(MrJackLinks* links, MrJackClient* client, bool input, uint32_t channel, const char* other, jack_port_t* port) {
  MrJackLink* const known = find(links, input, channel, other);
  if (known) {
    known->wanted = true;
    return;
  }
  MrJackLink* const larger = realloc(links->link, (links->links + 1) * sizeof *larger);
  char* const name = strdup(other);
  if (larger) links->link = larger;
  if (!larger || !name) {
    free(name);
    return;
  }
  larger[links->links] = (MrJackLink){.input = input, .channel = channel, .other = name, .port = port, .wanted = true};
  connect(client, &larger[links->links++], true);
}

static void remove_link(MrJackLinks* links, size_t i) {
  free(links->link[i].other);
  links->link[i] = links->link[--links->links];
}

/* A port that went took its connections with it, whatever has its name or number now. */
static void drop_lost(MrJackLinks* links, MrJackClient* client) {
  size_t count;
  jack_port_t** const lost = mr_jack_client_lost(client, &count);
  for (size_t k = 0; k < count; ++k)
    for (size_t i = links->links; i-- > 0;)
      if (links->link[i].port == lost[k]) remove_link(links, i);
  free(lost);
}

static void apply(MrJackLinks* links, MrJackClient* client, MrJackRule* rule) {
  const unsigned long flags =
      (rule->input ? JackPortIsOutput : JackPortIsInput) | (rule->pattern ? 0ul : (unsigned long)JackPortIsPhysical);
  const uint32_t room = rule->channel ? rule->channels : client->channels;
  const char** const names = jack_get_ports(client->jack, NULL, JACK_DEFAULT_AUDIO_TYPE, flags);
  uint32_t k = 0;
  for (size_t i = 0; names && names[i] && k < room; ++i) {
    jack_port_t* const port = jack_port_by_name(client->jack, names[i]);
    if (!port || jack_port_is_mine(client->jack, port)) continue;
    if (rule->pattern && !mr_jack_rule_fits(rule->pattern, names[i]) && !has_alias(port, rule->pattern)) continue;
    want(links, client, rule->input, rule->channel ? rule->channel[k] : k, names[i], port);
    ++k;
  }
  if (names) jack_free(names);
  if (!k && !rule->missed) mr_say_warning("--connect %s: there is no such port yet", rule->text);
  rule->missed = true; /* or need not be said any more */
}

void mr_jack_links_update(MrJackLinks* links, MrJackClient* client, MrJackRules* rules) {
  drop_lost(links, client);
  for (size_t i = 0; i < links->links; ++i) links->link[i].wanted = false;
  for (size_t i = 0; i < rules->rules; ++i) apply(links, client, &rules->rule[i]);
  for (size_t i = links->links; i-- > 0;) {
    if (links->link[i].wanted) continue;
    if (jack_port_by_name(client->jack, links->link[i].other)) connect(client, &links->link[i], false);
    remove_link(links, i);
  }
}

void mr_jack_links_free(MrJackLinks* links) {
  while (links->links) remove_link(links, links->links - 1);
  free(links->link);
  links->link = NULL;
}
