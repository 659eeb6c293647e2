/* A value as its port has it.
   SPDX-License-Identifier: ISC */
#ifndef MILLRACE_PLUGIN_PORT_VALUE_H
#define MILLRACE_PLUGIN_PORT_VALUE_H

#include <math.h>

#include "ports.h"

/* Within the port's range; the last one for what is no number. Thread: real-time. */
static inline float mr_port_value(const MrPort* port, float value, float last) {
  if (isnan(value)) return last;
  return value < port->least ? port->least : value > port->most ? port->most : value;
}

#endif
