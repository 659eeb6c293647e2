/* The model of a bank: what only the readers and writers need of it.
   SPDX-License-Identifier: ISC

   Arrays of a channel grow by doubling, and their room is the smallest power of two that holds their count: no field says it, so
   whoever shortens one need do nothing else. Thread: control, all of it. */
#ifndef MR_BANK_BANK_H
#define MR_BANK_BANK_H

#include "../millrace.h"

#define MR_CHANNEL_WORDS (MR_MAX_CHANNELS / 64)

typedef enum MrUnlisted { MR_UNLISTED_DEFAULT = 0, MR_UNLISTED_PASS, MR_UNLISTED_MUTE } MrUnlisted;

/* Every MrBank is the first member of one of these. The rest is what several texts read as one need to know of those before:
   which channels they named or touched, and which are muted only because none did so. */
typedef struct MrHeldBank {
  MrBank bank;
  MrUnlisted unlisted;
  bool crossed; /* a Crossover line was read */
  uint64_t listed[MR_CHANNEL_WORDS];
  uint64_t silenced[MR_CHANNEL_WORDS];
} MrHeldBank;

static inline MrHeldBank* mr_bank_held(MrBank* bank) { return (MrHeldBank*)bank; }
static inline bool mr_bit_get(const uint64_t* bits, uint32_t k) { return bits[k / 64] >> (k % 64) & 1; }
static inline void mr_bit_set(uint64_t* bits, uint32_t k) { bits[k / 64] |= (uint64_t)1 << (k % 64); }
static inline void mr_bit_clear(uint64_t* bits, uint32_t k) { bits[k / 64] &= ~((uint64_t)1 << (k % 64)); }

/* What a bank may hold in all, in filters (an analogue one, which has its roots with it, counts for more): about a gigabyte. */
#define MR_MAX_BANK_COST ((size_t)1 << 21)

/* What a channel may have: beyond, it is a slip of the pen. */
#define MR_MAX_PREAMP_DB 200.0
#define MR_MAX_DELAY     10.0 /* s */
#define MR_MAX_TERM      1e10
#define MR_MAX_TERM_DB   200.0

size_t mr_filter_cost(const MrDesign* design);
size_t mr_channel_cost(const MrChannel* channel);

/* A deep copy; NULL if there is no memory. */
MrBank* mr_bank_copy(const MrBank* bank);
/* Changes what the two hold, not where they are. */
void mr_bank_swap(MrBank* a, MrBank* b);

void mr_channel_free(MrChannel* channel);                       /* what it owns; it is empty afterwards */
MrStatus mr_channel_copy(const MrChannel* from, MrChannel* to); /* `to` is overwritten, not freed; empty on an error */
/* As mr_bank_add_filter. */
MrStatus mr_channel_add_filter(MrChannel* channel, const MrDesign* design);
/* Adds a term to the row; one that has its source already is added to, in linear gain. */
MrStatus mr_channel_add_term(MrChannel* channel, MrTerm term);
/* As mr_channel_add_term where the caller knows that no term of the row has this source. */
MrStatus mr_channel_append_term(MrChannel* channel, MrTerm term);
bool mr_channel_is_identity(const MrChannel* channel, uint32_t index); /* the row alone */

/* Linear gain of a term, with its sign. */
double mr_term_linear(const MrTerm* term);
/* first x second, with the source of the second. Where one is 1 or -1 the other stays as written. */
MrTerm mr_term_product(MrTerm first, MrTerm second);

bool mr_channel_equal(const MrChannel* a, const MrChannel* b); /* to the bit, rows included */
bool mr_channel_same_row(const MrChannel* a, const MrChannel* b);
bool mr_channel_same_filters(const MrChannel* a, const MrChannel* b);
bool mr_same_double(double a, double b); /* the same bits */

#endif
