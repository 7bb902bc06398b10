/* names.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "names.h"

#include <string.h>

#include <wsutil/inet_addr.h>

#include "../core/points/point.h"
#include "../core/protocol/protocols.h"
#include "../core/protocol/tls/tls_handshake.h"
#include "../core/request/request.h"
#include "../core/stats/groups.h"
#include "../core/tcp/connection.h"
#include "../core/util/printable.h"

const char *
framing_name(unsigned framing)
{
    static const char *const names[] = {
#define WORD(name, number, word, ...) [number] = word,
        PROTOCOLS(WORD, NO_PARSER)
#undef WORD
    };
    _Static_assert(G_N_ELEMENTS(names) == FRAMING_KINDS, "the numbers of protocols.h leave none out");
    return framing < G_N_ELEMENTS(names) ? names[framing] : "";
}

const char *
outcome_name(unsigned outcome)
{
    static const char *const names[] = {
        [OUTCOME_ANSWERED] = "answered",   [OUTCOME_RESET] = "reset",
        [OUTCOME_CLOSED] = "closed",       [OUTCOME_TIMED_OUT] = "timed out",
        [OUTCOME_WAITING] = "waiting",     [OUTCOME_LOST] = "lost",
        [OUTCOME_TRUNCATED] = "truncated", [OUTCOME_CLOSED_BY_CLIENT] = "closed by client",
        [OUTCOME_REFUSED] = "refused",     [OUTCOME_CANCELLED] = "cancelled",
    };
    return outcome < G_N_ELEMENTS(names) ? names[outcome] : "";
}

const char *
connect_result_name(unsigned result)
{
    static const char *const names[] = {
        [CONNECT_UNANSWERED] = "unanswered",   [CONNECT_ACCEPTED] = "accepted", [CONNECT_REFUSED] = "refused",
        [CONNECT_UNREACHABLE] = "unreachable", [CONNECT_WAITING] = "waiting",
    };
    return result < G_N_ELEMENTS(names) ? names[result] : "";
}

const char *
tls_result_name(unsigned result)
{
    static const char *const names[] = {
        [TLS_UNFINISHED] = "unfinished",
        [TLS_COMPLETE] = "complete",
        [TLS_FAILED] = "failed",
    };
    return result < G_N_ELEMENTS(names) ? names[result] : "";
}

const char *
heading_name(unsigned heading)
{
    static const char *const names[] = {
        [HEADING_UNKNOWN] = "",
        [HEADING_SENT] = "sent",
        [HEADING_RECEIVED] = "received",
    };
    return heading < G_N_ELEMENTS(names) ? names[heading] : "";
}

const char *
ipid_name(unsigned behaviour)
{
    static const char *const names[] = {
        [IPID_UNKNOWN] = "unknown", [IPID_COUNTER] = "counter", [IPID_CONSTANT] = "constant",
        [IPID_SWAPPED] = "swapped", [IPID_RANDOM] = "random",
    };
    return behaviour < G_N_ELEMENTS(names) ? names[behaviour] : "";
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

char *
endpoint_name(wmem_allocator_t *scope, const struct table_source *source, const struct endpoint *endpoint, bool ipv6)
{
    const char *name = address_name(scope, source, endpoint, ipv6);
    const bool bracketed = strchr(name, ':') != NULL;
    return wmem_strdup_printf(scope, bracketed ? "[%s]:%u" : "%s:%u", name, endpoint->port);
}

char *
host_name(wmem_allocator_t *scope, const struct table_source *source, const struct group_key *key)
{
    if (!*key->kind)
        return endpoint_name(scope, source, &key->server, key->ipv6);
    return wmem_strdup_printf(scope, "%s:%u", key->kind, key->server.port);
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
