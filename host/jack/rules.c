/* What --connect asks for.
   SPDX-License-Identifier: ISC */
#include "rules.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "../../dsp/millrace.h"
#include "../numbers.h"

static const char physical[] = "physical";

static bool add(MrJackRules* rules, bool input, const char* text, const char* pattern, const uint32_t* channel, uint32_t channels) {
  MrJackRule* const larger = realloc(rules->rule, (rules->rules + 1) * sizeof *larger);
  if (!larger) return false;
  rules->rule = larger;
  MrJackRule* const rule = &larger[rules->rules];
  *rule = (MrJackRule){.text = strdup(text), .input = input, .channels = channels};
  if (rule->text && channels) rule->channel = malloc(channels * sizeof *rule->channel);
  if (!rule->text || (channels && !rule->channel)) {
    free(rule->text);
    return false;
  }
  if (channels) memcpy(rule->channel, channel, channels * sizeof *channel);
  if (strcmp(pattern, physical) != 0) rule->pattern = rule->text + (pattern - text);
  ++rules->rules;
  return true;
}

bool mr_jack_rules_add(MrJackRules* rules, const char* text) {
  if (strcmp(text, physical) == 0) return add(rules, true, text, text, NULL, 0) && add(rules, false, text, text, NULL, 0);
  const bool input = strncmp(text, "in", 2) == 0;
  if (!input && strncmp(text, "out", 3) != 0) return false;
  const char* const list = text + (input ? 2 : 3);
  const char* const equals = strchr(list, '=');
  if (!equals || !equals[1]) return false;
  if (equals == list) return add(rules, input, text, equals + 1, NULL, 0);
  uint32_t channel[MR_MAX_CHANNELS], channels = 0;
  char* const numbers = strndup(list, (size_t)(equals - list));
  const bool ok =
      numbers && mr_numbers_parse_channels(numbers, channel, &channels) && add(rules, input, text, equals + 1, channel, channels);
  free(numbers);
  return ok;
}

void mr_jack_rules_free(MrJackRules* rules) {
  for (size_t i = 0; i < rules->rules; ++i) {
    free(rules->rule[i].text);
    free(rules->rule[i].channel);
  }
  free(rules->rule);
  memset(rules, 0, sizeof *rules);
}

uint32_t mr_jack_rules_largest(const MrJackRules* rules) {
  uint32_t largest = 0;
  for (size_t i = 0; i < rules->rules; ++i)
    for (uint32_t k = 0; k < rules->rule[i].channels; ++k)
      if (rules->rule[i].channel[k] >= largest) largest = rules->rule[i].channel[k] + 1;
  return largest;
}

bool mr_jack_rule_fits(const char* pattern, const char* name) {
  if (strchr(pattern, ':')) return fnmatch(pattern, name, 0) == 0;
  const char* const colon = strchr(name, ':');
  char client[512];
  const size_t length = colon ? (size_t)(colon - name) : 0;
  if (!colon || length >= sizeof client) return false;
  memcpy(client, name, length);
  client[length] = '\0';
  return fnmatch(pattern, client, 0) == 0;
}
