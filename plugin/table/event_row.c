/* event_row.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "event_row.h"

const char *const segment_columns[SEGMENT_COLUMNS] = { "frame",    "time",  "side",          "seq",
                                                       "ack",      "flags", "payload_bytes", "window",
                                                       "checksum", "ip_id", "operation",     "messages" };
const char *const message_columns[MESSAGE_COLUMNS] = { "kind", "marks", "key", "bytes", "rest", "seq", "operation" };

static struct event_row
row_of_message(const struct message *message)
{
    static const enum row_kind kinds[] = { [MESSAGE_ASKS] = ROW_ASKS,
                                           [MESSAGE_ANSWERS] = ROW_ANSWERS,
                                           [MESSAGE_UNDECIDED] = ROW_UNDECIDED,
                                           [MESSAGE_PROMISES] = ROW_PROMISES };
    const bool asks = message->kind == MESSAGE_ASKS || message->kind == MESSAGE_PROMISES;
    return (struct event_row){
        .kind = kinds[message->kind],
        .marks = (uint16_t)((message->part == MESSAGE_AGAIN ? MARK_JOINS : 0) | (message->ends ? MARK_ENDS : 0) |
                            (message->failed ? MARK_FAILED : 0) | (message->cut ? MARK_CUT : 0) |
                            (message->part == MESSAGE_MORE ? MARK_GOES_ON : 0) |
                            (message->last != LAST_NONE ? MARK_LAST : 0) |
                            (message->last == LAST_OF_BOTH ? MARK_CLOSES : 0) | (message->is_data ? MARK_DATA : 0) |
                            (message->is_stream ? MARK_STREAM : 0) | (message->awaits_event ? MARK_AWAITS_EVENT : 0)),
        .key = message->key,
        .bytes = message->bytes,
        .rest = message->rest,
        .text = asks ? message->operation : message->status,
    };
}

static struct event
message_of_row(const struct event_row *row, enum message_kind kind)
{
    const struct message message = {
        .kind = kind,
        .part = row->marks & MARK_GOES_ON ? MESSAGE_MORE
                : row->marks & MARK_JOINS ? MESSAGE_AGAIN
                                          : MESSAGE_NEW,
        .last = row->marks & MARK_CLOSES ? LAST_OF_BOTH
                : row->marks & MARK_LAST ? LAST_OF_SIDE
                                         : LAST_NONE,
        .ends = row->marks & MARK_ENDS,
        .cut = row->marks & MARK_CUT,
        .failed = row->marks & MARK_FAILED,
        .is_data = row->marks & MARK_DATA,
        .is_stream = row->marks & MARK_STREAM,
        .awaits_event = row->marks & MARK_AWAITS_EVENT,
        .key = row->key,
        .bytes = row->bytes,
        .rest = row->rest,
        .operation = row->text,
        .status = row->text,
    };
    return (struct event){ .kind = EVENT_MESSAGE, .message = message };
}

/* Writes all but that it arrives. */
static struct event_row
row_of(const struct event *event)
{
    const uint16_t client = MARK_FROM_CLIENT;
    switch (event->kind) {
    case EVENT_CLAIM:
        return (struct event_row){ .kind = ROW_CLAIM,
                                   .marks = event->claim.from_client ? client : 0,
                                   .key = event->claim.protocol,
                                   .bytes = event->claim.turns };
    case EVENT_ROLES:
        return (struct event_row){ .kind = ROW_ROLES, .marks = event->roles.from_client ? client : 0 };
    case EVENT_BEGINS:
        return (struct event_row){ .kind = ROW_BEGINS, .marks = event->begins.from_client ? client : 0 };
    case EVENT_BREAKS:
        return (struct event_row){ .kind = ROW_BREAKS,
                                   .marks = event->breaks.from_client ? client : 0,
                                   .bytes = event->breaks.bytes };
    case EVENT_STOPS:
        return (struct event_row){ .kind = ROW_STOPS, .key = event->stops.key, .bytes = event->stops.why };
    case EVENT_UPGRADE:
        return (struct event_row){ .kind = ROW_UPGRADE, .key = event->upgrade.protocol };
    case EVENT_RELEASE:
        return (struct event_row){ .kind = ROW_RELEASE,
                                   .key = (event->release.loses ? RELEASE_LOSES : 0) |
                                          (event->release.begins_turn ? RELEASE_TURN : 0),
                                   .text = event->release.operation };
    case EVENT_TLS:
        return (struct event_row){ .kind = ROW_TLS, .key = event->tls.step, .text = event->tls.text };
    case EVENT_COUNTS:
        return (struct event_row){ .kind = ROW_COUNTS,
                                   .marks = event->counts.from_client ? client : 0,
                                   .bytes = event->counts.messages };
    case EVENT_HELD:
        return (struct event_row){ .kind = ROW_HELD, .marks = event->held.until_end ? MARK_ENDS : 0 };
    case EVENT_PRELUDE:
        return (struct event_row){ .kind = ROW_PRELUDE, .bytes = event->prelude.bytes };
    case EVENT_MISS:
        return (struct event_row){ .kind = ROW_MISS };
    case EVENT_ORDER:
        return (struct event_row){ .kind = ROW_ORDER, .key = event->order.is_lost };
    case EVENT_LOSE:
        return (struct event_row){ .kind = ROW_LOSE, .key = event->lose.below };
    case EVENT_ASSIGN:
        return (struct event_row){ .kind = ROW_ASSIGN, .key = event->assign.key, .bytes = event->assign.skipped };
    case EVENT_DROP:
        return (struct event_row){ .kind = ROW_DROP };
    case EVENT_MESSAGE:
        break;
    }
    return row_of_message(&event->message);
}

