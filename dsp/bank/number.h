/* Numbers of texts, read and printed to the bit, whatever the locale.
   SPDX-License-Identifier: ISC */
#ifndef MR_BANK_NUMBER_H
#define MR_BANK_NUMBER_H

#include <stdbool.h>
#include <stddef.h>

#define MR_NUMBER_SIZE 32 /* bytes that mr_number_print needs at most */

/* Reads the longest number that `text` begins with: [+-] digits [mark digits] [e [+-] digits], where the mark is a point or, if `comma`,
   also a comma that a digit follows; digits before or after the mark may be missing, not both. *value is the nearest double, ties to
   even; too large a number gives an infinity, too small a one a zero, each with its sign. "nan" and "inf" are no numbers.
   Returns the bytes read, 0 where there is no number (and *value is untouched). Does not allocate. Thread: any. */
size_t mr_number_read(const char* text, size_t length, bool comma, double* value);

/* Prints the fewest of 15, 16 or 17 significant digits that read back as the same double, with a decimal point; never more than
   MR_NUMBER_SIZE - 1 bytes and a 0. value must be finite. Returns the length. Thread: any. */
size_t mr_number_print(double value, char text[MR_NUMBER_SIZE]);

#endif
