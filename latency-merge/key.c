/* key.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "key.h"

#include "core/stats/host_tally.h"

struct group_key
key_of_server(struct record *record)
{
    struct group_key key = { .kind = record_printed_text(record, "kind") };
    record_endpoint(record, "server", "server_port", &key.server, &key.ipv6);
    return key;
}

struct group_key
key_of_host(struct record *record)
{
    const char *name = record_printed_text(record, "host");
    struct endpoint server = { 0 };
    bool ipv6 = false;
    if (*name)
        server.port = (uint16_t)record_uint(record, "server_port", UINT16_MAX);
    else
        record_endpoint(record, "server", "server_port", &server, &ipv6);
    return group_of_host_named(name, &server, ipv6);
}

static struct group_key
with_client(struct record *record, const char *port)
{
    struct group_key key = key_of_server(record);
    bool ipv6;
    record_endpoint(record, "client", port, &key.client, &ipv6);
    if (ipv6 != key.ipv6 && !record->wrong)
        record->wrong = "client";
    return key;
}

struct group_key
key_of_pair(struct record *record)
{
    return with_client(record, NULL);
}

struct group_key
key_of_connection(struct record *record)
{
    struct group_key key = with_client(record, "client_port");
    key.kind = "";
    return key;
}
