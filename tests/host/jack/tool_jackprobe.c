/* Plays a file of floats into a JACK client and records, in step, what comes out of it.
   SPDX-License-Identifier: ISC

   Usage: tool_jackprobe CLIENT CHANNELS IN OUT [freewheel] [times=N] [sizes=MS:N,N,...] [stall=MS]
   IN and OUT hold interleaved 32-bit floats and have the same length; OUT's frame k was recorded in the cycle that sent IN's frame k. CLIENT has the
   ports in_1, out_1 and so on. Player and recorder are two clients, or the server would close the loop through a cycle of delay. With `times` IN is
   played so often in a row, and OUT has the last time. With `sizes` the
   server's block changes every MS milliseconds, through the list and from its start again. With `stall` the player sleeps once, so long that a cycle
   is missed. Prints "begins" when the first frame is sent, and at the end "xruns N", "slips N" (cycles that player and recorder did not both see) and
   "blocks N" (changes of the block's size seen). JACK_DEFAULT_SERVER names the server, which is never started. */
#include <jack/jack.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MAX_CHANNELS 1024
#define MAX_SIZES    32
#define SECONDS      200 /* that all may take */

typedef struct Probe {
  jack_client_t *player, *recorder;
  jack_port_t *send[MAX_CHANNELS], *capture[MAX_CHANNELS];
  uint32_t channels;
  size_t frames, total; /* of the input; of all times that it is played */
  float *in, *out;
  bool freewheel;
  long stall_ms;
  atomic_bool go, wheels, stalls;
  atomic_uint xruns, slips, blocks;
  sem_t begun, done;

  /* of the player's cycle, for the recorder's */
  _Atomic size_t place; /* the first frame sent in it */
  atomic_uint time;     /* the server's frame time */
  size_t sent;
  bool ended;
} Probe;

_Noreturn static void fail(const char* what) {
  fprintf(stderr, "tool_jackprobe: %s\n", what);
  exit(2);
}

static void pause_ms(long ms) { nanosleep(&(struct timespec){.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000}, NULL); }

static int play(jack_nframes_t n, void* data) {
  Probe* p = data;
  const bool runs = atomic_load(&p->go) && p->sent < p->total && atomic_load(&p->wheels) == p->freewheel;
  for (uint32_t c = 0; c < p->channels; c++) {
    float* to = jack_port_get_buffer(p->send[c], n);
    for (jack_nframes_t i = 0; i < n; i++)
      to[i] = runs && p->sent + i < p->total ? p->in[(p->sent + i) % p->frames * p->channels + c] : 0.0f;
  }
  if (atomic_exchange(&p->stalls, false)) pause_ms(p->stall_ms);
  atomic_store(&p->place, runs ? p->sent : SIZE_MAX);
  atomic_store(&p->time, jack_last_frame_time(p->player));
  if (!runs && atomic_load(&p->go) && p->sent >= p->total && !p->ended) { /* the recorder has had the last cycle */
    p->ended = true;
    sem_post(&p->done);
  }
  if (!runs) return 0;
  if (!p->sent) sem_post(&p->begun);
  p->sent += n;
  return 0;
}

static int record(jack_nframes_t n, void* data) {
  Probe* p = data;
  const size_t place = atomic_load(&p->place);
  const bool in_step = atomic_load(&p->time) == jack_last_frame_time(p->recorder);
  if (!in_step && atomic_load(&p->go)) atomic_fetch_add(&p->slips, 1);
  if (!in_step || place == SIZE_MAX) return 0;
  for (uint32_t c = 0; c < p->channels; c++) {
    const float* from = jack_port_get_buffer(p->capture[c], n);
    for (jack_nframes_t i = 0; i < n && place + i < p->total; i++) p->out[(place + i) % p->frames * p->channels + c] = from[i];
  }
  return 0;
}

static int count_xrun(void* data) {
  Probe* p = data;
  if (atomic_load(&p->go)) atomic_fetch_add(&p->xruns, 1);
  return 0;
}

static int count_block(jack_nframes_t n, void* data) {
  Probe* p = data;
  (void)n;
  if (atomic_load(&p->go)) atomic_fetch_add(&p->blocks, 1);
  return 0;
}

static void hear_freewheel(int starts, void* data) { atomic_store(&((Probe*)data)->wheels, starts != 0); }

static jack_client_t* open_client(Probe* p, const char* name, JackProcessCallback process, jack_port_t** port, unsigned long flags) {
  jack_status_t status;
  jack_client_t* client = jack_client_open(name, JackNoStartServer, &status);
  if (!client) fail("there is no server");
  jack_set_process_callback(client, process, p);
  for (uint32_t c = 0; c < p->channels; c++) {
    char port_name[32];
    snprintf(port_name, sizeof port_name, "port_%u", c + 1);
    port[c] = jack_port_register(client, port_name, JACK_DEFAULT_AUDIO_TYPE, flags, 0);
    if (!port[c]) fail("cannot register ports");
  }
  if (!jack_port_register(client, "order", JACK_DEFAULT_AUDIO_TYPE, flags, 0)) fail("cannot register ports");
  return client;
}

