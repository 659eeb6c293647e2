/* Tables of sections as JSON, read and written.
   SPDX-License-Identifier: ISC

   {"fs": 48000, "sos": [[b0, b1, b2, a0, a1, a2], ...]} is for all channels;
   {"fs": 48000, "channels": [{"sos": [...], "gain": 0.5, "delay": 480}, ...]} has an entry a channel, in order: gain is linear and may be
   negative (1 if missing), delay is in frames (0 if missing). A bare list of rows is a "sos" at any rate. fs is in Hz. */
#ifndef MR_HOST_FORMATS_JSON_H
#define MR_HOST_FORMATS_JSON_H

#include "../../dsp/millrace.h"

/* As mr_bank_read_text: appends to `bank` or makes a new one; on an error NULL, *status, a message with the line (of a fault of JSON) or the
   entry, and the bank as it was. Entries of channels beyond options->channels and keys without a meaning draw a warning. Thread: control. */
MrBank* mr_bank_read_json(MrBank* bank, const char* text, size_t length, const char* file, const MrReadOptions* options,
                          const MrMessages* messages, MrStatus* status);

/* Writes the sections, gain and delay of all channels at a rate, in the second form. What this cannot hold (routes) is said. Errors of
   mr_program_new, MR_ERR_IO. Thread: control. */
MrStatus mr_bank_write_json(const MrBank* bank, double fs, MrWrite write, void* handle, const MrMessages* messages);

#endif
