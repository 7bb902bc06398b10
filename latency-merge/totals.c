/* totals.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "totals.h"

#include "commands.h"
#include "host_totals.h"
#include "searched_names.h"

static void
clear_request_row(void *value)
{
    struct request_row *row = value;
    digest_clear(&row->digest);
}

static void
clear_attempt_row(void *value)
{
    struct attempt_row *row = value;
    connect_digest_clear(&row->digest);
}

static void
clear_ca_row(void *value)
{
    struct ca_row *row = value;
    ca_digest_clear(&row->digest);
}

struct totals *
totals_new(void)
{
    struct totals *totals = g_new(struct totals, 1);
    *totals = (struct totals){
        .servers = { groups_new(sizeof(struct request_row), clear_request_row), values_new() },
        .operations = { groups_new(sizeof(struct request_row), clear_request_row), values_new() },
        .connections = { groups_new(sizeof(struct attempt_row), clear_attempt_row), values_new() },
        .ca_servers = { groups_new(sizeof(struct ca_row), clear_ca_row), values_new() },
        .pva_servers = { groups_new(sizeof(struct ca_row), clear_ca_row), values_new() },
        .ca_names = searched_names_new(),
        .pva_names = searched_names_new(),
        .ca_commands = commands_new(),
        .pva_commands = commands_new(),
    };
    bool has_hosts = host_totals_init(&totals->hosts);
    if (has_hosts && totals->servers.values && totals->operations.values && totals->connections.values &&
        totals->ca_servers.values && totals->pva_servers.values)
        return totals;
    totals_free(totals);
    return NULL;
}

static void
free_total(struct total *total)
{
    groups_free(total->rows);
    if (total->values)
        values_free(total->values);
}

void
totals_free(struct totals *totals)
{
    free_total(&totals->servers);
    free_total(&totals->operations);
    free_total(&totals->connections);
    host_totals_clear(&totals->hosts);
    free_total(&totals->ca_servers);
    free_total(&totals->pva_servers);
    groups_free(totals->ca_names);
    groups_free(totals->pva_names);
    groups_free(totals->ca_commands);
    groups_free(totals->pva_commands);
    g_free(totals);
}

void *
total_row(struct total *total, const struct group_key *key, uint64_t position)
{
    struct row *row = groups_at(total->rows, key);
    if (!row->begun) {
        row->begun = true;
        row->number = groups_count(total->rows) - 1;
        row->position = UINT64_MAX;
    }
    row->position = MIN(row->position, position);
    return row;
}

static struct group_key
server_key(const struct group_key *key)
{
    struct group_key server = *key;
    server.kind = "";
    return server;
}

static void
answer(struct total *total, struct request_row *row, const struct measured *measured)
{
    digest_answer(&row->digest, measured);
    values_add(total->values, row->row.number, measured->first_byte_ns);
}

static void
answer_waiting(struct total *total, const struct group_key *key, const struct measured *measured)
{
    struct request_row *row = total_row(total, key, UINT64_MAX);
    digest_end_wait(&row->digest);
    answer(total, row, measured);
}

static void
take_request(struct total *total, const struct group_key *key, const struct measured *measured, uint64_t position)
{
    struct request_row *row = total_row(total, key, position);
    row->digest.requests++;
    row->digest.by_messages += measured->by_messages;
    row->digest.in_tls += measured->in_tls;
    row->digest.farewells += measured->farewell;
    row->digest.waiting += measured->waiting;
    if (measured->answered)
        answer(total, row, measured);
}

void
totals_note_request(struct totals *totals, const struct group_key *key, uint64_t position)
{
    const struct group_key server = server_key(key);
    total_row(&totals->servers, &server, position);
    total_row(&totals->operations, key, position);
}

void
totals_take_request(struct totals *totals, const struct group_key *key, const struct measured *measured,
                    uint64_t position)
{
    const struct group_key server = server_key(key);
    take_request(&totals->servers, &server, measured, position);
    take_request(&totals->operations, key, measured, position);
}

void
totals_answer_request(struct totals *totals, const struct group_key *key, const struct measured *measured)
{
    const struct group_key server = server_key(key);
    answer_waiting(&totals->servers, &server, measured);
    answer_waiting(&totals->operations, key, measured);
}

void
totals_note_attempt(struct totals *totals, const struct group_key *key, uint64_t position)
{
    total_row(&totals->connections, key, position);
}

void
totals_take_attempt(struct totals *totals, const struct group_key *key, enum connect_result result, int64_t time_ns,
                    uint32_t syn_retries, uint64_t position)
{
    struct attempt_row *row = total_row(&totals->connections, key, position);
    connect_digest_take(&row->digest, result, time_ns, syn_retries);
    if (time_ns >= 0)
        values_add(totals->connections.values, row->row.number, time_ns);
}

void
total_merge_requests(struct total *total, const struct group_key *key, const struct digest *digest, uint64_t position)
{
    struct request_row *row = total_row(total, key, position);
    digest_merge(&row->digest, digest);
    row->row.approximate |= digest->first_byte.moments.count > 0;
}

void
total_merge_attempts(struct total *total, const struct group_key *key, const struct connect_digest *digest,
                     uint64_t position)
{
    struct attempt_row *row = total_row(total, key, position);
    connect_digest_merge(&row->digest, digest);
    row->row.approximate |= digest->time.moments.count > 0;
}

void
total_merge_ca(struct total *total, const struct group_key *key, const struct ca_digest *digest, bool approximate,
               uint64_t position)
{
    struct ca_row *row = total_row(total, key, position);
    ca_digest_merge(&row->digest, digest);
    row->row.approximate |= approximate && digest->create.moments.count > 0;
}

void
total_take_create(struct total *total, const struct group_key *key, int64_t create_ns)
{
    const struct ca_row *row = total_row(total, key, UINT64_MAX);
    values_add(total->values, row->row.number, create_ns);
}
