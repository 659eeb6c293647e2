/* What compiling a bank found out about its filters, said once for neighbouring channels that have the same ones.
   SPDX-License-Identifier: ISC */
#ifndef MILLRACE_ENGINE_FINDINGS_H
#define MILLRACE_ENGINE_FINDINGS_H

#include "../millrace.h"

typedef struct MrFinding {
  uint32_t notes;  /* MR_NOTE_... */
  double error_db; /* with MR_NOTE_RATE_CONVERTED */
} MrFinding;

/* Says a formatted line, if there is anyone to hear it. Thread: control, as the other. */
void mr_findings_line(const MrMessages* messages, MrSeverity severity, const char* format, ...) __attribute__((format(printf, 3, 4)));

/* Says the findings of all filters, which lie in the bank's order, channel by channel. */
void mr_findings_say(const MrFinding* finding, const MrBank* bank, double fs, const MrMessages* messages);

#endif
