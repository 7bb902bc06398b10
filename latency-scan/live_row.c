/* live_row.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "live_row.h"

enum { LAST_10_S = 10 };

struct live_row *
live_row_new(const struct group_key *key)
{
    struct live_row *row = g_new0(struct live_row, 1);
    row->key = *key;
    row->key.kind = g_strdup(key->kind);
    return row;
}

static void
free_sum(struct live_sum *sum)
{
    if (sum)
        live_sum_clear(sum);
    g_free(sum);
}

void
live_row_free(void *data)
{
    struct live_row *row = data;
    for (unsigned i = 0; i < LIVE_SECONDS; i++) {
        if (row->seconds[i])
            live_sum_clear(&row->seconds[i]->sum);
        g_free(row->seconds[i]);
    }
    for (unsigned i = 0; i < LIVE_PARTS; i++)
        free_sum(row->parts[i]);
    g_free(row->connections);
    g_free((char *)row->key.kind);
    g_free(row);
}

int64_t
live_second_of(int64_t ns)
{
    return ns / LIVE_NS_PER_S - (ns % LIVE_NS_PER_S < 0);
}

/* NULL if that second has been forgotten. */
static struct live_sum *
second_at(struct live_row *row, int64_t ns)
{
    const int64_t second = live_second_of(ns);
    struct live_second **at = &row->seconds[((second % LIVE_SECONDS) + LIVE_SECONDS) % LIVE_SECONDS];
    if (!*at) {
        *at = g_new0(struct live_second, 1);
        (*at)->second = second;
    }
    if ((*at)->second > second)
        return NULL;
    if ((*at)->second < second) {
        live_sum_clear(&(*at)->sum);
        (*at)->second = second;
    }
    return &(*at)->sum;
}

static struct live_sum *
part_at(struct live_row *row, unsigned part)
{
    if (!row->parts[part])
        row->parts[part] = g_new0(struct live_sum, 1);
    return row->parts[part];
}

/* That of the request; a new one, in the place of the one that has been quiet longest if there are too many. */
static struct live_connection *
connection_of_request(struct live_row *row, const struct live_request *request)
{
    struct live_connection *quiet = NULL;
    for (unsigned i = 0; i < row->n_connections; i++) {
        struct live_connection *connection = &row->connections[i];
        if (connection->number == request->connection && endpoint_equal(&connection->client, &request->client))
            return connection;
        if (!quiet || connection->last_ns < quiet->last_ns)
            quiet = connection;
    }
    if (row->n_connections < LIVE_CONNECTIONS) {
        row->connections = g_renew(struct live_connection, row->connections, row->n_connections + 1);
        quiet = &row->connections[row->n_connections++];
    }
    *quiet = (struct live_connection){
        .client = request->client,
        .server = request->server,
        .ipv6 = request->ipv6,
        .is_udp = request->is_udp,
        .number = request->connection,
        .last_ns = request->ended_ns,
    };
    return quiet;
}

void
live_row_take(struct live_row *row, const struct live_request *request, unsigned part)
{
    struct live_sum *second = second_at(row, request->ended_ns);
    struct live_connection *connection = connection_of_request(row, request);
    if (second)
        live_sum_add(second, request);
    live_sum_add(part_at(row, part), request);
    connection->requests++;
    connection->errors += request->is_answered && request->has_failed;
    connection->last_ns = MAX(connection->last_ns, request->ended_ns);
    if (request->has_wait)
        wide_add_int(&connection->wait_ns, request->wait_ns);
    row->last_ns = MAX(row->last_ns, request->ended_ns);
}

void
live_row_take_parts(struct live_row *row, const struct live_row *other)
{
    for (unsigned i = 0; i < LIVE_PARTS; i++)
        if (other->parts[i])
            live_sum_merge(part_at(row, i), other->parts[i]);
}

void
live_row_double_parts(struct live_row *row)
{
    for (unsigned i = 0; i < LIVE_PARTS; i++) {
        struct live_sum *sum = row->parts[i];
        row->parts[i] = NULL;
        if (!sum)
            continue;
        if (row->parts[i / 2]) {
            live_sum_merge(row->parts[i / 2], sum);
            free_sum(sum);
        } else {
            row->parts[i / 2] = sum;
        }
    }
}

unsigned
live_window_places(enum live_window window)
{
    static const unsigned places[] = { LAST_10_S, LIVE_SECONDS, LIVE_PARTS };
    return places[window];
}

void
live_row_each(const struct live_row *row, enum live_window window, int64_t now,
              void (*take)(void *data, unsigned place, const struct live_sum *sum), void *data)
{
    const unsigned places = live_window_places(window);
    for (unsigned i = 0; window == LIVE_WHOLE && i < LIVE_PARTS; i++)
        if (row->parts[i])
            take(data, i, row->parts[i]);
    for (unsigned i = 0; window != LIVE_WHOLE && i < LIVE_SECONDS; i++) {
        const struct live_second *second = row->seconds[i];
        if (second && second->second <= now && now - second->second < places)
            take(data, places - 1 - (unsigned)(now - second->second), &second->sum);
    }
}
