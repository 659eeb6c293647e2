/* What the bundle says of itself, as hosts read it: complete, consistent with the C code, and with the ports it has always had.
   SPDX-License-Identifier: ISC */
#include <lilv/lilv.h>
#include <lv2/atom/atom.h>
#include <lv2/core/lv2.h>
#include <lv2/patch/patch.h>
#include <lv2/port-groups/port-groups.h>
#include <lv2/state/state.h>
#include <lv2/units/units.h>
#include <lv2/urid/urid.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "eq_settings.h"
#include "uris.h"

#define DOAP "http://usefulinc.com/ns/doap#"
#define RDFS "http://www.w3.org/2000/01/rdf-schema#"

static LilvWorld* world;
static const LilvPlugins* plugins;

/* Of the whole LV2 path, which holds LV2's own classes too; what else it holds is passed by. */
static int open_world(void** state) {
  (void)state;
  world = lilv_world_new();
  lilv_world_load_all(world);
  plugins = lilv_world_get_all_plugins(world);
  return 0;
}

static bool is_ours(const LilvPlugin* plugin) { return strncmp(lilv_node_as_uri(lilv_plugin_get_uri(plugin)), "urn:millrace:", 13) == 0; }

static int close_world(void** state) {
  (void)state;
  lilv_world_free(world);
  return 0;
}

/* ------------------------------------------------------------------ graph */

static LilvNode* uri(const char* text) { return lilv_new_uri(world, text); }

/* The one object of a subject and predicate, "" where there is none; fails where there are several. */
static const char* object_of(const LilvNode* subject, const char* predicate) {
  static char text[4096];
  LilvNode* p = uri(predicate);
  LilvNodes* found = lilv_world_find_nodes(world, subject, p, NULL);
  const unsigned count = lilv_nodes_size(found);
  if (count > 1) fail_msg("%s has %u times %s", lilv_node_as_string(subject), count, predicate);
  snprintf(text, sizeof text, "%s", count ? lilv_node_as_string(lilv_nodes_get_first(found)) : "");
  lilv_nodes_free(found);
  lilv_node_free(p);
  return text;
}

static bool has(const LilvNode* subject, const char* predicate, const char* object) {
  LilvNode *p = uri(predicate), *o = uri(object);
  const bool found = lilv_world_ask(world, subject, p, o);
  lilv_node_free(p);
  lilv_node_free(o);
  return found;
}

static void assert_says(const LilvNode* subject, const char* predicate) {
  if (!*object_of(subject, predicate)) fail_msg("%s lacks %s", lilv_node_as_string(subject), predicate);
}

static void assert_text(LilvNode* node, const char* what, const char* plugin) {
  if (!node || !*lilv_node_as_string(node)) fail_msg("%s has no %s", plugin, what);
  lilv_node_free(node);
}

/* ----------------------------------------------------------------- golden */

static FILE* golden(void) {
  char path[4096];
  snprintf(path, sizeof path, "%s/tests/plugin/ports.golden", getenv("MILLRACE_SOURCE"));
  FILE* file = fopen(path, "r");
  assert_non_null(file);
  return file;
}

static void ports_are_those_of_the_first_release(void** state) {
  (void)state;
  static char line[1 << 16];
  FILE* file = golden();
  unsigned count = 0;
  while (fgets(line, sizeof line, file)) {
    if (*line == '#') continue;
    char* words = strstr(line, ": ");
    assert_non_null(words);
    *words = '\0';
    LilvNode* name = uri(line);
    const LilvPlugin* plugin = lilv_plugins_get_by_uri(plugins, name);
    lilv_node_free(name);
    if (!plugin) fail_msg("%s is gone", line);
    uint32_t index = 0;
    char* rest = NULL;
    for (char* word = strtok_r(words + 2, " \n", &rest); word; word = strtok_r(NULL, " \n", &rest), index++) {
      const LilvPort* port = lilv_plugin_get_port_by_index(plugin, index);
      if (!port || strcmp(lilv_node_as_string(lilv_port_get_symbol(plugin, port)), word))
        fail_msg("%s: port %u is no longer %s", line, index, word);
    }
    if (index != lilv_plugin_get_num_ports(plugin)) fail_msg("%s: a new port is to be added to the end of its line", line);
    count++;
  }
  fclose(file);
  unsigned ours = 0;
  LILV_FOREACH(plugins, i, plugins) ours += is_ours(lilv_plugins_get(plugins, i));
  assert_int_equal(count, 30);
  assert_int_equal(ours, count);
}

