/* nesting.h
 * Which operations wait for which: a request that another server's host sends while it serves one, and no other, is
 * sent for that one.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef REPORT_NESTING_H
#define REPORT_NESTING_H

#include <glib.h>

#include "core/tcp/segment.h"
#include "heap.h"

/* How many requests are kept: those that lasted longest. All that may contain one of them are longer, and kept, too. */
enum { NESTING_MOST = 1000 };

/* A request that is kept. */
struct lasting {
    struct slow slow; /* from its first byte to its response's last; without a response to the end of time */
    bool is_whole;    /* its client waited for all of that: its operation may wait, and be waited for */
    void *operation;  /* whatever stands for it */
    struct endpoint client, server; /* hosts: without their ports */
};

/* Calls `found` for each operation of which is certain that it waits for another, `inner`, and knows what for:
 * - each of inner's requests from its host lies in time within exactly one request to that host;
 * - at least three of these are its own; and of the time of its requests, half at least is that of those of which
 *   inner's request takes half or more. */
void nesting_find(GPtrArray *lasting, void (*found)(void *outer, void *inner));

/* Returns an empty heap of struct lasting, to be freed with g_ptr_array_free(). */
GPtrArray *nesting_new(void);

/* Keeps the request if it lasted long enough. `end_ns`: of its response; INT64_MAX without one. `is_whole`: its client
 * waited until then. */
void nesting_take(GPtrArray *lasting, void *operation, const struct endpoint *client, const struct endpoint *server,
                  int64_t begin_ns, int64_t end_ns, bool is_whole);

#endif
