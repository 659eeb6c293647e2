/* The picture in a host's mixer strip: it shows the settings, is drawn anew only for new ones, tells the host at most 25 times a second, and is safe with
   hosts that lack the feature, its data or its function, without its module, and while run() works.
   SPDX-License-Identifier: ISC */
#include "scene.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "bank.h"
#include "eq.h"
#include "inline_extension.h"

enum { W = 240, H = 135, RATE = 48000 };

static atomic_int calls;
static void* last_handle;

static void count(void* handle) {
  last_handle = handle;
  atomic_fetch_add(&calls, 1);
}

static bool draws(void) {
  char path[4096];
  snprintf(path, sizeof path, "%s/lv2/millrace.lv2/millrace-view.so", getenv("MILLRACE_BUILD"));
  return access(path, R_OK) == 0;
}

static Host* host_of(const char* kind, uint32_t channels, void* queue, bool shows) {
  const HostOptions options = {.fs = RATE, .worker = HOST_WORKER_INLINE, .shows = shows, .queue_draw = queue};
  Host* host = scene_host(kind, channels, &options);
  host_activate(host);
  return host;
}

static void load_text(Host* host, const char* text) {
  HostState state = {.count = 0};
  host_state_put(&state, BANK_CONTENT, LV2_ATOM__Chunk, text, strlen(text));
  assert_int_equal(host_restore(host, &state), LV2_STATE_SUCCESS);
  host_state_free(&state);
}

static uint32_t pixel(const MrInlineImage* image, int x, int y) {
  uint32_t word;
  memcpy(&word, image->data + y * image->stride + x * 4, 4);
  return word;
}

/* Where the curve, the brightest of all, stands in a column; with its grey, where it has no colour. */
static double height_in(const MrInlineImage* image, int x, bool grey) {
  double sum = 0, weights = 0;
  for (int y = 1; y < image->height - 1; y++) {
    const uint32_t p = pixel(image, x, y);
    const double r = p >> 16 & 255, g = p >> 8 & 255, b = p & 255, light = fmin(r, fmin(g, b));
    const double weight = grey ? fmax(0, 40 - fabs(light - 0x5f)) : fmax(0, light - 165);
    sum += weight * (y + 0.5);
    weights += weight;
  }
  return weights > 0 ? sum / weights : NAN;
}

static int column(double f) { return (int)round(0.5 + log(f / 20) / log(1.12 * 24000 / 20) * (W - 1) - 0.5); }

static void one_frame(Host* host) { host_run(host, 64); }

/* ------------------------------------------------------------------ views */

static void eq_shows_its_bands(void** state) {
  (void)state;
  if (!draws()) skip();
  Host* host = host_of("eq", 2, NULL, false);
  scene_band(host, 1, SCENE_BELL, 1000, 6, 1, 2, 0);
  scene_band(host, 2, SCENE_HIGHSHELF, 8000, -4, 0.7f, 2, 0);
  one_frame(host);
  const MrInlineImage* image = host_picture(host, W, 500);
  assert_non_null(image);
  assert_int_equal(image->width, W);
  assert_int_equal(image->height, H);
  assert_true(image->stride >= W * 4);
  /* 24 dB from edge to edge: the bell's peak (a disc stands on it, so beside it) and the floor before it */
  const double at = 850, peak = 6.0 - 0.55, px = (H - 1) / 24.0;
  const double seen = height_in(image, column(30), false) - height_in(image, column(at), false);
  assert_true(fabs(seen - peak * px) < 2.5);
  const double low = height_in(image, column(17000), false) - height_in(image, column(30), false);
  assert_true(fabs(low - 4 * px) < 2.5);
  for (int y = 0; y < image->height; y++)
    for (int x = 0; x < image->width; x++) assert_int_equal(pixel(image, x, y) >> 24, 255);
  host_free(host);
}

static void bypass_is_grey(void** state) {
  (void)state;
  if (!draws()) skip();
  Host* host = host_of("eq", 1, NULL, false);
  scene_band(host, 1, SCENE_BELL, 1000, 6, 1, 2, 0);
  one_frame(host);
  assert_false(isnan(height_in(host_picture(host, W, H), column(100), false)));
  host_set(host, "enabled", 0);
  one_frame(host);
  const MrInlineImage* image = host_picture(host, W, H);
  assert_true(isnan(height_in(image, column(100), false)));
  assert_false(isnan(height_in(image, column(100), true)));
  host_free(host);
}

