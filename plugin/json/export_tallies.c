/* export_tallies.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "export_tallies.h"

#include "../core/stats/host_tally.h"
#include "../core/stats/groups.h"
#include "../core/item_subject.h"
#include "../core/request/operation.h"
#include "../core/stats/packet_tally.h"
#include "../table/names.h"
#include "line_kinds.h"

/* Rows of one kind. */
struct rows {
    struct groups *groups;
    GArray *keys; /* of struct row_key, by row: the lowest of what it was made of */
};

struct tallies {
    const struct settings *settings;
    struct rows servers;     /* of struct tally */
    struct rows operations;  /* of struct tally */
    struct rows connections; /* of struct connect_tally */
    struct rows hosts;       /* of struct host_tally */
    struct groups *senders;  /* of struct packet_tally */
};

static struct rows
rows_new(size_t value_bytes, void (*clear)(void *value))
{
    return (struct rows){ groups_new(value_bytes, clear), g_array_new(FALSE, FALSE, sizeof(struct row_key)) };
}

static void
rows_free(struct rows *rows)
{
    groups_free(rows->groups);
    g_array_free(rows->keys, TRUE);
}

/* The value of the row that is changed by something with this key. */
static void *
rows_at(struct rows *rows, const struct group_key *group, struct row_key key)
{
    unsigned row = groups_row(rows->groups, group);
    if (row == rows->keys->len)
        g_array_append_val(rows->keys, key);
    struct row_key *lowest = &g_array_index(rows->keys, struct row_key, row);
    if (row_key_compare(&key, lowest) < 0)
        *lowest = key;
    return groups_value(rows->groups, row);
}

static int
compare_rows(const void *a, const void *b, void *data)
{
    const GArray *keys = data;
    const unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;
    int order = row_key_compare(&g_array_index(keys, struct row_key, x), &g_array_index(keys, struct row_key, y));
    return order ? order : (x > y) - (x < y);
}

struct tallies *
tallies_new(const struct settings *settings)
{
    struct tallies *tallies = g_new(struct tallies, 1);
    *tallies = (struct tallies){
        .settings = settings,
        .servers = rows_new(sizeof(struct tally), tally_clear),
        .operations = rows_new(sizeof(struct tally), tally_clear),
        .connections = rows_new(sizeof(struct connect_tally), connect_tally_clear),
        .hosts = rows_new(sizeof(struct host_tally), host_tally_clear),
        .senders = groups_new(sizeof(struct packet_tally), NULL),
    };
    return tallies;
}

void
tallies_free(struct tallies *tallies)
{
    rows_free(&tallies->servers);
    rows_free(&tallies->operations);
    rows_free(&tallies->connections);
    rows_free(&tallies->hosts);
    groups_free(tallies->senders);
    g_free(tallies);
}

static struct host_tally *
host_of(struct tallies *tallies, const struct connection *connection, struct row_key key)
{
    const struct group_key group = group_of_named_host(connection);
    struct host_tally *host = rows_at(&tallies->hosts, &group, key);
    host_tally_outline(host);
    return host;
}

static void
add_request(struct rows *rows, const struct group_key *group, struct row_key key, const struct measured *measured)
{
    struct tally *tally = rows_at(rows, group, key);
    tally_outline(tally);
    tally_add(tally, measured);
}

void
tallies_take_request(struct tallies *tallies, struct row_key key, const struct requests *requests,
                     const struct request *request, const char *operation)
{
    struct measured measured = request_measure(requests, request);
    char kind[OPERATION_ROOM];
    operation_kind(operation, request->protocol, tallies->settings->fold_numbers, kind);
    const struct group_key server = group_of_server(request->connection, "");
    const struct group_key of_kind = group_of_server(request->connection, kind);
    add_request(&tallies->servers, &server, key, &measured);
    add_request(&tallies->operations, &of_kind, key, &measured);
    tally_add(&host_of(tallies, request->connection, key)->requests, &measured);
}

void
tallies_take_attempt(struct tallies *tallies, struct row_key key, const struct connection *connection,
                     enum connect_result result, const struct push_tally *pushes)
{
    const struct connect *connect = &connection->tcp->connect;
    const struct group_key ends = group_of_host(connection, connection_client(connection));
    struct connect_tally *pair = rows_at(&tallies->connections, &ends, key);
    connect_tally_outline(pair);
    connect_tally_add(pair, result, connect->time_ns, connect->syn_retries);
    if (pushes)
        push_tally_merge(&pair->pushes, pushes);
    if (host_is_known(connection))
        connect_tally_add(&host_of(tallies, connection, key)->connects, result, connect->time_ns, connect->syn_retries);
}

void
tallies_take_handshake(struct tallies *tallies, struct row_key key, const struct connection *connection)
{
    const struct tls_handshake *handshake = connection->tcp->handshake;
    if (host_is_known(connection))
        host_tally_add_handshake(host_of(tallies, connection, key), handshake->result,
                                 tls_handshake_time_ns(handshake));
}

void
tallies_take_payload(struct tallies *tallies, const struct item *item)
{
    const struct group_key key = group_of_sender(item_payload(item), item);
    packet_tally_take(groups_at(tallies->senders, &key), item);
}

