/* Promises 14 and 15: a host with bad manners. It offers next to nothing, runs blocks of any length in buffers of any kind, and sends garbage.
   SPDX-License-Identifier: ISC */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "scene.h"

#include <lv2/patch/patch.h>
#include <math.h>
#include <sys/mman.h>
#include <unistd.h>

#include "host_inside.h"

static const char* const kinds[] = {"eq", "bank"};
static const HostOptions bare = {.fs = 48000, .bare = true};

/* -------------------------------------------------------------- features */

static void promise_15_without_the_map_nothing_is_instantiated(void** state) {
  (void)state;
  const HostOptions options = {.fs = 48000, .bare = true, .no_map = true};
  for (int kind = 0; kind < 2; kind++)
    for (size_t i = 0; i < SCENE_COUNTS; i++) assert_null(scene_host(kinds[kind], scene_counts[i], &options));
}

static void promise_15_all_variants_live_and_end_with_the_map_alone(void** state) {
  (void)state;
  const uint32_t lengths[] = {0, 1, 63, 1152, 8192, 0, 9001};
  for (int kind = 0; kind < 2; kind++)
    for (size_t i = 0; i < SCENE_COUNTS; i++) {
      HostOptions options = bare;
      options.capacity = 9001;
      host_free(scene_host(kinds[kind], scene_counts[i], &options)); /* never activated */
      Host* host = scene_host(kinds[kind], scene_counts[i], &options);
      assert_non_null(host);
      if (!kind) scene_bands(host);
      for (uint32_t c = 0; c < host->channels; c++)
        for (uint32_t f = 0; f < options.capacity; f++) host->in[c][f] = f ? 0.25f : 1;
      host_activate(host);
      for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++) {
        host_run(host, lengths[k]);
        for (uint32_t c = 0; c < host->channels; c++)
          for (uint32_t f = 0; f < lengths[k]; f++) {
            assert_true(isfinite(host->out[c][f]));
            if (kind) assert_true(host->out[c][f] == host->in[c][f]); /* no bank yet */
          }
      }
      assert_true(host_get(host, "latency") == 0);
      assert_true(host_get(host, "status") == 0);
      host_free(host);
    }
}

/* More than the host has declared is run all the same, and nothing depends on what was declared. */
static void promise_14_declared_block_lengths_change_no_bit(void** state) {
  (void)state;
  const int32_t declared[] = {0, 1, 64, 8192, -5};
  Planar in = planar_noise(6, 12000, 1), whole = planar_new(6, 12000), out = planar_new(6, 12000);
  for (size_t i = 0; i < sizeof declared / sizeof *declared; i++) {
    const HostOptions options = {.fs = 44100, .declared = declared[i]};
    Host* host = scene_host("eq", 6, &options);
    scene_bands(host);
    host_activate(host);
    scene_play(host, &in, i ? &out : &whole, 10000);
    if (i) assert_same_bits(&whole, &out);
    host_free(host);
  }
  planar_free(&in);
  planar_free(&whole);
  planar_free(&out);
}

/* --------------------------------------------------------------- buffers */

typedef struct Pages {
  char* begin;
  size_t page, pages;
} Pages;