static void bank_shows_what_plays(void** state) {
  (void)state;
  if (!draws()) skip();
  Host* host = host_of("bank", 2, NULL, false);
  one_frame(host);
  unsigned char* before = malloc((size_t)W * H * 4);
  const MrInlineImage* image = host_picture(host, W, H);
  assert_non_null(image);
  memcpy(before, image->data, (size_t)W * H * 4);
  load_text(host, "Filter: ON PK Fc 1000 Hz Gain -9 dB Q 1\nFilter: ON PK Fc 5000 Hz Gain 2 dB Q 1");
  one_frame(host);
  image = host_picture(host, W, H);
  assert_true(memcmp(before, image->data, (size_t)W * H * 4) != 0);
  double floor = height_in(image, column(30), false), dip = height_in(image, column(1000) + 4, false);
  assert_true(dip - floor > 7 * (H - 1) / 24.0 && dip - floor < 9.5 * (H - 1) / 24.0);
  host_set(host, "gain", -1);
  one_frame(host);
  image = host_picture(host, W, H);
  assert_true(fabs(height_in(image, column(30), false) - floor - (H - 1) / 24.0) < 1.5);
  memcpy(before, image->data, (size_t)W * H * 4);
  host_set(host, "mode", 2); /* matched */
  one_frame(host);
  image = host_picture(host, W, H);
  (void)image;
  /* a bank that is refused where one plays leaves the picture */
  host_set(host, "mode", 0);
  one_frame(host);
  assert_memory_equal(host_picture(host, W, H)->data, before, (size_t)W * H * 4);
  host_free(host);
  /* and where none plays it is muted, and says so in grey */
  host = host_of("bank", 1, NULL, false);
  load_text(host, "Delay: nonsense");
  one_frame(host);
  assert_true(host_get(host, "muted") > 0.5f);
  assert_true(isnan(height_in(host_picture(host, W, H), column(100), false)));
  free(before);
  host_free(host);
}

static void banks_of_many_sections_keep_nobody_waiting(void** state) {
  (void)state;
  if (!draws()) skip();
  static char text[5000 * 50];
  size_t used = 0;
  for (int i = 0; i < 4500; i++)
    used += (size_t)snprintf(text + used, sizeof text - used, "Filter: ON PK Fc %d Hz Gain 0.001 dB Q 1\n", 20 + i);
  Host* host = host_of("bank", 1, NULL, false);
  load_text(host, text);
  one_frame(host);
  assert_true(isnan(height_in(host_picture(host, W, H), column(100), false)));
  load_text(host, "Filter: ON PK Fc 9000 Hz Gain 1 dB Q 1");
  one_frame(host);
  assert_false(isnan(height_in(host_picture(host, W, H), column(100), false)));
  host_free(host);
}

static void every_size_and_channel_count(void** state) {
  (void)state;
  if (!draws()) skip();
  static const uint32_t sizes[][2] = {{0, 0},    {1, 1},    {15, 100},    {100, 15},    {16, 16},
                                      {110, 62}, {200, 60}, {2000, 1200}, {100000, 10}, {4000000000u, 4000000000u}};
  for (size_t i = 0; i < SCENE_COUNTS; i++)
    for (int kind = 0; kind < 2; kind++) {
      Host* host = host_of(kind ? "bank" : "eq", scene_counts[i], NULL, false);
      if (!kind) scene_bands(host);
      one_frame(host);
      for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        const uint32_t w = sizes[s][0], h = sizes[s][1];
        const MrInlineImage* image = host_picture(host, w, h);
        const bool fits = w >= 16 && w <= 8192 && w * 9 / 16 >= 16 && h >= 16;
        assert_int_equal(image != NULL, fits || (w == 16 && false));
        if (image) assert_true(image->width == (int)w && image->height >= 1 && image->height <= (int)h && image->height <= (int)w);
      }
      host_free(host);
    }
}

