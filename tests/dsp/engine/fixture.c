/* What the tests of the engine share.
   SPDX-License-Identifier: ISC */
#include "fixture.h" /* <cmocka.h> with it */

uint32_t random_below(Random* random, uint32_t limit) {
  random->state = random->state * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)((random->state >> 33) % limit);
}

double random_between(Random* random, double low, double high) { return low + (high - low) * random_below(random, 1u << 30) / (1u << 30); }

Planar planar_new(uint32_t channels, uint32_t frames) {
  Planar planar = {channels, frames, calloc((size_t)channels * frames + 1, sizeof(float)), calloc(channels, sizeof(float*))};
  assert_non_null(planar.samples);
  assert_non_null(planar.channel);
  for (uint32_t c = 0; c < channels; c++) planar.channel[c] = planar.samples + (size_t)c * frames;
  return planar;
}

void planar_free(Planar* planar) {
  free(planar->samples);
  free(planar->channel);
}

Planar planar_noise(uint32_t channels, uint32_t frames, uint64_t seed) {
  Planar planar = planar_new(channels, frames);
  Random random = {seed};
  for (size_t i = 0; i < (size_t)channels * frames; i++) planar.samples[i] = (float)random_between(&random, -0.5, 0.5);
  return planar;
}

void assert_same_bits(const Planar* a, const Planar* b) {
  assert_int_equal(a->channels, b->channels);
  assert_int_equal(a->frames, b->frames);
  assert_memory_equal(a->samples, b->samples, (size_t)a->channels * a->frames * sizeof(float));
}

MrDesign design_of(MrFilterType type, double fc, double gain_db, double q) {
  MrDesign design = mr_design_default(type);
  design.fc = fc;
  design.gain_db = gain_db;
  design.width = q;
  return design;
}

MrBand band_on_all(MrFilterType type, double fc, double gain_db, double q) {
  MrBand band;
  memset(&band, 0, sizeof band);
  band.on = true;
  band.design = design_of(type, fc, gain_db, q);
  memset(band.set, 0xff, sizeof band.set);
  return band;
}

MrBand band_on(uint32_t channel, MrFilterType type, double fc, double gain_db, double q) {
  MrBand band = band_on_all(type, fc, gain_db, q);
  memset(band.set, 0, sizeof band.set);
  band.set[channel / 64] = (uint64_t)1 << (channel % 64);
  return band;
}

MrProgram* program_of(uint32_t channels, double fs, bool different) {
  MrBank* bank = mr_bank_new(channels);
  assert_non_null(bank);
  for (uint32_t c = 0; c < channels; c++) {
    const uint32_t kind = different ? c : 0;
    MrDesign highpass = design_of(MR_BUTTERWORTH, 40 + kind, 0, 1);
    highpass.response = MR_RESPONSE_HP;
    highpass.order = 5 + kind % 4;
    assert_int_equal(mr_bank_add_filter(bank, c, &highpass), MR_OK);
    for (uint32_t i = 0; i <= kind % 3; i++) {
      const MrDesign bell = design_of(MR_PEAK, 300.0 * (i + 1) + 10 * kind, 4 - (double)i, 1.3);
      assert_int_equal(mr_bank_add_filter(bank, c, &bell), MR_OK);
    }
    bank->channel[c].preamp_db = -0.25 * kind;
  }
  MrStatus status;
  MrProgram* program = mr_program_new(bank, fs, NULL, &status);
  assert_int_equal(status, MR_OK);
  mr_bank_free(bank);
  return program;
}

MrProgram* program_of_text(uint32_t channels, const char* text) {
  const MrReadOptions options = {.channels = channels, .fs = 48000};
  MrBank* bank = mr_bank_read_text(NULL, text, strlen(text), "test", &options, NULL, NULL);
  assert_non_null(bank);
  MrProgram* program = mr_program_new(bank, 48000, NULL, NULL);
  assert_non_null(program);
  mr_bank_free(bank);
  return program;
}

MrEngine* engine_of(uint32_t channels, double fs, uint32_t bands, uint32_t level) {
  MrStatus status;
  const MrEngineOptions options = {.channels = channels, .fs = fs, .largest_block = 512, .max_bands = bands, .cpu_level = level};
  MrEngine* engine = mr_engine_new(&options, &status);
  assert_int_equal(status, MR_OK);
  assert_non_null(engine);
  return engine;
}

void run_blocks(MrEngine* engine, const Planar* in, Planar* out, uint32_t from, uint32_t to, uint32_t largest, Random* random) {
  const float** inputs = calloc(in->channels, sizeof *inputs);
  float** outputs = calloc(in->channels, sizeof *outputs);
  assert_non_null(inputs);
  assert_non_null(outputs);
  while (from < to) {
    uint32_t n = largest ? random_below(random, largest + 1) : to - from;
    if (n > to - from) n = to - from;
    for (uint32_t c = 0; c < in->channels; c++) {
      inputs[c] = in->channel[c] + from;
      outputs[c] = out->channel[c] + from;
    }
    mr_engine_process_f32(engine, inputs, outputs, n);
    from += n;
  }
  free(inputs);
  free(outputs);
}