/* ---------------------------------------------------------------- plugins */

static void plugins_say_what_hosts_ask(void** state) {
  (void)state;
  LILV_FOREACH(plugins, i, plugins) {
    const LilvPlugin* plugin = lilv_plugins_get(plugins, i);
    if (!is_ours(plugin)) continue;
    const LilvNode* subject = lilv_plugin_get_uri(plugin);
    const char* name = lilv_node_as_string(subject);
    if (!lilv_plugin_verify(plugin)) fail_msg("%s is not valid to lilv", name);
    assert_text(lilv_plugin_get_name(plugin), "name", name);
    assert_text(lilv_plugin_get_author_name(plugin), "author", name);
    assert_text(lilv_plugin_get_author_email(plugin), "e-mail", name);
    assert_text(lilv_plugin_get_author_homepage(plugin), "homepage", name);
    assert_says(subject, DOAP "license");
    assert_says(subject, DOAP "shortdesc");
    assert_says(subject, RDFS "comment");
    assert_true(atoi(object_of(subject, LV2_CORE__minorVersion)) > 0);
    assert_true(*object_of(subject, LV2_CORE__microVersion));
    LilvNode* project = lilv_plugin_get_project(plugin);
    assert_non_null(project);
    assert_says(project, DOAP "name");
    assert_says(project, DOAP "homepage");
    lilv_node_free(project);
    const LilvPluginClass* kind = lilv_plugin_get_class(plugin);
    assert_string_not_equal(lilv_node_as_string(lilv_plugin_class_get_uri(kind)), LV2_CORE__Plugin);
    LilvNodes* required = lilv_plugin_get_required_features(plugin);
    assert_int_equal(lilv_nodes_size(required), 1);
    assert_string_equal(lilv_node_as_string(lilv_nodes_get_first(required)), LV2_URID__map);
    lilv_nodes_free(required);
    assert_true(has(subject, LV2_CORE__optionalFeature, LV2_CORE__hardRTCapable));
    assert_true(has(subject, LV2_CORE__optionalFeature, LV2_STATE__threadSafeRestore));
    assert_true(has(subject, LV2_CORE__extensionData, LV2_STATE__interface));
    assert_false(has(subject, LV2_CORE__optionalFeature, LV2_CORE__inPlaceBroken));
    assert_true(lilv_plugin_has_latency(plugin));
  }
}

static void properties_are_described(void** state) {
  (void)state;
  static const struct {
    const char *plugin, *way, *property, *range;
  } all[] = {{MR_EQ_URI "8", LV2_PATCH__writable, MR_EQ_URI "set1", LV2_ATOM__String},
             {MR_EQ_URI "8", LV2_PATCH__writable, MR_EQ_URI "set8", LV2_ATOM__String},
             {MR_EQ_URI "8", LV2_PATCH__writable, MR_EQ_URI "solo", LV2_ATOM__Int},
             {MR_BANK_URI "8", LV2_PATCH__writable, MR_BANK_URI "file", LV2_ATOM__Path},
             {MR_BANK_URI "8", LV2_PATCH__readable, MR_BANK_URI "message", LV2_ATOM__String}};
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
    LilvNode *plugin = uri(all[i].plugin), *property = uri(all[i].property);
    lilv_plugin_get_num_ports(lilv_plugins_get_by_uri(plugins, plugin)); /* loads what is said of it */
    assert_true(has(plugin, all[i].way, all[i].property));
    assert_string_equal(object_of(property, RDFS "range"), all[i].range);
    assert_says(property, RDFS "label");
    assert_says(property, RDFS "comment");
    lilv_node_free(plugin);
    lilv_node_free(property);
  }
}

/* ------------------------------------------------------------------ ports */

/* What the C code holds of a port, or NULL. */
static const MrPort* in_c(const char* plugin, uint32_t index, uint32_t channels) {
  const bool eq = strncmp(plugin, MR_EQ_URI, strlen(MR_EQ_URI)) == 0;
  const uint32_t before = eq ? MR_EQ_AUDIO : MR_BANK_AUDIO;
  const MrPort* table = eq ? mr_eq_ports : mr_bank_ports;
  if (index < before) return &table[index];
  return index < before + 2 * channels ? NULL : &table[index - 2 * channels];
}

static bool port_is(const LilvPlugin* plugin, const LilvPort* port, const char* kind) {
  LilvNode* node = uri(kind);
  const bool is = lilv_port_is_a(plugin, port, node);
  lilv_node_free(node);
  return is;
}

