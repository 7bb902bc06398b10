/* host_tally.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "host_tally.h"

bool
host_is_known(const struct connection *connection)
{
    const enum connect_result result = connection->tcp->connect.result;
    bool could_not_connect = result == CONNECT_REFUSED || result == CONNECT_UNREACHABLE;
    return connection->host_known || (connection->tcp->connect.number && could_not_connect);
}

struct group_key
group_of_named_host(const struct connection *connection)
{
    struct group_key key = group_of_server(connection, tls_handshake_host(connection));
    if (*key.kind) {
        key.server = (struct endpoint){ .port = key.server.port };
        key.ipv6 = false;
    }
    return key;
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
host_tally_merge(struct host_tally *tally, const struct host_tally *other)
{
    connect_tally_merge(&tally->connects, &other->connects);
    for (unsigned i = 0; i < TLS_RESULTS; i++)
        tally->handshakes[i] += other->handshakes[i];
    sample_merge(&tally->handshake, &other->handshake);
    tally_merge(&tally->requests, &other->requests);
}

void
host_tally_clear(struct host_tally *tally)
{
    connect_tally_clear(&tally->connects);
    sample_clear(&tally->handshake);
    tally_clear(&tally->requests);
}
