/* conversations.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "conversations.h"

void
conversations_learn(struct conversations *conversations, uint64_t connection)
{
    conversations->known[connection % CONVERSATIONS] = connection;
}

bool
conversations_know(const struct conversations *conversations, uint64_t connection)
{
    return connection && conversations->known[connection % CONVERSATIONS] == connection;
}
