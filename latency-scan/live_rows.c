/* live_rows.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "live_rows.h"

#include <string.h>

#define FIRST_PART_NS (LIVE_NS_PER_S / 8)

void
live_rows_open(struct live_rows *rows)
{
    const struct group_key nothing = { .kind = "" };
    for (unsigned by = 0; by < LIVE_BYS; by++) {
        rows->rows[by] = g_hash_table_new_full(group_key_hash, group_key_equal, NULL, live_row_free);
        rows->others[by] = live_row_new(&nothing);
        rows->others[by]->is_others = true;
        rows->full_ns[by] = INT64_MIN;
    }
}

void
live_rows_close(struct live_rows *rows)
{
    for (unsigned by = 0; by < LIVE_BYS; by++) {
        g_hash_table_destroy(rows->rows[by]);
        live_row_free(rows->others[by]);
    }
}

void
live_rows_begin(struct live_rows *rows, int64_t begin_ns)
{
    if (rows->part_ns)
        return;
    rows->begin_ns = begin_ns;
    rows->part_ns = FIRST_PART_NS;
}

/* Forgets a row: the one that has been quiet longest, if nothing of it waits, or is in the last minute. False if there
 * is none: then others are not looked for before a second has passed. */
static bool
forget_quiet(struct live_rows *rows, enum live_by by, int64_t now_ns)
{
    GHashTableIter each;
    void *value;
    struct live_row *quiet = NULL;
    if (rows->full_ns[by] != INT64_MIN && now_ns - rows->full_ns[by] < LIVE_NS_PER_S)
        return false;
    g_hash_table_iter_init(&each, rows->rows[by]);
    while (g_hash_table_iter_next(&each, NULL, &value)) {
        struct live_row *row = value;
        if (row->open == 0 && now_ns - row->last_ns > LIVE_SECONDS * LIVE_NS_PER_S &&
            (!quiet || row->last_ns < quiet->last_ns))
            quiet = row;
    }
    if (!quiet) {
        rows->full_ns[by] = now_ns;
        return false;
    }
    live_row_take_parts(rows->others[by], quiet);
    g_hash_table_remove(rows->rows[by], &quiet->key);
    return true;
}

static const char *
kind_of(const struct live_keys *keys, enum live_by by)
{
    const char *const kinds[LIVE_BYS] = { "", keys->kind, keys->folded };
    return kinds[by];
}

struct live_row *
live_rows_find(struct live_rows *rows, enum live_by by, const struct live_keys *keys, int64_t now_ns)
{
    const struct group_key key = { .server = keys->server, .kind = kind_of(keys, by), .ipv6 = keys->ipv6 };
    struct live_row *row = g_hash_table_lookup(rows->rows[by], &key);
    if (row)
        return row;
    if (g_hash_table_size(rows->rows[by]) >= LIVE_ROWS_MOST && !forget_quiet(rows, by, now_ns))
        return rows->others[by];
    row = live_row_new(&key);
    row->last_ns = now_ns;
    g_hash_table_insert(rows->rows[by], &row->key, row);
    return row;
}

static void
double_parts(struct live_rows *rows)
{
    rows->part_ns *= 2;
    for (unsigned by = 0; by < LIVE_BYS; by++) {
        GHashTableIter each;
        void *row;
        g_hash_table_iter_init(&each, rows->rows[by]);
        while (g_hash_table_iter_next(&each, NULL, &row))
            live_row_double_parts(row);
        live_row_double_parts(rows->others[by]);
    }
}

/* The part of the capture that has the time. */
static unsigned
part_of(struct live_rows *rows, int64_t ns)
{
    while ((ns - rows->begin_ns) / rows->part_ns >= LIVE_PARTS)
        double_parts(rows);
    return (unsigned)(MAX(ns - rows->begin_ns, 0) / rows->part_ns);
}

void
live_rows_take(struct live_rows *rows, struct live_row *const *begun, const struct live_keys *keys,
               const struct live_request *request, int64_t now_ns)
{
    live_rows_begin(rows, request->ended_ns);
    const unsigned part = part_of(rows, request->ended_ns);
    for (enum live_by by = 0; by < LIVE_BYS; by++) {
        /* its operation may have become known since */
        const bool is_known = begun && !begun[by]->is_others && strcmp(begun[by]->key.kind, kind_of(keys, by)) == 0;
        live_row_take(is_known ? begun[by] : live_rows_find(rows, by, keys, now_ns), request, part);
    }
}
