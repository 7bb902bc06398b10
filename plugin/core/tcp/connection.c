/* connection.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "connection.h"

#include <string.h>

enum { DUPLICATE_WITHIN_US = 10000 };

struct connection_table {
    wmem_allocator_t *scope;
    wmem_map_t *latest; /* by endpoints and IP version: its key is the connection itself */
    struct connection *last;
    uint32_t count;
};

static unsigned
hash_connection(const void *key)
{
    const struct connection *connection = key;
    return wmem_strong_hash((const uint8_t *)connection->endpoint, sizeof connection->endpoint);
}

static int
compare_endpoints(const struct endpoint *a, const struct endpoint *b)
{
    int order = memcmp(a->address, b->address, ADDRESS_BYTES);
    return order ? order : (int)a->port - (int)b->port;
}

bool
endpoint_equal(const struct endpoint *a, const struct endpoint *b)
{
    return compare_endpoints(a, b) == 0;
}

static int
equal_connections(const void *a, const void *b)
{
    const struct connection *x = a;
    const struct connection *y = b;
    return x->ipv6 == y->ipv6 && endpoint_equal(&x->endpoint[0], &y->endpoint[0]) &&
           endpoint_equal(&x->endpoint[1], &y->endpoint[1]);
}

struct connection_table *
connection_table_new(wmem_allocator_t *scope)
{
    struct connection_table *table = wmem_new0(scope, struct connection_table);
    table->scope = scope;
    table->latest = wmem_map_new(scope, hash_connection, equal_connections);
    return table;
}

struct connection *
connection_find(const struct connection_table *table, const struct endpoint *source, const struct endpoint *destination,
                bool ipv6)
{
    struct connection key;
    bool ordered = compare_endpoints(source, destination) <= 0;
    key.endpoint[0] = ordered ? *source : *destination;
    key.endpoint[1] = ordered ? *destination : *source;
    key.ipv6 = ipv6;
    if (table->last && equal_connections(table->last, &key))
        return table->last;
    return wmem_map_lookup(table->latest, &key);
}

static void
guess_roles(struct connection *connection, const struct segment *segment, const struct settings *settings)
{
    const struct endpoint *endpoint = connection->endpoint;
    enum port_kind kind[2] = { settings->port_kind(endpoint[0].port), settings->port_kind(endpoint[1].port) };
    if (kind[0] != kind[1])
        connection->client = kind[0] > kind[1];
    else if (endpoint[0].port != endpoint[1].port)
        connection->client = endpoint[0].port < endpoint[1].port;
    else
        connection->client = connection_sender(connection, segment);
}

static bool
starts_another(const struct connection *connection, const struct segment *segment)
{
    const struct sender *sender = &connection->sender[connection_sender(connection, segment)];
    return (segment->flags & (SEGMENT_SYN | SEGMENT_ACK)) == SEGMENT_SYN && sender->has_isn &&
           sender->isn != segment->seq;
}

struct connection *
connection_of(struct connection_table *table, const struct segment *segment, const struct settings *settings)
{
    struct connection *connection = connection_find(table, &segment->source, &segment->destination, segment->ipv6);
    if (!connection || starts_another(connection, segment)) {
        if (connection) {
            /* wmem_map_insert would keep the old key, which is the old connection. */
            wmem_map_remove(table->latest, connection);
            connection->replaced = true;
            connection->ended_ns = MIN(connection->ended_ns, segment->time_ns);
        }
        bool ordered = compare_endpoints(&segment->source, &segment->destination) <= 0;
        connection = wmem_new0(table->scope, struct connection);
        connection->number = ++table->count;
        connection->endpoint[0] = ordered ? segment->source : segment->destination;
        connection->endpoint[1] = ordered ? segment->destination : segment->source;
        connection->ipv6 = segment->ipv6;
        connection->ended_ns = INT64_MAX;
        connection->connect.time_ns = -1;
        connection->connect.network_server_ns = -1;
        connection->connect.network_client_ns = -1;
        guess_roles(connection, segment, settings);
        wmem_map_insert(table->latest, connection, connection);
    }
    table->last = connection;
    return connection;
}

uint8_t
connection_sender(const struct connection *connection, const struct segment *segment)
{
    return compare_endpoints(&connection->endpoint[0], &segment->source) != 0;
}

static bool
is_within(int32_t difference, int32_t limit)
{
    return -limit <= difference && difference <= limit;
}

/* Of a frame, to compare it with few others: nobody looks anything up by it. A word after the other is multiplied in. */
static uint32_t
print_of(const uint32_t *words, unsigned count)
{
    uint64_t print = 0;
    for (unsigned i = 0; i < count; i++) {
        print = (print ^ words[i]) * UINT64_C(0x9e3779b97f4a7c15);
        print ^= print >> 32;
    }
    return (uint32_t)print;
}

bool
connection_is_duplicate(struct connection *connection, const struct segment *segment)
{
    struct sender *sender = &connection->sender[connection_sender(connection, segment)];
    const uint32_t words[] = {
        segment->seq,    segment->ack,   segment->payload_bytes, (uint32_t)segment->ip_id << 16 | segment->checksum,
        segment->window, segment->flags,
    };
    uint32_t print = print_of(words, G_N_ELEMENTS(words));
    struct recent frame = { print ? print : 1, (uint32_t)(segment->time_ns / 1000) };
    for (unsigned i = 0; i < RECENT_FRAMES; i++) {
        int32_t age_us = (int32_t)(frame.time_us - sender->recent[i].time_us);
        if (sender->recent[i].print == frame.print && is_within(age_us, DUPLICATE_WITHIN_US))
            return true;
    }
    sender->recent[sender->next_recent] = frame;
    sender->next_recent = (uint8_t)((sender->next_recent + 1) % RECENT_FRAMES);
    return false;
}

const struct endpoint *
connection_client(const struct connection *connection)
{
    return &connection->endpoint[connection->client];
}

const struct endpoint *
connection_server(const struct connection *connection)
{
    return &connection->endpoint[!connection->client];
}

bool
connection_is_closed(const struct connection *connection)
{
    return connection->replaced || connection->sender[!connection->client].fin;
}

bool
connection_has_ended(const struct connection *connection)
{
    return connection->reset || connection->replaced || (connection->sender[0].fin && connection->sender[1].fin);
}

void
connection_forget(struct connection_table *table, struct connection *connection)
{
    if (wmem_map_lookup(table->latest, connection) == connection)
        wmem_map_remove(table->latest, connection);
    if (table->last == connection)
        table->last = NULL;
    sequence_clear(&connection->sender[0].sequence, table->scope);
    sequence_clear(&connection->sender[1].sequence, table->scope);
    wmem_free(table->scope, connection);
}

void
connection_close(struct connection *connection, const struct segment *segment)
{
    uint8_t from = connection_sender(connection, segment);
    if (segment->flags & SEGMENT_FIN)
        connection->sender[from].fin = true;
    if (connection_is_reset_by(connection, segment))
        connection->reset = true;
    if (connection->reset || connection_is_closed(connection))
        connection->ended_ns = MIN(connection->ended_ns, segment->time_ns);
}
