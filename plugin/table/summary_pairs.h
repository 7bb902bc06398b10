/* summary_pairs.h
 * What the network does between a host and a server that it asks, for the summary: attempts to connect, round trips,
 * and packets that were sent again.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_SUMMARY_PAIRS_H
#define LATENCY_SUMMARY_PAIRS_H

#include "../core/stats/groups.h"
#include "../core/tcp/item.h"
#include "awaited.h"
#include "by_number.h"

/* All zero for none. */
struct summary_pair {
    uint64_t attempts;
    uint64_t results[CONNECT_RESULTS]; /* by enum connect_result */
    uint64_t round_trips;              /* of handshakes, and their sum */
    double round_trips_ns;
    uint64_t packets; /* with payload, of both */
    uint64_t sent_again;
    uint64_t gaps; /* in IP IDs, where packets may be missing */
};

struct summary_pairs {
    struct groups *pairs;    /* of struct summary_pair, by client and server */
    struct by_number shares; /* of what an attempt has added */
    struct by_number begun;  /* of bool, by connection: its SYN was not captured */
    struct awaited awaited;
    uint64_t begun_before; /* connections whose SYN was not captured */
};

/* Begins without any. The source is borrowed until summary_pairs_close(); the struct must stay where it is. */
void summary_pairs_open(struct summary_pairs *pairs, struct table_source *source);
void summary_pairs_close(struct summary_pairs *pairs);

/* Begins anew, without any: another capture follows. */
void summary_pairs_forget(struct summary_pairs *pairs);

void summary_pairs_take(struct summary_pairs *pairs, const struct item *item);

/* Takes what became of attempts that were waiting; returns the sums of all pairs. */
struct summary_pair summary_pairs_settle(struct summary_pairs *pairs);

/* The figures by which pairs are compared: attempts that did not end in a connection, the mean round trip, packets that
 * were sent again. */
double summary_pair_failed(const struct summary_pair *pair);
double summary_pair_round_trip(const struct summary_pair *pair);
double summary_pair_sent_again(const struct summary_pair *pair);

/* Returns the row of the pair with the highest figure, below that of `before` (a row; UINT_MAX: of any); UINT_MAX if
 * none is above 0. */
unsigned summary_pairs_highest(const struct summary_pairs *pairs, double (*figure)(const struct summary_pair *pair),
                               unsigned before);

#endif
