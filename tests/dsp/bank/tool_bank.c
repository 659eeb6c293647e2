/* Reads texts or tables as one bank and writes it: for the tests.
   SPDX-License-Identifier: ISC

   tool_bank [--channels N] [--fs R] [--convert] [--table] [--to text|table|response|numbers|none] [--locale NAME] FILE...
   --to text: bank text; table: sections as CSV; response: for each channel, frequency and source with a term, a line "channel source f re im";
   numbers: instead of a bank, each line of the file is read as a number: "bytes bits printed".
   The messages go to standard error as "error|warning FILE:LINE: TEXT". Exit status: that of the reader (MrStatus), 100 for usage. */
#include <complex.h>
#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../dsp/bank/number.h"
#include "../../../dsp/millrace.h"

static void say(void* handle, MrSeverity severity, const char* file, unsigned line, const char* text) {
  (void)handle;
  fprintf(stderr, "%s %s:%u: %s\n", severity == MR_ERROR ? "error" : "warning", file ? file : "-", line, text);
}

static bool put(void* handle, const char* text, size_t length) { return fwrite(text, 1, length, handle) == length; }

static char* load(const char* path, size_t* length) {
  FILE* file = fopen(path, "rb");
  if (!file) exit(100);
  char* text = NULL;
  size_t room = 0;
  *length = 0;
  do {
    room = room ? 2 * room : 1 << 16;
    text = realloc(text, room);
    if (!text) exit(100);
    *length += fread(text + *length, 1, room - *length, file);
  } while (*length == room);
  fclose(file);
  return text;
}

static double complex section_at(const MrSection* section, double complex z1) {
  const MrBiquad q = mr_section_to_biquad(section);
  return (q.b0 + z1 * (q.b1 + z1 * q.b2)) / (1 + z1 * (q.a1 + z1 * q.a2));
}

static void print_response(const MrBank* bank, double fs) {
  for (uint32_t k = 0; k < bank->channels; k++) {
    const MrChannel* channel = &bank->channel[k];
    for (int step = 0; 10 * pow(1.1, step) < 0.49 * fs; step++) {
      const double f = 10 * pow(1.1, step);
      const double w = 2 * 3.14159265358979323846 * f / fs;
      double complex h = channel->muted ? 0 : pow(10, channel->preamp_db / 20) * (channel->inverted ? -1 : 1);
      for (uint32_t i = 0; i < channel->filters; i++) {
        MrCascade cascade;
        if (mr_design(&channel->filter[i], fs, &cascade, NULL) != MR_OK) exit(100);
        h *= cascade.gain;
        for (uint32_t j = 0; j < cascade.n; j++) h *= section_at(&cascade.section[j], cexp(-I * w));
      }
      h *= cexp(-I * w * rint(channel->delay_ms * fs / 1000 + channel->delay_samples));
      for (uint32_t i = 0; i < channel->terms; i++) {
        const MrTerm* term = &channel->term[i];
        const double gain = (term->is_db ? pow(10, term->gain / 20) : term->gain) * (term->inverted ? -1 : 1);
        printf("%u %u %.17g %.17g %.17g\n", k + 1, term->source + 1, f, gain * creal(h), gain * cimag(h));
      }
    }
  }
}

static void print_numbers(const char* text, size_t length) {
  for (const char* end = text + length; text < end;) {
    const char* stop = memchr(text, '\n', (size_t)(end - text));
    if (!stop) stop = end;
    double value = 0;
    uint64_t bits;
    char printed[MR_NUMBER_SIZE] = "";
    const size_t read = mr_number_read(text, (size_t)(stop - text), true, &value);
    memcpy(&bits, &value, sizeof bits);
    if (isfinite(value)) mr_number_print(value, printed);
    printf("%zu %016" PRIx64 " %s\n", read, bits, printed);
    text = stop + 1;
  }
}

int main(int argc, char** argv) {
  MrReadOptions options = {.channels = 2, .fs = 48000};
  const MrMessages messages = {.say = say};
  const char* to = "text";
  bool table = false;
  MrBank* bank = NULL;
  MrStatus status = MR_OK;
  int i = 1;
  for (; i < argc && strncmp(argv[i], "--", 2) == 0; i++) {
    const bool last = i + 1 == argc;
    if (strcmp(argv[i], "--convert") == 0)
      options.convert_rate = true;
    else if (strcmp(argv[i], "--table") == 0)
      table = true;
    else if (!last && strcmp(argv[i], "--channels") == 0)
      options.channels = (uint32_t)atoi(argv[++i]);
    else if (!last && strcmp(argv[i], "--fs") == 0)
      options.fs = strtod(argv[++i], NULL);
    else if (!last && strcmp(argv[i], "--to") == 0)
      to = argv[++i];
    else if (last || strcmp(argv[i], "--locale") != 0 || !setlocale(LC_ALL, argv[++i]))
      return 100;
  }
  for (; i < argc; i++) {
    size_t length;
    char* text = load(argv[i], &length);
    bool good = true;
    if (strcmp(to, "numbers") == 0) {
      print_numbers(text, length);
    } else {
      MrBank* joined = (table ? mr_bank_read_table : mr_bank_read_text)(bank, text, length, argv[i], &options, &messages, &status);
      good = joined != NULL;
      if (good) bank = joined;
    }
    free(text);
    if (good) continue;
    mr_bank_free(bank);
    return (int)status;
  }
  if (bank && strcmp(to, "text") == 0) status = mr_bank_write_text(bank, put, stdout);
  if (bank && strcmp(to, "table") == 0) status = mr_bank_write_table(bank, options.fs, put, stdout, &messages);
  if (bank && strcmp(to, "response") == 0) print_response(bank, options.fs);
  mr_bank_free(bank);
  return (int)status;
}
