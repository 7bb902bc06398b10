/* one_sided.h
 * Whether a table's filter has passed requests, attempts to connect or channels, and none of the answers that the
 * capture has: in one pass a request is known by its own frames only until the answer's frame passes too.
 *
 * The latest that were unanswered when they passed are looked up again at the end. What the core has forgotten by then,
 * and what is older, is not asked: so it says no more than what is certain.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_ONE_SIDED_H
#define LATENCY_ONE_SIDED_H

#include <glib.h>

#include "../core/ca/ca_request.h"
#include "../core/request/request.h"
#include "table_source.h"

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

#endif
