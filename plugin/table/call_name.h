/* call_name.h
 * How requests that core/calls knows read, and how long their clients waited for them.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_CALL_NAME_H
#define LATENCY_CALL_NAME_H

#include "../core/calls/calls.h"
#include "table_source.h"

/* What an operation is called where what it asks for is not known. */
#define CALL_UNKNOWN "(unknown)"

/* "GET /report @ 10.77.0.2:80", of an operation and its server. Allocated in `scope`. */
char *call_name(wmem_allocator_t *scope, const struct table_source *source, const char *kind,
                const struct endpoint *server, bool ipv6);

/* Calls whose cause is not told. */
struct untold_calls {
    uint64_t several; /* it is one of several */
    uint64_t none;    /* none of the requests that were seen can be it */
};

/* Counts a request, if it is such a call. */
void untold_calls_take(struct untold_calls *untold, const struct call *call);

/* Writes how many there are of them, beside `told` others, as a whole line; nothing if there are none. `what`: what
 * those lack. */
void untold_calls_write(const struct untold_calls *untold, uint64_t told, const char *what, GString *text);

/* Returns a line on capture points that do not agree on the time, to be freed with g_free(); NULL if there are none. */
char *call_clocks_text(const struct table_source *source);

/* Returns which two addresses were joined, and by what: "10.0.0.1 and 10.0.0.2 (48 requests passed on with the same
 * ids)". `address`: how they are named, as in struct source_texts. Free it with g_free(). */
char *call_join_text(const struct call_join *join,
                     char *(*address)(wmem_allocator_t *scope, const struct endpoint *endpoint, bool ipv6));

/* Returns a line on addresses that count as one host's by what proxies show, at most so many pairs by name; NULL if
 * there are none. Free it with g_free(). */
char *call_joins_text(const struct table_source *source, unsigned most);

/* Returns that, and a line on addresses that count as one host's by what proxies show; "" if there is neither. */
char *call_remarks_text(const struct table_source *source);

/* Returns when the client's wait for a request ended: with its response, of a stream with the first byte of that; when
 * it began, if there is no response or the client waited for an event. */
int64_t call_awaited_until(const struct call *call);

/* Returns how long the client waited. */
int64_t call_wait_ns(const struct call *call);

#endif
