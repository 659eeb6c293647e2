/* The sections of a bank at a rate, written as CSV.
   SPDX-License-Identifier: ISC */
#include <math.h>
#include <stdio.h>

#include "bank.h"
#include "output.h"

typedef struct Table {
  MrOutput out;
  double fs;
  const MrMessages* messages;
} Table;

static void say(const Table* table, MrSeverity severity, const char* text) {
  if (table->messages && table->messages->say) table->messages->say(table->messages->handle, severity, NULL, 0, text);
}

static void put_row(MrOutput* out, double fs, uint32_t channel, uint32_t section, double gain, MrBiquad biquad) {
  const double numbers[6] = {gain * biquad.b0, gain * biquad.b1, gain * biquad.b2, 1, biquad.a1, biquad.a2};
  mr_output_number(out, fs);
  mr_output_text(out, ",");
  mr_output_count(out, channel + 1);
  mr_output_text(out, ",");
  mr_output_count(out, section);
  for (int i = 0; i < 6; i++) {
    mr_output_text(out, ",");
    mr_output_number(out, numbers[i]);
  }
  mr_output_text(out, "\n");
}

/* A gain goes into the section that follows it; one that no section follows becomes a section of its own. */
static MrStatus put_channel(Table* table, const MrBank* bank, uint32_t k) {
  const MrChannel* channel = &bank->channel[k];
  double gain = pow(10.0, channel->preamp_db / 20.0);
  uint32_t section = 0;
  for (uint32_t i = 0; i < channel->filters; i++) {
    MrCascade cascade;
    double error_db; /* said by whoever plays the bank */
    MrStatus status = mr_design(&channel->filter[i], table->fs, &cascade, NULL);
    if (status == MR_ERR_RATE && bank->convert_rate) status = mr_design_convert(&channel->filter[i], table->fs, &cascade, NULL, &error_db);
    if (status != MR_OK) {
      char text[256];
      snprintf(text, sizeof text, "channel %u, filter %u: %s", k + 1, i + 1, mr_strerror(status));
      say(table, MR_ERROR, text);
      return status;
    }
    gain *= cascade.gain;
    for (uint32_t j = 0; j < cascade.n; j++) {
      put_row(&table->out, table->fs, k, ++section, gain, mr_section_to_biquad(&cascade.section[j]));
      gain = 1.0;
    }
  }
  if (gain != 1.0) put_row(&table->out, table->fs, k, section + 1, gain, (MrBiquad){.b0 = 1});
  return MR_OK;
}

/* Says, once each, what a table has no column for. */
static void say_left_out(const Table* table, const MrBank* bank) {
  bool routes = false, delays = false, polarity = false, mute = false;
  for (uint32_t k = 0; k < bank->channels; k++) {
    const MrChannel* channel = &bank->channel[k];
    routes |= !mr_channel_is_identity(channel, k);
    delays |= channel->delay_ms != 0 || channel->delay_samples != 0;
    polarity |= channel->inverted;
    mute |= channel->muted;
  }
  if (routes) say(table, MR_WARNING, "a table of sections cannot hold routes: they are left out");
  if (delays) say(table, MR_WARNING, "a table of sections cannot hold delays: they are left out");
  if (polarity) say(table, MR_WARNING, "a table of sections cannot hold polarity: it is left out");
  if (mute) say(table, MR_WARNING, "a table of sections cannot hold mute: it is left out");
}

MrStatus mr_bank_write_table(const MrBank* bank, double fs, MrWrite write, void* handle, const MrMessages* messages) {
  if (!bank || !write) return MR_ERR_ARGUMENT;
  if (!(fs >= MR_MIN_RATE && fs <= MR_MAX_RATE)) return MR_ERR_RANGE;
  Table table = {.out = {.write = write, .handle = handle}, .fs = fs, .messages = messages};
  mr_output_text(&table.out, "fs,channel,section,b0,b1,b2,a0,a1,a2\n");
  MrStatus status = MR_OK;
  for (uint32_t k = 0; k < bank->channels && status == MR_OK; k++) status = put_channel(&table, bank, k);
  if (status != MR_OK) return status;
  say_left_out(&table, bank);
  return mr_output_end(&table.out);
}
