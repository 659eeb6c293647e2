/* The client of a JACK server.
   SPDX-License-Identifier: ISC */
#include "client.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../message.h"
#include "names.h"

#define MOST_NAMESAKES 100

/* ------------------------------------------------------- server's threads */

static int process(jack_nframes_t n, void* data) {
  MrJackClient* const client = data;
  for (uint32_t c = 0; c < client->channels; ++c) {
    client->in[c] = jack_port_get_buffer(client->input[c], n);
    client->out[c] = jack_port_get_buffer(client->output[c], n);
  }
  mr_jack_realtime_process(client->rt, client->in, client->out, n);
  return 0;
}

static int hear_block(jack_nframes_t n, void* data) {
  atomic_store(&((MrJackClient*)data)->block, n);
  return 0;
}

/* From here on the engine of the old rate is silent. */
static int hear_rate(jack_nframes_t rate, void* data) {
  atomic_store(&((MrJackClient*)data)->rt->rate, rate);
  return 0;
}

static int hear_xrun(void* data) {
  MrJackClient* const client = data;
  if (!atomic_load(&client->rt->freewheels)) atomic_fetch_add(&client->xruns, 1);
  return 0;
}

static void hear_freewheel(int starts, void* data) { atomic_store(&((MrJackClient*)data)->rt->freewheels, starts != 0); }

static void hear_port(jack_port_id_t id, int comes, void* data) {
  MrJackClient* const client = data;
  if (!comes) {
    jack_port_t* const port = jack_port_by_id(client->jack, id);
    pthread_mutex_lock(&client->lock);
    jack_port_t** const larger = realloc(client->lost, (client->losts + 1) * sizeof(jack_port_t*));
    if (larger) {
      client->lost = larger;
      larger[client->losts++] = port;
    }
    pthread_mutex_unlock(&client->lock);
  }
  atomic_fetch_add(&client->events, 1);
}

static void hear_shutdown(jack_status_t code, const char* reason, void* data) {
  MrJackClient* const client = data;
  (void)code;
  pthread_mutex_lock(&client->lock);
  snprintf(client->why, sizeof client->why, "%s", reason ? reason : "");
  pthread_mutex_unlock(&client->lock);
  atomic_store(&client->gone, true);
}

/* What some libraries call in its place, or beside it. */
static void hear_end(void* data) { atomic_store(&((MrJackClient*)data)->gone, true); }

/* The library's own messages on standard error would stand amid the status line. */
static void hear_text(const char* text) { (void)text; }

/* ------------------------------------------------------------- main thread */

static void say_refusal(jack_status_t status, const char* name, const char* server) {
  const char* const which = server ? server : getenv("JACK_DEFAULT_SERVER");
  if (status & JackVersionError)
    mr_say_error("the JACK server is of another version than the JACK library");
  else if (status & JackServerFailed)
    mr_say_error("there is no JACK server%s%s to connect to: start one, or see --server", which ? " " : "", which ? which : "");
  else if (status & JackNameNotUnique)
    mr_say_error("the JACK server has a client %s and gives no other name: see --name", name);
  else
    mr_say_error("the JACK server refuses the client %s (status 0x%x)", name, (unsigned)status);
}

static jack_client_t* open_as(const char* name, const char* server, jack_status_t* status) {
  *status = 0;
  if (server) return jack_client_open(name, JackNoStartServer | JackServerName, status, server);
  return jack_client_open(name, JackNoStartServer, status);
}

/* Whether a client of the name has ports; this one has none yet. */
static bool has_namesake(jack_client_t* jack) {
  const char* const name = jack_get_client_name(jack);
  const size_t length = strlen(name);
  const char** const port = jack_get_ports(jack, NULL, NULL, 0);
  bool found = false;
  for (size_t i = 0; port && port[i]; ++i) found |= strncmp(port[i], name, length) == 0 && port[i][length] == ':';
  if (port) jack_free(port);
  return found;
}

