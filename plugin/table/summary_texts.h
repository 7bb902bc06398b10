/* summary_texts.h
 * How times, shares, counts, operations and servers read in a sentence.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_SUMMARY_TEXTS_H
#define LATENCY_SUMMARY_TEXTS_H

#include "../core/calls/calls.h"
#include "table_source.h"

/* Returns a time of three digits with its unit: "12.1 s", "127 ms". All texts are allocated in `scope`. */
const char *summary_time(wmem_allocator_t *scope, double ns);

/* Returns a share in percent: "54 %", "<1 %", ">99 %" of one that is nearly all; "" of nothing. */
const char *summary_share(wmem_allocator_t *scope, double part, double whole);

/* Returns a count with its noun, "1 request" or "1,234 requests". */
const char *summary_count(wmem_allocator_t *scope, uint64_t count, const char *one, const char *more);

/* Returns a host's or a server's name, cut if it is long. */
const char *summary_host(wmem_allocator_t *scope, const struct table_source *source, const struct endpoint *host,
                         bool ipv6);
const char *summary_server(wmem_allocator_t *scope, const struct table_source *source, const struct endpoint *server,
                           bool ipv6);

/* Returns an operation's kind, cut if it is long, "request" where it is not known; and "KEYS on 10.0.0.1:6379". */
const char *summary_kind(wmem_allocator_t *scope, const struct call_operation *operation);
const char *summary_operation(wmem_allocator_t *scope, const struct table_source *source,
                              const struct call_operation *operation);

#endif
