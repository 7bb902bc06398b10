/* replay_pair.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "replay_pair.h"

#include <string.h>

static void
free_pair(void *data)
{
    struct pair *pair = data;
    told_clear(&pair->told);
    g_free(pair);
}

GHashTable *
pairs_new(void)
{
    return g_hash_table_new_full(group_key_hash, group_key_equal, NULL, free_pair);
}

struct pair *
pair_at(GHashTable *pairs, const struct endpoint *endpoint, bool ipv6)
{
    unsigned first = memcmp(&endpoint[0], &endpoint[1], sizeof *endpoint) > 0;
    const struct group_key key = { .client = endpoint[first], .server = endpoint[!first], .kind = "", .ipv6 = ipv6 };
    struct pair *pair = g_hash_table_lookup(pairs, &key);
    if (!pair) {
        pair = g_new0(struct pair, 1);
        pair->key = key;
        told_init(&pair->told);
        g_hash_table_add(pairs, pair);
    }
    return pair;
}

uint32_t
pair_frame(struct pair *pair, uint64_t position)
{
    pair->frame += position != pair->position;
    pair->position = position;
    return pair->frame;
}
