/* How the client fares.
   SPDX-License-Identifier: ISC */
#include "status.h"

#include <jansson.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "../message.h"

#define LINE_EVERY 0.5 /* seconds */

void mr_jack_status_init(MrJackStatus* status, const MrJackOptions* options, double now) {
  *status = (MrJackStatus){.json = options->json, .began = now, .next = now};
  status->line = !options->quiet && !(options->json && isatty(STDOUT_FILENO)) && isatty(STDERR_FILENO);
  status->every = options->json ? options->every : LINE_EVERY;
}

static bool is_ready(int fd) {
  struct pollfd ready = {.fd = fd, .events = POLLOUT};
  return poll(&ready, 1, 0) == 1 && ready.revents & POLLOUT;
}

/* A number of JSON, which has no infinity. */
static json_t* decibels(float peak) {
  const double db = 20 * log10((double)peak);
  return isfinite(db) ? json_real(round(100 * db) / 100) : json_null();
}

static json_t* object_of(const MrJackStatus* status, double now, const char* event, const MrReload* reload, MrJackClient* client,
                         MrJackRealtime* rt, const MrJackLoad* load, const MrJackLevels* levels) {
  const bool gone = atomic_load(&client->gone);
  const MrThreadReport threads = mr_engine_thread_report(reload->engine);
  return json_pack(
      "{s:s,s:f,s:s,s:s,s:s,s:I,s:I,s:I,s:f,s:f,s:o,s:I,s:I,s:I,s:I,s:o,s:I,s:o,s:I,s:b,s:I,s:I,s:{s:I,s:I,s:I,s:I,s:b}}", /* */
      "event", event ? event : "status", "seconds", round(1000 * (now - status->began)) / 1000,                            /* */
      "client", gone ? "" : mr_jack_client_name(client), "bank", reload->name, "state", mr_jack_state_name(reload->state), /* */
      "channels", (json_int_t)client->channels, "rate", (json_int_t)atomic_load(&rt->rate),                                /* */
      "block", (json_int_t)atomic_load(&client->block), "load", load->mean, "load_worst", load->worst,                     /* */
      "server_load", gone ? json_null() : json_real((double)jack_cpu_load(client->jack) / 100),                            /* */
      "xruns", (json_int_t)atomic_load(&client->xruns), "clips", (json_int_t)levels->clips,                                /* */
      "clipping_channels", (json_int_t)levels->clipping, "troubles", (json_int_t)mr_engine_troubles(reload->engine),       /* */
      "peak_in_db", decibels(levels->in), "peak_in_channel", (json_int_t)levels->in_channel + 1,                           /* */
      "peak_out_db", decibels(levels->out), "peak_out_channel", (json_int_t)levels->out_channel + 1,                       /* */
      "freewheel", (int)atomic_load(&rt->freewheels), "reloads", (json_int_t)reload->reloads, "refusals", (json_int_t)reload->refusals,
      "threads", "most", (json_int_t)threads.threads, "blocks", (json_int_t)threads.blocks, "helped", (json_int_t)threads.helped, "stalls",
      (json_int_t)threads.stalls, "dropped", (int)threads.dropped);
}

static void tell_json(MrJackStatus* status, json_t* object) {
  if (object && is_ready(STDOUT_FILENO)) {
    json_dumpf(object, stdout, JSON_COMPACT | JSON_REAL_PRECISION(6));
    putchar('\n');
    if (fflush(stdout) != 0) {
      status->lost = true;
      clearerr(stdout); /* the sound goes on */
      mr_say_warning("standard output cannot be written: no more reports");
    }
  }
  json_decref(object);
}

static void tell_line(const MrReload* reload, MrJackClient* client, MrJackRealtime* rt, const MrJackLoad* load,
                      const MrJackLevels* levels) {
  if (!is_ready(STDERR_FILENO)) return;
  char peaks[64];
  snprintf(peaks, sizeof peaks, "in %.1f out %.1f dB", 20 * log10((double)levels->in), 20 * log10((double)levels->out));
  mr_say_progress("%.20s %s, %u Hz/%u%s | load %.0f %% (%.0f) | xruns %u | clips %llu | %s", reload->name,
                  mr_jack_state_name(reload->state), atomic_load(&rt->rate), atomic_load(&client->block),
                  atomic_load(&rt->freewheels) ? " freewheel" : "", 100 * load->mean, 100 * load->worst, atomic_load(&client->xruns),
                  (unsigned long long)levels->clips, peaks);
}

void mr_jack_status_tell(MrJackStatus* status, double now, const char* event, const MrReload* reload, MrJackClient* client,
                         MrJackRealtime* rt) {
  const bool json = status->json && !status->lost;
  if ((!json && !status->line) || (!event && now < status->next)) return;
  status->next = now + status->every;
  const MrJackLoad load = mr_jack_realtime_load(rt);
  const MrJackLevels levels = mr_jack_meter_look(&rt->meter);
  if (json) tell_json(status, object_of(status, now, event, reload, client, rt, &load, &levels));
  if (status->line) tell_line(reload, client, rt, &load, &levels);
}
