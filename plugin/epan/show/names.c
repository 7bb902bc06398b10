/* names.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "names.h"

#include <epan/address.h>
#include <epan/to_str.h>

#include "../../core/tcp/connection.h"
#include "../../core/points/point.h"
#include "../../core/request/request.h"
#include "../intake/intake.h"

const value_string framing_names[] = {
    { FRAMING_TURNS, "turns" }, { FRAMING_HTTP, "http" }, { FRAMING_MEMCACHED, "memcached" },
    { FRAMING_REDIS, "redis" }, { FRAMING_CA, "ca" },     { 0, NULL },
};

const value_string outcome_names[] = {
    { OUTCOME_ANSWERED, "answered" },
    { OUTCOME_RESET, "reset" },
    { OUTCOME_CLOSED, "closed" },
    { OUTCOME_TIMED_OUT, "timed out" },
    { OUTCOME_CAPTURE_ENDED, "capture ended" },
    { OUTCOME_LOST, "lost" },
    { OUTCOME_TRUNCATED, "truncated" },
    { 0, NULL },
};

const value_string connect_result_names[] = {
    { CONNECT_UNANSWERED, "unanswered" },
    { CONNECT_ACCEPTED, "accepted" },
    { CONNECT_REFUSED, "refused" },
    { CONNECT_UNREACHABLE, "unreachable" },
    { 0, NULL },
};

const value_string heading_names[] = {
    { HEADING_UNKNOWN, "" },
    { HEADING_SENT, "sent" },
    { HEADING_RECEIVED, "received" },
    { 0, NULL },
};

const value_string ipid_names[] = {
    { IPID_UNKNOWN, "unknown" }, { IPID_COUNTER, "counter" }, { IPID_CONSTANT, "constant" },
    { IPID_SWAPPED, "swapped" }, { IPID_RANDOM, "random" },   { 0, NULL },
};

char *
address_name(wmem_allocator_t *scope, const struct endpoint *endpoint, bool ipv6)
{
    address addr = ADDRESS_INIT(ipv6 ? AT_IPv6 : AT_IPv4, ipv6 ? 16 : 4, endpoint->address);
    char *name = address_to_display(scope, &addr);
    /* Of names anything may come: of the capture's own, too. The tables' separator does not. */
    for (char *at = name; *at; at++)
        if (!g_ascii_isgraph(*at) || *at == '|')
            *at = '?';
    return name;
}

char *
endpoint_name(wmem_allocator_t *scope, const struct endpoint *endpoint, bool ipv6)
{
    char *name = address_name(NULL, endpoint, ipv6);
    bool bracketed = strchr(name, ':') != NULL;
    char *text = wmem_strdup_printf(scope, bracketed ? "[%s]:%u" : "%s:%u", name, endpoint->port);
    wmem_free(NULL, name);
    return text;
}

char *
text_name(wmem_allocator_t *scope, const char *text)
{
    char *name = wmem_strdup(scope, text);
    bool utf8 = g_utf8_validate(name, -1, NULL);
    for (char *at = name; *at; at++)
        if (g_ascii_iscntrl(*at) || (!utf8 && (unsigned char)*at > 0x7f))
            *at = '?';
    return name;
}

char *
stage_name(wmem_allocator_t *scope, uint16_t from, uint16_t to)
{
    const struct points *points = intake_analysis()->points;
    char *before = text_name(NULL, points_at(points, from)->name);
    char *after = text_name(NULL, points_at(points, to)->name);
    char *name = wmem_strdup_printf(scope, "%s→%s", before, after);
    wmem_free(NULL, before);
    wmem_free(NULL, after);
    return name;
}
