/* replay_connection.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "replay_connection.h"

#include "host_totals.h"

static void
write_handshake(struct totals *totals, const struct connection *connection)
{
    const struct tls_handshake *handshake = connection->tcp->handshake;
    const struct group_key host = group_of_named_host(connection);
    if (handshake && handshake->number && host_is_known(connection))
        host_totals_take_handshake(&totals->hosts, &host, handshake->result, tls_handshake_time_ns(handshake),
                                   UINT64_MAX);
}

static void
write_attempt(struct totals *totals, const struct connection *connection, int64_t now_ns)
{
    if (!connection->tcp->connect.number)
        return;
    const struct connect *connect = &connection->tcp->connect;
    const enum connect_result result = connection_connect_result(connection, now_ns);
    const struct group_key key = group_of_host(connection, connection_client(connection));
    totals_take_attempt(totals, &key, result, connect->time_ns, connect->syn_retries, UINT64_MAX);
    const struct group_key host = group_of_named_host(connection);
    if (host_is_known(connection))
        host_totals_take_attempt(&totals->hosts, &host, result, connect->time_ns, connect->syn_retries, UINT64_MAX);
}

void
replay_connection_count(struct totals *totals, const struct connection *connection, int64_t now_ns)
{
    write_attempt(totals, connection, now_ns);
    write_handshake(totals, connection);
}
