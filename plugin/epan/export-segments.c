/* export-segments.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "export-segments.h"

#include <inttypes.h>
#include <string.h>

#include "../core/operation.h"

/* So far after its end, or before its beginning, nothing more of a connection is awaited. */
static const int64_t clear_ns = CONNECTION_LINGERS_S * INT64_C(1000000000);

enum { SEGMENTS_A_LINE = 1000 };

enum {
    PACKED_FRAGMENT = 0x100,
    PACKED_QUOTED = 0x200,
    PACKED_HAS_IP_ID = 0x400,
    PACKED_LATE = 0x800,
    PACKED_GOES_ON = 0x1000
};
enum { MARK_JOINS = 1, MARK_ENDS = 2, MARK_FROM_CLIENT = 4, MARK_FAILED = 8, MARK_LATE = 16 };

const char *const segment_columns[] = { "frame",         "time",   "side",     "seq",   "ack",       "flags",
                                        "payload_bytes", "window", "checksum", "ip_id", "operation", "messages" };
const unsigned n_segment_columns = G_N_ELEMENTS(segment_columns);
const char *const message_columns[] = { "kind", "marks", "key", "bytes", "operation" };
const unsigned n_message_columns = G_N_ELEMENTS(message_columns);

/* In `side`: not a segment but a message in the one before. */
enum { PACKED_MESSAGE = 2 };

/* A segment; its operation's text follows. */
struct packed {
    union {
        int64_t time_ns;
        uint64_t key;
    };
    union {
        struct {
            uint32_t frame, seq;
        };
        uint64_t bytes;
    };
    uint32_t ack, payload_bytes;
    uint16_t flags; /* of a message: its marks */
    uint16_t window, checksum, ip_id;
    uint8_t side;
    uint8_t kind; /* of a message */
    uint8_t operation_bytes;
};

struct entry {
    struct packed packed;
    char operation[OPERATION_ROOM];
};

/* A connection's. */
struct history {
    const struct connection *connection; /* NULL: quoted before any segment of it */
    struct endpoint endpoint[2];
    bool ipv6;
    bool closing;  /* in the queue */
    bool complete; /* nothing of it need be known */
    int64_t first_ns, last_ns;
    struct chain segments;
};

struct segment_log {
    struct spool *spool;
    GPtrArray *histories; /* of struct history, by the connection's number less one */
    GPtrArray *strays;    /* of struct history without a connection */
    GQueue closing;       /* of struct history that have ended */
    int64_t first_ns;     /* of all segments */
};

struct segment_log *
segment_log_new(struct spool *spool)
{
    struct segment_log *log = g_new0(struct segment_log, 1);
    log->spool = spool;
    log->histories = g_ptr_array_new();
    log->strays = g_ptr_array_new();
    log->first_ns = INT64_MAX;
    return log;
}

static void
forget_histories(struct segment_log *log, GPtrArray *histories)
{
    for (unsigned i = 0; i < histories->len; i++) {
        struct history *history = g_ptr_array_index(histories, i);
        if (history)
            chain_clear(log->spool, &history->segments);
        g_free(history);
    }
    g_ptr_array_set_size(histories, 0);
}

static void
forget_all(struct segment_log *log)
{
    forget_histories(log, log->histories);
    forget_histories(log, log->strays);
    g_queue_clear(&log->closing);
    log->first_ns = INT64_MAX;
}

void
segment_log_free(struct segment_log *log)
{
    forget_all(log);
    g_ptr_array_free(log->histories, TRUE);
    g_ptr_array_free(log->strays, TRUE);
    g_free(log);
}

static struct history *
new_history(const struct segment *segment, const struct connection *connection)
{
    struct history *history = g_new0(struct history, 1);
    history->connection = connection;
    history->endpoint[0] = connection ? connection->endpoint[0] : segment->source;
    history->endpoint[1] = connection ? connection->endpoint[1] : segment->destination;
    history->ipv6 = segment->ipv6;
    history->first_ns = history->last_ns = segment->time_ns;
    return history;
}

static struct history *
history_of(struct segment_log *log, const struct segment *segment, const struct connection *connection)
{
    struct history *history;
    if (!connection) {
        history = new_history(segment, NULL);
        g_ptr_array_add(log->strays, history);
        return history;
    }
    if (log->histories->len < connection->number)
        g_ptr_array_set_size(log->histories, (int)connection->number);
    history = g_ptr_array_index(log->histories, connection->number - 1);
    if (!history)
        history = log->histories->pdata[connection->number - 1] = new_history(segment, connection);
    return history;
}

/* Whether it begins and ends in a capture from `first_ns` to `last_ns`. */
static bool
is_complete(const struct history *history, int64_t first_ns, int64_t last_ns)
{
    const struct connection *connection = history->connection;
    return history->complete || (connection && connection->connect.number && connection_has_ended(connection) &&
                                 history->first_ns - first_ns >= clear_ns && last_ns - history->last_ns >= clear_ns);
}

