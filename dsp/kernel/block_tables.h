/* Tables of one section for the multi-block kernels.
   SPDX-License-Identifier: ISC */
#ifndef MILLRACE_KERNEL_BLOCK_TABLES_H
#define MILLRACE_KERNEL_BLOCK_TABLES_H

#include "block.h"

/* Loss of digits by which CR and DTCR are refused: kappa times the unit roundoff is the error. */
#define MR_BLOCK_KAPPA_F32 50.0
#define MR_BLOCK_KAPPA_F64 1e8

/* Numbers (float or double) of a table; a multiple of what keeps the next one aligned. `width` is that of the kernels. */
size_t mr_block_table_size(MrBlockFamily family, uint32_t width, uint32_t blocks);

/* Fills the table of a strictly stable section; FIR-only sections, first-order ones and b0 = 0 are nothing special. Everything is
   computed in long double and rounded once: in double the powers of a low corner would lose the digits that its kernels keep, in float
   they would not even be stable. Lanes: a multiple of kernels->width and a power of two; blocks: a power of two from MR_BLOCK_MIN
   (DTCR: 4) to MR_BLOCK_MAX. MR_ERR_RANGE for others; MR_ERR_UNSTABLE; MR_ERR_SINGULAR where CR or DTCR loses MR_BLOCK_KAPPA_*. Thread:
   control. */
MrStatus mr_block_table_fill(const MrBlockKernels* kernels, MrBlockFamily family, const MrSection* section, uint32_t lanes, uint32_t blocks,
                             void* table);

/* The largest |f / e| of the levels that CR (or DTCR) of this many blocks divides at; infinite where it divides by 0. Thread: control. */
double mr_block_kappa(MrBlockFamily family, const MrSection* section, uint32_t blocks);

/* The state of SSPH from the section's own (w, d), and back; never singular. Thread: real-time. */
void mr_block_states_to_svf(const MrSection* section, double state[2]);
void mr_block_states_from_svf(const MrSection* section, double state[2]);

#endif
