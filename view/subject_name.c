/* Designs and frequencies in a few words.
   SPDX-License-Identifier: ISC */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "subject.h"

#define MINUS "\xe2\x88\x92"

void mr_subject_name_frequency(double f, char* name, size_t size) {
  if (f >= 999.5)
    snprintf(name, size, "%.3g kHz", f / 1000 < 100 ? f / 1000 : round(f / 1000));
  else
    snprintf(name, size, "%.3g Hz", f);
}

static void name_gain(double db, char* name, size_t size) {
  const double shown = fabs(round(db * 10) / 10);
  snprintf(name, size, "%s%.3g dB", shown == 0 ? "" : db < 0 ? MINUS : "+", shown);
}

static const char* type_name(const MrDesign* design) {
  static const char* const names[] = {"None",        "PK",
                                      "LP",          "HP",
                                      "BP",          "NO",
                                      "AP",          "LS",
                                      "HS",          "LP1",
                                      "HP1",         "LS1",
                                      "HS1",         "AP1",
                                      "Butterworth", "Chebyshev 1",
                                      "Chebyshev 2", "Elliptic",
                                      "Bessel",      "Linkwitz\xe2\x80\x93Riley",
                                      "Weighting",   "Linkwitz transform",
                                      "Analogue",    "Coefficients"};
  return names[design->type];
}

static void name_family(const MrDesign* design, char* name, size_t size) {
  static const char* const responses[] = {"LP", "HP", "BP", "BS", "AP"};
  char first[24], second[24];
  mr_subject_name_frequency(design->fc, first, sizeof first);
  mr_subject_name_frequency(design->fc2, second, sizeof second);
  const bool two = design->response == MR_RESPONSE_BP || design->response == MR_RESPONSE_BS;
  snprintf(name, size, "%s %s %u, %s%s%s", type_name(design), responses[design->response], design->order, first, two ? "\xe2\x80\x93" : "",
           two ? second : "");
}

void mr_subject_name_design(const MrDesign* design, char* name, size_t size) {
  static const char* const weightings[] = {
      "A", "B", "C", "468", "K", "RIAA", "NAB", "de-emphasis 50 \xc2\xb5s", "de-emphasis 75 \xc2\xb5s"};
  char frequency[24], gain[24];
  mr_subject_name_frequency(design->fc, frequency, sizeof frequency);
  name_gain(design->gain_db, gain, sizeof gain);
  switch (design->type) {
    case MR_PEAK:
    case MR_LOWSHELF:
    case MR_HIGHSHELF:
    case MR_LOWSHELF1:
    case MR_HIGHSHELF1:
      snprintf(name, size, "%s %s, %s", type_name(design), frequency, gain);
      break;
    case MR_LOWPASS:
    case MR_HIGHPASS:
    case MR_BANDPASS:
    case MR_NOTCH:
    case MR_ALLPASS:
    case MR_LOWPASS1:
    case MR_HIGHPASS1:
    case MR_ALLPASS1:
      snprintf(name, size, "%s %s", type_name(design), frequency);
      break;
    case MR_BUTTERWORTH:
    case MR_CHEBYSHEV1:
    case MR_CHEBYSHEV2:
    case MR_ELLIPTIC:
    case MR_BESSEL:
    case MR_LINKWITZ_RILEY:
      name_family(design, name, size);
      break;
    case MR_WEIGHTING:
      snprintf(name, size, "%s %s", design->weighting <= MR_WEIGHTING_468 ? "Weighting" : "", weightings[design->weighting]);
      if (name[0] == ' ') memmove(name, name + 1, strlen(name));
      break;
    case MR_LINKWITZ_TRANSFORM:
      mr_subject_name_frequency(design->transform[2], frequency, sizeof frequency);
      snprintf(name, size, "%s, %s", type_name(design), frequency);
      break;
    case MR_NONE:
    case MR_ANALOGUE:
    case MR_COEFFICIENTS:
      snprintf(name, size, "%s", type_name(design));
      break;
  }
}
