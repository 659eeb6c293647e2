/* One of the banks that `millrace plot` compares.
   SPDX-License-Identifier: ISC */
#include "plot_bank.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../view/text.h"
#include "command.h"
#include "message.h"

void mr_plot_bank_free(MrPlotBank* bank) {
  mr_subject_free(bank->subject);
  mr_program_free(bank->program);
  mr_bank_free(bank->bank);
  mr_preset_free(&bank->preset);
  mr_bank_input_free(&bank->input);
  free(bank->preset_name);
  free(bank->name);
  memset(bank, 0, sizeof *bank);
}

static const char* base_name(const char* path) {
  const char* const slash = strrchr(path, '/');
  return slash && slash[1] ? slash + 1 : path;
}

/* The name that was given; of a preset its label, of files their names, of lines the lines. */
static void set_label(MrPlotBank* bank) {
  char label[1024] = "";
  const size_t size = sizeof label;
  if (bank->name || bank->preset_name) {
    const char* const of_preset = bank->preset.label ? bank->preset.label : bank->preset_name ? base_name(bank->preset_name) : "";
    mr_text_clean(bank->name ? bank->name : of_preset, bank->label, sizeof bank->label);
    return;
  }
  size_t used = 0;
  for (size_t i = 0; i < bank->input.parts && used < size; ++i) {
    const MrBankPart* const part = &bank->input.part[i];
    const char* text = part->is_lines ? part->text : base_name(part->name);
    if (strncmp(text, "Filter: ON ", 11) == 0) text += 11;
    int length = (int)strcspn(text, "\n");
    const bool more = part->is_lines && text[length] && text[length + 1];
    if (length > 60) length = 60;
    used += (size_t)snprintf(label + used, size - used, "%s%.*s%s", i ? " + " : "", length, text, more ? " \xe2\x80\xa6" : "");
  }
  mr_text_clean(label, bank->label, sizeof bank->label);
}

static int no_memory(void) {
  mr_say_error("no memory");
  return MR_EXIT_FILE;
}

/* Bands of an EQ in mid/side act on those. */
static void name_mid_side(MrSubject* subject) {
  static const char* const names[] = {"Mid", "Side"};
  if (subject->groups == 1) return;
  for (uint32_t g = 0; g < subject->groups && g < 2; ++g) snprintf(subject->group[g].whole.name, MR_VIEW_NAME, "%s", names[g]);
}

static int read_bank(MrPlotBank* bank, const MrReadOptions* options) {
  int code = MR_EXIT_BANK;
  if (!bank->preset_name) {
    bank->bank = mr_bank_input_read(&bank->input, options, true);
    return bank->bank ? MR_EXIT_DONE : code;
  }
  code = mr_preset_read(&bank->preset, bank->preset_name, bank->preset_by_uri);
  if (code != MR_EXIT_DONE) return code;
  bank->bank = mr_preset_bank(&bank->preset, options, true, &code);
  if (!bank->bank) return code;
  bank->passes = !mr_preset_enabled(&bank->preset);
  mr_preset_add_gain(&bank->preset, bank->bank);
  return MR_EXIT_DONE;
}

int mr_plot_bank_make(MrPlotBank* bank, const MrReadOptions* options, const bool* wanted) {
  bool warnings = !bank->preset_name;
  const MrMessages messages = {mr_say_library, &warnings};
  MrStatus status = MR_OK;
  const int code = read_bank(bank, options);
  if (code != MR_EXIT_DONE) return code;
  set_label(bank);
  bank->program = mr_program_new(bank->bank, options->fs, &messages, &status);
  if (!bank->program) return status == MR_ERR_MEMORY ? no_memory() : MR_EXIT_BANK;
  bank->subject = mr_subject_from_program(bank->bank, bank->program, options->fs, wanted, &status);
  if (!bank->subject) return no_memory();
  const bool eq = bank->preset_name && !bank->preset.is_bank;
  if (eq && options->channels == 2 && bank->preset.value[MR_EQ_AUDIO] > 0.5f) name_mid_side(bank->subject);
  return MR_EXIT_DONE;
}
