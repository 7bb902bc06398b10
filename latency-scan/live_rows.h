/* live_rows.h
 * What the live view remembers: rows of servers and of operations, of bounded number. What there are no rows for is
 * counted as others.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef SCAN_LIVE_ROWS_H
#define SCAN_LIVE_ROWS_H

#include "live_row.h"

enum { LIVE_ROWS_MOST = 200 };

/* What rows are of; of operations once with their numbers as they are, and once with {n}. */
enum live_by { LIVE_BY_SERVER, LIVE_BY_OPERATION, LIVE_BY_FOLDED, LIVE_BYS };

/* What a request is counted by: the kinds of its operation are borrowed. */
struct live_keys {
    struct endpoint server;
    bool ipv6;
    const char *kind, *folded;
};

struct live_rows {
    GHashTable *rows[LIVE_BYS];        /* of struct live_row, by its key */
    struct live_row *others[LIVE_BYS]; /* shown if it has something */
    int64_t begin_ns, part_ns;         /* of the first part, and how long each is; `part_ns` 0: nothing has come */
    int64_t full_ns[LIVE_BYS];         /* when no row could be forgotten for another */
};

/* All zero before. */
void live_rows_open(struct live_rows *rows);
void live_rows_close(struct live_rows *rows);

/* The capture begins then. */
void live_rows_begin(struct live_rows *rows, int64_t begin_ns);

/* The row for the keys at `now_ns`; that of others if there is no room. */
struct live_row *live_rows_find(struct live_rows *rows, enum live_by by, const struct live_keys *keys, int64_t now_ns);

/* Takes a request that has ended. `begun`: the rows that were found when it began, to be spared looking for them; or
 * NULL. */
void live_rows_take(struct live_rows *rows, struct live_row *const *begun, const struct live_keys *keys,
                    const struct live_request *request, int64_t now_ns);

#endif
