/* Whether a stretch is worth sharing, as far as can be said beforehand.
   SPDX-License-Identifier: ISC */
#ifndef MILLRACE_ENGINE_SHARING_CHOICE_H
#define MILLRACE_ENGINE_SHARING_CHOICE_H

#include "sharing_memory.h"

/* Whether blocks of the side can ever be worth sharing. Thread: control. */
bool mr_sharing_can_gain(const MrSharer* sharer, const MrSide* side);

/* Reckons which blocks of a side that has slots may be worth sharing; after it has been built anew, too. Real-time, as all below. */
void mr_sharing_look_at(const MrSharer* sharer, MrSide* side);

/* Sections that move in this cell; of NULL none. */
uint32_t mr_sharing_moving_sections(const MrSide* side);

/* Whether the stretch is worth sharing; and how it is then cut. */
bool mr_sharing_choose(MrSharer* sharer, const MrStretch* s, MrCut* cut);

#endif