struct event_row
event_row_write(const struct event *event)
{
    struct event_row row = row_of(event);
    row.marks |= event->arrives ? MARK_ARRIVES : 0;
    return row;
}

/* Reads all but that it arrives. */
static struct event
event_of(const struct event_row *row)
{
    const bool from_client = row->marks & MARK_FROM_CLIENT;
    const enum protocol protocol = (enum protocol)MIN(row->key, PROTOCOL_COUNT - 1);
    switch (row->kind) {
    case ROW_CLAIM:
        return (
            struct event){ .kind = EVENT_CLAIM,
                           .claim = { protocol, from_client, .turns = (unsigned)MIN(row->bytes, TURNS_WITHIN_MOST) } };
    case ROW_ASKS:
        return message_of_row(row, MESSAGE_ASKS);
    case ROW_ANSWERS:
        return message_of_row(row, MESSAGE_ANSWERS);
    case ROW_BREAKS:
        return (struct event){ .kind = EVENT_BREAKS, .breaks = { from_client, row->bytes } };
    case ROW_LOSE:
        return (struct event){ .kind = EVENT_LOSE, .lose.below = row->key };
    case ROW_RELEASE:
        return (struct event){ .kind = EVENT_RELEASE,
                               .release = { row->key & RELEASE_LOSES, row->key & RELEASE_TURN, row->text } };
    case ROW_UNDECIDED:
        return message_of_row(row, MESSAGE_UNDECIDED);
    case ROW_ASSIGN:
        return (struct event){ .kind = EVENT_ASSIGN, .assign = { row->key, row->bytes } };
    case ROW_DROP:
        return (struct event){ .kind = EVENT_DROP };
    case ROW_BEGINS:
        return (struct event){ .kind = EVENT_BEGINS, .begins.from_client = from_client };
    case ROW_TLS:
        return (struct event){ .kind = EVENT_TLS, .tls = { (enum tls_step)MIN(row->key, TLS_STEPS), row->text } };
    case ROW_PROMISES:
        return message_of_row(row, MESSAGE_PROMISES);
    case ROW_STOPS:
        return (
            struct event){ .kind = EVENT_STOPS,
                           .stops = { row->key, row->bytes <= STOP_CANCELLED ? (enum stop)row->bytes : STOP_REFUSED } };
    case ROW_UPGRADE:
        return (struct event){ .kind = EVENT_UPGRADE, .upgrade.protocol = protocol };
    case ROW_ROLES:
        return (struct event){ .kind = EVENT_ROLES, .roles.from_client = from_client };
    case ROW_MISS:
        return (struct event){ .kind = EVENT_MISS };
    case ROW_ORDER:
        return (struct event){ .kind = EVENT_ORDER, .order.is_lost = row->key != 0 };
    case ROW_COUNTS:
        return (struct event){ .kind = EVENT_COUNTS,
                               .counts = { from_client, (uint32_t)MIN(row->bytes, CONTENT_UNKNOWN) } };
    case ROW_PRELUDE:
        return (struct event){ .kind = EVENT_PRELUDE, .prelude.bytes = (uint32_t)MIN(row->bytes, UINT32_MAX) };
    case ROW_HELD:
    case ROW_KINDS:
        break;
    }
    return (struct event){ .kind = EVENT_HELD, .held.until_end = row->marks & MARK_ENDS };
}

struct event
event_row_read(const struct event_row *row)
{
    struct event event = event_of(row);
    event.arrives = row->marks & MARK_ARRIVES;
    return event;
}
