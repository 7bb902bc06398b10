/* export_calls.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "export_calls.h"

#include "../core/item_subject.h"
#include "../table/by_number.h"
#include "../table/call_name.h"
#include "../table/call_source.h"
#include "../table/names.h"
#include "line_kinds.h"

struct call_rows {
    struct table_source *source;
    struct by_number taken; /* of bool, by the request's number */
};

struct call_rows *
call_rows_new(struct table_source *source)
{
    struct call_rows *rows = g_new(struct call_rows, 1);
    rows->source = source;
    by_number_init(&rows->taken, source, sizeof(bool));
    call_source_want_traces(source);
    return rows;
}

void
call_rows_free(struct call_rows *rows)
{
    call_source_leave_traces(rows->source);
    by_number_clear(&rows->taken);
    g_free(rows);
}

void
call_rows_take(struct call_rows *rows, const struct item *item)
{
    if (item_request(item))
        *(bool *)by_number_at(&rows->taken, item_request(item)->number) = true;
}

/* Whether it is a call without cause that addresses do not show to be a call: nothing is asked of its client's. */
static bool
is_hidden_call(const struct call *call)
{
    return call->is_call && call->is_joined && call->rule == CALL_NONE;
}

static void
write_row(const struct calls *calls, uint32_t number, struct line *line)
{
    const struct call *call = calls_find(calls, number);
    const struct call *cause = call && call->cause ? calls_find(calls, call->cause) : NULL;
    if (!call)
        return;
    const struct call_times times = calls_times(calls, number);
    if (call->rule == CALL_NONE && times.calls == 0 && !is_hidden_call(call))
        return;
    const struct call_line row = {
        .request = number,
        .request_frame = call->frame,
        .caused_by = call->cause,
        .caused_by_frame = cause ? cause->frame : 0,
        .cause = call->rule == CALL_NONE && !is_hidden_call(call) ? "" : call_rule_name(call->rule),
        .probability = call->rule == CALL_WORKER ? call->probability : 0,
        .candidates = call->rule == CALL_SEVERAL ? call->candidates : 0,
        .retry = call->is_retry,
        .calls = times.calls,
        .call_time = times.calls > 0 && call->end_frame != 0 ? times.call_ns : -1,
        .own_time = call->end_frame != 0 ? times.own_ns : -1,
    };
    line_write(line, "call", &call_members, &row);
}

static void
take_joins(const struct calls *calls, GPtrArray *joined)
{
    unsigned count;
    const struct call_join *joins = calls_joined(calls, &count);
    for (unsigned i = 0; i < count; i++)
        g_ptr_array_add(joined, call_join_text(&joins[i], address_text));
}

void
call_rows_write(struct call_rows *rows, struct line *line, GPtrArray *joined)
{
    if (!rows->source->analysis || rows->taken.capture != rows->source->number)
        return;
    const struct calls *calls = call_source_told(rows->source);
    for (uint32_t number = 1; number < by_number_count(&rows->taken); number++)
        if (*(const bool *)by_number_at(&rows->taken, number))
            write_row(calls, number, line);
    take_joins(calls, joined);
}
