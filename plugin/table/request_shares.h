/* request_shares.h
 * What each request has added to a table of sums (core/stats/tally.h), and in which row: as long as the core knows the
 * request.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_REQUEST_SHARES_H
#define LATENCY_REQUEST_SHARES_H

#include "by_number.h"
#include "observer.h"
#include "table_rows.h"

struct request_share {
    struct request_reference request;
    struct share share;
    unsigned row; /* plus one; 0 for none */
};

struct request_shares {
    struct table_rows *rows;
    struct by_number entries; /* of struct request_share, by the request's slot */
    struct tally *(*tally)(void *rows, unsigned row);
    unsigned (*row_of)(void *rows, const struct request *request);
    struct observer observer;
};

/* Begins without any. `tally` returns the sums of a row, `row_of` the row of a request. All is borrowed until
 * request_shares_close(); the struct must stay where it is. */
void request_shares_open(struct request_shares *shares, struct table_rows *rows,
                         struct tally *(*tally)(void *rows, unsigned row),
                         unsigned (*row_of)(void *rows, const struct request *request));
void request_shares_close(struct request_shares *shares);

/* Adds to the row of the item's request what has become known of it. Returns the row; -1 if the request is left out. */
int request_shares_take(struct request_shares *shares, const struct item *item);

/* Takes again each request that has not been answered, or not to its end: that its connection has ended, that it has
 * timed out, or that it is known again whose answer comes next, comes with none of its packets. To be called before
 * sums are shown. */
void request_shares_settle(struct request_shares *shares);

#endif
