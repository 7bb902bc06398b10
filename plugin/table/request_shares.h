/* request_shares.h
 * What each request has added to a table of sums (core/stats/tally.h), and in which row: as long as the core knows the
 * request.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_REQUEST_SHARES_H
#define LATENCY_REQUEST_SHARES_H

#include "../core/stats/tally.h"
#include "by_number.h"
#include "observer.h"

struct request_share {
    struct request_reference request;
    struct share share;
    unsigned row; /* plus one; 0 for none */
};

struct request_shares {
    struct table_source *source;
    struct by_number entries; /* of struct request_share, by the request's slot */
    struct tally *(*tally)(void *rows, unsigned row);
    void *rows;
    struct observer observer;
};

/* Begins without any. `tally` returns the sums of a row of `rows`. Both and the source are borrowed until
 * request_shares_close(); the struct must stay where it is. */
void request_shares_open(struct request_shares *shares, struct table_source *source,
                         struct tally *(*tally)(void *rows, unsigned row), void *rows);
void request_shares_close(struct request_shares *shares);

/* Returns the request's share, zeroed at first; valid until the next call. */
struct request_share *request_shares_at(struct request_shares *shares, const struct request *request);

/* Adds to the share's row, which must be set, what has become known of the request. */
void request_shares_take(const struct request_shares *shares, struct request_share *share,
                         const struct request *request);

/* Takes again each request that has not been answered: that its connection has ended, that it has timed out, or that it
 * is known again whose answer comes next, comes with none of its packets. To be called before sums are shown. */
void request_shares_settle(struct request_shares *shares);

#endif
