/* host_tally.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "host_tally.h"

bool
host_is_known_by(enum connect_result result)
{
    return result == CONNECT_REFUSED || result == CONNECT_UNREACHABLE;
}

bool
host_is_known(const struct connection *connection)
{
    const struct connect *connect = &connection->tcp->connect;
    return connection->host_known || (connect->number && host_is_known_by(connect->result));
}

struct group_key
group_of_host_named(const char *name, const struct endpoint *server, bool ipv6)
{
    if (*name)
        return (struct group_key){ .server = { .port = server->port, .transport = server->transport }, .kind = name };
    return (struct group_key){ .server = *server, .kind = name, .ipv6 = ipv6 };
}

struct group_key
group_of_named_host(const struct connection *connection)
{
    const struct group_key server = group_of_server(connection, "");
    return group_of_host_named(tls_handshake_host(connection), &server.server, server.ipv6);
}

void
host_tally_take_handshake(struct host_tally *tally, struct handshake_share *share,
                          const struct tls_handshake *handshake)
{
    int64_t time_ns = tls_handshake_time_ns(handshake);
    if (share->counted && share->result == handshake->result)
        return;
    if (share->counted)
        tally->handshakes[share->result]--;
    tally->handshakes[handshake->result]++;
    if (time_ns >= 0)
        sample_add(&tally->handshake, time_ns);
    *share = (struct handshake_share){ time_ns, handshake->result, true };
}

void
host_tally_add_handshake(struct host_tally *tally, enum tls_result result, int64_t time_ns)
{
    tally->handshakes[result]++;
    if (time_ns >= 0)
        sample_add(&tally->handshake, time_ns);
}

void
host_tally_outline(struct host_tally *tally)
{
    connect_tally_outline(&tally->connects);
    sample_outline(&tally->handshake);
    tally_outline(&tally->requests);
}

void
host_tally_merge(struct host_tally *tally, const struct host_tally *other)
{
    connect_tally_merge(&tally->connects, &other->connects);
    for (unsigned i = 0; i < TLS_RESULTS; i++)
        tally->handshakes[i] += other->handshakes[i];
    sample_merge(&tally->handshake, &other->handshake);
    tally_merge(&tally->requests, &other->requests);
}

void
host_tally_clear(void *value)
{
    struct host_tally *tally = value;
    connect_tally_clear(&tally->connects);
    sample_clear(&tally->handshake);
    tally_clear(&tally->requests);
}
