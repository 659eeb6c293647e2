/* What the test host's parts have in common.
   SPDX-License-Identifier: ISC */
#ifndef MILLRACE_TESTS_PLUGIN_HOST_INSIDE_H
#define MILLRACE_TESTS_PLUGIN_HOST_INSIDE_H

#include "host.h"

_Noreturn void host_fail(const char* what);

void host_messages_begin(Host* host); /* the next block's */
void host_messages_end(Host* host);   /* both ports are ready for run() */
void host_messages_read(Host* host);  /* what the plugin has written */

#endif
