/* The cards that `millrace info` lists, and what each would make of a bank.
   SPDX-License-Identifier: ISC */
#ifndef MR_HOST_INFO_CARDS_H
#define MR_HOST_INFO_CARDS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "../dsp/millrace.h"

/* {"cards": [...]}, with a program the plan of each in it; or no cards and the "reason". A new reference. */
json_t* mr_info_cards_json(uint32_t channels, bool fast, const MrProgram* program);

/* The same for people. */
void mr_info_cards_print(const json_t* cuda);

#endif
