/* The numbers that group kernels read of a section: layout, and how hosts fill them.
   SPDX-License-Identifier: ISC

   A group has L lanes of N samples. M is what N samples without input make of the pair that a method carries. */
#ifndef MILLRACE_GPU_TABLES_H
#define MILLRACE_GPU_TABLES_H

#include <stdbool.h>
#include <stdint.h>

#include "../dsp/millrace.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { MR_TABLE_BACK = 32, MR_TABLE_ROUNDS = 6, MR_TABLE_LEVELS = 7, MR_TABLE_LEVEL = 8 };

/* Offsets, in numbers. Matrices are 00, 01, 10, 11. */
enum {
  MR_TABLE_COEFFICIENTS = 0, /* [8]: of states D, s, P, e1, e2; of histories b0, b1, b2, a1, a2 */
  MR_TABLE_FOLD = 8,         /* [12]: DTCR's numerator, five taps; in their place at a group's first sample the second and third, at its second the third and fourth */
  MR_TABLE_SCAN = 20,        /* [6][4]: M^1, M^2, M^4, .. M^32 */
  MR_TABLE_JUMP = MR_TABLE_SCAN + 4 * MR_TABLE_ROUNDS,        /* [33][4]: (M^L)^i */
  MR_TABLE_LEVEL_0 = MR_TABLE_JUMP + 4 * (MR_TABLE_BACK + 1), /* [7][8]: of cyclic reduction, see below */
  MR_TABLE_TERMINAL = MR_TABLE_LEVEL_0 + MR_TABLE_LEVELS * MR_TABLE_LEVEL, /* [6][4]: of its last system the powers as for SCAN */
  MR_TABLE_TERMINAL_POWER = MR_TABLE_TERMINAL + 4 * MR_TABLE_ROUNDS, /* [32][4]: and its powers l + 1 */
  MR_TABLE_POWER = MR_TABLE_TERMINAL_POWER + 4 * 32, /* [L][4]: M^(l + 1), and then [N][2]: what the inherited pair adds to each sample */
};

/* Numbers of a level of cyclic reduction. */
enum { MR_LEVEL_E, MR_LEVEL_RHO, MR_LEVEL_C, MR_LEVEL_D, MR_LEVEL_G, MR_LEVEL_H, MR_LEVEL_P, MR_LEVEL_Q };

#ifdef __cplusplus
constexpr
#else
static inline
#endif
    uint32_t
    mr_table_size(uint32_t lanes, uint32_t samples) {
  return (MR_TABLE_POWER + 4 * lanes + 2 * samples + 15) & ~15u;
}

/* How a group goes through a section: methods.cuh. */
typedef enum MrGpuMethod { MR_GPU_STATES, MR_GPU_PH, MR_GPU_STCR, MR_GPU_DTCR, MR_GPU_METHODS } MrGpuMethod;

/* Fills a section's table, mr_table_size() numbers of float where `single`, else double. A section with e1 = e2 = 0 may be of any kind: it changes
   nothing but the gain. MR_ERR_UNSTABLE; MR_ERR_SINGULAR: cyclic reduction would lose too many digits. Thread: any; no allocation. */
MrStatus mr_gpu_table_fill(MrGpuMethod method, const MrSection* section, bool single, uint32_t lanes, uint32_t samples, void* table);

/* Largest number that cyclic reduction of so many samples multiplies by: what is lost is that times the rounding. Infinite at pole angles
   pi (2 m + 1) / 2^i; 0 for other methods. */
double mr_gpu_table_loss(MrGpuMethod method, const MrSection* section, uint32_t samples);

/* PLR (plr.cuh): order and group of its direct form, and its table, float: a[1 .. order] from 0, b[0 .. order] from MR_PLR_ORDER, correction factors
   [order][MR_PLR_GROUP] from MR_PLR_FACTORS on. */
enum { MR_PLR_ORDER = 16, MR_PLR_LANES = 32, MR_PLR_SAMPLES = 32, MR_PLR_GROUP = 1024, MR_PLR_FACTORS = 2 * MR_PLR_ORDER + 16 };

/* Fills that table, MR_PLR_FACTORS + 2 n MR_PLR_GROUP numbers, from n sections, 1 to 8: numerator and denominator multiplied out in long double and rounded
   once, as whoever has only b and a has them; factors by the recurrence in float, as the method makes them. Thread: any; no allocation. */
void mr_gpu_plr_table_fill(const MrSection* section, uint32_t n, float* table);

#ifdef __cplusplus
}
#endif

#endif
