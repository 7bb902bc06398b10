/* host_totals.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "host_totals.h"

static void
clear_row(void *value)
{
    struct host_row *row = value;
    host_digest_clear(&row->digest);
}

bool
host_totals_init(struct host_totals *hosts)
{
    struct groups *rows = groups_new(sizeof(struct host_row), clear_row);
    hosts->connects = (struct total){ rows, values_new() };
    hosts->handshakes = (struct total){ rows, values_new() };
    hosts->requests = (struct total){ rows, values_new() };
    return hosts->connects.values && hosts->handshakes.values && hosts->requests.values;
}

void
host_totals_clear(struct host_totals *hosts)
{
    const struct total *totals[] = { &hosts->connects, &hosts->handshakes, &hosts->requests };
    groups_free(hosts->connects.rows);
    for (unsigned i = 0; i < G_N_ELEMENTS(totals); i++)
        if (totals[i]->values)
            values_free(totals[i]->values);
}

static struct host_row *
row_at(struct host_totals *hosts, const struct group_key *key, uint64_t position)
{
    return total_row(&hosts->connects, key, position);
}

void
host_totals_note(struct host_totals *hosts, const struct group_key *key, uint64_t position)
{
    row_at(hosts, key, position);
}

void
host_totals_take_attempt(struct host_totals *hosts, const struct group_key *key, enum connect_result result,
                         int64_t time_ns, uint32_t syn_retries, uint64_t position)
{
    struct host_row *row = row_at(hosts, key, position);
    connect_digest_take(&row->digest.connects, result, time_ns, syn_retries);
    if (time_ns >= 0)
        values_add(hosts->connects.values, row->row.number, time_ns);
}

void
host_totals_take_handshake(struct host_totals *hosts, const struct group_key *key, enum tls_result result,
                           int64_t time_ns, uint64_t position)
{
    struct host_row *row = row_at(hosts, key, position);
    host_digest_take_handshake(&row->digest, result, time_ns);
    if (time_ns >= 0)
        values_add(hosts->handshakes.values, row->row.number, time_ns);
}

static void
answer(struct host_totals *hosts, struct host_row *row, const struct measured *measured)
{
    digest_answer(&row->digest.requests, measured);
    values_add(hosts->requests.values, row->row.number, measured->first_byte_ns);
}

void
host_totals_take_request(struct host_totals *hosts, const struct group_key *key, const struct measured *measured,
                         uint64_t position)
{
    struct host_row *row = row_at(hosts, key, position);
    row->digest.requests.requests++;
    row->digest.requests.farewells += measured->farewell;
    row->digest.requests.waiting += measured->waiting;
    if (measured->answered)
        answer(hosts, row, measured);
}

void
host_totals_answer_request(struct host_totals *hosts, const struct group_key *key, const struct measured *measured)
{
    struct host_row *row = row_at(hosts, key, UINT64_MAX);
    digest_end_wait(&row->digest.requests);
    answer(hosts, row, measured);
}

void
host_totals_merge(struct host_totals *hosts, const struct group_key *key, const struct host_digest *digest,
                  uint64_t position)
{
    struct host_row *row = row_at(hosts, key, position);
    host_digest_merge(&row->digest, digest);
    row->row.approximate = true;
}
