/* What compiling a bank found out about its filters, said once for neighbouring channels that have the same ones.
   SPDX-License-Identifier: ISC */
#include "findings.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void mr_findings_line(const MrMessages* messages, MrSeverity severity, const char* format, ...) {
  if (!messages || !messages->say) return;
  char text[256];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  messages->say(messages->handle, severity, "", 0, text);
}

static void say_filter(const MrMessages* messages, const char* who, const MrFinding* finding, const MrDesign* design, double fs) {
  static const struct {
    uint32_t note;
    const char* text;
  } sentence[] = {
      {MR_NOTE_FREQUENCY_CLAMPED, "its frequency was clamped to the range of the design"},
      {MR_NOTE_WIDTH_CLAMPED, "its Q or width was clamped to the range of the design"},
      {MR_NOTE_GAIN_CLAMPED, "its gain was clamped to 60 dB"},
      {MR_NOTE_ORDER_CLAMPED, "its order was rounded up to an even one"},
      {MR_NOTE_RIPPLE_CLAMPED, "its ripple was clamped to the range of the design"},
      {MR_NOTE_NOT_MATCHED, "matched mode does not cover this filter; it is bilinear"},
      {MR_NOTE_MATCHED_FALLBACK, "the matched fit was refused here; the nearest safe design is used"},
  };
  for (size_t i = 0; i < sizeof sentence / sizeof *sentence; i++)
    if (finding->notes & sentence[i].note) mr_findings_line(messages, MR_WARNING, "%s: %s", who, sentence[i].text);
  if (finding->notes & MR_NOTE_ABOVE_NYQUIST)
    mr_findings_line(messages, MR_WARNING, "%s: off, for its frequency is above what a rate of %g Hz can hold", who, fs);
  if (finding->notes & MR_NOTE_RATE_CONVERTED)
    mr_findings_line(messages, MR_WARNING, "%s: coefficients of %g Hz carried over to %g Hz, off by at most %.2g dB", who, design->rate, fs,
                     finding->error_db);
}

/* Whether a channel and the next one have the same filter at a place, and the same was found. */
static bool same(const MrBank* bank, uint32_t channel, uint32_t filter, const MrFinding* finding) {
  const MrChannel *a = &bank->channel[channel], *b = a + 1;
  if (channel + 1 == bank->channels || filter >= a->filters || filter >= b->filters) return false;
  const MrFinding* next = finding + a->filters; /* the same place in the next channel */
  return finding->notes == next->notes && finding->error_db == next->error_db && a->filter[filter].rate == b->filter[filter].rate &&
         a->filter[filter].type == b->filter[filter].type && a->filter[filter].fc == b->filter[filter].fc;
}

void mr_findings_say(const MrFinding* finding, const MrBank* bank, double fs, const MrMessages* messages) {
  const MrFinding* row = finding; /* of the channel */
  for (uint32_t c = 0; c < bank->channels; row += bank->channel[c++].filters)
    for (uint32_t i = 0; i < bank->channel[c].filters; i++) {
      if (!row[i].notes || (c && i < bank->channel[c - 1].filters && same(bank, c - 1, i, row - bank->channel[c - 1].filters + i)))
        continue;
      uint32_t last = c;
      for (const MrFinding* at = row + i; same(bank, last, i, at); last++) at += bank->channel[last].filters;
      char who[64];
      if (last > c)
        snprintf(who, sizeof who, "channels %u-%u, filter %u", c + 1, last + 1, i + 1);
      else
        snprintf(who, sizeof who, "channel %u, filter %u", c + 1, i + 1);
      say_filter(messages, who, &row[i], &bank->channel[c].filter[i], fs);
    }
}