/* PipeWire gives a name twice, and so the ports' names. */
static jack_client_t* open_alone(const char* wanted, const char* server, jack_status_t* status) {
  jack_client_t* jack = open_as(wanted, server, status);
  for (unsigned k = 2; jack && has_namesake(jack) && k <= MOST_NAMESAKES; ++k) {
    char name[512];
    jack_client_close(jack);
    snprintf(name, sizeof name, "%s-%u", wanted, k);
    jack = open_as(name, server, status);
  }
  return jack;
}

bool mr_jack_client_open(MrJackClient* client, const char* name, const char* server, uint32_t channels) {
  jack_status_t status = 0;
  memset(client, 0, sizeof *client);
  pthread_mutex_init(&client->lock, NULL);
  client->channels = channels;
  jack_set_error_function(hear_text);
  jack_set_info_function(hear_text);
  client->jack = open_alone(name, server, &status);
  if (!client->jack) {
    say_refusal(status, name, server);
    return false;
  }
  atomic_store(&client->block, jack_get_buffer_size(client->jack));
  if (strcmp(mr_jack_client_name(client), name) != 0)
    mr_say_note("millrace: the name %s is taken: this client is %s", name, mr_jack_client_name(client));
  return true;
}

static jack_port_t* register_port(MrJackClient* client, bool input, uint32_t channel) {
  char name[32];
  mr_jack_port_name(input, channel, name, sizeof name);
  return jack_port_register(client->jack, name, JACK_DEFAULT_AUDIO_TYPE, input ? JackPortIsInput : JackPortIsOutput, 0);
}

bool mr_jack_client_register(MrJackClient* client, const char* bank) {
  const uint32_t n = client->channels;
  client->input = calloc(n, sizeof(jack_port_t*));
  client->output = calloc(n, sizeof(jack_port_t*));
  client->in = calloc(n, sizeof *client->in);
  client->out = calloc(n, sizeof *client->out);
  if (!client->input || !client->output || !client->in || !client->out) {
    mr_say_error("no memory");
    return false;
  }
  for (uint32_t c = 0; c < n; ++c) {
    client->input[c] = register_port(client, true, c);
    client->output[c] = client->input[c] ? register_port(client, false, c) : NULL;
    if (client->output[c]) continue;
    mr_say_error("the JACK server has no room for %u inputs and outputs, but for %u: jackd takes a larger number of ports as -p", n, c);
    return false;
  }
  mr_jack_names_set_aliases(client->input, client->output, n, bank, mr_jack_client_name(client));
  return true;
}

bool mr_jack_client_start(MrJackClient* client, MrJackRealtime* rt) {
  client->rt = rt;
  jack_set_process_callback(client->jack, process, client);
  jack_set_buffer_size_callback(client->jack, hear_block, client);
  jack_set_sample_rate_callback(client->jack, hear_rate, client);
  jack_set_xrun_callback(client->jack, hear_xrun, client);
  jack_set_freewheel_callback(client->jack, hear_freewheel, client);
  jack_set_port_registration_callback(client->jack, hear_port, client);
  jack_on_shutdown(client->jack, hear_end, client);
  jack_on_info_shutdown(client->jack, hear_shutdown, client);
  client->active = jack_activate(client->jack) == 0;
  if (!client->active) mr_say_error("the JACK server does not let the client begin");
  return client->active;
}

void mr_jack_client_describe(MrJackClient* client, const char* bank) {
  mr_jack_names_set_properties(client->jack, client->input, client->output, client->channels, bank);
}

const char* mr_jack_client_name(const MrJackClient* client) { return jack_get_client_name(client->jack); }

jack_port_t** mr_jack_client_lost(MrJackClient* client, size_t* count) {
  pthread_mutex_lock(&client->lock);
  jack_port_t** const lost = client->lost;
  *count = client->losts;
  client->lost = NULL;
  client->losts = 0;
  pthread_mutex_unlock(&client->lock);
  return lost;
}

void mr_jack_client_close(MrJackClient* client) {
  if (client->jack && client->active && !atomic_load(&client->gone)) jack_deactivate(client->jack);
  if (client->jack) jack_client_close(client->jack);
  free(client->input);
  free(client->output);
  free(client->in);
  free(client->out);
  free(client->lost);
  pthread_mutex_destroy(&client->lock);
  memset(client, 0, sizeof *client);
}
