/* omitted.h
 * What a table of requests does not count, and says so.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_OMITTED_H
#define LATENCY_OMITTED_H

#include <glib.h>

#include "../core/request/request.h"
#include "../core/stats/tally.h"

struct omitted {
    uint64_t unsolicited; /* frames */
    uint64_t duplicates;
    uint64_t unread;
    uint64_t tls_handshakes;
    uint64_t tls_alerts;
    /* The table's own to count: */
    uint64_t begun_before; /* connections whose SYN was not captured */
    uint64_t not_answered; /* attempts to connect */
    uint64_t silent;       /* connections on which the client said nothing */
};

void omitted_take(struct omitted *omitted, const struct item *item);

void omitted_merge(struct omitted *omitted, const struct omitted *other);

/* To be asked for a request that has not been counted, before it is: TLS_NONE if it counts. Else it has been left out
 * as what is returned, which the caller keeps as `noted`; TLS_NONE at first. */
enum tls_turn omitted_take_tls(struct omitted *omitted, const struct request *request, enum tls_turn noted);

/* Whether a request that a table does not count yet is to be counted now. Not if it is left out, which is counted here
 * (`noted` as above), nor if nothing but an update tells of it. */
bool omitted_counts(struct omitted *omitted, const struct item *item, uint8_t *noted);

/* Likewise, or it is counted already. */
bool omitted_counts_share(struct omitted *omitted, const struct item *item, struct share *share);

/* Lines, if there is something to say. */
void omitted_write(const struct omitted *omitted, GString *text);

#endif
