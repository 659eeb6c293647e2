/* Statuses as sentences, and the version.
   SPDX-License-Identifier: ISC */
#include "millrace.h"

#ifndef MILLRACE_VERSION
#define MILLRACE_VERSION "0.0.0" /* the build gives the real one */
#endif

const char* mr_strerror(MrStatus status) {
  switch (status) {
    case MR_OK:
      return "no error";
    case MR_ERR_MEMORY:
      return "out of memory";
    case MR_ERR_ARGUMENT:
      return "a call or a combination that makes no sense";
    case MR_ERR_NOT_FINITE:
      return "a number is not finite";
    case MR_ERR_RANGE:
      return "a number is out of range";
    case MR_ERR_UNSTABLE:
      return "a filter is unstable";
    case MR_ERR_RATE:
      return "coefficients hold at another sample rate";
    case MR_ERR_SYNTAX:
      return "a text is not understood";
    case MR_ERR_ROUTE:
      return "a route cannot be made";
    case MR_ERR_CHANNELS:
      return "too few or too many channels";
    case MR_ERR_IO:
      return "a file cannot be read or written";
    case MR_ERR_SINGULAR:
      return "this filter is singular for cyclic reduction";
  }
  return "unknown status";
}

const char* mr_version(void) { return MILLRACE_VERSION; }