static void
drop_complete(struct segment_log *log, int64_t now_ns)
{
    struct history *history;
    while ((history = g_queue_peek_head(&log->closing)) && now_ns - history->last_ns >= clear_ns) {
        g_queue_pop_head(&log->closing);
        history->closing = false;
        history->complete = is_complete(history, log->first_ns, now_ns);
        if (history->complete)
            chain_clear(log->spool, &history->segments);
    }
}

static void
append(struct segment_log *log, struct history *history, const struct entry *entry)
{
    if (!history->complete)
        chain_append(log->spool, &history->segments, entry,
                     (uint32_t)(sizeof entry->packed + entry->packed.operation_bytes));
}

void
segment_log_take_message(struct segment_log *log, const struct connection *connection, const struct message *message)
{
    struct entry entry;
    /* An answer has a status in the operation's place. */
    const char *text =
        message->kind == MESSAGE_ASKS || message->kind == MESSAGE_RELEASE ? message->operation : message->status;
    size_t operation_bytes = text ? strlen(text) : 0;
    entry.packed = (struct packed){
        .key = message->key,
        .bytes = message->bytes,
        .flags = (uint16_t)((message->joins ? MARK_JOINS : 0) | (message->ends ? MARK_ENDS : 0) |
                            (message->from_client ? MARK_FROM_CLIENT : 0) | (message->failed ? MARK_FAILED : 0) |
                            (message->late ? MARK_LATE : 0)),
        .side = PACKED_MESSAGE,
        .kind = (uint8_t)message->kind,
        .operation_bytes = (uint8_t)operation_bytes,
    };
    if (operation_bytes)
        memcpy(entry.operation, text, operation_bytes);
    append(log, g_ptr_array_index(log->histories, connection->number - 1), &entry);
}

void
segment_log_take(struct segment_log *log, const struct segment *segment, const struct connection *connection,
                 bool quoted)
{
    struct entry entry;
    struct history *history = history_of(log, segment, connection);
    size_t operation_bytes =
        segment->captured_bytes ? operation_read(segment->payload, segment->captured_bytes, entry.operation) : 0;
    bool from_first = endpoint_equal(&segment->source, &history->endpoint[0]);
    entry.packed = (struct packed){
        .time_ns = segment->time_ns,
        .frame = segment->frame,
        .seq = segment->seq,
        .ack = segment->ack,
        .payload_bytes = segment->payload_bytes,
        .flags =
            (uint16_t)(segment->flags | (segment->fragmented ? PACKED_FRAGMENT : 0) | (quoted ? PACKED_QUOTED : 0) |
                       (segment->has_ip_id ? PACKED_HAS_IP_ID : 0) | (segment->lateness != IN_TIME ? PACKED_LATE : 0) |
                       (segment->lateness == LATE_AND_GOES_ON ? PACKED_GOES_ON : 0)),
        .window = segment->window,
        .checksum = segment->checksum,
        .ip_id = segment->ip_id,
        .side = !from_first,
        .operation_bytes = (uint8_t)operation_bytes,
    };
    log->first_ns = MIN(log->first_ns, segment->time_ns);
    history->first_ns = MIN(history->first_ns, segment->time_ns);
    history->last_ns = MAX(history->last_ns, segment->time_ns);
    append(log, history, &entry);
    if (connection && !history->closing && connection_has_ended(connection)) {
        history->closing = true;
        g_queue_push_tail(&log->closing, history);
    }
    drop_complete(log, segment->time_ns);
}

/* A history being written. */
struct writing {
    struct line *line;
    const struct history *history;
    uint32_t number; /* of the connection; 0 for none */
    uint64_t frames_before;
    const struct settings *settings;
    unsigned segments; /* in the line so far; 0: it has not begun */
    bool in_segment;   /* the last one is not finished */
    bool in_messages;
    bool has_operation;
};

static void
begin_line(const struct writing *writing)
{
    struct line *line = writing->line;
    const struct history *history = writing->history;
    line_begin(line, "segments");
    if (writing->number)
        line_uint(line, "connection", writing->number);
    json_dumper_set_member_name(&line->dumper, "address");
    json_dumper_begin_array(&line->dumper);
    for (unsigned i = 0; i < 2; i++)
        line_address(line, &history->endpoint[i], history->ipv6);
    json_dumper_end_array(&line->dumper);
    json_dumper_set_member_name(&line->dumper, "port");
    json_dumper_begin_array(&line->dumper);
    for (unsigned i = 0; i < 2; i++)
        json_dumper_value_anyf(&line->dumper, "%u", history->endpoint[i].port);
    json_dumper_end_array(&line->dumper);
    json_dumper_set_member_name(&line->dumper, "server_likelihood");
    json_dumper_begin_array(&line->dumper);
    for (unsigned i = 0; i < 2; i++)
        json_dumper_value_anyf(&line->dumper, "%d", writing->settings->port_kind(history->endpoint[i].port));
    json_dumper_end_array(&line->dumper);
    json_dumper_set_member_name(&line->dumper, "segments");
    json_dumper_begin_array(&line->dumper);
}