static bool port_has(const LilvPlugin* plugin, const LilvPort* port, const char* property) {
  LilvNode* node = uri(property);
  const bool has_it = lilv_port_has_property(plugin, port, node);
  lilv_node_free(node);
  return has_it;
}

static float number(LilvNode* node) {
  const float value = node ? lilv_node_as_float(node) : 0;
  lilv_node_free(node);
  return value;
}

/* An enumeration has a label for each of its values. */
static void check_points(const LilvPlugin* plugin, const LilvPort* port, float least, float most, const char* where) {
  LilvScalePoints* points = lilv_port_get_scale_points(plugin, port);
  const unsigned count = points ? lilv_scale_points_size(points) : 0;
  if (port_has(plugin, port, LV2_CORE__enumeration) != (count > 0)) fail_msg("%s: scale points and enumeration do not agree", where);
  if (count && count != (unsigned)(most - least) + 1)
    fail_msg("%s: %u scale points for %g to %g", where, count, (double)least, (double)most);
  uint64_t seen = 0;
  for (LilvIter* i = lilv_scale_points_begin(points); points && !lilv_scale_points_is_end(points, i);
       i = lilv_scale_points_next(points, i)) {
    const LilvScalePoint* point = lilv_scale_points_get(points, i);
    assert_true(*lilv_node_as_string(lilv_scale_point_get_label(point)) != 0);
    seen |= (uint64_t)1 << (int)(lilv_node_as_float(lilv_scale_point_get_value(point)) - least);
  }
  if (count) assert_true(seen == ((uint64_t)1 << count) - 1);
  lilv_scale_points_free(points);
}

static void check_control(const LilvPlugin* plugin, const LilvPort* port, const MrPort* known, const char* where) {
  LilvNode *initial, *least, *most;
  lilv_port_get_range(plugin, port, &initial, &least, &most);
  const bool input = port_is(plugin, port, LV2_CORE__InputPort);
  if (input != (initial != NULL) || !least || !most) fail_msg("%s: its range is incomplete", where);
  const float low = number(least), high = number(most), first = number(initial);
  if (low > high || (input && (first < low || first > high)))
    fail_msg("%s: default %g of %g to %g", where, (double)first, (double)low, (double)high);
  if (!known || known->kind != (input ? MR_CONTROL_IN : MR_CONTROL_OUT)) fail_msg("%s: the C code has another port there", where);
  if (known->least != low || known->most != high || (input && known->initial != first)) fail_msg("%s: the C code has another range", where);
  if (port_has(plugin, port, "http://lv2plug.in/ns/ext/port-props#logarithmic")) assert_true(low > 0);
  check_points(plugin, port, low, high, where);
  LilvNode* unit_uri = uri(LV2_UNITS__unit);
  LilvNode* unit = lilv_port_get(plugin, port, unit_uri);
  lilv_node_free(unit_uri);
  const bool counts = port_has(plugin, port, LV2_CORE__toggled) || port_has(plugin, port, LV2_CORE__integer);
  if (!unit && !counts) fail_msg("%s: has no unit", where);
  lilv_node_free(unit);
}

static void assert_port_says(const LilvPlugin* plugin, const LilvPort* port, const char* predicate, unsigned longest, const char* where) {
  LilvNode* node = uri(predicate);
  LilvNode* value = lilv_port_get(plugin, port, node);
  lilv_node_free(node);
  if (!value || !*lilv_node_as_string(value)) fail_msg("%s lacks %s", where, predicate);
  if (strlen(lilv_node_as_string(value)) > longest) fail_msg("%s: %s is longer than %u", where, predicate, longest);
  lilv_node_free(value);
}

static void check_group(const LilvPlugin* plugin, const LilvPort* port, const char* where) {
  LilvNode* predicate = uri(LV2_PORT_GROUPS__group);
  LilvNode* group = lilv_port_get(plugin, port, predicate);
  lilv_node_free(predicate);
  if (!group) fail_msg("%s is in no group", where);
  assert_says(group, LV2_CORE__name);
  assert_says(group, LV2_CORE__symbol);
  lilv_node_free(group);
}

