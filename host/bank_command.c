/* What `sos`, `info` and `plot` share: a bank at a rate, for a number of channels.
   SPDX-License-Identifier: ISC */
#include "bank_command.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "message.h"
#include "numbers.h"

void mr_bank_command_start(MrBankCommand* state, const MrCommand* command) {
  memset(state, 0, sizeof *state);
  state->command = command;
  state->rate = 48000;
  state->channels = 1;
}

static bool set_rate(MrBankCommand* state, const char* argument) {
  if (mr_number_parse(argument, &state->rate) && state->rate >= MR_MIN_RATE && state->rate <= MR_MAX_RATE) return true;
  mr_command_refuse(state->command, "--rate %s: Hz from %.0f to %.0f are expected", argument, MR_MIN_RATE, MR_MAX_RATE);
  return false;
}

static bool set_channels(MrBankCommand* state, const char* argument) {
  double n = 0;
  if (mr_number_parse(argument, &n) && n >= 1 && n <= MR_MAX_CHANNELS && n == floor(n)) {
    state->channels = (uint32_t)n;
    return true;
  }
  mr_command_refuse(state->command, "--channel-count %s: 1 to %u are possible", argument, MR_MAX_CHANNELS);
  return false;
}

static bool added(MrBankCommand* state, bool ok) {
  if (!ok) state->code = MR_EXIT_BANK;
  return ok;
}

bool mr_bank_command_option(MrBankCommand* state, int value, const char* argument) {
  switch (value) {
    case MR_BANK_OPTION_BANK:
      return added(state, mr_bank_input_add_file(&state->input, argument));
    case MR_BANK_OPTION_FILTER:
      return added(state, mr_bank_input_add_line(&state->input, argument));
    case MR_BANK_OPTION_RATE:
      return set_rate(state, argument);
    case MR_BANK_OPTION_COUNT:
      return set_channels(state, argument);
    case MR_BANK_OPTION_CONVERT:
      state->convert_rate = true;
      return true;
    default:
      return false;
  }
}

void mr_bank_command_free(MrBankCommand* state) { mr_bank_input_free(&state->input); }

int mr_bank_command_make(const MrBankCommand* state, MrBank** bank, MrProgram** program) {
  bool warnings = true;
  const MrReadOptions options = {.channels = state->channels, .fs = state->rate, .convert_rate = state->convert_rate};
  const MrMessages messages = {mr_say_library, &warnings};
  MrStatus status = MR_OK;
  *program = NULL;
  *bank = mr_bank_input_read(&state->input, &options, warnings);
  if (!*bank) return MR_EXIT_BANK;
  *program = mr_program_new(*bank, state->rate, &messages, &status);
  if (*program) return MR_EXIT_DONE;
  if (status == MR_ERR_MEMORY) mr_say_error("no memory");
  mr_bank_free(*bank);
  *bank = NULL;
  return MR_EXIT_BANK;
}

bool mr_bank_command_write(void* handle, const char* text, size_t length) { return fwrite(text, 1, length, handle) == length; }

void mr_bank_command_channels(const bool* same, uint32_t channels, char* text, size_t size) {
  size_t used = 0;
  text[0] = '\0';
  for (uint32_t k = 0; k < channels && used < size; ++k) {
    if (!same[k]) continue;
    uint32_t last = k;
    while (last + 1 < channels && same[last + 1]) ++last;
    const char* const comma = used ? ", " : "";
    const int n = last > k ? snprintf(text + used, size - used, "%s%u-%u", comma, k + 1, last + 1)
                           : snprintf(text + used, size - used, "%s%u", comma, k + 1);
    used += n > 0 ? (size_t)n : 0;
    k = last;
  }
}

bool mr_bank_command_equal(const MrProgram* program, uint32_t a, uint32_t b) {
  const uint32_t n = mr_program_sections(program, a);
  if (n != mr_program_sections(program, b) || mr_program_gain(program, a) != mr_program_gain(program, b) ||
      mr_program_delay(program, a) != mr_program_delay(program, b))
    return false;
  for (uint32_t i = 0; i < n; ++i)
    if (memcmp(mr_program_section(program, a, i), mr_program_section(program, b, i), sizeof(MrSection)) != 0) return false;
  return true;
}