static void
finish_segment(struct writing *writing)
{
    json_dumper *dumper = &writing->line->dumper;
    if (writing->in_messages)
        json_dumper_end_array(dumper);
    if (writing->in_segment)
        json_dumper_end_array(dumper);
    writing->in_messages = writing->in_segment = false;
}

static void
finish_line(struct writing *writing)
{
    finish_segment(writing);
    json_dumper_end_array(&writing->line->dumper);
    line_end(writing->line);
    writing->segments = 0;
}

static void
write_numbers(json_dumper *dumper, const int64_t *numbers, unsigned count)
{
    json_dumper_begin_array(dumper);
    for (unsigned i = 0; i < count; i++)
        json_dumper_value_anyf(dumper, "%" PRId64, numbers[i]);
}

static void
begin_segment(struct writing *writing, const struct packed *packed, const char *operation)
{
    json_dumper *dumper = &writing->line->dumper;
    const int64_t columns[] = { (int64_t)(writing->frames_before + packed->frame),
                                packed->time_ns,
                                packed->side,
                                packed->seq,
                                packed->ack,
                                packed->flags,
                                packed->payload_bytes,
                                packed->window,
                                packed->checksum,
                                packed->ip_id };
    write_numbers(dumper, columns, G_N_ELEMENTS(columns));
    if (*operation)
        json_dumper_value_string(dumper, operation);
    writing->has_operation = *operation;
    writing->in_segment = true;
}

static void
write_message(struct writing *writing, const struct packed *packed, const char *operation)
{
    json_dumper *dumper = &writing->line->dumper;
    const int64_t columns[] = { packed->kind, packed->flags, (int64_t)packed->key, (int64_t)packed->bytes };
    if (!writing->in_messages) {
        if (!writing->has_operation)
            json_dumper_value_string(dumper, "");
        json_dumper_begin_array(dumper);
        writing->in_messages = true;
    }
    write_numbers(dumper, columns, G_N_ELEMENTS(columns));
    if (*operation)
        json_dumper_value_string(dumper, operation);
    json_dumper_end_array(dumper);
}

static void
write_entry(struct writing *writing, const struct packed *packed, const char *operation)
{
    if (packed->side == PACKED_MESSAGE) {
        write_message(writing, packed, operation);
        return;
    }
    finish_segment(writing);
    if (writing->segments == SEGMENTS_A_LINE)
        finish_line(writing);
    if (writing->segments++ == 0)
        begin_line(writing);
    begin_segment(writing, packed, operation);
}

static void
write_entries(void *data, const uint8_t *bytes, size_t length)
{
    for (size_t at = 0; at < length;) {
        struct packed packed;
        char operation[OPERATION_ROOM] = "";
        memcpy(&packed, bytes + at, sizeof packed);
        memcpy(operation, bytes + at + sizeof packed, packed.operation_bytes);
        at += sizeof packed + packed.operation_bytes;
        write_entry(data, &packed, operation);
    }
}

/* In what follows the messages of a connection are told apart again from where its client begins one. */
static void
release(struct segment_log *log, const struct history *history)
{
    const struct message message = { .kind = MESSAGE_RELEASE };
    const struct framing *framing = &history->connection->framing;
    if (framing->claimed && framing->kind != FRAMING_CA)
        segment_log_take_message(log, history->connection, &message);
}

static void
write_history(struct segment_log *log, struct writing *writing)
{
    chain_read(log->spool, &writing->history->segments, write_entries, writing);
    if (writing->segments > 0)
        finish_line(writing);
}

void
segment_log_write(struct segment_log *log, int64_t first_ns, int64_t last_ns, struct numbered before,
                  const struct settings *settings, struct line *line)
{
    struct writing writing = { .line = line, .frames_before = before.frames, .settings = settings };
    for (unsigned i = 0; i < log->strays->len; i++) {
        writing.history = g_ptr_array_index(log->strays, i);
        write_history(log, &writing);
    }
    for (unsigned i = 0; i < log->histories->len; i++) {
        writing.history = g_ptr_array_index(log->histories, i);
        writing.number = before.connections + i + 1;
        if (!writing.history || is_complete(writing.history, first_ns, last_ns))
            continue;
        release(log, writing.history);
        write_history(log, &writing);
    }
    forget_all(log);
}
