/* names.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "names.h"

#include <string.h>

#include <wsutil/inet_addr.h>

#include "../core/points/point.h"
#include "../core/util/protocols.h"
#include "../core/tcp/connection.h"
#include "../core/stats/groups.h"
#include "../core/util/printable.h"

const char *
protocol_name(unsigned protocol)
{
    static const char *const names[] = {
#define WORD(name, number, word, ...) [number] = word,
        PROTOCOLS(WORD, NO_PARSER)
#undef WORD
    };
    _Static_assert(G_N_ELEMENTS(names) == PROTOCOL_COUNT, "the numbers of protocols.h leave none out");
    return protocol < G_N_ELEMENTS(names) ? names[protocol] : "";
}

char *
address_text(wmem_allocator_t *scope, const struct endpoint *endpoint, bool ipv6)
{
    char *text = wmem_alloc(scope, WS_INET6_ADDRSTRLEN);
    if (ipv6)
        ws_inet_ntop6(endpoint->address, text, WS_INET6_ADDRSTRLEN);
    else
        ws_inet_ntop4(endpoint->address, text, WS_INET6_ADDRSTRLEN);
    return text;
}

char *
address_name(wmem_allocator_t *scope, const struct table_source *source, const struct endpoint *endpoint, bool ipv6)
{
    char *name = source->texts->address(scope, endpoint, ipv6);
    /* Of names anything may come: of the capture's own, too. The tables' separator does not. */
    for (char *at = name; *at; at++)
        if (!g_ascii_isgraph(*at) || *at == '|')
            *at = '?';
    return name;
}

/* Returns what stands behind a port of QUIC, so that it is not taken for TCP's. */
static const char *
transport_suffix(const struct endpoint *endpoint)
{
    return endpoint->transport == TRANSPORT_QUIC ? "/udp" : "";
}

char *
endpoint_name(wmem_allocator_t *scope, const struct table_source *source, const struct endpoint *endpoint, bool ipv6)
{
    const char *name = address_name(scope, source, endpoint, ipv6);
    const bool bracketed = strchr(name, ':') != NULL;
    return wmem_strdup_printf(scope, "%s%s%s:%u%s", bracketed ? "[" : "", name, bracketed ? "]" : "", endpoint->port,
                              transport_suffix(endpoint));
}

char *
host_name(wmem_allocator_t *scope, const struct table_source *source, const struct group_key *key)
{
    if (!*key->kind)
        return endpoint_name(scope, source, &key->server, key->ipv6);
    return wmem_strdup_printf(scope, "%s:%u%s", key->kind, key->server.port, transport_suffix(&key->server));
}

char *
stage_name(wmem_allocator_t *scope, const struct points *points, uint16_t from, uint16_t to)
{
    char *before = printable_text(NULL, points_at(points, from)->name);
    char *after = printable_text(NULL, points_at(points, to)->name);
    char *name = wmem_strdup_printf(scope, "%s→%s", before, after);
    wmem_free(NULL, before);
    wmem_free(NULL, after);
    return name;
}
