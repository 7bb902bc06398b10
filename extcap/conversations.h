/* conversations.h
 * The connections that a process takes part in, learnt from the packets it was seen with: by struct event's hash.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef CONVERSATIONS_H
#define CONVERSATIONS_H

#include <stdbool.h>
#include <stdint.h>

enum { CONVERSATIONS = 1 << 16 };

/* Direct-mapped: a connection that lost its place is learnt again from its next packet. All zero is empty. */
struct conversations {
    uint64_t known[CONVERSATIONS];
};

void conversations_learn(struct conversations *conversations, uint64_t connection);
bool conversations_know(const struct conversations *conversations, uint64_t connection);

#endif
