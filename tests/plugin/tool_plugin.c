/* Plays a script on a plugin: commands on standard input, float32 samples (interleaved, raw) on standard output.
   SPDX-License-Identifier: ISC

     plugin KIND CHANNELS FS              KIND: eq or bank; the host has a worker
     set SYMBOL VALUE                     a control port
     text PROPERTY TEXT                   by message: a channel set, as eq#set1
     number PROPERTY VALUE                by message: eq#solo
     file PATH                            by message; the worker reads it at once
     state PROPERTY TEXT                  a state with that text alone is restored: bank#content (a | is a line's end) or eq#set1
     sine FC AMPLITUDE                    channel c of C starts at phase 2 pi c / C; goes on through runs
     dc VALUE
     noise AMPLITUDE
     run FRAMES BLOCK
     skip FRAMES BLOCK                    as run, nothing printed
     dry FRAMES                           the signal itself, past the plugin
     expect SYMBOL VALUE                  ends with an error if the port has another one
*/
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host.h"

typedef enum Signal { SINE, DC, NOISE } Signal;

typedef struct Player {
  Host* host;
  uint32_t channels;
  double fs;
  Signal signal;
  double fc, amplitude;
  uint64_t frame, random;
} Player;

static void fail(const char* what) {
  fprintf(stderr, "tool_plugin: %s\n", what);
  exit(1);
}

static float sample(Player* player, uint32_t channel) {
  switch (player->signal) {
    case SINE:
      return (float)(player->amplitude *
                     sin(2 * M_PI * (fmod(player->fc * (double)player->frame / player->fs, 1) + (double)channel / player->channels)));
    case DC:
      return (float)player->amplitude;
    case NOISE:
      player->random = player->random * 6364136223846793005u + 1442695040888963407u;
      return (float)(player->amplitude * ((double)(player->random >> 11) * 0x1p-52 - 1));
  }
  return 0;
}

static void make_plugin(Player* player, const char* arguments) {
  char kind[16], uri[64];
  if (sscanf(arguments, "%15s %u %lf", kind, &player->channels, &player->fs) != 3) fail("plugin");
  snprintf(uri, sizeof uri, "urn:millrace:%s#%u", kind, player->channels);
  const HostOptions options = {.fs = player->fs, .worker = HOST_WORKER_QUEUE};
  player->host = host_new(uri, &options);
  if (!player->host) fail("no plugin");
  host_activate(player->host);
}

static void write_frames(const Player* player, float* const* x, uint32_t n) {
  for (uint32_t f = 0; f < n; f++)
    for (uint32_t c = 0; c < player->channels; c++)
      if (fwrite(&x[c][f], sizeof(float), 1, stdout) != 1) fail("output");
}

static void run(Player* player, const char* arguments, bool print, bool dry) {
  unsigned frames, block = 4096;
  if (sscanf(arguments, "%u %u", &frames, &block) < 1 || !block || block > 8192) fail("run");
  Host* host = player->host;
  for (uint32_t done = 0, n; done < frames; done += n) {
    n = frames - done < block ? frames - done : block;
    for (uint32_t f = 0; f < n; f++, player->frame++)
      for (uint32_t c = 0; c < player->channels; c++) host->in[c][f] = sample(player, c);
    if (!dry) host_run(host, n);
    if (print) write_frames(player, dry ? host->in : host->out, n);
  }
}

/* PROPERTY and what is behind it, at the text's own place. */
static char* split(char* arguments, char property[64]) {
  char* rest = strchr(arguments, ' ');
  if (!rest) fail("a property and a value");
  *rest = '\0';
  snprintf(property, 64, "urn:millrace:%s", arguments);
  return rest + 1;
}

static void restore(Player* player, char* arguments) {
  char property[64];
  char* text = split(arguments, property);
  const bool content = strstr(property, "content") != NULL;
  for (char* at = text; content && *at; at++)
    if (*at == '|') *at = '\n';
  HostState state = {.count = 0};
  host_state_put(&state, property, content ? LV2_ATOM__Chunk : LV2_ATOM__String, text, strlen(text) + !content);
  if (host_restore(player->host, &state) != LV2_STATE_SUCCESS) fail("state");
  host_state_free(&state);
}

static bool take_signal(Player* player, const char* word, const char* rest) {
  if (!strcmp(word, "sine")) {
    player->signal = SINE;
    if (sscanf(rest, "%lf %lf", &player->fc, &player->amplitude) != 2) fail("sine");
    return true;
  }
  if (strcmp(word, "dc") && strcmp(word, "noise")) return false;
  player->signal = *word == 'd' ? DC : NOISE;
  player->amplitude = atof(rest);
  return true;
}

static void take(Player* player, const char* word, char* rest) {
  Host* host = player->host;
  char property[64], symbol[64];
  float value;
  if (!strcmp(word, "set") || !strcmp(word, "expect")) {
    if (sscanf(rest, "%63s %f", symbol, &value) != 2) fail(word);
    if (*word == 's')
      host_set(host, symbol, value);
    else if (host_get(host, symbol) != value)
      fail(symbol);
  } else if (!strcmp(word, "text")) {
    const char* text = split(rest, property);
    host_send_text(host, property, LV2_ATOM__String, text);
  } else if (!strcmp(word, "number")) {
    const char* text = split(rest, property);
    host_send_int(host, property, atoi(text));
  } else if (!strcmp(word, "file")) {
    host_send_text(host, "urn:millrace:bank#file", LV2_ATOM__Path, rest);
    host_run(host, 0);
    if (host_work(host) != 1) fail("no work");
  } else if (!strcmp(word, "state")) {
    restore(player, rest);
  } else if (!strcmp(word, "run") || !strcmp(word, "skip")) {
    run(player, rest, *word == 'r', false);
  } else if (!strcmp(word, "dry")) {
    run(player, rest, true, true);
  } else if (!take_signal(player, word, rest)) {
    fail(word);
  }
}

int main(void) {
  static Player player;
  static char line[1 << 16];
  while (fgets(line, sizeof line, stdin)) {
    line[strcspn(line, "\n")] = '\0';
    char* rest = line + strcspn(line, " ");
    if (*rest) *rest++ = '\0';
    if (!strcmp(line, "plugin"))
      make_plugin(&player, rest);
    else if (player.host)
      take(&player, line, rest);
    else
      fail("a script starts with plugin");
  }
  host_free(player.host);
  host_world_end();
  return 0;
}
