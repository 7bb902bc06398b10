/* export_tallies.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "export_tallies.h"

#include "../core/stats/host_digest.h"
#include "../core/stats/groups.h"
#include "../core/item_subject.h"
#include "../core/request/operation.h"
#include "../core/stats/packet_tally.h"
#include "../table/names.h"

struct tallies {
    const struct settings *settings;
    struct groups *servers;     /* of struct digest */
    struct groups *operations;  /* of struct digest */
    struct groups *connections; /* of struct connect_digest */
    struct groups *hosts;       /* of struct host_digest */
    struct groups *senders;     /* of struct packet_tally */
};

static void
clear_digest(void *value)
{
    digest_clear(value);
}

static void
clear_connect_digest(void *value)
{
    connect_digest_clear(value);
}

static void
clear_host_digest(void *value)
{
    host_digest_clear(value);
}

struct tallies *
tallies_new(const struct settings *settings)
{
    struct tallies *tallies = g_new(struct tallies, 1);
    *tallies = (struct tallies){
        .settings = settings,
        .servers = groups_new(sizeof(struct digest), clear_digest),
        .operations = groups_new(sizeof(struct digest), clear_digest),
        .connections = groups_new(sizeof(struct connect_digest), clear_connect_digest),
        .hosts = groups_new(sizeof(struct host_digest), clear_host_digest),
        .senders = groups_new(sizeof(struct packet_tally), NULL),
    };
    return tallies;
}

void
tallies_free(struct tallies *tallies)
{
    groups_free(tallies->servers);
    groups_free(tallies->operations);
    groups_free(tallies->connections);
    groups_free(tallies->hosts);
    groups_free(tallies->senders);
    g_free(tallies);
}

static struct host_digest *
host_of(struct tallies *tallies, const struct connection *connection)
{
    const struct group_key key = group_of_named_host(connection);
    return groups_at(tallies->hosts, &key);
}

void
tallies_take_request(struct tallies *tallies, const struct request *request, const char *operation)
{
    struct measured measured = request_measure(request);
    char kind[OPERATION_ROOM];
    operation_kind(operation, request->framing, tallies->settings->fold_numbers, kind);
    const struct group_key server = group_of_server(request->connection, "");
    const struct group_key of_kind = group_of_server(request->connection, kind);
    digest_take(groups_at(tallies->servers, &server), &measured);
    digest_take(groups_at(tallies->operations, &of_kind), &measured);
    digest_take(&host_of(tallies, request->connection)->requests, &measured);
}

void
tallies_take_attempt(struct tallies *tallies, const struct connection *connection)
{
    const struct connect *connect = &connection->connect;
    const struct group_key key = group_of_host(connection, connection_client(connection));
    connect_digest_take(groups_at(tallies->connections, &key), connect->result, connect->time_ns, connect->syn_retries);
    if (host_is_known(connection))
        connect_digest_take(&host_of(tallies, connection)->connects, connect->result, connect->time_ns,
                            connect->syn_retries);
}

void
tallies_take_handshake(struct tallies *tallies, const struct connection *connection)
{
    const struct tls_handshake *handshake = connection->handshake;
    if (host_is_known(connection))
        host_digest_take_handshake(host_of(tallies, connection), handshake->result, tls_handshake_time_ns(handshake));
}

void
tallies_take_payload(struct tallies *tallies, const struct item *item)
{
    const struct connection *connection = item_payload(item);
    const struct group_key key = group_of_host(connection, &connection->endpoint[item->sender]);
    packet_tally_take(groups_at(tallies->senders, &key), item);
}

