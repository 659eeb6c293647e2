/* Spectra of a recording as it is and as filters leave it.
   SPDX-License-Identifier: ISC */
#ifndef MR_HOST_PLOT_RECORDING_H
#define MR_HOST_PLOT_RECORDING_H

#include "audio_file.h"
#include "preset.h"
#include "spectrum.h"

#define MR_SPECTRUM_OCTAVES (1.0 / 12)

/* Reads all of the recording, filters it by each of the programs, which it takes (also on an error), and measures: spectrum[0] is that of the input,
   spectrum[1 + i] that behind program i. preset: a preset each, or NULL. wanted: a flag a channel. MR_EXIT_DONE or an exit code after messages; spectra
   are to be freed in any case. */
int mr_plot_recording(const char* path, MrAudioIn* in, const bool* wanted, MrProgram** program, const MrPreset* const* preset,
                      uint32_t programs, MrSpectrum** spectrum);

#endif
