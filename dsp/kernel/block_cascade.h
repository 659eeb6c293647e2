/* A cascade of one channel run by multi-block kernels: any number of samples a call, any family at each.
   SPDX-License-Identifier: ISC

   As many groups as a call holds are run by the family chosen, section by section in tiles that stay in the cache; what is left over
   sample by sample. Families that carry outputs have the last two inputs and outputs of a section as its state, the others its own
   state (w, d) or its image in the state-variable filter. All know the last two samples of every stream, so a change of family goes to
   histories by what the streams really were, and to states by the one of least size that continues the output. (Where zeros cancel
   poles, part of a state does not reach the output, and histories do not tell it.) */
#ifndef MILLRACE_KERNEL_BLOCK_CASCADE_H
#define MILLRACE_KERNEL_BLOCK_CASCADE_H

#include "block.h"

typedef struct MrBlockCascade MrBlockCascade;

typedef struct MrBlockOptions {
  uint32_t families;             /* mask of 1 << MrBlockFamily that may be chosen; the lowest is at first */
  uint32_t lanes;                /* L: a power of two, at least the vector's width; 0: that width */
  uint32_t blocks;               /* N: a power of two, 2 to 128 (4 to 128 with DTCR) */
  uint32_t cpu_level;            /* mask of MrCpuLevel; 0: all that the machine has */
  const MrBlockKernels* kernels; /* NULL: chosen by cpu_level and single */
  bool single;                   /* float samples and arithmetic; else double */
} MrBlockOptions;

/* n sections in series, n >= 1; silent before. NULL with MR_ERR_ARGUMENT (no section, no family, a level that can't run), MR_ERR_RANGE
   (lanes, blocks), MR_ERR_UNSTABLE, MR_ERR_SINGULAR (CR or DTCR where it breaks down), MR_ERR_MEMORY. Thread: control. */
MrBlockCascade* mr_block_cascade_new(const MrBlockOptions* options, const MrSection* section, uint32_t n, MrStatus* status);
void mr_block_cascade_free(MrBlockCascade* cascade); /* NULL is allowed */

/* The family from now on, one of options->families; the output goes on. Thread: real-time. */
void mr_block_cascade_choose(MrBlockCascade* cascade, MrBlockFamily family);

/* Runs n samples (float or double, as `single`), any n, of any alignment to their size. in and out may be the same; a part of it
   overlapping is undefined. A sample that is not finite makes what follows so until the end of the call, then the cascade starts
   afresh. Sets FTZ and DAZ and restores the mode. Thread: real-time. */
void mr_block_cascade_run(MrBlockCascade* cascade, const void* in, void* out, size_t n);

/* The same by superposition: for each section all groups of a tile from rest, then the carries of all groups, then what they
   contribute. Not for CR, which is run as ever. Thread: real-time. */
void mr_block_cascade_run_superposed(MrBlockCascade* cascade, const void* in, void* out, size_t n);

/* Runs groups that lie as the kernels' permutation leaves them (block.h), in place: the bits of mr_block_cascade_run on the same samples. x is aligned
   to MR_ALIGN bytes. Not while a state that mr_block_cascade_set_direct() gave is still to be run. Thread: real-time. */
void mr_block_cascade_run_groups(MrBlockCascade* cascade, void* x, uint32_t groups);

/* The state as transposed direct form 2 has it, s1 and s2 of each section: y = b0 x + s1, s1' = b1 x - a1 y + s2, s2' = b2 x - a2 y (what scipy's
   sosfilt calls zi). Set before the next run; the output goes on from it. Nothing is inverted for families that carry outputs: two samples are run in
   that form, and then there are histories. Thread: real-time. */
void mr_block_cascade_get_direct(const MrBlockCascade* cascade, double (*state)[2]);
void mr_block_cascade_set_direct(MrBlockCascade* cascade, const double (*state)[2]);

/* Keeps the state for mr_block_cascade_go_back(), which returns to it: between them nothing but runs. Not while a state that
   mr_block_cascade_set_direct() gave is still to be run. Thread: real-time. */
void mr_block_cascade_keep(MrBlockCascade* cascade);
void mr_block_cascade_go_back(MrBlockCascade* cascade);

/* Sections first .. first + count - 1 alone, over groups as mr_block_cascade_run_groups() takes them: all sections one after another, whatever
   stages they are cut into, are the bits of that, but that a state which is not finite stays. Stages apart may run at once. Thread: real-time. */
void mr_block_cascade_run_stage(MrBlockCascade* cascade, uint32_t first, uint32_t count, void* x, uint32_t groups);

/* What the state of a stage is like. */
enum {
  MR_BLOCK_LOST = 1, /* a number of it is not finite: mr_block_cascade_run_groups() would start afresh */
  MR_BLOCK_LOUD = 2, /* one is 1e-30 or more: mr_block_cascade_settle_silence() would leave all as it is */
  MR_BLOCK_HELD = 4  /* one is not zero */
};
uint32_t mr_block_cascade_condition(const MrBlockCascade* cascade, uint32_t first, uint32_t count);

/* Numbers of the state's kind, aligned to MR_ALIGN bytes, that mr_block_cascade_save_stage() puts a stage's state to, at its own place, and
   mr_block_cascade_load() takes that of all sections from. */
size_t mr_block_cascade_state_bytes(const MrBlockCascade* cascade);
void mr_block_cascade_save_stage(const MrBlockCascade* cascade, uint32_t first, uint32_t count, void* to);
void mr_block_cascade_load(MrBlockCascade* cascade, const void* from);

/* All state becomes zero where none of it is 1e-30 or more: after a signal, zero follows at last. Thread: real-time. */
void mr_block_cascade_settle_silence(MrBlockCascade* cascade);

/* As new, but for the family. Thread: real-time. */
void mr_block_cascade_reset(MrBlockCascade* cascade);

#endif
