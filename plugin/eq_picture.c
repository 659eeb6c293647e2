/* What the EQ shows in a host's mixer strip.
   SPDX-License-Identifier: ISC */
#include "eq_picture.h"

bool mr_eq_picture_init(MrEqPicture* picture, const MrFeatures* features, const char* bundle, double fs, const MrEqSettings* settings) {
  return mr_inline_init(&picture->display, features, bundle, fs) && mr_snapshot_init(&picture->settings, settings, sizeof *settings);
}

void mr_eq_picture_free(MrEqPicture* picture) {
  mr_inline_free(&picture->display);
  mr_snapshot_free(&picture->settings);
}

void mr_eq_picture_change(MrEqPicture* picture, const MrEqSettings* settings) {
  mr_snapshot_put(&picture->settings, settings);
  mr_inline_touch(&picture->display);
}

MrInlineImage* mr_eq_picture_render(MrEqPicture* picture, uint32_t channels, double fs, uint32_t width, uint32_t most_height) {
  bool fresh;
  MrStatus status;
  MrBand band[MR_EQ_BANDS];
  MrBands bands;
  if (!mr_inline_open(&picture->display)) return NULL;
  const MrEqSettings* settings = mr_snapshot_take(&picture->settings, &fresh);
  if (!fresh && mr_inline_has(&picture->display, width, most_height)) return &picture->display.image;
  mr_eq_settings_bands(settings, channels, band, &bands);
  MrSubject* subject = mr_subject_from_bands(&bands, channels, fs, settings->value[MR_EQ_GAIN], &status);
  MrCurves* curves = subject ? mr_inline_curves(subject) : NULL;
  const bool enabled = settings->value[MR_EQ_ENABLED] > 0.5f;
  MrInlineImage* image = mr_inline_draw(&picture->display, curves, !enabled,
                                        !enabled         ? "off"
                                        : settings->solo ? "solo"
                                                         : NULL,
                                        width, most_height);
  mr_curves_free(curves);
  mr_subject_free(subject);
  return image;
}
