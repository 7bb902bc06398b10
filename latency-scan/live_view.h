/* live_view.h
 * What the live view shows of what it remembers: rows in an order, with their figures; and one of them, opened.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef SCAN_LIVE_VIEW_H
#define SCAN_LIVE_VIEW_H

#include <stdio.h>

#include "core/stats/describe.h"
#include "live_rows.h"

/* What comes first: in all but the last the highest. */
enum live_sort { LIVE_SHARE, LIVE_RATE, LIVE_ERRORS, LIVE_OPEN, LIVE_P50, LIVE_P95, LIVE_P99, LIVE_NAME, LIVE_SORTS };

/* Their words, and those of what rows are of, and of windows. */
extern const char *const live_sort_names[LIVE_SORTS];
extern const char *const live_by_names[LIVE_BYS];
extern const char *const live_window_names[LIVE_WINDOWS];

enum { LIVE_SERIES = 20 };

/* What is asked. */
struct live_question {
    enum live_by by;
    enum live_window window;
    enum live_sort sort;
    const char *filter;       /* a part of the names that are shown, in whatever case; "" for all */
    int64_t begin_ns, now_ns; /* when the capture began, and when the window ends */
    unsigned from, n;         /* so many of the rows that are shown need percentiles */
};

/* A row, as it was. */
struct live_shown {
    struct group_key key; /* with a `kind` of its own; says nothing of others */
    bool is_others;
    char *name; /* "GET /product @ 10.77.0.2:80" */
    uint64_t requests, errors, unanswered, open;
    wide wait_ns;
    double share;               /* of the waiting of all; NAN if nobody waited */
    double per_second;          /* requests; NAN if no time has passed */
    bool is_described;          /* the rest is known: */
    struct description times;   /* of waits */
    double p95_ns[LIVE_SERIES]; /* of each part of the window; NAN where nobody waited */
};

struct live_view {
    GArray *rows;                                /* of struct live_shown */
    GArray *order;                               /* of unsigned: those that are shown, among the rows */
    uint64_t requests, errors, unanswered, open; /* of all */
    double per_second;
    int64_t now_ns;
    unsigned n_series;
    int64_t series_begin_ns, series_ns; /* of the first part, and how long each is */
};

/* Call live_view_clear() when done with it. */
void live_view_make(struct live_view *view, const struct live_rows *rows, const struct live_question *question);
void live_view_clear(struct live_view *view);

/* Applies another filter, and another order if all rows have been described. */
void live_view_arrange(struct live_view *view, const struct live_question *question);

/* The i-th of those that are shown. */
const struct live_shown *live_view_row(const struct live_view *view, unsigned i);

/* Writes what is shown as JSON lines: a line about the view, and one for each row. */
void live_view_write(const struct live_view *view, const struct live_question *question, FILE *file);

/* A row, opened. */
struct live_opened {
    struct live_sum sum;                                  /* of the window */
    struct live_connection connections[LIVE_CONNECTIONS]; /* those that waited longest first */
    unsigned n_connections;
    char *name, *filter; /* a display filter that passes the row's requests; "" for others */
};

/* False if there is no row of that key any more. Call live_opened_clear() when done with it. */
bool live_opened_make(struct live_opened *opened, const struct live_rows *rows, const struct live_question *question,
                      const struct group_key *key, bool is_others);
void live_opened_clear(struct live_opened *opened);

#endif
