/* call_name.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "call_name.h"

#include <inttypes.h>

#include "../core/analysis.h"
#include "../core/calls/calls_clocks.h"
#include "../core/util/printable.h"
#include "names.h"
#include "text_shortened.h"

char *
call_name(wmem_allocator_t *scope, const struct table_source *source, const char *kind, const struct endpoint *server,
          bool ipv6)
{
    return wmem_strdup_printf(scope, "%s" TEXT_AT "%s", *kind ? kind : CALL_UNKNOWN,
                              endpoint_name(scope, source, server, ipv6));
}

void
untold_calls_take(struct untold_calls *untold, const struct call *call)
{
    untold->several += call->rule == CALL_SEVERAL;
    untold->none += call->is_call && call->rule == CALL_NONE;
}

void
untold_calls_write(const struct untold_calls *untold, uint64_t told, const char *what, GString *text)
{
    const uint64_t all = untold->several + untold->none;
    if (all == 0)
        return;
    g_string_append_printf(text, "%" PRIu64 " of %" PRIu64 " calls have no %s: ", all, told + all, what);
    if (untold->none == 0)
        g_string_append(text, "any of several requests may have caused them.\n");
    else if (untold->several == 0)
        g_string_append(text, "no request was seen that could have caused them.\n");
    else
        g_string_append_printf(
            text, "any of several requests may have caused %" PRIu64 ", and none was seen for %" PRIu64 ".\n",
            untold->several, untold->none);
}

char *
call_clocks_text(const struct table_source *source)
{
    struct clock_difference difference;
    if (!source->calls || !calls_points_differ(source->calls, &difference))
        return NULL;
    const struct points *points = source->analysis->points;
    char *first = printable_text(NULL, points_at(points, difference.first)->name);
    char *second = printable_text(NULL, points_at(points, difference.second)->name);
    char *text = g_strdup_printf("Packets of both directions were seen at %s first and %.3f ms later, or more, at %s: "
                                 "their clocks differ, and causes may be missing or wrong (docs/calls.md).\n",
                                 first, (double)difference.least_ns / 1e6, second);
    wmem_free(NULL, first);
    wmem_free(NULL, second);
    return text;
}

char *
call_join_text(const struct call_join *join,
               char *(*address)(wmem_allocator_t *scope, const struct endpoint *endpoint, bool ipv6))
{
    const char *how = join->by_id == join->requests ? " with the same ids"
                      : join->by_id == 0            ? ", naming their clients"
                                                    : ", with the same ids or naming their clients";
    char *listens = address(NULL, &join->listens, join->listens_ipv6);
    char *sends = address(NULL, &join->sends, join->sends_ipv6);
    char *text = g_strdup_printf("%s and %s (%u requests passed on%s)", listens, sends, join->requests, how);
    wmem_free(NULL, listens);
    wmem_free(NULL, sends);
    return text;
}

char *
call_joins_text(const struct table_source *source, unsigned most)
{
    unsigned count = 0;
    const struct call_join *joins = source->calls ? calls_joined(source->calls, &count) : NULL;
    if (count == 0)
        return NULL;
    GString *text = g_string_new("Joined as one host: ");
    for (unsigned i = 0; i < MIN(count, most); i++) {
        char *join = call_join_text(&joins[i], source->texts->address);
        g_string_append_printf(text, "%s%s", i > 0 ? "; " : "", join);
        g_free(join);
    }
    if (count > most)
        g_string_append_printf(text, "; and %u more", count - most);
    g_string_append(text, ".\n");
    return g_string_free(text, FALSE);
}

char *
call_remarks_text(const struct table_source *source)
{
    enum { JOINS_NAMED = 3 };
    char *clocks = call_clocks_text(source), *joins = call_joins_text(source, JOINS_NAMED);
    char *text = g_strconcat(clocks ? clocks : "", joins, NULL);
    g_free(clocks);
    g_free(joins);
    return text;
}

int64_t
call_awaited_until(const struct call *call)
{
    int64_t until_ns = call->begins_ns;
    if (call->end_frame != 0 && call->wait == WAIT_FOR_LAST_BYTE)
        until_ns = call->ends_ns;
    else if (call->end_frame != 0 && call->wait == WAIT_FOR_FIRST_BYTE)
        until_ns = call->answers_ns;
    return MAX(until_ns, call->begins_ns);
}

int64_t
call_wait_ns(const struct call *call)
{
    return call_awaited_until(call) - call->begins_ns;
}
