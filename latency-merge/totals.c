/* totals.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "totals.h"

#include "commands.h"
#include "table/calls_table.h"
#include "table/names.h"
#include "table/table.h"

static const struct table_definition *const definitions[TOTALS] = {
    [TOTAL_SERVERS] = &servers_table,
    [TOTAL_OPERATIONS] = &operations_table,
    [TOTAL_CONNECTIONS] = &connections_table,
    [TOTAL_HOSTS] = &hosts_table,
    [TOTAL_CALLS] = &calls_table,
    [TOTAL_CA_SERVERS] = &ca_servers_table,
    [TOTAL_PVA_SERVERS] = &pva_servers_table,
    [TOTAL_CA_SEARCHES] = &ca_searches_table,
    [TOTAL_CA_COMMANDS] = &ca_commands_table,
    [TOTAL_PVA_SEARCHES] = &pva_searches_table,
    [TOTAL_PVA_COMMANDS] = &pva_commands_table,
};

const struct table_definition *
total_definition(enum total_number number)
{
    return definitions[number];
}

struct totals *
totals_new(void)
{
    static const struct source_texts texts = { .address = address_text };
    struct totals *totals = g_new(struct totals, 1);
    *totals = (struct totals){ .source.texts = &texts };
    for (enum total_number number = 0; number < TOTALS; number++) {
        totals->tables[number].definition = definitions[number];
        totals->tables[number].rows = table_open(definitions[number], &totals->source);
    }
    return totals;
}

void
totals_free(struct totals *totals)
{
    for (enum total_number number = 0; number < TOTALS; number++)
        total_close(&totals->tables[number]);
    omitted_clear(&totals->omitted);
    g_free(totals);
}

void
total_close(struct total *total)
{
    if (total->rows)
        table_close(total->rows);
    *total = (struct total){ 0 };
}

static void *
value_at(struct totals *totals, enum total_number number, const struct group_key *key)
{
    return table_at(totals->tables[number].rows, key);
}

struct tally *
totals_requests(struct totals *totals, enum total_number number, const struct group_key *key)
{
    struct group_key server = *key;
    if (number == TOTAL_SERVERS)
        server.kind = "";
    return value_at(totals, number, &server);
}

struct connect_tally *
totals_attempts(struct totals *totals, const struct group_key *key)
{
    return value_at(totals, TOTAL_CONNECTIONS, key);
}

struct host_tally *
totals_host(struct totals *totals, const struct group_key *key)
{
    return value_at(totals, TOTAL_HOSTS, key);
}

struct ca_server_tally *
totals_channels(struct totals *totals, enum total_number number, const struct group_key *key)
{
    return value_at(totals, number, key);
}

struct ca_searched *
totals_name(struct totals *totals, enum total_number number, const struct group_key *key)
{
    return value_at(totals, number, key);
}

struct statistic *
totals_command(struct totals *totals, enum total_number number, const struct group_key *key)
{
    return value_at(totals, number, key);
}

struct call_pairs *
totals_calls(struct totals *totals)
{
    return calls_table_pairs(totals->tables[TOTAL_CALLS].rows);
}

void
totals_add_request(struct totals *totals, const struct group_key *operation, const struct group_key *host,
                   const struct measured *measured)
{
    tally_add(totals_requests(totals, TOTAL_SERVERS, operation), measured);
    tally_add(totals_requests(totals, TOTAL_OPERATIONS, operation), measured);
    tally_add(&totals_host(totals, host)->requests, measured);
}

void
totals_add_answer(struct totals *totals, const struct group_key *operation, const struct group_key *host,
                  const struct measured *measured)
{
    tally_add_answer(totals_requests(totals, TOTAL_SERVERS, operation), measured);
    tally_add_answer(totals_requests(totals, TOTAL_OPERATIONS, operation), measured);
    tally_add_answer(&totals_host(totals, host)->requests, measured);
}

void
totals_add_attempt(struct totals *totals, const struct group_key *pair, const struct group_key *host,
                   enum connect_result result, int64_t time_ns, uint32_t syn_retries, const struct push_tally *pushes)
{
    struct connect_tally *tally = totals_attempts(totals, pair);
    connect_tally_add(tally, result, time_ns, syn_retries);
    if (pushes)
        push_tally_merge(&tally->pushes, pushes);
    if (host)
        connect_tally_add(&totals_host(totals, host)->connects, result, time_ns, syn_retries);
}

void
totals_add_connection(struct totals *totals, const struct connection *connection, const struct push_tally *pushes,
                      int64_t now_ns)
{
    const struct tls_handshake *handshake = connection->tcp->handshake;
    const struct connect *connect = &connection->tcp->connect;
    const bool is_known = host_is_known(connection);
    const struct group_key host = group_of_named_host(connection);
    const struct group_key pair = group_of_host(connection, connection_client(connection));
    if (connect->number)
        totals_add_attempt(totals, &pair, is_known ? &host : NULL, connection_connect_result(connection, now_ns),
                           connect->time_ns, connect->syn_retries, pushes);
    if (handshake && handshake->number && is_known)
        host_tally_add_handshake(totals_host(totals, &host), handshake->result, tls_handshake_time_ns(handshake));
}
