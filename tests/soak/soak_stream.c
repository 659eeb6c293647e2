/* The stream tests for every count of channels on every CPU level: under ./waf soak, MILLRACE_SOAK is set and they leave none out.
   SPDX-License-Identifier: ISC */
#include "../dsp/engine/test_stream.c"
