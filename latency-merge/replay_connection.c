/* replay_connection.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "replay_connection.h"

void
replay_connection_count(struct totals *totals, const struct connection *connection, int64_t now_ns)
{
    const struct tls_handshake *handshake = connection->tcp->handshake;
    const struct connect *connect = &connection->tcp->connect;
    const bool is_known = host_is_known(connection);
    const struct group_key host = group_of_named_host(connection);
    const struct group_key pair = group_of_host(connection, connection_client(connection));
    if (connect->number)
        totals_add_attempt(totals, &pair, is_known ? &host : NULL, connection_connect_result(connection, now_ns),
                           connect->time_ns, connect->syn_retries);
    if (handshake && handshake->number && is_known)
        host_tally_add_handshake(totals_host(totals, &host), handshake->result, tls_handshake_time_ns(handshake));
}
