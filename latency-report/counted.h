/* counted.h
 * Counts that lines of one type have of the same thing, added up: attempts to connect by result, packets by sender,
 * searches by name.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef REPORT_COUNTED_H
#define REPORT_COUNTED_H

#include <stdbool.h>
#include <stdint.h>

#include <glib.h>

#include "json/record.h"

enum counted_kind { COUNTED_ATTEMPTS, COUNTED_PATHS, COUNTED_SEARCHES, COUNTED_OUTCOMES, COUNTED_KINDS };
enum { COUNTS_MOST = 5, TEXTS_MOST = 3 };

/* The members of docs/json.md that make one thing of it, and those that count; the page calls them the same. */
struct counted_members {
    const char *list;                   /* what the page calls all of them */
    const char *texts[TEXTS_MOST];      /* NULL behind the last */
    bool has_server;                    /* and its server */
    const char *counts[COUNTS_MOST];    /* likewise; none: lines are counted, as "channels" */
    unsigned first_weighs, last_weighs; /* what has most of these counts comes first */
    unsigned most;                      /* names that the page shows */
};
extern const struct counted_members counted_members[COUNTED_KINDS];

struct counted {
    char *texts[TEXTS_MOST], *server; /* NULL where there is none */
    uint64_t counts[COUNTS_MOST];
};

struct counted_list {
    enum counted_kind kind;
    GPtrArray *all; /* of struct counted */
    GHashTable *by_name;
};

void counted_init(struct counted_list *list, enum counted_kind kind);
void counted_clear(struct counted_list *list);

/* Adds a line. */
void counted_take(struct counted_list *list, struct record *record);

void counted_sort(struct counted_list *list);

#endif
