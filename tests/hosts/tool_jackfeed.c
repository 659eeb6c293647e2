/* Plays a file of floats through a JACK client and writes what comes back.
   SPDX-License-Identifier: ISC

   Usage: tool_jackfeed CLIENT CHANNELS IN OUT TAIL [freewheel]
   IN and OUT hold interleaved 32-bit floats. CLIENT's audio inputs and outputs are taken in order. OUT begins with the cycle in which IN's
   first frame was sent and is TAIL frames longer than IN. Prints "xruns N" and "period N". JACK_DEFAULT_SERVER names the server, which is
   never started. */
#include <jack/jack.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MAX_CHANNELS 64
#define SECONDS      60 /* that all may take */

typedef struct Feed {
  jack_client_t* client;
  jack_port_t *send[MAX_CHANNELS], *capture[MAX_CHANNELS];
  uint32_t channels;
  size_t sent, frames, total; /* of the input; with the tail */
  float *in, *out;
  bool freewheel;
  atomic_bool go, wheels;
  atomic_uint xruns;
  sem_t done;
} Feed;

_Noreturn static void fail(const char* what) {
  fprintf(stderr, "tool_jackfeed: %s\n", what);
  exit(2);
}

/* Starts at a cycle's begin, and with --freewheel only once the server does freewheel. */
static int process(jack_nframes_t n, void* data) {
  Feed* feed = data;
  const bool runs = atomic_load(&feed->go) && feed->sent < feed->total && atomic_load(&feed->wheels) == feed->freewheel;
  for (uint32_t c = 0; c < feed->channels; c++) {
    float* to = jack_port_get_buffer(feed->send[c], n);
    const float* from = jack_port_get_buffer(feed->capture[c], n);
    for (jack_nframes_t i = 0; i < n; i++) {
      const size_t frame = feed->sent + i;
      to[i] = runs && frame < feed->frames ? feed->in[frame * feed->channels + c] : 0.0f;
      if (runs && frame < feed->total) feed->out[frame * feed->channels + c] = from[i];
    }
  }
  if (!runs) return 0;
  feed->sent += n;
  if (feed->sent >= feed->total) sem_post(&feed->done);
  return 0;
}

static int count_xrun(void* data) {
  Feed* feed = data;
  if (atomic_load(&feed->go)) atomic_fetch_add(&feed->xruns, 1);
  return 0;
}

static void hear_freewheel(int starts, void* data) { atomic_store(&((Feed*)data)->wheels, starts != 0); }

static void open_client(Feed* feed) {
  jack_status_t status;
  feed->client = jack_client_open("feed", JackNoStartServer, &status);
  if (!feed->client) fail("there is no server");
  jack_set_process_callback(feed->client, process, feed);
  jack_set_xrun_callback(feed->client, count_xrun, feed);
  jack_set_freewheel_callback(feed->client, hear_freewheel, feed);
  for (uint32_t c = 0; c < feed->channels; c++) {
    char name[32];
    snprintf(name, sizeof name, "send_%u", c + 1);
    feed->send[c] = jack_port_register(feed->client, name, JACK_DEFAULT_AUDIO_TYPE, JackPortIsOutput, 0);
    snprintf(name, sizeof name, "capture_%u", c + 1);
    feed->capture[c] = jack_port_register(feed->client, name, JACK_DEFAULT_AUDIO_TYPE, JackPortIsInput, 0);
    if (!feed->send[c] || !feed->capture[c]) fail("cannot register ports");
  }
  if (jack_activate(feed->client)) fail("cannot activate");
}

static void connect_client(Feed* feed, const char* other) {
  char pattern[128];
  snprintf(pattern, sizeof pattern, "^%s:", other);
  const char** inputs = jack_get_ports(feed->client, pattern, JACK_DEFAULT_AUDIO_TYPE, JackPortIsInput);
  const char** outputs = jack_get_ports(feed->client, pattern, JACK_DEFAULT_AUDIO_TYPE, JackPortIsOutput);
  if (!inputs || !outputs) fail("the client has no ports");
  for (uint32_t c = 0; c < feed->channels; c++) {
    if (!inputs[c] || !outputs[c]) fail("the client has too few ports");
    if (jack_connect(feed->client, jack_port_name(feed->send[c]), inputs[c])) fail("cannot connect the client's input");
    if (jack_connect(feed->client, outputs[c], jack_port_name(feed->capture[c]))) fail("cannot connect the client's output");
  }
  jack_free(inputs);
  jack_free(outputs);
}

static void read_input(Feed* feed, const char* path, size_t tail) {
  FILE* file = fopen(path, "rb");
  if (!file || fseek(file, 0, SEEK_END)) fail("cannot read the input");
  const size_t frame = feed->channels * sizeof(float), bytes = (size_t)ftell(file);
  feed->frames = bytes / frame;
  feed->total = feed->frames + tail;
  feed->in = malloc(bytes + 1);
  feed->out = calloc(feed->total, frame);
  rewind(file);
  if (!feed->in || !feed->out || fread(feed->in, 1, bytes, file) != bytes) fail("cannot read the input");
  fclose(file);
}

static void write_output(const Feed* feed, const char* path) {
  FILE* file = fopen(path, "wb");
  const size_t frame = feed->channels * sizeof(float);
  if (!file || fwrite(feed->out, frame, feed->total, file) != feed->total || fclose(file)) fail("cannot write the output");
}

int main(int argc, char** argv) {
  static Feed feed;
  if (argc < 6) fail("CLIENT, CHANNELS, IN, OUT and TAIL are needed");
  feed.channels = (uint32_t)strtoul(argv[2], NULL, 10);
  if (!feed.channels || feed.channels > MAX_CHANNELS) fail("not so many channels");
  feed.freewheel = argc > 6 && !strcmp(argv[6], "freewheel");
  read_input(&feed, argv[3], strtoul(argv[5], NULL, 10));
  sem_init(&feed.done, 0, 0);
  open_client(&feed);
  connect_client(&feed, argv[1]);
  const jack_nframes_t settle = jack_frame_time(feed.client) + jack_get_sample_rate(feed.client) / 4;
  while ((int32_t)(settle - jack_frame_time(feed.client)) > 0) nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
  if (feed.freewheel && jack_set_freewheel(feed.client, 1)) fail("the server does not freewheel");
  atomic_store(&feed.go, true);
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_sec += SECONDS;
  if (sem_timedwait(&feed.done, &until)) fail("the server came to a halt");
  if (feed.freewheel) jack_set_freewheel(feed.client, 0);
  printf("xruns %u\nperiod %u\n", atomic_load(&feed.xruns), jack_get_buffer_size(feed.client));
  jack_client_close(feed.client);
  write_output(&feed, argv[4]);
  return 0;
}
