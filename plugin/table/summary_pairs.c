/* summary_pairs.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "summary_pairs.h"

#include "../core/item_subject.h"

/* What an attempt has added so far. */
struct attempt_share {
    int64_t round_trip_ns; /* -1 for none */
    uint8_t result;
    bool counted;
};

static struct summary_pair *
pair_of(struct summary_pairs *pairs, const struct connection *connection)
{
    const struct group_key key = group_of_host(connection, connection_client(connection));
    return groups_at(pairs->pairs, &key);
}

/* Returns the time from SYN to what completes the handshake: SYN-ACK where that is all there is; -1 without it. */
static int64_t
round_trip_of(const struct connect *connect)
{
    if (connect->result != CONNECT_ACCEPTED || connect->network_server_ns < 0)
        return -1;
    return connect->network_server_ns + MAX(connect->network_client_ns, 0);
}

static void
take_attempt(void *data, const struct connection *attempt)
{
    struct summary_pairs *pairs = data;
    struct attempt_share *share = by_number_at(&pairs->shares, attempt->tcp->connect.number);
    struct summary_pair *pair = pair_of(pairs, attempt);
    if (share->counted)
        pair->results[share->result]--;
    if (share->counted && share->round_trip_ns >= 0) {
        pair->round_trips--;
        pair->round_trips_ns -= (double)share->round_trip_ns;
    }
    pair->attempts += !share->counted;
    *share = (struct attempt_share){
        .round_trip_ns = round_trip_of(&attempt->tcp->connect),
        .result = (uint8_t)awaited_result(&pairs->awaited, attempt),
        .counted = true,
    };
    pair->results[share->result]++;
    if (share->round_trip_ns < 0)
        return;
    pair->round_trips++;
    pair->round_trips_ns += (double)share->round_trip_ns;
}

void
summary_pairs_open(struct summary_pairs *pairs, struct table_source *source)
{
    *pairs = (struct summary_pairs){ .pairs = groups_new(sizeof(struct summary_pair), NULL) };
    by_number_init(&pairs->shares, source, sizeof(struct attempt_share));
    by_number_init(&pairs->begun, source, sizeof(bool));
    awaited_open(&pairs->awaited, source, take_attempt, pairs);
}

void
summary_pairs_close(struct summary_pairs *pairs)
{
    awaited_close(&pairs->awaited);
    by_number_clear(&pairs->begun);
    by_number_clear(&pairs->shares);
    groups_free(pairs->pairs);
}

void
summary_pairs_forget(struct summary_pairs *pairs)
{
    groups_free(pairs->pairs);
    pairs->pairs = groups_new(sizeof(struct summary_pair), NULL);
    by_number_forget(&pairs->shares);
    by_number_forget(&pairs->begun);
    pairs->begun_before = 0;
}

/* A connection is one whose SYN was not captured until that comes, later than what was sent behind it. */
static void
note_begin(struct summary_pairs *pairs, const struct connection *connection)
{
    bool *begun_before = by_number_at(&pairs->begun, connection->number);
    const bool is_before = !connection->is_datagrams && connection->tcp->connect.number == 0;
    pairs->begun_before += is_before - (uint64_t)*begun_before;
    *begun_before = is_before;
}

void
summary_pairs_take(struct summary_pairs *pairs, const struct item *item)
{
    const struct connection *payload = item_payload(item);
    const struct connection *attempt = item->kind == ITEM_ACK ? item->connection : item_attempt(item);
    if (payload) {
        struct summary_pair *pair = pair_of(pairs, payload);
        pair->packets++;
        pair->sent_again += (item->flags & ITEM_RETRANSMISSION) != 0;
        pair->gaps += (item->flags & ITEM_IPID_GAP) != 0;
        note_begin(pairs, payload);
    }
    if (!attempt || attempt->tcp->connect.number == 0)
        return;
    take_attempt(pairs, attempt);
    note_begin(pairs, attempt);
}

struct summary_pair
summary_pairs_settle(struct summary_pairs *pairs)
{
    struct summary_pair sum = { 0 };
    awaited_settle(&pairs->awaited);
    for (unsigned row = 0; row < groups_count(pairs->pairs); row++) {
        const struct summary_pair *pair = groups_value(pairs->pairs, row);
        sum.attempts += pair->attempts;
        for (unsigned i = 0; i < CONNECT_RESULTS; i++)
            sum.results[i] += pair->results[i];
        sum.round_trips += pair->round_trips;
        sum.round_trips_ns += pair->round_trips_ns;
        sum.packets += pair->packets;
        sum.sent_again += pair->sent_again;
        sum.gaps += pair->gaps;
    }
    return sum;
}

double
summary_pair_failed(const struct summary_pair *pair)
{
    return (double)(pair->results[CONNECT_REFUSED] + pair->results[CONNECT_UNREACHABLE] +
                    pair->results[CONNECT_UNANSWERED]);
}

double
summary_pair_round_trip(const struct summary_pair *pair)
{
    return pair->round_trips > 0 ? pair->round_trips_ns / (double)pair->round_trips : 0;
}

double
summary_pair_sent_again(const struct summary_pair *pair)
{
    return (double)pair->sent_again;
}

/* Returns whether the first of two rows has the higher figure, or of equal ones is the earlier. */
static bool
is_higher(const struct summary_pairs *pairs, double (*figure)(const struct summary_pair *pair), unsigned row,
          unsigned other)
{
    const double x = figure(groups_value(pairs->pairs, row)), y = figure(groups_value(pairs->pairs, other));
    return x > y || (x == y && row < other);
}

unsigned
summary_pairs_highest(const struct summary_pairs *pairs, double (*figure)(const struct summary_pair *pair),
                      unsigned before)
{
    unsigned found = UINT_MAX;
    for (unsigned row = 0; row < groups_count(pairs->pairs); row++) {
        if (figure(groups_value(pairs->pairs, row)) <= 0 ||
            (before != UINT_MAX && !is_higher(pairs, figure, before, row)))
            continue;
        if (found == UINT_MAX || is_higher(pairs, figure, row, found))
            found = row;
    }
    return found;
}
