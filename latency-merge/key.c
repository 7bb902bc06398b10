/* key.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "key.h"

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
    const char *host = record_printed_text(record, "host");
    struct group_key key = { .kind = host };
    if (*host)
        key.server.port = (uint16_t)record_uint(record, "server_port", UINT16_MAX);
    else
        record_endpoint(record, "server", "server_port", &key.server, &key.ipv6);
    return key;
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