/* So many pages between two that cannot be touched. */
static Pages pages_new(size_t pages) {
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  char* begin = mmap(NULL, (pages + 2) * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  assert_true(begin != MAP_FAILED);
  assert_int_equal(mprotect(begin, page, PROT_NONE) | mprotect(begin + (pages + 1) * page, page, PROT_NONE), 0);
  return (Pages){begin, page, pages};
}

static void pages_free(Pages* pages) { munmap(pages->begin, (pages->pages + 2) * pages->page); }

/* Where n bytes begin, at the first byte that may be touched or up to the last. */
static void* pages_at(const Pages* pages, size_t n, bool at_end) {
  return pages->begin + pages->page + (at_end ? pages->pages * pages->page - n : 0);
}

static void pages_protect(const Pages* pages, int protection) {
  assert_int_equal(mprotect(pages->begin + pages->page, pages->pages * pages->page, protection), 0);
}

/* Inputs are in read-only pages; both sides end or begin at a page that cannot be touched; some begin at odd multiples of four bytes. */
static void promise_14_guard_pages_and_read_only_inputs(void** state) {
  (void)state;
  enum { CHANNELS = 9, FRAMES = 3 * 1152 };
  const uint32_t lengths[] = {1, 3, 63, 64, 65, 1000, 0, 1152};
  Planar noise = planar_noise(CHANNELS, FRAMES, 2), whole = planar_new(CHANNELS, FRAMES);
  Host* host = scene_host("eq", CHANNELS, &bare);
  scene_bands(host);
  host_activate(host);
  scene_play(host, &noise, &whole, FRAMES);
  Pages in[CHANNELS], out[CHANNELS];
  for (uint32_t c = 0; c < CHANNELS; c++) in[c] = pages_new(2), out[c] = pages_new(2);
  for (int place = 0; place < 3; place++) { /* 2: at the begin, moved by four bytes */
    host_deactivate(host);
    host_activate(host);
    uint32_t at = 0;
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
      const uint32_t n = lengths[i];
      float *from[CHANNELS], *to[CHANNELS];
      for (uint32_t c = 0; c < CHANNELS; c++) {
        pages_protect(&in[c], PROT_READ | PROT_WRITE);
        from[c] = (float*)pages_at(&in[c], n * sizeof(float), place == 1) + place / 2;
        to[c] = (float*)pages_at(&out[c], n * sizeof(float), place == 1) + place / 2;
        memcpy(from[c], noise.channel[c] + at, n * sizeof(float));
        pages_protect(&in[c], PROT_READ);
      }
      host_connect_audio(host, from, to);
      host_run(host, n);
      for (uint32_t c = 0; c < CHANNELS; c++) assert_memory_equal(to[c], whole.channel[c] + at, n * sizeof(float));
      at += n;
    }
  }
  host_free(host);
  for (uint32_t c = 0; c < CHANNELS; c++) {
    pages_free(&in[c]);
    pages_free(&out[c]);
  }
  planar_free(&noise);
  planar_free(&whole);
}

static void check_permutations(const char* kind, uint32_t channels, bool enabled) {
  enum { FRAMES = 700 };
  Planar in = planar_noise(channels, FRAMES, 3), whole = planar_new(channels, FRAMES), shared = planar_new(channels, FRAMES);
  Host* host = scene_host(kind, channels, &bare);
  if (*kind == 'e')
    scene_bands(host);
  else
    host_set(host, "gain", -3);
  host_set(host, "enabled", enabled);
  host_activate(host);
  scene_play(host, &in, &whole, FRAMES);
  const uint32_t steps[] = {1, 5, 11, 0}; /* 5 and 11 divide no count used here; 0: reversed */
  for (size_t k = 0; k < 4; k++) {
    float* out[HOST_CHANNELS];
    memcpy(shared.samples, in.samples, (size_t)channels * FRAMES * sizeof(float));
    for (uint32_t c = 0; c < channels; c++) out[c] = shared.channel[steps[k] ? (c * steps[k] + (uint32_t)k) % channels : channels - 1 - c];
    host_deactivate(host);
    host_activate(host);
    host_connect_audio(host, shared.channel, out);
    host_run(host, FRAMES);
    for (uint32_t c = 0; c < channels; c++) assert_memory_equal(out[c], whole.channel[c], FRAMES * sizeof(float));
  }
  host_free(host);
  planar_free(&in);
  planar_free(&whole);
  planar_free(&shared);
}

static void promise_14_any_permutation_of_shared_buffers(void** state) {
  (void)state;
  const uint32_t counts[] = {1, 2, 6, 8, 9, 12, 16, 36, 64};
  for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
    for (int kind = 0; kind < 4; kind++) check_permutations(kinds[kind & 1], counts[i], kind & 2);
}

/* One buffer is every input, and one of the outputs too. */
static void promise_14_one_buffer_for_all_inputs(void** state) {
  (void)state;
  enum { FRAMES = 1000 };
  const uint32_t counts[] = {2, 8, 25, 64};
  for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
    for (uint32_t which = 0; which < 2; which++) {
      const uint32_t channels = counts[i], same = which ? channels - 1 : 0;
      Planar in = planar_noise(channels, FRAMES, 3), whole = planar_new(channels, FRAMES), out = planar_new(channels, FRAMES);
      for (uint32_t c = 1; c < channels; c++) memcpy(in.channel[c], in.channel[0], FRAMES * sizeof(float));
      Host* host = scene_host("eq", channels, &bare);
      scene_bands(host);
      host_activate(host);
      scene_play(host, &in, &whole, FRAMES);
      host_deactivate(host);
      host_activate(host);
      float *from[HOST_CHANNELS], *to[HOST_CHANNELS];
      for (uint32_t c = 0; c < channels; c++) from[c] = in.channel[0], to[c] = out.channel[c];
      to[same] = in.channel[0];
      host_connect_audio(host, from, to);
      host_run(host, FRAMES);
      for (uint32_t c = 0; c < channels; c++) assert_memory_equal(to[c], whole.channel[c], FRAMES * sizeof(float));
      host_free(host);
      planar_free(&in);
      planar_free(&whole);
      planar_free(&out);
    }
}

