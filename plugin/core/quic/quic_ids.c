/* quic_ids.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "quic_ids.h"

#include <glib.h>

#include "../util/hashed.h"

struct named {
    struct hashed hashed; /* by its id */
    struct quic_id id;
    struct connection *connection; /* NULL: it is of several */
};

/* Bounds how many addresses that a connection has moved to are remembered: the server may still answer to those before
 * the last. */
enum { MOVES_MOST = 16 };

struct moved {
    struct hashed hashed;  /* by both ends, in either order */
    struct moved *earlier; /* of the same connection */
    struct endpoint client, server;
    struct connection *connection;
};

struct quic_ids {
    struct hashed_table named, moved;
    GHashTable *moves;  /* struct moved of each connection that has moved: the latest */
    uint32_t has_bytes; /* which lengths ids have: a bit for each */
};

struct quic_ids *
quic_ids_new(void)
{
    struct quic_ids *ids = g_new0(struct quic_ids, 1);
    hashed_init(&ids->named, NULL);
    hashed_init(&ids->moved, NULL);
    ids->moves = g_hash_table_new(NULL, NULL);
    return ids;
}

static void
free_records(struct hashed_table *table)
{
    for (uint32_t i = 0; i < table->n_chains; i++)
        for (struct hashed *record = table->chains[i], *next; record; record = next) {
            next = record->next;
            g_free(record);
        }
    hashed_clear(table);
}

void
quic_ids_free(struct quic_ids *ids)
{
    free_records(&ids->named);
    free_records(&ids->moved);
    g_hash_table_destroy(ids->moves);
    g_free(ids);
}

static uint32_t
hash_id(const struct quic_ids *ids, const struct quic_id *id)
{
    return (uint32_t)(hashed_bytes(ids->named.key, id->bytes, id->length) >> 16);
}

static struct named *
find_named(const struct quic_ids *ids, const struct quic_id *id)
{
    struct hashed *found = hashed_first(&ids->named, hash_id(ids, id));
    while (found && !quic_id_equal(&((struct named *)found)->id, id))
        found = hashed_next(found);
    return (struct named *)found;
}

void
quic_ids_add(struct quic_ids *ids, const struct quic_id *id, struct connection *connection)
{
    struct named *named = find_named(ids, id);
    if (id->length == 0)
        return;
    if (named) {
        if (named->connection != connection)
            named->connection = NULL;
        return;
    }
    named = g_new(struct named, 1);
    *named = (struct named){ .id = *id, .connection = connection };
    hashed_add(&ids->named, &named->hashed, hash_id(ids, id));
    ids->has_bytes |= 1U << id->length;
}

struct connection *
quic_ids_find(const struct quic_ids *ids, const uint8_t *packet, size_t captured)
{
    struct connection *found = NULL;
    for (uint8_t length = 1; length <= QUIC_ID_BYTES && length < captured; length++) {
        if (!(ids->has_bytes & 1U << length))
            continue;
        struct quic_id id = { .length = length };
        memcpy(id.bytes, packet + 1, length);
        const struct named *named = find_named(ids, &id);
        if (named && (found || !named->connection))
            return NULL;
        if (named)
            found = named->connection;
    }
    return found;
}

static uint64_t
hash_endpoint(const struct quic_ids *ids, const struct endpoint *endpoint)
{
    return hashed_mix(hashed_bytes(ids->moved.key, endpoint->address, ADDRESS_BYTES), endpoint->port ^ ids->moved.key);
}

static uint32_t
hash_ends(const struct quic_ids *ids, const struct endpoint *a, const struct endpoint *b)
{
    return (uint32_t)((hash_endpoint(ids, a) + hash_endpoint(ids, b)) >> 16);
}

struct connection *
quic_ids_moved(const struct quic_ids *ids, const struct segment *segment, bool *from_client)
{
    if (ids->moved.count == 0)
        return NULL;
    const struct endpoint *source = &segment->source, *destination = &segment->destination;
    for (struct hashed *each = hashed_first(&ids->moved, hash_ends(ids, source, destination)); each;
         each = hashed_next(each)) {
        const struct moved *moved = (struct moved *)each;
        *from_client = endpoint_equal(&moved->client, source);
        if (endpoint_equal(*from_client ? &moved->server : &moved->client, destination) &&
            endpoint_equal(*from_client ? &moved->client : &moved->server, source))
            return moved->connection;
    }
    return NULL;
}

/* Forgets the addresses from these on. */
static void
forget_moves(struct quic_ids *ids, struct moved *moved)
{
    while (moved) {
        struct moved *earlier = moved->earlier;
        hashed_remove(&ids->moved, &moved->hashed);
        g_free(moved);
        moved = earlier;
    }
}

void
quic_ids_move(struct quic_ids *ids, const struct segment *segment, struct connection *connection)
{
    struct moved *moved = g_new(struct moved, 1), *last = moved;
    *moved = (struct moved){
        .earlier = g_hash_table_lookup(ids->moves, connection),
        .client = segment->source,
        .server = segment->destination,
        .connection = connection,
    };
    for (unsigned i = 1; last && i < MOVES_MOST; i++)
        last = last->earlier;
    if (last) {
        forget_moves(ids, last->earlier);
        last->earlier = NULL;
    }
    hashed_add(&ids->moved, &moved->hashed, hash_ends(ids, &segment->source, &segment->destination));
    g_hash_table_insert(ids->moves, connection, moved);
}

void
quic_ids_forget(struct quic_ids *ids, const struct quic_id *id, const struct connection *connection)
{
    struct named *named = id->length > 0 ? find_named(ids, id) : NULL;
    forget_moves(ids, g_hash_table_lookup(ids->moves, connection));
    g_hash_table_remove(ids->moves, connection);
    if (!named || named->connection != connection)
        return;
    hashed_remove(&ids->named, &named->hashed);
    g_free(named);
}
