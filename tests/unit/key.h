/* key.h
 * The keys of `?` lines: what each reads from an item, as text.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef KEY_H
#define KEY_H

#include <stdbool.h>

#include "core/analysis.h"

/* An item with what it leads to. */
struct view {
    const struct analysis *analysis;
    const struct item *item;             /* NULL: there is none */
    const struct connection *connection; /* NULL: none */
    const struct request *request;       /* NULL: none */
    uint32_t frame;
    int64_t time_ns; /* of the frame */
};

struct key;

struct view view_of(const struct analysis *analysis, const struct item *item, uint32_t frame, int64_t time_ns);
const char *kind_name(const struct item *item);

const struct key *key_find(const char *name); /* NULL: there is no such key */

/* The value as key_read() would write it; NULL if the key has no such value. Free with g_free(). */
char *key_expected(const struct key *key, const char *value);

/* NULL if the item has nothing of that key. Free with g_free(). */
char *key_read(const struct key *key, const struct view *view);

/* Whether the key can be known when the item's frame is taken (docs/measuring.md, "The fields"). */
bool key_is_known(const struct key *key, const struct view *view);

#endif