static void
write_requests(const struct groups *groups, const char *type, struct line *line)
{
    for (unsigned row = 0; row < groups_count(groups); row++) {
        const struct group_key *key = groups_key(groups, row);
        const struct digest *digest = groups_value(groups, row);
        line_begin(line, type);
        line_endpoint(line, "server", "server_port", &key->server, key->ipv6);
        if (*key->kind)
            line_text(line, "kind", key->kind);
        line_uint(line, "requests", digest->requests);
        line_uint(line, "closed_by_client", digest->farewells);
        line_uint(line, "errors", digest->errors);
        line_uint(line, "told_apart", digest->by_messages);
        line_uint(line, "response_bytes", digest->response_bytes);
        line_statistic(line, "first_byte", &digest->first_byte);
        line_count_and_sum(line, "server_time", digest->server_times, digest->server_time_ns);
        line_count_and_sum(line, "last_byte", digest->first_byte.moments.count, digest->last_byte_ns);
        line_end(line);
    }
}

static void
write_connections(const struct groups *groups, struct line *line)
{
    for (unsigned row = 0; row < groups_count(groups); row++) {
        const struct group_key *key = groups_key(groups, row);
        const struct connect_digest *digest = groups_value(groups, row);
        line_begin(line, "connections");
        line_endpoint(line, "client", NULL, &key->client, key->ipv6);
        line_endpoint(line, "server", "server_port", &key->server, key->ipv6);
        line_uint(line, "attempts", digest->attempts);
        for (unsigned result = 0; result < CONNECT_RESULTS; result++)
            line_uint(line, connect_result_name(result), digest->results[result]);
        line_uint(line, "syn_retries", digest->syn_retries);
        line_statistic(line, "connect", &digest->time);
        line_end(line);
    }
}

/* Answers but for the time to the first byte are the server's. */
static void
write_hosts(const struct groups *groups, struct line *line)
{
    for (unsigned row = 0; row < groups_count(groups); row++) {
        const struct group_key *key = groups_key(groups, row);
        const struct host_digest *digest = groups_value(groups, row);
        line_begin(line, "host");
        if (*key->kind) {
            line_text(line, "host", key->kind);
            line_uint(line, "server_port", key->server.port);
        } else {
            line_endpoint(line, "server", "server_port", &key->server, key->ipv6);
        }
        line_uint(line, "attempts", digest->connects.attempts);
        line_uint(line, "accepted", digest->connects.results[CONNECT_ACCEPTED]);
        line_statistic(line, "connect", &digest->connects.time);
        for (unsigned result = 0; result < TLS_RESULTS; result++)
            line_uint(line, tls_result_name(result), digest->handshakes[result]);
        line_statistic(line, "handshake", &digest->handshake);
        line_uint(line, "requests", digest->requests.requests);
        line_uint(line, "closed_by_client", digest->requests.farewells);
        line_statistic(line, "first_byte", &digest->requests.first_byte);
        line_end(line);
    }
}

static void
write_senders(const struct groups *groups, struct line *line)
{
    for (unsigned row = 0; row < groups_count(groups); row++) {
        const struct group_key *key = groups_key(groups, row);
        const struct packet_tally *tally = groups_value(groups, row);
        line_begin(line, "sender");
        line_endpoint(line, "sender", NULL, &key->client, key->ipv6);
        line_endpoint(line, "server", "server_port", &key->server, key->ipv6);
        line_uint(line, "payload_frames", tally->frames);
        line_text(line, "ipid_behaviour", ipid_name(ipid_steps_behaviour(&tally->steps)));
        line_object(line, "ipid_steps");
        line_uint(line, "total", tally->steps.total);
        line_uint(line, "constant", tally->steps.constant);
        line_uint(line, "swapped", tally->steps.swapped);
        line_uint(line, "random", tally->steps.random);
        line_end_object(line);
        line_uint(line, "gaps", tally->gaps);
        line_uint(line, "ids_missing", tally->missing);
        line_uint(line, "out_of_order", tally->out_of_order);
        line_uint(line, "retransmitted", tally->retransmitted);
        line_uint(line, "short", tally->unfilled);
        line_end(line);
    }
}

void
tallies_write(const struct tallies *tallies, struct line *line)
{
    write_requests(tallies->servers, "server", line);
    write_requests(tallies->operations, "operation", line);
    write_connections(tallies->connections, line);
    write_hosts(tallies->hosts, line);
    write_senders(tallies->senders, line);
}
