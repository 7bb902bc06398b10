/* request_shares.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "request_shares.h"

#include "../core/analysis.h"

static void
settle_share(const struct request_shares *shares, struct request_share *share)
{
    const bool may_change = share->share.counted && !share->share.answered;
    const struct request *request = may_change ? request_referred(&share->request) : NULL;
    if (request)
        tally_settle(shares->tally(shares->rows, share->row - 1), &share->share, &shares->source->analysis->requests,
                     request);
}

static void
settle_all(void *data)
{
    struct request_shares *shares = data;
    if (!shares->source->analysis || shares->entries.capture != shares->source->number)
        return;
    for (uint32_t slot = 0; slot < by_number_count(&shares->entries); slot++)
        settle_share(shares, by_number_at(&shares->entries, slot));
}

static void
settle_connection(void *data, const struct connection *connection)
{
    struct request_shares *shares = data;
    for (uint32_t i = 0; i < connection->n_requests; i++)
        settle_share(shares, request_shares_at(shares, connection->requests[i]));
}

void
request_shares_open(struct request_shares *shares, struct table_source *source,
                    struct tally *(*tally)(void *rows, unsigned row), void *rows)
{
    *shares = (struct request_shares){
        .source = source,
        .tally = tally,
        .rows = rows,
        .observer = { .data = shares, .forget = settle_connection, .end = settle_all },
    };
    by_number_init(&shares->entries, source, sizeof(struct request_share));
    observer_add(source, &shares->observer);
}

void
request_shares_close(struct request_shares *shares)
{
    observer_remove(shares->source, &shares->observer);
    by_number_clear(&shares->entries);
}

struct request_share *
request_shares_at(struct request_shares *shares, const struct request *request)
{
    struct request_share *share = by_number_at(&shares->entries, request->slot);
    if (share->request.number != request->number)
        *share = (struct request_share){ .request = request_refer(request) };
    return share;
}

void
request_shares_take(const struct request_shares *shares, struct request_share *share, const struct request *request)
{
    struct tally *tally = shares->tally(shares->rows, share->row - 1);
    tally_take(tally, &share->share, &shares->source->analysis->requests, request);
}

void
request_shares_settle(struct request_shares *shares)
{
    settle_all(shares);
}
