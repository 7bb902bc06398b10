/* by_request.h
 * What a table remembers of each request, as long as the core does: of a capture that is read once, no longer than its
 * connection goes on.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_BY_REQUEST_H
#define LATENCY_BY_REQUEST_H

#include "../core/request/request.h"
#include "by_number.h"

struct by_request {
    struct by_number slots; /* each with the number of the request that it is of, first */
};

/* Entries of `bytes`; the source is borrowed. Call by_request_clear() when done with it. */
void by_request_init(struct by_request *by_request, const struct table_source *source, unsigned bytes);
void by_request_clear(struct by_request *by_request);

/* The entry, zeroed at first; valid until the next call. */
void *by_request_at(struct by_request *by_request, const struct request *request);

#endif
