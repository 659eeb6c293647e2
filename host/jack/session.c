/* A client from its start to its end: what the main thread does.
   SPDX-License-Identifier: ISC

   Ten times a second, and at once for a signal or a changed file, the main thread looks at what there is to do; the callback never wakes it. */
#include "session.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include "../command.h"
#include "../message.h"
#include "client.h"
#include "links.h"
#include "reload.h"
#include "status.h"
#include "watch.h"

enum {
  LOOK_MS = 100, /* between two looks */
  FADE_MS = 150, /* the engine's fade to silence takes less */
  PATIENCE_S = 5 /* with a server that does not answer while the client ends */
};

typedef struct Session {
  MrJackOptions* options;
  MrJackRealtime rt;
  MrJackClient client;
  MrReload reload;
  MrWatch watch;
  MrJackLinks links;
  MrJackStatus status;
  int signals;  /* a signalfd */
  int terminal; /* standard error or input where that is one, else -1 */
  uint32_t events_seen, events_done;
  double again; /* when files that were just being written are read again; infinity: not */
  bool ends;
  int code;
} Session;

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* ---------------------------------------------------------------- changes */

static void tell(Session* s, const char* event) { mr_jack_status_tell(&s->status, now(), event, &s->reload, &s->client, &s->rt); }

static void end(Session* s, int code) {
  s->ends = true;
  s->code = code;
}

static void take_outcome(Session* s, MrReloaded done, const char* event) {
  s->again = done == MR_RELOAD_TRY_LATER ? now() + 0.2 : INFINITY;
  if (done == MR_RELOADED) tell(s, event);
  if (done == MR_RELOAD_REFUSED) tell(s, "refused");
}

static void reload_files(Session* s, bool asked) {
  const MrReloaded done = mr_reload_files(&s->reload, atomic_load(&s->client.block));
  if (!s->options->quiet && done == MR_RELOADED) mr_say_note("millrace: the bank %s plays as it is now", s->reload.name);
  if (!s->options->quiet && done == MR_RELOAD_UNCHANGED && asked) mr_say_note("millrace: the bank %s has not changed", s->reload.name);
  take_outcome(s, done, "reload");
}

static void reload_rate(Session* s, uint32_t rate) {
  if (!s->options->quiet) mr_say_note("millrace: the sample rate is %u Hz now", rate);
  const MrReloaded done = mr_reload_rate(&s->reload, rate, atomic_load(&s->client.block));
  if (done == MR_RELOAD_IMPOSSIBLE) end(s, MR_EXIT_BANK); /* the callback is silent, and would stay so */
  take_outcome(s, done, "rate");
}

/* Once no port has come or gone between two looks, as those of a client come one by one. */
static void look_at_ports(Session* s) {
  const uint32_t events = atomic_load(&s->client.events);
  if (events == s->events_seen && events != s->events_done) {
    mr_jack_links_update(&s->links, &s->client, &s->options->rules);
    s->events_done = events;
  }
  s->events_seen = events;
}

/* ---------------------------------------------------------------- signals */

static bool watch_signals(Session* s) {
  sigset_t watched;
  sigemptyset(&watched);
  sigaddset(&watched, SIGINT);
  sigaddset(&watched, SIGTERM);
  sigaddset(&watched, SIGHUP);
  pthread_sigmask(SIG_BLOCK, &watched, NULL); /* before the library makes threads, which are to inherit it */
  s->signals = signalfd(-1, &watched, SFD_NONBLOCK | SFD_CLOEXEC);
  s->terminal = isatty(STDERR_FILENO) ? STDERR_FILENO : isatty(STDIN_FILENO) ? STDIN_FILENO : -1;
  if (s->signals < 0) mr_say_error("signals cannot be watched: %s", strerror(errno));
  return s->signals >= 0;
}

/* A terminal that goes away sends SIGHUP too; then nobody is left who would end the client. */
static bool terminal_is_gone(const Session* s) {
  struct pollfd terminal = {.fd = s->terminal};
  return s->terminal >= 0 && poll(&terminal, 1, 0) == 1 && terminal.revents & POLLHUP;
}

static void take_signals(Session* s) {
  struct signalfd_siginfo one;
  while (read(s->signals, &one, sizeof one) == (ssize_t)sizeof one) {
    if (one.ssi_signo != SIGHUP)
      end(s, MR_EXIT_DONE);
    else if (terminal_is_gone(s))
      end(s, 128 + SIGHUP);
    else
      reload_files(s, true);
  }
}

/* A server that hangs must not keep the client. */
static void give_up(int number) {
  (void)number;
  static const char text[] = "millrace: the JACK server does not answer: ended all the same\n";
  const ssize_t ignored = write(STDERR_FILENO, text, sizeof text - 1);
  (void)ignored;
  _exit(MR_EXIT_DEVICE);
}

