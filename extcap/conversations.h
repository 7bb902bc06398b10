/* conversations.h
 * The connections that a process takes part in, learnt from the packets it was seen with.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef CONVERSATIONS_H
#define CONVERSATIONS_H

#include <stdbool.h>

#include "window.h"

enum { CONVERSATIONS = 1 << 16 };

/* Direct-mapped: a connection that lost its place is learnt again from its next packet. All zero is empty. */
struct conversations {
    uint64_t known[CONVERSATIONS];
};

void conversations_learn(struct conversations *conversations, const struct sighting *sighting);
bool conversations_know(const struct conversations *conversations, const struct sighting *sighting);

#endif
