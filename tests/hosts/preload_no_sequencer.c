/* Preloaded into programs that will not start without the kernel's MIDI sequencer: one in which nothing ever happens.
   SPDX-License-Identifier: ISC

   Machines that build and test have no sound, and so no /dev/snd/seq. These stand in for ALSA's functions that take a sequencer: all succeed,
   no event comes, and there are no other clients. */
#include <errno.h>
#include <poll.h>
#include <stddef.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

/* Those that only have to succeed; whatever they are given is not looked at. */
#define QUIET(name)      \
  EXPORT int name(void); \
  EXPORT int name(void) { return 0; }
/* Those that list what there is: nothing. */
#define NOTHING(name)    \
  EXPORT int name(void); \
  EXPORT int name(void) { return -ENOENT; }

QUIET(snd_seq_alloc_queue)
QUIET(snd_seq_close)
QUIET(snd_seq_control_queue)
QUIET(snd_seq_create_simple_port)
QUIET(snd_seq_delete_simple_port)
QUIET(snd_seq_drain_output)
QUIET(snd_seq_drop_input)
QUIET(snd_seq_drop_output)
QUIET(snd_seq_event_input_pending)
QUIET(snd_seq_event_output)
QUIET(snd_seq_event_output_direct)
QUIET(snd_seq_free_queue)
QUIET(snd_seq_get_port_info)
QUIET(snd_seq_get_queue_status)
QUIET(snd_seq_get_queue_tempo)
QUIET(snd_seq_remove_events)
QUIET(snd_seq_set_client_name)
QUIET(snd_seq_set_port_info)
QUIET(snd_seq_set_queue_tempo)
QUIET(snd_seq_set_queue_timer)
QUIET(snd_seq_subscribe_port)
QUIET(snd_seq_unsubscribe_port)
NOTHING(snd_seq_get_any_client_info)
NOTHING(snd_seq_get_any_port_info)
NOTHING(snd_seq_query_next_client)
NOTHING(snd_seq_query_next_port)
NOTHING(snd_seq_query_port_subscribers)

static int handle, ends[2];

EXPORT int snd_seq_open(void** sequencer, const char* name, int streams, int mode);
EXPORT int snd_seq_client_id(void* sequencer);
EXPORT int snd_seq_poll_descriptors_count(void* sequencer, short events);
EXPORT int snd_seq_poll_descriptors(void* sequencer, struct pollfd* list, unsigned room, short events);
EXPORT int snd_seq_event_input(void* sequencer, void** event);

EXPORT int snd_seq_open(void** sequencer, const char* name, int streams, int mode) {
  (void)name;
  (void)streams;
  (void)mode;
  *sequencer = &handle;
  return ends[1] ? 0 : pipe(ends);
}

EXPORT int snd_seq_client_id(void* sequencer) {
  (void)sequencer;
  return 128;
}

EXPORT int snd_seq_poll_descriptors_count(void* sequencer, short events) {
  (void)sequencer;
  (void)events;
  return 1;
}

/* A pipe into which nobody writes. */
EXPORT int snd_seq_poll_descriptors(void* sequencer, struct pollfd* list, unsigned room, short events) {
  (void)sequencer;
  (void)events;
  if (!room) return 0;
  *list = (struct pollfd){.fd = ends[0], .events = POLLIN};
  return 1;
}

EXPORT int snd_seq_event_input(void* sequencer, void** event) {
  (void)sequencer;
  *event = NULL;
  return -EAGAIN;
}