static void
write_requests(struct line *line, const char *type, const struct group_key *key, const void *value)
{
    const struct tally *tally = value;
    const struct requests_line row = {
        .server = { key->server, key->ipv6, false },
        .quic = key->server.transport == TRANSPORT_QUIC,
        .kind = key->kind,
        .requests = tally->requests,
        .closed_by_client = tally->farewells,
        .waiting = tally->waiting,
        .errors = tally->errors,
        .told_apart = tally->by_messages,
        .in_tls = tally->in_tls,
        .response_bytes = tally->response_bytes,
        .first_byte = sample_statistic(&tally->first_byte),
        .duration = sample_statistic(&tally->duration),
        .streams = { tally->streams, tally->streams_wait_ns },
        .long_polls = tally->long_polls,
        .server_time = { tally->server_times, tally->server_time_ns },
    };
    line_write(line, type, &requests_members, &row);
}

static void
write_connections(struct line *line, const char *type, const struct group_key *key, const void *value)
{
    const struct connect_tally *tally = value;
    const struct connections_line row = {
        .client = { key->client, key->ipv6, false },
        .server = { key->server, key->ipv6, false },
        .quic = key->server.transport == TRANSPORT_QUIC,
        .attempts = tally->attempts,
        .unanswered = tally->results[CONNECT_UNANSWERED],
        .accepted = tally->results[CONNECT_ACCEPTED],
        .refused = tally->results[CONNECT_REFUSED],
        .unreachable = tally->results[CONNECT_UNREACHABLE],
        .waiting = tally->results[CONNECT_WAITING],
        .syn_retries = tally->syn_retries,
        .pushes = tally->pushes.frames,
        .push_spacing = tally->pushes.spacing,
        .connect = sample_statistic(&tally->time),
    };
    line_write(line, type, &connections_members, &row);
}

/* What else is known of answers is the server's. */
static void
write_host(struct line *line, const char *type, const struct group_key *key, const void *value)
{
    const struct host_tally *tally = value;
    const struct host_line row = {
        .host = key->kind,
        .server = { key->server, key->ipv6, *key->kind != '\0' },
        .server_port = key->server.port,
        .quic = key->server.transport == TRANSPORT_QUIC,
        .attempts = tally->connects.attempts,
        .accepted = tally->connects.results[CONNECT_ACCEPTED],
        .connect = sample_statistic(&tally->connects.time),
        .unfinished = tally->handshakes[TLS_UNFINISHED],
        .complete = tally->handshakes[TLS_COMPLETE],
        .failed = tally->handshakes[TLS_FAILED],
        .handshake = sample_statistic(&tally->handshake),
        .requests = tally->requests.requests,
        .closed_by_client = tally->requests.farewells,
        .waiting = tally->requests.waiting,
        .first_byte = sample_statistic(&tally->requests.first_byte),
        .duration = sample_statistic(&tally->requests.duration),
        .streams = { tally->requests.streams, tally->requests.streams_wait_ns },
        .long_polls = tally->requests.long_polls,
    };
    line_write(line, type, &host_members, &row);
}

/* Writes all rows in the order of their keys. */
static void
write_rows(const struct rows *rows, const char *type,
           void (*write)(struct line *line, const char *type, const struct group_key *key, const void *value),
           struct line *line)
{
    GArray *order = g_array_new(FALSE, FALSE, sizeof(unsigned));
    for (unsigned row = 0; row < groups_count(rows->groups); row++)
        g_array_append_val(order, row);
    g_array_sort_with_data(order, compare_rows, rows->keys);
    for (unsigned i = 0; i < order->len; i++) {
        const unsigned row = g_array_index(order, unsigned, i);
        write(line, type, groups_key(rows->groups, row), groups_value(rows->groups, row));
    }
    g_array_free(order, TRUE);
}

static void
write_senders(const struct groups *groups, struct line *line)
{
    for (unsigned at = 0; at < groups_count(groups); at++) {
        const struct group_key *key = groups_key(groups, at);
        const struct packet_tally *tally = groups_value(groups, at);
        const struct ipid_steps *steps = &tally->steps;
        const struct sender_line row = {
            .sender = { key->client, key->ipv6, false },
            .server = { key->server, key->ipv6, false },
            .payload_frames = tally->frames,
            .ipid_behaviour = ipid_steps_behaviour(steps),
            .ipid_steps = { steps->total, steps->constant, steps->swapped, steps->random },
            .gaps = tally->gaps,
            .ids_missing = tally->missing,
            .out_of_order = tally->out_of_order,
            .retransmitted = tally->retransmitted,
            .unfilled = tally->unfilled,
        };
        line_write(line, "sender", &sender_members, &row);
    }
}

void
tallies_write(const struct tallies *tallies, struct line *line)
{
    write_rows(&tallies->servers, "server", write_requests, line);
    write_rows(&tallies->operations, "operation", write_requests, line);
    write_rows(&tallies->connections, "connections", write_connections, line);
    write_rows(&tallies->hosts, "host", write_host, line);
    write_senders(tallies->senders, line);
}
