/* reading_message.c
 * The message that a flow is in: begun, told and ended.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "../request/exchanges.h"
#include "reading_parts.h"

inline void
reading_tell(struct reading *reading, struct event *event)
{
    exchanges_tell(reading->requests, reading->carrier, event);
}

/* What follows of a message at least; 0 if it ends with the connection, or where the other side likes. */
static uint32_t
rest_of(const struct flow *flow)
{
    if (flow->awaits_client && flow->skip == 0 && flow->unit_bytes == 0)
        return 0;
    return flow->skip > FLOW_UNTIL_CLOSED / 2 ? 0 : (uint32_t)CLAMP(flow->skip, 1, UINT32_MAX);
}

void
reading_describe_message(struct reading *reading, bool from_client, bool ends)
{
    struct flow *flow = &reading->flow[from_client];
    flow->message.ends = ends;
    flow->message.cut |= reading->is_cut;
    flow->message.bytes = flow->bytes - flow->missing;
    flow->message.operation = from_client || flow->message.kind == MESSAGE_PROMISES ? reading->operation : "";
    flow->message.status = flow->text;
    flow->message.rest = from_client || ends || flow->may_end ? 0 : rest_of(flow);
    flow->progress = PROGRESS_MESSAGE;
}

void
reading_drop(struct reading *reading)
{
    struct flow *flow = &reading->flow[false];
    if (reading->undecided == 0)
        return;
    reading_tell(reading, &(struct event){ .kind = EVENT_DROP });
    reading->undecided = reading->told_undecided = 0;
    flow->has_message &= flow->message.kind != MESSAGE_UNDECIDED;
}

inline void
reading_tell_message(struct reading *reading, bool from_client, bool ends)
{
    enum { TOLD_UNDECIDED_MOST = 16384 };
    struct flow *flow = &reading->flow[from_client];
    if (flow->message.kind == MESSAGE_UNDECIDED && ++reading->told_undecided > TOLD_UNDECIDED_MOST) {
        reading_drop(reading);
        return;
    }
    const struct exchanges_work *work = &reading->connection->exchanges.work;
    /* it answers nothing */
    if (flow->progress == PROGRESS_MESSAGE && !work->under_way[from_client] && (from_client || !work->undecided))
        return;
    reading_describe_message(reading, from_client, ends);
    reading_tell(reading, &(struct event){ .kind = EVENT_MESSAGE, .message = flow->message });
}

void
reading_break_head(struct reading *reading, bool from_client)
{
    struct flow *flow = &reading->flow[from_client];
    if (flow->progress != PROGRESS_BEGINNING)
        return;
    reading_tell(reading, &(struct event){ .kind = EVENT_BREAKS, .breaks.from_client = from_client });
    flow->progress = PROGRESS_NOTHING;
}

void
reading_begin_message(struct flow *flow, enum message_kind kind, uint64_t key)
{
    flow->has_message = true;
    if (flow->progress == PROGRESS_MESSAGE)
        flow->progress = PROGRESS_NOTHING;
    flow->message = (struct message){ .kind = kind, .key = key };
}

/* Between two messages. */
inline void
reading_reset(struct reading *reading, bool from_client)
{
    struct flow *flow = &reading->flow[from_client];
    flow->skip = flow->bytes = flow->missing = flow->left = 0;
    if (flow->progress == PROGRESS_MESSAGE)
        flow->progress = PROGRESS_NOTHING;
    flow->has_message = flow->is_open_ended = flow->ends = flow->may_end = flow->awaits_client = false;
    flow->state = 0;
    flow->marks = 0;
    flow->unit_bytes = 0;
    flow->text[0] = '\0';
    flow->block = reading->parser->block;
    flow->arrived_ns = reading->carrier->piece->segment.time_ns;
    flow->arrived_frame = reading->carrier->piece->segment.frame;
}

void
reading_end_unseen(struct reading *reading, bool from_client)
{
    struct flow *flow = &reading->flow[from_client];
    flow->missing += flow->skip;
    reading_pass(flow, flow->skip);
    reading_end_message(reading, from_client);
}

inline void
reading_end_message(struct reading *reading, bool from_client)
{
    struct flow *flow = &reading->flow[from_client];
    if (reading->parser->end)
        reading->parser->end(reading, from_client);
    if (flow->has_message) {
        if (from_client)
            reading->least = reading->least ? MIN(reading->least, flow->bytes) : flow->bytes;
        reading_tell_message(reading, from_client, true);
    }
    reading_break_head(reading, from_client);
    reading_reset(reading, from_client);
}