/* ----------------------------------------------------------- atom ports */

static void promise_15_ports_without_a_buffer(void** state) {
  (void)state;
  for (int kind = 0; kind < 2; kind++) {
    Host* host = scene_host(kinds[kind], 2, &bare);
    for (uint32_t i = 0; i < host->ports + 3; i++) /* a few that do not exist, too */
      if (i >= host->ports || (i != host->in_port[0] && i != host->in_port[1] && i != host->out_port[0] && i != host->out_port[1]))
        lilv_instance_connect_port(host->instance, i, NULL);
    host->in[0][7] = 0.5f;
    lilv_instance_activate(host->instance);
    lilv_instance_run(host->instance, 0);
    lilv_instance_run(host->instance, 500);
    for (uint32_t f = 0; f < 500; f++) assert_true(host->out[0][f] == (f == 7 ? 0.5f : 0) && host->out[1][f] == 0);
    lilv_instance_connect_port(host->instance, host->in_port[0], NULL); /* and none to read from */
    lilv_instance_run(host->instance, 500);
    lilv_instance_deactivate(host->instance);
    host_free(host);
  }
}

typedef union Garbage {
  LV2_Atom_Sequence sequence;
  uint32_t word[256];
} Garbage;

/* Words that mean something here and there, sizes that are wrong, and noise. */
static uint32_t garbage_word(Random* random) {
  const char* uris[] = {LV2_ATOM__Object, LV2_ATOM__Path, LV2_ATOM__String, LV2_ATOM__URID,     LV2_ATOM__Int,
                        LV2_PATCH__Set,   LV2_PATCH__Get, LV2_PATCH__value, LV2_PATCH__subject, LV2_PATCH__property,
                        EQ_SET(1),        EQ_SOLO,        BANK_FILE};
  const uint32_t odd[] = {0, 1, 4, 7, 8, 9, 15, 16, 17, 0xffffffff, 0xfffffff8, 0x80000000, 0x7fffffff, 1000};
  switch (random_below(random, 3)) {
    case 0:
      return host_urid(uris[random_below(random, sizeof uris / sizeof *uris)]);
    case 1:
      return odd[random_below(random, sizeof odd / sizeof *odd)];
    default:
      return random_below(random, 1u << 30);
  }
}

/* Half a message: right up to some word, then garbage. */
static uint32_t garbage_message(Random* random, uint32_t* word) {
  const uint32_t right[] = {0,
                            0,
                            80,
                            host_urid(LV2_ATOM__Object),
                            0,
                            host_urid(LV2_PATCH__Set),
                            host_urid(LV2_PATCH__property),
                            0,
                            4,
                            host_urid(LV2_ATOM__URID),
                            host_urid(random_below(random, 2) ? EQ_SET(1) : BANK_FILE),
                            0,
                            host_urid(LV2_PATCH__value),
                            0,
                            9,
                            host_urid(LV2_ATOM__String),
                            0x202d2031,
                            0x33202034,
                            0x34,
                            0};
  const uint32_t count = sizeof right / sizeof *right, until = random_below(random, count + 1);
  for (uint32_t i = 0; i < count; i++) word[i] = i < until ? right[i] : garbage_word(random);
  return count;
}