static void nothing_new_is_drawn_once(void** state) {
  (void)state;
  if (!draws()) skip();
  for (int kind = 0; kind < 2; kind++) {
    Host* host = host_of(kind ? "bank" : "eq", 2, NULL, false);
    one_frame(host);
    MrInlineImage* image = host_picture(host, W, H);
    assert_non_null(image);
    unsigned char* data = image->data;
    memset(data, 0x5a, 64); /* to see whether it is drawn anew */
    one_frame(host);
    image = host_picture(host, W, H);
    assert_ptr_equal(image->data, data);
    assert_int_equal(data[10], 0x5a);
    host_set(host, "gain", 3);
    one_frame(host);
    image = host_picture(host, W, H);
    assert_int_not_equal(image->data[10], 0x5a);
    image->data[10] = 0x5a;
    image = host_picture(host, W + 1, H); /* another size */
    assert_int_equal(image->width, W + 1);
    image = host_picture(host, W, H);
    assert_int_not_equal(image->data[10], 0x5a);
    host_free(host);
  }
}

/* ------------------------------------------------------------------ telling */

static int in_seconds(Host* host, const char* symbol, int seconds, uint32_t block, bool moves) {
  const int before = atomic_load(&calls);
  for (uint32_t at = 0, i = 0; at < (uint32_t)seconds * RATE; at += block, i++) {
    if (moves) host_set(host, symbol, (float)(i % 7));
    host_run(host, block);
  }
  return atomic_load(&calls) - before;
}

static void hosts_are_told_of_what_is_new(void** state) {
  (void)state;
  MrInlineQueue queue = {&queue, count};
  for (int kind = 0; kind < 2; kind++) {
    Host* host = host_of(kind ? "bank" : "eq", 2, &queue, true);
    atomic_store(&calls, 0);
    one_frame(host);
    assert_int_equal(atomic_load(&calls), 1); /* the first settings, at once */
    assert_ptr_equal(last_handle, &queue);
    assert_int_equal(in_seconds(host, "gain", 2, 64, false), 0);
    assert_in_range(in_seconds(host, "gain", 4, 64, true), 90, 100);
    assert_in_range(in_seconds(host, "gain", 4, 1024, true), 75, 100);
    in_seconds(host, "gain", 1, 64, false); /* the last of them comes after its time */
    assert_int_equal(in_seconds(host, "gain", 1, 64, false), 0);
    host_set(host, "freewheel", 1);
    in_seconds(host, "gain", 1, 64, false);
    assert_int_equal(in_seconds(host, "gain", 2, 64, true), 0);
    host_set(host, "freewheel", 0);
    assert_int_equal(in_seconds(host, "gain", 1, 64, false), 1);
    for (int i = 0; i < 100; i++) host_run(host, 0);
    if (kind) {
      const int before = atomic_load(&calls);
      load_text(host, "Preamp: -6 dB");
      one_frame(host);
      assert_int_equal(atomic_load(&calls), before + 1);
    }
    host_free(host);
  }
}

static void hosts_without_manners_are_safe(void** state) {
  (void)state;
  MrInlineQueue empty = {NULL, NULL};
  for (int kind = 0; kind < 2; kind++)
    for (int way = 0; way < 3; way++) { /* no feature, no data, no function */
      Host* host = host_of(kind ? "bank" : "eq", 2, way == 2 ? &empty : NULL, way > 0);
      for (int i = 0; i < 100; i++) {
        host_set(host, "gain", (float)(i % 5));
        host_run(host, 512);
      }
      assert_int_equal(host_picture(host, W, H) != NULL, draws());
      host_free(host);
    }
}

