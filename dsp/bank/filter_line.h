/* The statement Filter.
   SPDX-License-Identifier: ISC */
#ifndef MR_BANK_FILTER_LINE_H
#define MR_BANK_FILTER_LINE_H

#include "reader.h"

bool mr_filter_line_read(MrReader* reader);

/* Fc and a frequency, already past the word: reads it with its unit and keeps watch for thousands marks. */
bool mr_filter_line_frequency(MrReader* reader, const char* what, double* value);
/* At the text's end: warns of the frequencies that would make sense only as thousands. */
void mr_filter_line_report_thousands(MrReader* reader);

/* Gives coefficients the rate that the last Rate line said. Refused is another than the bank will run at, without leave to convert; a missing
   one draws a warning, once. Shared with tables. */
bool mr_filter_line_settle_rate(MrReader* reader, MrDesign* design);

/* Appends the design to every selected channel. */
bool mr_filter_line_append(MrReader* reader, const MrDesign* design);

/* Names of types and families as the text has them, for the writer too; NULL where there is none. */
const char* mr_filter_line_type_name(const MrDesign* design);
const char* mr_filter_line_response_name(MrResponse response);
const char* mr_filter_line_weighting_name(MrWeighting weighting);

#endif
