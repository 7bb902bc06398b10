/* live_row.h
 * A row of the live view, as far back as it is remembered: the last minute by seconds, and all of the capture by parts
 * of a length that doubles when there would be too many.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef SCAN_LIVE_ROW_H
#define SCAN_LIVE_ROW_H

#include "core/stats/groups.h"
#include "live_sum.h"

#define LIVE_NS_PER_S INT64_C(1000000000)

enum { LIVE_SECONDS = 60, LIVE_PARTS = 40, LIVE_CONNECTIONS = 32 };

/* The last seconds, or all. */
enum live_window { LIVE_LAST_10_S, LIVE_LAST_MINUTE, LIVE_WHOLE, LIVE_WINDOWS };

/* What a connection, or a client of datagrams, has asked for. */
struct live_connection {
    struct endpoint client, server;
    bool ipv6, is_udp;
    uint32_t number;
    uint64_t requests, errors;
    wide wait_ns;
    int64_t last_ns;
};

struct live_second {
    int64_t second; /* since 1970 */
    struct live_sum sum;
};

struct live_row {
    struct group_key key;                      /* without a client; `kind` is the row's own, "" for a server */
    bool is_others;                            /* what there were no rows for: the key says nothing */
    uint64_t open;                             /* requests that wait for their response */
    int64_t last_ns;                           /* when its last request began or ended */
    struct live_second *seconds[LIVE_SECONDS]; /* each in its place of the minute; NULL before it has one */
    struct live_sum *parts[LIVE_PARTS];        /* NULL: nothing ended then */
    struct live_connection *connections;       /* those with the latest requests */
    unsigned n_connections;
};

/* `key` is copied. */
struct live_row *live_row_new(const struct group_key *key);
void live_row_free(void *row);

/* `part`: of the capture, in which it ended. */
void live_row_take(struct live_row *row, const struct live_request *request, unsigned part);

/* Adds what another has in the parts of the capture. */
void live_row_take_parts(struct live_row *row, const struct live_row *other);

/* A part is twice as long from now on. */
void live_row_double_parts(struct live_row *row);

/* Which second a time is in. */
int64_t live_second_of(int64_t ns);

/* Hands over the sums of a window that ends with the second `now`; `place`: of the second in the window, or of the
 * part. */
void live_row_each(const struct live_row *row, enum live_window window, int64_t now,
                   void (*take)(void *data, unsigned place, const struct live_sum *sum), void *data);

/* How many places a window has. */
unsigned live_window_places(enum live_window window);

#endif