static void ports_say_what_hosts_ask(void** state) {
  (void)state;
  LILV_FOREACH(plugins, i, plugins) {
    const LilvPlugin* plugin = lilv_plugins_get(plugins, i);
    if (!is_ours(plugin)) continue;
    const char* name = lilv_node_as_uri(lilv_plugin_get_uri(plugin));
    const uint32_t ports = lilv_plugin_get_num_ports(plugin), channels = (uint32_t)atoi(strchr(name, '#') + 1);
    uint32_t inputs = 0, outputs = 0;
    char* names[512];
    for (uint32_t p = 0; p < ports; p++) {
      const LilvPort* port = lilv_plugin_get_port_by_index(plugin, p);
      const char* symbol = lilv_node_as_string(lilv_port_get_symbol(plugin, port));
      const MrPort* known = in_c(name, p, channels);
      char where[256];
      snprintf(where, sizeof where, "%s, port %u (%s)", name, p, symbol);
      if (known) assert_string_equal(known->symbol, symbol);
      LilvNode* label = lilv_port_get_name(plugin, port);
      names[p] = strdup(lilv_node_as_string(label));
      lilv_node_free(label);
      for (uint32_t q = 0; q < p; q++)
        if (!strcmp(names[q], names[p])) fail_msg("%s has the name of port %u", where, q);
      assert_port_says(plugin, port, LV2_CORE_PREFIX "shortName", 16, where);
      assert_port_says(plugin, port, RDFS "comment", 1000, where);
      check_group(plugin, port, where);
      if (port_is(plugin, port, LV2_CORE__AudioPort)) {
        assert_null(known);
        inputs += port_is(plugin, port, LV2_CORE__InputPort);
        outputs += port_is(plugin, port, LV2_CORE__OutputPort);
      } else if (port_is(plugin, port, LV2_CORE__ControlPort)) {
        check_control(plugin, port, known, where);
      } else {
        assert_true(port_is(plugin, port, LV2_ATOM__AtomPort));
        assert_true(port_has(plugin, port, LV2_CORE__connectionOptional));
        LilvNode* message = uri(LV2_PATCH__Message);
        assert_true(lilv_port_supports_event(plugin, port, message));
        lilv_node_free(message);
      }
    }
    for (uint32_t p = 0; p < ports; p++) free(names[p]);
    assert_int_equal(inputs, channels);
    assert_int_equal(outputs, channels);
  }
}

static void designations(void** state) {
  (void)state;
  static const char* const all[][2] = {
      {LV2_CORE__enabled, "enabled"}, {LV2_CORE__freeWheeling, "freewheel"}, {LV2_CORE__latency, "latency"}};
  LILV_FOREACH(plugins, i, plugins) {
    const LilvPlugin* plugin = lilv_plugins_get(plugins, i);
    if (!is_ours(plugin)) continue;
    for (size_t d = 0; d < 3; d++) {
      LilvNode* designation = uri(all[d][0]);
      const LilvPort* port = lilv_plugin_get_port_by_designation(plugin, NULL, designation);
      lilv_node_free(designation);
      assert_non_null(port);
      assert_string_equal(lilv_node_as_string(lilv_port_get_symbol(plugin, port)), all[d][1]);
    }
  }
}

/* Loudspeakers keep the order of WAVE files, whatever that of LV2's own groups is. */
static void loudspeakers(void** state) {
  (void)state;
  static const char* const order[] = {"left", "right", "center", "lowFrequencyEffects", "rearLeft", "rearRight", "sideLeft", "sideRight"};
  static const uint32_t counts[] = {2, 6, 8};
  for (size_t i = 0; i < 3; i++) {
    char name[64];
    snprintf(name, sizeof name, MR_EQ_URI "%u", counts[i]);
    LilvNode* node = uri(name);
    const LilvPlugin* plugin = lilv_plugins_get_by_uri(plugins, node);
    lilv_node_free(node);
    for (uint32_t c = 0; c < counts[i]; c++)
      for (uint32_t output = 0; output < 2; output++) {
        const LilvPort* port = lilv_plugin_get_port_by_index(plugin, MR_EQ_AUDIO + output * counts[i] + c);
        LilvNode* predicate = uri(LV2_CORE__designation);
        LilvNode* designation = lilv_port_get(plugin, port, predicate);
        lilv_node_free(predicate);
        assert_non_null(designation);
        assert_string_equal(strchr(lilv_node_as_uri(designation), '#') + 1, order[c]);
        lilv_node_free(designation);
      }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(ports_are_those_of_the_first_release),
                                     cmocka_unit_test(plugins_say_what_hosts_ask),
                                     cmocka_unit_test(properties_are_described),
                                     cmocka_unit_test(ports_say_what_hosts_ask),
                                     cmocka_unit_test(designations),
                                     cmocka_unit_test(loudspeakers)};
  return cmocka_run_group_tests(tests, open_world, close_world);
}
