/* key.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "key.h"

#include "core/stats/host_tally.h"

struct group_key
key_of_server(const struct member_endpoint *server, const char *kind)
{
    return (struct group_key){ .server = server->endpoint, .kind = kind, .ipv6 = server->ipv6 };
}

struct group_key
key_of_host(const struct member_endpoint *server, const char *name)
{
    return group_of_host_named(name, &server->endpoint, server->ipv6);
}

struct group_key
key_of_ends(struct record *record, const struct member_endpoint *client, const struct member_endpoint *server,
            bool with_port)
{
    struct group_key key = key_of_server(server, "");
    key.client = client->endpoint;
    if (!with_port)
        key.client.port = 0;
    if (client->ipv6 != server->ipv6)
        record_note_wrong(record, "client");
    return key;
}