static void limit_patience(void) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = give_up;
  sigaction(SIGALRM, &action, NULL);
  alarm(PATIENCE_S);
}

/* ------------------------------------------------------------------- parts */

static void say_start(const Session* s) {
  if (s->status.line)
    mr_say_note("millrace: %u channel%s through %s as the JACK client %s, %u Hz; control C ends", s->options->channels,
                s->options->channels == 1 ? "" : "s", s->reload.name, mr_jack_client_name(&s->client), s->reload.rate);
}

static int start(Session* s) {
  const MrJackOptions* const options = s->options;
  if (!watch_signals(s)) return MR_EXIT_DEVICE;
  if (!mr_jack_client_open(&s->client, options->name, options->server, options->channels)) return MR_EXIT_DEVICE;
  const uint32_t rate = jack_get_sample_rate(s->client.jack);
  if (!mr_jack_realtime_init(&s->rt, options->channels, rate)) {
    mr_say_error("no memory");
    return MR_EXIT_DEVICE;
  }
  mr_reload_init(&s->reload, options, &s->rt);
  const char** const path = malloc((options->sources.sources + 1) * sizeof *path);
  const size_t paths = path ? mr_sources_files(&options->sources, path) : 0;
  const bool watches = path && mr_watch_init(&s->watch, path, paths); /* before the files are read, so that no change is missed */
  free(path);
  if (!watches) mr_say_warning("changes of the bank's files are not seen (%s): SIGHUP has them read again", strerror(errno));
  const MrReloaded first = mr_reload_start(&s->reload, rate, atomic_load(&s->client.block));
  if (first == MR_RELOAD_IMPOSSIBLE) return MR_EXIT_BANK;
  if (first == MR_RELOAD_REFUSED && !paths) return MR_EXIT_BANK; /* lines stay as they are */
  if (!mr_jack_client_register(&s->client, s->reload.name) || !mr_jack_client_start(&s->client, &s->rt)) return MR_EXIT_DEVICE;
  mr_jack_links_update(&s->links, &s->client, &s->options->rules);
  mr_jack_client_describe(&s->client, s->reload.name);
  mr_jack_status_init(&s->status, options, now());
  say_start(s);
  tell(s, "start");
  return MR_EXIT_DONE;
}

static void say_gone(Session* s) {
  pthread_mutex_lock(&s->client.lock);
  mr_say_error("the JACK server has ended or thrown the client out%s%s", s->client.why[0] ? ": " : "", s->client.why);
  pthread_mutex_unlock(&s->client.lock);
  end(s, MR_EXIT_DEVICE);
}

static void look(Session* s) {
  struct pollfd wake[] = {{.fd = s->signals, .events = POLLIN}, {.fd = s->watch.fd, .events = POLLIN}};
  poll(wake, 2, LOOK_MS);
  take_signals(s);
  mr_jack_realtime_collect(&s->rt);
  const uint32_t rate = atomic_load(&s->rt.rate);
  if (rate != s->reload.rate) reload_rate(s, rate);
  mr_watch_look(&s->watch, now());
  const bool changed = mr_watch_is_due(&s->watch, now());
  if (changed || now() >= s->again) reload_files(s, false);
  look_at_ports(s);
  if (atomic_load(&s->client.gone)) say_gone(s);
  tell(s, NULL);
}

static void fade_out(Session* s) {
  if (!s->client.active || atomic_load(&s->client.gone)) return;
  const double blocks = 2.0 * atomic_load(&s->client.block) / atomic_load(&s->rt.rate);
  const double until = now() + 1e-3 * FADE_MS + fmin(blocks, 1);
  atomic_store(&s->rt.ends, true);
  while (now() < until && !atomic_load(&s->client.gone)) poll(NULL, 0, 10);
}

static void stop(Session* s) {
  mr_say_progress_end();
  limit_patience();
  fade_out(s);
  if (s->client.active) tell(s, "end");
  mr_jack_client_close(&s->client);
  alarm(0);
  mr_jack_links_free(&s->links);
  mr_watch_free(&s->watch);
  mr_reload_free(&s->reload);
  mr_jack_realtime_free(&s->rt);
  if (s->signals >= 0) close(s->signals);
}

int mr_jack_session(MrJackOptions* options) {
  Session* const s = calloc(1, sizeof *s);
  if (!s) {
    mr_say_error("no memory");
    return MR_EXIT_DEVICE;
  }
  s->options = options;
  s->signals = s->watch.fd = -1;
  s->again = INFINITY;
  s->code = start(s);
  if (s->code == MR_EXIT_DONE)
    while (!s->ends) look(s);
  stop(s);
  const int code = s->code;
  free(s);
  return code;
}
