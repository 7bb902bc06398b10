/* request_shares.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "request_shares.h"

#include "../core/analysis.h"

/* A response of which more was awaited took as long as it has until now. */
static void
settle_wait(const struct request_shares *shares, struct request_share *share)
{
    if (share->share.is_under_way)
        tally_settle_wait(shares->tally(shares->rows, share->row - 1), &share->share);
}

/* Returns what the request has added, zeroed at first; valid until the next call. */
static inline struct request_share *
share_of(struct request_shares *shares, const struct request *request)
{
    struct request_share *share = by_number_at(&shares->entries, request->slot);
    if (share->request.number != request->number) {
        settle_wait(shares, share);
        *share = (struct request_share){ .request = request_refer(request) };
    }
    return share;
}

static void
settle_share(const struct request_shares *shares, struct request_share *share)
{
    settle_wait(shares, share);
    const bool may_change = share->share.counted && !share->share.answered;
    const struct request *request = may_change ? request_referred(&share->request) : NULL;
    if (request)
        tally_settle(shares->tally(shares->rows, share->row - 1), &share->share,
                     &shares->rows->source->analysis->requests, request);
}

static void
settle_all(void *data)
{
    struct request_shares *shares = data;
    if (!shares->rows->source->analysis || shares->entries.capture != shares->rows->source->number)
        return;
    for (uint32_t slot = 0; slot < by_number_count(&shares->entries); slot++)
        settle_share(shares, by_number_at(&shares->entries, slot));
}

static void
settle_connection(void *data, const struct connection *connection)
{
    struct request_shares *shares = data;
    for (uint32_t i = 0; i < connection->n_requests; i++)
        settle_share(shares, share_of(shares, connection->requests[i]));
}

void
request_shares_open(struct request_shares *shares, struct table_rows *rows,
                    struct tally *(*tally)(void *rows, unsigned row),
                    unsigned (*row_of)(void *rows, const struct request *request))
{
    *shares = (struct request_shares){
        .rows = rows,
        .tally = tally,
        .row_of = row_of,
        .observer = { .data = shares, .forget = settle_connection, .end = settle_all },
    };
    by_number_init(&shares->entries, rows->source, sizeof(struct request_share));
    observer_add(rows->source, &shares->observer);
}

void
request_shares_close(struct request_shares *shares)
{
    observer_remove(shares->rows->source, &shares->observer);
    by_number_clear(&shares->entries);
}

/* Whether a request is to be counted now, or is already. */
static bool
counts(struct request_shares *shares, const struct item *item, struct share *share)
{
    if (share->counted)
        return true;
    uint8_t noted = share->tls;
    const bool counts = omitted_counts(&shares->rows->omitted, item, &noted);
    share->tls = (enum tls_turn)noted;
    return counts;
}

inline int
request_shares_take(struct request_shares *shares, const struct item *item)
{
    const struct request *request = item_request(item);
    struct request_share *share = share_of(shares, request);
    if (!counts(shares, item, &share->share))
        return -1;
    one_sided_take_request(&shares->rows->sides, request);
    if (share->row == 0)
        share->row = shares->row_of(shares->rows, request) + 1;
    tally_take(shares->tally(shares->rows, share->row - 1), &share->share, &shares->rows->source->analysis->requests,
               request, shares->rows->source->is_visited);
    return (int)share->row - 1;
}

void
request_shares_settle(struct request_shares *shares)
{
    settle_all(shares);
}
