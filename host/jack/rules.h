/* What --connect asks for: which channels meet which ports of other clients.
   SPDX-License-Identifier: ISC */
#ifndef MR_HOST_JACK_RULES_H
#define MR_HOST_JACK_RULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct MrJackRule {
  char* text;          /* as written, for messages */
  const char* pattern; /* in text; NULL: physical ports */
  bool input;          /* the channels' inputs, else their outputs */
  uint32_t* channel;   /* from 0: the k-th port found meets the k-th of these; NULL: the k-th channel */
  uint32_t channels;
  bool missed; /* that nothing fits has been said */
} MrJackRule;

typedef struct MrJackRules {
  MrJackRule* rule;
  size_t rules;
} MrJackRules;

/* "physical", "in=PATTERN", "out=PATTERN", with channels as in "in1-4,7=PATTERN". PATTERN is "physical", CLIENT or CLIENT:PORT, in which *, ? and
   [...] stand for others. False: the text is none of these, or there is no memory. */
bool mr_jack_rules_add(MrJackRules* rules, const char* text);
void mr_jack_rules_free(MrJackRules* rules);

/* The largest channel that is named, counted from 1; 0: none is. */
uint32_t mr_jack_rules_largest(const MrJackRules* rules);

/* Whether the name of a port, "CLIENT:PORT", or one of its aliases, is meant by a pattern. */
bool mr_jack_rule_fits(const char* pattern, const char* name);

#endif
