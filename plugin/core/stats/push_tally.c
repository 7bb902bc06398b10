/* push_tally.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "push_tally.h"

void
push_tally_take(struct push_tally *tally, const struct item *item)
{
    tally->frames++;
    if (item->spacing_ns >= 0)
        statistic_add(&tally->spacing, item->spacing_ns);
}

void
push_tally_merge(struct push_tally *tally, const struct push_tally *other)
{
    tally->frames += other->frames;
    statistic_merge(&tally->spacing, &other->spacing);
}

void
push_tally_clear(struct push_tally *tally)
{
    statistic_clear(&tally->spacing);
    tally->frames = 0;
}

static void
free_tally(void *tally)
{
    push_tally_clear(tally);
    g_free(tally);
}

GHashTable *
push_tallies_new(void)
{
    return g_hash_table_new_full(NULL, NULL, NULL, free_tally);
}

const struct push_tally *
push_tallies_find(GHashTable *tallies, const struct connection *connection)
{
    return g_hash_table_lookup(tallies, connection);
}

void
push_tallies_take(GHashTable *tallies, const struct item *item)
{
    struct push_tally *tally = g_hash_table_lookup(tallies, item->connection);
    if (!tally) {
        tally = g_new0(struct push_tally, 1);
        g_hash_table_insert(tallies, item->connection, tally);
    }
    push_tally_take(tally, item);
}
