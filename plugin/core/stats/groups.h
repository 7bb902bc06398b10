/* groups.h
 * Rows of a table by what they have in common: servers, operations, pairs of client and server.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_GROUPS_H
#define LATENCY_GROUPS_H

#include <stddef.h>

#include "../tcp/segment.h"

struct group_key {
    struct endpoint client; /* or another sender: port 0; all zero where rows have none */
    struct endpoint server;
    const char *kind; /* of operation; "" where rows have none */
    bool ipv6;
};

struct connection;
struct item;

/* The key of a connection's server, and of one of its hosts and the server; `kind` stays the caller's. */
struct group_key group_of_server(const struct connection *connection, const char *kind);
struct group_key group_of_host(const struct connection *connection, const struct endpoint *host);

/* Of the sender of the connection's payload; of what nobody asked for that was the server when it was captured. */
struct group_key group_of_sender(const struct connection *connection, const struct item *item);

/* For a GHashTable. */
unsigned group_key_hash(const void *key);
int group_key_equal(const void *a, const void *b);

struct groups;

/* Each row has a value of that many bytes, zeroed at first and cleared at last. */
struct groups *groups_new(size_t value_bytes, void (*clear)(void *value));
void groups_free(struct groups *groups);

/* The row with that key, from 0; a new one, at the end, if there is none. */
unsigned groups_row(struct groups *groups, const struct group_key *key);

/* Its value. Values never move. */
void *groups_at(struct groups *groups, const struct group_key *key);

/* Adds the rows of others, whose values `merge` adds. */
void groups_merge(struct groups *groups, const struct groups *other, void (*merge)(void *value, const void *other));

unsigned groups_count(const struct groups *groups);
const struct group_key *groups_key(const struct groups *groups, unsigned row);
void *groups_value(const struct groups *groups, unsigned row);

#endif