static void without_its_module_there_is_no_picture(void** state) {
  (void)state;
  const LV2_Feature map = {LV2_URID__map, host_map()};
  const LV2_Feature* const features[] = {&map, NULL};
  static const LV2_Descriptor eq = {.URI = MR_EQ_URI "2"}, bank = {.URI = MR_BANK_URI "2"};
  static const char* const places[] = {"/nonexistent/", "", NULL, "/", "/nonexistent"};
  for (size_t i = 0; i < 5; i++) {
    const MrInlineInterface* picture = mr_eq_extension(MR_INLINE_DISPLAY__interface);
    LV2_Handle handle = mr_eq_instantiate(&eq, RATE, places[i], features);
    assert_non_null(handle);
    for (int k = 0; k < 3; k++) assert_null(picture->render(handle, W, H));
    mr_eq_cleanup(handle);
    picture = mr_bank_plugin_extension(MR_INLINE_DISPLAY__interface);
    handle = mr_bank_plugin_instantiate(&bank, RATE, places[i], features);
    assert_non_null(handle);
    assert_null(picture->render(handle, W, H));
    mr_bank_plugin_cleanup(handle);
  }
}

/* ----------------------------------------------------------------- threads */

typedef struct Drawer {
  Host* host;
  atomic_bool ends;
  atomic_int pictures;
} Drawer;

static void* draw_all_the_time(void* data) {
  Drawer* drawer = data;
  for (uint32_t i = 0; !atomic_load(&drawer->ends); i++) {
    const MrInlineImage* image = host_picture(drawer->host, 100 + i % 3 * 50, 100);
    if (image) atomic_fetch_add(&drawer->pictures, 1);
    if (image && (image->data[3] != 255 || image->width < 100)) abort();
  }
  return NULL;
}

static void drawing_and_running_meet_nowhere(void** state) {
  (void)state;
  if (!draws()) skip();
  static const char* const texts[] = {"Filter: ON PK Fc 900 Hz Gain 7 dB Q 2\nChannel: 2\nDelay: 1 ms\nFilter: ON LP Fc 5000 Hz\n",
                                      "Preamp: -3 dB", "Crossover: LinkwitzRiley Order 4 Fc 300 Hz In 1 Out 3 4\n"};
  MrInlineQueue queue = {&queue, count};
  for (int kind = 0; kind < 2; kind++) {
    Host* host = host_of(kind ? "bank" : "eq", 4, &queue, true);
    Drawer drawer = {.host = host};
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, draw_all_the_time, &drawer), 0);
    for (int i = 0; i < 2000 || atomic_load(&drawer.pictures) < 20; i++) {
      host_set(host, "gain", (float)(i % 11 - 5));
      if (!kind)
        scene_band(host, 1 + (unsigned)i % 16, i % SCENE_TYPES, 50 + (float)(i * 37 % 9000), (float)(i % 20) - 10, 1, 4, (float)(i % 5));
      if (kind) host_set(host, "mode", (float)(i % 3));
      if (kind && i % 100 == 0) load_text(host, texts[i / 100 % 3]);
      host_run(host, 64);
    }
    atomic_store(&drawer.ends, true);
    pthread_join(thread, NULL);
    /* what is seen at the end is what a new instance at these settings shows */
    if (!kind) {
      HostState kept = {.count = 0};
      Host* other = host_of("eq", 4, NULL, false);
      memcpy(other->control, host->control, sizeof host->control);
      assert_int_equal(host_save(host, &kept), LV2_STATE_SUCCESS);
      assert_int_equal(host_restore(other, &kept), LV2_STATE_SUCCESS);
      one_frame(other);
      const MrInlineImage *a = host_picture(host, W, H), *b = host_picture(other, W, H);
      assert_memory_equal(a->data, b->data, (size_t)W * H * 4);
      host_state_free(&kept);
      host_free(other);
    }
    host_free(host);
  }
}

static int end(void** state) {
  (void)state;
  host_world_end();
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(eq_shows_its_bands),
                                     cmocka_unit_test(bypass_is_grey),
                                     cmocka_unit_test(bank_shows_what_plays),
                                     cmocka_unit_test(banks_of_many_sections_keep_nobody_waiting),
                                     cmocka_unit_test(every_size_and_channel_count),
                                     cmocka_unit_test(nothing_new_is_drawn_once),
                                     cmocka_unit_test(hosts_are_told_of_what_is_new),
                                     cmocka_unit_test(hosts_without_manners_are_safe),
                                     cmocka_unit_test(without_its_module_there_is_no_picture),
                                     cmocka_unit_test(drawing_and_running_meet_nowhere)};
  return cmocka_run_group_tests(tests, NULL, end);
}