static void link_ports(jack_client_t* client, const jack_port_t* own, const char* other, const char* name, uint32_t channel) {
  char full[256];
  snprintf(full, sizeof full, "%s:%s_%u", other, name, channel + 1);
  const bool out = jack_port_flags(own) & JackPortIsOutput;
  if (jack_connect(client, out ? jack_port_name(own) : full, out ? full : jack_port_name(own))) fail("cannot connect");
}

static void open_clients(Probe* p, const char* other) {
  p->player = open_client(p, "player", play, p->send, JackPortIsOutput);
  p->recorder = open_client(p, "recorder", record, p->capture, JackPortIsInput);
  jack_set_xrun_callback(p->player, count_xrun, p);
  jack_set_buffer_size_callback(p->player, count_block, p);
  jack_set_freewheel_callback(p->player, hear_freewheel, p);
  if (jack_activate(p->player) || jack_activate(p->recorder)) fail("cannot activate");
  /* the recorder comes behind the player in each cycle, also without the client between them */
  if (jack_connect(p->player, "player:order", "recorder:order")) fail("cannot connect");
  for (uint32_t c = 0; c < p->channels; c++) {
    link_ports(p->player, p->send[c], other, "in", c);
    link_ports(p->recorder, p->capture[c], other, "out", c);
  }
}

static void read_input(Probe* p, const char* path) {
  FILE* file = fopen(path, "rb");
  if (!file || fseek(file, 0, SEEK_END)) fail("cannot read the input");
  const size_t frame = p->channels * sizeof(float), bytes = (size_t)ftell(file);
  p->frames = bytes / frame;
  p->in = malloc(bytes + 1);
  p->out = calloc(p->frames + 1, frame);
  rewind(file);
  if (!p->in || !p->out || fread(p->in, 1, bytes, file) != bytes) fail("cannot read the input");
  fclose(file);
  memset(p->out, 0, p->frames * frame); /* no page is to be missing in the callback */
}

static void write_output(const Probe* p, const char* path) {
  FILE* file = fopen(path, "wb");
  const size_t frame = p->channels * sizeof(float);
  if (!file || fwrite(p->out, frame, p->frames, file) != p->frames || fclose(file)) fail("cannot write the output");
}

static void change_sizes(Probe* p, const char* text) {
  unsigned size[MAX_SIZES], count = 0;
  char* at;
  const long ms = strtol(text, &at, 10);
  while (*at && count < MAX_SIZES) size[count++] = (unsigned)strtoul(at + 1, &at, 10);
  if (!count) fail("no sizes");
  for (unsigned k = 0; sem_trywait(&p->done); k++) {
    if (jack_set_buffer_size(p->player, size[k % count])) fail("the server refuses a block");
    pause_ms(ms);
  }
}

int main(int argc, char** argv) {
  static Probe p;
  const char* sizes = NULL;
  size_t times = 1;
  if (argc < 5) fail("CLIENT, CHANNELS, IN and OUT are needed");
  p.channels = (uint32_t)strtoul(argv[2], NULL, 10);
  if (!p.channels || p.channels > MAX_CHANNELS) fail("not so many channels");
  for (int i = 5; i < argc; i++) {
    if (!strcmp(argv[i], "freewheel")) p.freewheel = true;
    if (!strncmp(argv[i], "times=", 6)) times = strtoul(argv[i] + 6, NULL, 10);
    if (!strncmp(argv[i], "sizes=", 6)) sizes = argv[i] + 6;
    if (!strncmp(argv[i], "stall=", 6)) p.stall_ms = strtol(argv[i] + 6, NULL, 10);
  }
  read_input(&p, argv[3]);
  p.total = p.frames * times;
  sem_init(&p.begun, 0, 0);
  sem_init(&p.done, 0, 0);
  atomic_store(&p.place, SIZE_MAX);
  open_clients(&p, argv[1]);
  pause_ms(300); /* cycles in which the graph sorts itself */
  if (p.freewheel && jack_set_freewheel(p.player, 1)) fail("the server does not freewheel");
  atomic_store(&p.go, true);
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_sec += SECONDS;
  if (sem_timedwait(&p.begun, &until)) fail("the server does not run");
  puts("begins");
  fflush(stdout);
  atomic_store(&p.stalls, p.stall_ms > 0);
  if (sizes)
    change_sizes(&p, sizes);
  else if (sem_timedwait(&p.done, &until))
    fail("the server came to a halt");
  if (p.freewheel) jack_set_freewheel(p.player, 0);
  printf("xruns %u\nslips %u\nblocks %u\n", atomic_load(&p.xruns), atomic_load(&p.slips), atomic_load(&p.blocks));
  jack_client_close(p.recorder);
  jack_client_close(p.player);
  write_output(&p, argv[4]);
  return 0;
}
