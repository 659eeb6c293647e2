/* Which device a stream goes to: never to a card that might lose.
   SPDX-License-Identifier: ISC */
#include "device.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static MrProgram* program_of(uint32_t channels, uint32_t order) {
  MrBank* bank = mr_bank_new(channels);
  MrDesign design = mr_design_default(MR_BUTTERWORTH);
  design.order = order;
  for (uint32_t c = 0; c < channels && order; c++) assert_int_equal(mr_bank_add_filter(bank, c, &design), MR_OK);
  MrProgram* program = mr_program_new(bank, 48000, NULL, NULL);
  assert_non_null(program);
  mr_bank_free(bank);
  return program;
}

/* Reckoned by hand: the CPU takes max(files / 2, (files + filter) / processors), the card start + max(files, transfer, kernel), and has to be done in
   four fifths of that. */
static void a_card_has_to_be_faster_for_sure(void** state) {
  (void)state;
  const MrDeviceTimes even = {.files = 1, .filter = 99, .start = 3, .transfer = 1, .kernel = 1, .processors = 2}; /* 50 against 4 */
  assert_true(mr_device_pays(&even));
  MrDeviceTimes t = even;
  t.processors = 32; /* 3.1 s */
  assert_false(mr_device_pays(&t));
  t = even;
  t.kernel = 36; /* 39 of 40 */
  assert_true(mr_device_pays(&t));
  t.kernel = 38;
  assert_false(mr_device_pays(&t));
  t = even;
  t.transfer = 38;
  assert_false(mr_device_pays(&t));
  t = (MrDeviceTimes){.files = 100, .filter = 1, .start = 0, .processors = 1}; /* files bind either */
  assert_false(mr_device_pays(&t));
  t = (MrDeviceTimes){.processors = 1};
  assert_false(mr_device_pays(&t));
}

static void times_grow_with_the_work(void** state) {
  (void)state;
  MrProgram *light = program_of(4, 2), *heavy = program_of(4, 32);
  const MrDeviceNeed need = {.program = light, .channels = 4, .frames = 48000, .threads = 4};
  MrDeviceNeed more = need;
  const MrDeviceTimes a = mr_device_times(&need);
  more.program = heavy;
  const MrDeviceTimes b = mr_device_times(&more);
  assert_true(a.files > 0 && a.filter > 0 && a.processors == 4 && a.start >= 10); /* no card begins later */
  assert_true(b.filter > 3 * a.filter);
  assert_true(b.files == a.files);
  more.frames *= 10;
  const MrDeviceTimes c = mr_device_times(&more);
  assert_true(c.filter > 9.9 * b.filter && c.filter < 10.1 * b.filter && c.files > 9.9 * b.files);
  more.fast = true;
  assert_true(mr_device_times(&more).filter < 0.6 * c.filter);
  mr_program_free(light);
  mr_program_free(heavy);
}

/* Short or endless streams, and programs that no card takes, never load a module, let alone wait for one. */
static void the_cpu_needs_no_module(void** state) {
  (void)state;
  MrProgram* program = program_of(2, 8);
  MrDevice device;
  setenv("MILLRACE_GPU_MODULE", "/none/at/all.so", 1);
  MrDeviceNeed need = {.program = program, .channels = 2, .frames = 480000, .threads = 1};
  assert_true(mr_device_open(&device, MR_DEVICE_CPU, &need));
  assert_null(device.api);
  assert_true(mr_device_open(&device, MR_DEVICE_AUTO, &need));
  assert_null(device.api);
  assert_null(strstr(device.reason, "/none/at/all.so"));
  need.frames = 0;
  assert_true(mr_device_open(&device, MR_DEVICE_AUTO, &need));
  assert_non_null(strstr(device.reason, "length"));
  need.frames = (uint64_t)1 << 40; /* years: now a card is looked for */
  assert_true(mr_device_open(&device, MR_DEVICE_AUTO, &need));
  assert_null(device.api);
  assert_non_null(strstr(device.reason, "/none/at/all.so"));
  assert_false(mr_device_open(&device, MR_DEVICE_CUDA, &need));
  assert_non_null(strstr(device.reason, "/none/at/all.so"));
  mr_device_close(&device);
  mr_program_free(program);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_card_has_to_be_faster_for_sure),
      cmocka_unit_test(times_grow_with_the_work),
      cmocka_unit_test(the_cpu_needs_no_module),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
