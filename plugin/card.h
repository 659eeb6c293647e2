/* A card that filters a Bank's blocks while its host freewheels, where the user has asked for it.
   SPDX-License-Identifier: ISC

   run() stays what it is: it filters the block, zero frames late. But the whole cells of it go to the card and come back, with the state that the engine has
   at their begin and is given at their end; everything else, and everything where something changes, is the engine's. So a card that fails leaves no trace
   but time: its block is filtered again. The card is opened by the worker, never by an instance that is being made. */
#ifndef MILLRACE_PLUGIN_CARD_H
#define MILLRACE_PLUGIN_CARD_H

#include <stdatomic.h>

#include "keeper.h"

typedef enum MrCardWish { MR_CARD_NEVER, MR_CARD_AUTO, MR_CARD_ALWAYS } MrCardWish;

/* MILLRACE_DEVICE, which is cpu, auto or cuda; else the line "device = cpu|auto|cuda" of the configuration file; else never. *wrong: a value was none of them.
   Thread: control. */
MrCardWish mr_card_wish(bool* wrong);

typedef struct MrCard MrCard;

/* largest_block: what the host promises. NULL: no memory, or it is never wished for. The keeper is kept. Thread: control. */
MrCard* mr_card_new(MrCardWish wish, MrKeeper* keeper, uint32_t channels, double fs, uint32_t largest_block);
void mr_card_free(MrCard* card); /* NULL is allowed; the worker is done */

/* Opens what run() has asked for. Thread: the worker. */
void mr_card_work(MrCard* card);

/* Thread: real-time, all that follow. */

/* Something has changed or may have: the engine is alone for a quarter of a second, in which its fades and glides are over. */
void mr_card_disturb(MrCard* card);
/* Filters n frames that begin `position` frames into the stream, the engine's part included; gain: the engine's output gain at rest, linear. False: nothing has
   been done. *ask: the worker has something to do. */
bool mr_card_filter(MrCard* card, MrEngine* engine, uint64_t position, double gain, const float* const* in, float* const* out, uint32_t n,
                    bool* ask);
/* Channels restarted after trouble on the card since it was made. */
uint64_t mr_card_troubles(const MrCard* card);

#endif