static void promise_15_garbage_at_the_atom_ports(void** state) {
  (void)state;
  Pages pages = pages_new(1), notify = pages_new(1);
  for (int kind = 0; kind < 2; kind++) {
    HostOptions options = bare;
    Host* host = scene_host(kinds[kind], 4, &options);
    host_activate(host);
    Random random = {5};
    for (int i = 0; i < 20000; i++) {
      Garbage garbage;
      const uint32_t words = 2 * random_below(&random, 100), size = words * 4 + 8 - random_below(&random, 8);
      for (uint32_t w = 0; w < 256; w++) garbage.word[w] = garbage_word(&random);
      for (uint32_t w = 4; i % 2 && w < 200;) w += garbage_message(&random, garbage.word + w);
      garbage.sequence.atom = (LV2_Atom){size, random_below(&random, 10) ? host_urid(LV2_ATOM__Sequence) : garbage_word(&random)};
      uint32_t* at = pages_at(&pages, ((size_t)size + 8 + 7) & ~7u, true); /* as atoms are: at a multiple of 8 */
      memcpy(at, garbage.word, size + 8);
      lilv_instance_connect_port(host->instance, host->message_port, at);
      const uint32_t room = random_below(&random, 60) * 8;
      LV2_Atom* out = pages_at(&notify, room + sizeof *out, true);
      *out = (LV2_Atom){room, host_urid(LV2_ATOM__Chunk)};
      lilv_instance_connect_port(host->instance, host->notify_port, out);
      lilv_instance_run(host->instance, random_below(&random, 3));
    }
    lilv_instance_connect_port(host->instance, host->message_port, &host->messages);
    lilv_instance_connect_port(host->instance, host->notify_port, &host->notify);
    host_ask(host, NULL); /* it still listens and answers */
    host_run(host, 64);
    assert_non_null(host_told(host, kind ? BANK_FILE : EQ_SET(1)));
    host_free(host);
  }
  pages_free(&pages);
  pages_free(&notify);
}

/* A notify port with hardly any room: everything is told in the end, a bit in each block, and nothing beyond the room is touched. */
static void promise_15_little_room_to_tell(void** state) {
  (void)state;
  Pages pages = pages_new(1);
  Host* host = scene_host("eq", 4, &bare);
  host_activate(host);
  host_ask(host, NULL);
  uint32_t told = 0;
  for (int i = 0; i < 20; i++) {
    const uint32_t room = 400;
    LV2_Atom_Sequence* out = pages_at(&pages, room + sizeof(LV2_Atom), true);
    out->atom = (LV2_Atom){room, host_urid(LV2_ATOM__Chunk)};
    lilv_instance_connect_port(host->instance, host->notify_port, out);
    host_messages_end(host);
    out->atom = (LV2_Atom){room, host_urid(LV2_ATOM__Chunk)};
    lilv_instance_run(host->instance, 64);
    host_messages_begin(host);
    assert_int_equal(out->atom.type, host_urid(LV2_ATOM__Sequence));
    assert_true(out->atom.size <= room);
    LV2_ATOM_SEQUENCE_FOREACH(out, event)
    told += event->body.size > 0;
  }
  assert_int_equal(told, 9); /* eight sets and solo */
  host_free(host);
  pages_free(&pages);
}

/* ---------------------------------------------------------------- worker */

static void promise_15_a_worker_without_space_is_asked_again(void** state) {
  (void)state;
  const char text[] = "Filter: ON PK Fc 1000 Hz Gain 6 dB Q 1\n";
  char path[4096];
  scene_file(path, sizeof path, "later.txt", text, sizeof text - 1);
  const HostOptions options = {.fs = 48000, .worker = HOST_WORKER_FULL};
  Host* host = scene_host("bank", 2, &options);
  host_activate(host);
  host_send_text(host, BANK_FILE, LV2_ATOM__Path, path);
  for (int i = 0; i < 50; i++) {
    host_run(host, 64);
    assert_int_equal(host->schedules, 1);
  }
  assert_null(host_told(host, BANK_MESSAGE));
  host->options.worker = HOST_WORKER_QUEUE;
  host_run(host, 64);
  assert_int_equal(host->schedules, 1);
  assert_int_equal(host_work(host), 1);
  host_run(host, 64);
  assert_int_equal(host->schedules, 0);
  assert_string_equal(host_told(host, BANK_FILE)->text, path);
  assert_true(host_get(host, "status") == 0);
  host_free(host);
}

static int end(void** state) {
  (void)state;
  host_world_end();
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(promise_15_without_the_map_nothing_is_instantiated),
      cmocka_unit_test(promise_15_all_variants_live_and_end_with_the_map_alone),
      cmocka_unit_test(promise_14_declared_block_lengths_change_no_bit),
      cmocka_unit_test(promise_14_guard_pages_and_read_only_inputs),
      cmocka_unit_test(promise_14_any_permutation_of_shared_buffers),
      cmocka_unit_test(promise_14_one_buffer_for_all_inputs),
      cmocka_unit_test(promise_15_ports_without_a_buffer),
      cmocka_unit_test(promise_15_garbage_at_the_atom_ports),
      cmocka_unit_test(promise_15_little_room_to_tell),
      cmocka_unit_test(promise_15_a_worker_without_space_is_asked_again),
  };
  return cmocka_run_group_tests(tests, NULL, end);
}
