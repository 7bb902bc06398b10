/* groups.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "groups.h"

#include <string.h>

#include "../tcp/connection.h"
#include "../tcp/item.h"
#include "../util/hashed.h"

struct group {
    struct hashed hashed; /* by its key */
    struct group_key key;
    unsigned row;
    max_align_t value[];
};

struct groups {
    struct hashed_table by_key;
    GPtrArray *rows;            /* of struct group */
    const struct group *latest; /* found: often it is asked for again. NULL before the first */
    size_t value_bytes;
    void (*clear)(void *value);
};

struct group_key
group_of_server(const struct connection *connection, const char *kind)
{
    return (struct group_key){ .server = *connection_server(connection), .kind = kind, .ipv6 = connection->ipv6 };
}

struct group_key
group_of_host(const struct connection *connection, const struct endpoint *host)
{
    struct group_key key = group_of_server(connection, "");
    key.client = *host;
    key.client.port = key.client.transport = 0;
    return key;
}

struct group_key
group_of_sender(const struct connection *connection, const struct item *item)
{
    struct group_key key = group_of_host(connection, &connection->endpoint[item->sender]);
    if (item->kind == ITEM_UNSOLICITED)
        key.server = connection->endpoint[item->sender];
    return key;
}

unsigned
group_key_hash(const void *data)
{
    const struct group_key *key = data;
    return wmem_strong_hash((const uint8_t *)&key->client, sizeof key->client + sizeof key->server) ^
           wmem_str_hash(key->kind);
}

int
group_key_equal(const void *a, const void *b)
{
    const struct group_key *x = a;
    const struct group_key *y = b;
    return x->ipv6 == y->ipv6 && endpoint_equal(&x->client, &y->client) && endpoint_equal(&x->server, &y->server) &&
           x->server.transport == y->server.transport && strcmp(x->kind, y->kind) == 0;
}

static uint32_t
hash_of(const struct groups *groups, const struct group_key *key)
{
    const uint64_t hash = hashed_bytes(groups->by_key.key, &key->client, sizeof key->client + sizeof key->server);
    return (uint32_t)hashed_bytes(hash ^ groups->by_key.key, key->kind, strlen(key->kind));
}

struct groups *
groups_new(size_t value_bytes, void (*clear)(void *value))
{
    struct groups *groups = g_new(struct groups, 1);
    *groups = (struct groups){
        .rows = g_ptr_array_new(),
        .value_bytes = value_bytes,
        .clear = clear,
    };
    hashed_init(&groups->by_key, NULL);
    return groups;
}

void
groups_free(struct groups *groups)
{
    hashed_clear(&groups->by_key);
    for (unsigned i = 0; i < groups->rows->len; i++) {
        struct group *group = g_ptr_array_index(groups->rows, i);
        if (groups->clear)
            groups->clear(group->value);
        g_free((char *)group->key.kind);
        g_free(group);
    }
    g_ptr_array_free(groups->rows, TRUE);
    g_free(groups);
}

static struct group *
find(const struct groups *groups, const struct group_key *key, uint32_t hash)
{
    struct hashed *found = hashed_first(&groups->by_key, hash);
    while (found && !group_key_equal(&((struct group *)found)->key, key))
        found = hashed_next(found);
    return (struct group *)found;
}

unsigned
groups_row(struct groups *groups, const struct group_key *key)
{
    if (groups->latest && group_key_equal(&groups->latest->key, key))
        return groups->latest->row;
    const uint32_t hash = hash_of(groups, key);
    struct group *group = find(groups, key, hash);
    if (!group) {
        group = g_malloc0(sizeof *group + groups->value_bytes);
        group->key = *key;
        group->key.kind = g_strdup(key->kind);
        group->row = groups->rows->len;
        hashed_add(&groups->by_key, &group->hashed, hash);
        g_ptr_array_add(groups->rows, group);
    }
    groups->latest = group;
    return group->row;
}

void *
groups_at(struct groups *groups, const struct group_key *key)
{
    return groups_value(groups, groups_row(groups, key));
}

void
groups_merge(struct groups *groups, const struct groups *other, void (*merge)(void *value, const void *other))
{
    for (unsigned row = 0; row < other->rows->len; row++)
        merge(groups_at(groups, groups_key(other, row)), groups_value(other, row));
}

unsigned
groups_count(const struct groups *groups)
{
    return groups->rows->len;
}

const struct group_key *
groups_key(const struct groups *groups, unsigned row)
{
    const struct group *group = g_ptr_array_index(groups->rows, row);
    return &group->key;
}

void *
groups_value(const struct groups *groups, unsigned row)
{
    struct group *group = g_ptr_array_index(groups->rows, row);
    return group->value;
}
