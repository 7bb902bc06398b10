/* notes.h
 * What a table says below its title beside its counts: what it has left out, whether its filter passes no answers, and
 * why it has no rows.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_NOTES_H
#define LATENCY_NOTES_H

#include <glib.h>

#include "../core/ca/ca_request.h"
#include "../core/request/request.h"
#include "../core/stats/groups.h"
#include "../core/stats/tally.h"
#include "table_source.h"

/* What a table of requests does not count. All zero at first. */
struct omitted {
    uint64_t unsolicited;  /* frames */
    struct groups *pushes; /* of uint64_t: the same by the server that sent them; NULL while there are none */
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

/* Takes so many frames that a server sent unasked; only the key's server counts. */
void omitted_take_pushes(struct omitted *omitted, const struct group_key *key, uint64_t frames);

void omitted_merge(struct omitted *omitted, const struct omitted *other);

/* Frees what it has allocated: nothing has been left out then. */
void omitted_clear(struct omitted *omitted);

/* To be asked for a request that has not been counted, before it is: TLS_NONE if it counts. Else it has been left out
 * as what is returned, which the caller keeps as `noted`; TLS_NONE at first. */
enum tls_turn omitted_take_tls(struct omitted *omitted, const struct request *request, enum tls_turn noted);

/* Whether a request that a table does not count yet is to be counted now. Not if it is left out, which is counted here
 * (`noted` as above), nor if nothing but an update tells of it. */
bool omitted_counts(struct omitted *omitted, const struct item *item, uint8_t *noted);

/* Appends lines, if there is something to say. The servers that sent most unasked are named. */
void omitted_write(const struct omitted *omitted, const struct table_source *source, GString *text);

/* Appends a line on the answered requests of which a client does not wait for the last byte, if there are any. */
void tally_waits_write(const struct tally *tally, GString *text);

/* Whether a table's filter has passed requests, attempts to connect or channels, and none of the answers that the
 * capture has: in one pass a request is known by its own frames only until the answer's frame passes too.
 *
 * The latest that were unanswered when they passed are looked up again at the end. What the core has forgotten by then,
 * and what is older, is not asked: so it says no more than what is certain. */
enum { ONE_SIDED_LATEST = 64 };

/* What asks; the others are zero. */
struct one_side {
    struct request_reference request;
    const struct connection *attempt;
    const struct ca_request *create;
};

/* All zero at first, but for the source, which is borrowed. */
struct one_sided {
    const struct table_source *source;
    struct one_side latest[ONE_SIDED_LATEST];
    uint32_t count;
    uint32_t capture; /* that they are of */
    bool has_answers; /* some have passed */
};

/* To be called with what a row is made of, each time an item of it passes. */
void one_sided_take_request(struct one_sided *one_sided, const struct request *request);
void one_sided_take_attempt(struct one_sided *one_sided, const struct connection *attempt);
void one_sided_take_create(struct one_sided *one_sided, const struct ca_request *create);

/* A line, if it is so. */
void one_sided_write(const struct one_sided *one_sided, GString *text);

/* Why a table has no rows: what the capture does not have. Whole lines; nothing where that is not the reason. */
void absence_of_tcp(const struct table_source *source, GString *text);

void absence_of_quic(const struct table_source *source, GString *text);

/* Appends why there are no requests, also where connections were refused or carried nothing. */
void absence_of_calls(const struct table_source *source, GString *text);
void absence_of_requests(const struct table_source *source, GString *text);

/* Say why there is nothing of a second capture point, or of a kernel's stages, also in a capture without TCP. */
void absence_of_points(const struct table_source *source, GString *text);
void absence_of_kernel(const struct table_source *source, GString *text);

void absence_of_channel_access(const struct table_source *source, GString *text);
void absence_of_pvaccess(const struct table_source *source, GString *text);

#endif
