/* export_segments.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "export_segments.h"

#include <inttypes.h>
#include <string.h>

#include "../core/protocol/parsers.h"
#include "../core/request/operation.h"
#include "../table/event_row.h"

/* So far after its end, or before its beginning, nothing more of a connection is awaited. */
static const int64_t clear_ns = CONNECTION_LINGERS_S * INT64_C(1000000000);

/* A line ends behind so many segments, with one that has messages: what was held until then is in the same line as what
 * it is (opening.h). Without messages it ends later. */
enum { SEGMENTS_A_LINE = 1000, SEGMENTS_MOST = 2000 };

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
    uint32_t ack, payload_bytes; /* of a message: the seq of the bytes with which it was told, and its rest */
    uint16_t flags;              /* of a message: its marks */
    uint16_t window, checksum, ip_id;
    uint8_t side;
    uint8_t kind; /* of a message */
    uint8_t operation_bytes;
};

/* A connection's segments being written, several to a line. */
struct segment_writing {
    struct line *line;
    const struct endpoint *endpoint; /* two */
    bool ipv6;
    uint32_t number; /* of the connection; 0 for none */
    uint64_t frames_before;
    const struct settings *settings;
    unsigned segments; /* in the line so far; 0: it has not begun */
    bool in_segment;   /* the last one is not finished */
    bool in_messages;
    bool has_operation;
};

/* As it is kept until then. */
struct entry {
    struct packed packed;
    char operation[OPERATION_ROOM];
};

/* A connection's. */
struct history {
    const struct connection *connection; /* NULL: quoted before any segment of it, or forgotten */
    struct endpoint endpoint[2];
    bool ipv6;
    bool closing;  /* in the queue */
    bool is_whole; /* it has been forgotten, and the capture has its beginning and its end */
    bool complete; /* nothing of it need be known */
    int64_t first_ns, last_ns;
    struct chain segments;
};

struct segment_log {
    struct spill_buffer *spill_buffer;
    GHashTable *histories; /* of struct history, by the connection's number */
    GPtrArray *quotes;     /* of struct history without a connection */
    GQueue closing;        /* of struct history that have ended */
    int64_t first_ns;      /* of all segments */
};

struct segment_log *
segment_log_new(struct spill_buffer *spill_buffer)
{
    struct segment_log *log = g_new0(struct segment_log, 1);
    log->spill_buffer = spill_buffer;
    log->histories = g_hash_table_new(g_direct_hash, g_direct_equal);
    log->quotes = g_ptr_array_new();
    log->first_ns = INT64_MAX;
    return log;
}

static void
forget_history(struct segment_log *log, struct history *history)
{
    chain_clear(log->spill_buffer, &history->segments);
    g_free(history);
}

static void
forget_all(struct segment_log *log)
{
    GHashTableIter each;
    void *history;
    g_hash_table_iter_init(&each, log->histories);
    while (g_hash_table_iter_next(&each, NULL, &history))
        forget_history(log, history);
    g_hash_table_remove_all(log->histories);
    for (unsigned i = 0; i < log->quotes->len; i++)
        forget_history(log, g_ptr_array_index(log->quotes, i));
    g_ptr_array_set_size(log->quotes, 0);
    g_queue_clear(&log->closing);
    log->first_ns = INT64_MAX;
}

void
segment_log_free(struct segment_log *log)
{
    forget_all(log);
    g_hash_table_destroy(log->histories);
    g_ptr_array_free(log->quotes, TRUE);
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
find_history(const struct segment_log *log, const struct connection *connection)
{
    return g_hash_table_lookup(log->histories, GUINT_TO_POINTER(connection->number));
}

static struct history *
history_of(struct segment_log *log, const struct segment *segment, const struct connection *connection)
{
    struct history *history;
    if (!connection) {
        history = new_history(segment, NULL);
        g_ptr_array_add(log->quotes, history);
        return history;
    }
    history = find_history(log, connection);
    if (!history) {
        history = new_history(segment, connection);
        g_hash_table_insert(log->histories, GUINT_TO_POINTER(connection->number), history);
    }
    return history;
}

/* Whether nothing more of it is awaited, and what there was began with it. */
static bool
is_whole(const struct history *history)
{
    const struct connection *connection = history->connection;
    if (!connection)
        return history->is_whole;
    return connection->is_datagrams || (connection->tcp->connect.number && connection_has_ended(connection));
}

/* Whether it begins and ends in a capture from `first_ns` to `last_ns`. */
static bool
is_complete(const struct history *history, int64_t first_ns, int64_t last_ns)
{
    return history->complete ||
           (is_whole(history) && history->first_ns - first_ns >= clear_ns && last_ns - history->last_ns >= clear_ns);
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
            chain_clear(log->spill_buffer, &history->segments);
    }
}

static void
append(struct segment_log *log, struct history *history, const struct entry *entry)
{
    if (!history->complete)
        chain_append(log->spill_buffer, &history->segments, entry,
                     (uint32_t)(sizeof entry->packed + entry->packed.operation_bytes));
}

void
segment_log_take_event(struct segment_log *log, const struct connection *connection, const struct event *event,
                       uint32_t seq)
{
    struct entry entry;
    const struct event_row row = event_row_write(event);
    const size_t text_bytes = row.text ? strlen(row.text) : 0;
    entry.packed = (struct packed){
        .key = row.key,
        .bytes = row.bytes,
        .ack = seq,
        .payload_bytes = row.rest,
        .flags = row.marks | (connection->is_datagrams ? MARK_ENDS : 0), /* nothing goes on in the next */
        .side = PACKED_MESSAGE,
        .kind = (uint8_t)row.kind,
        .operation_bytes = (uint8_t)text_bytes,
    };
    if (text_bytes)
        memcpy(entry.operation, row.text, text_bytes);
    append(log, find_history(log, connection), &entry);
}

void
segment_log_take(struct segment_log *log, const struct segment *segment, const struct connection *connection,
                 bool quoted)
{
    struct entry entry;
    struct history *history = history_of(log, segment, connection);
    size_t operation_bytes = 0;
    if (segment->operation)
        operation_bytes = g_strlcpy(entry.operation, segment->operation, sizeof entry.operation);
    else if (segment->captured_bytes)
        operation_bytes = operation_read(segment->payload, segment->captured_bytes, entry.operation);
    bool from_first = endpoint_equal(&segment->source, &history->endpoint[0]);
    entry.packed = (struct packed){
        .time_ns = segment->time_ns,
        .frame = segment->frame,
        .seq = segment->seq,
        .ack = segment->ack,
        .payload_bytes = segment->payload_bytes,
        .flags = (uint16_t)(segment->flags | (segment->fragmented ? FLAG_FRAGMENT : 0) | (quoted ? FLAG_QUOTED : 0) |
                            (segment->has_ip_id ? FLAG_HAS_IP_ID : 0) |
                            (connection && connection->is_datagrams ? FLAG_DATAGRAM : 0)),
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

void
segment_log_forget(struct segment_log *log, const struct connection *connection, int64_t now_ns)
{
    struct history *history = find_history(log, connection);
    if (!history)
        return;
    if (history->closing)
        g_queue_remove(&log->closing, history);
    history->closing = false;
    history->is_whole = is_whole(history);
    history->connection = NULL;
    if (!is_complete(history, log->first_ns, now_ns))
        return;
    g_hash_table_remove(log->histories, GUINT_TO_POINTER(connection->number));
    forget_history(log, history);
}

static void
begin_line(const struct segment_writing *writing)
{
    struct line *line = writing->line;
    line_begin(line, "segments");
    if (writing->number)
        line_uint(line, "connection", writing->number);
    line_array(line, "address");
    for (unsigned i = 0; i < 2; i++)
        line_address(line, &writing->endpoint[i], writing->ipv6);
    line_end_array(line);
    line_array(line, "port");
    for (unsigned i = 0; i < 2; i++)
        json_dumper_value_anyf(&line->dumper, "%u", writing->endpoint[i].port);
    line_end_array(line);
    line_array(line, "server_likelihood");
    for (unsigned i = 0; i < 2; i++)
        json_dumper_value_anyf(&line->dumper, "%d", writing->settings->port_kind(writing->endpoint[i].port));
    line_end_array(line);
    line_array(line, "segments");
}

static void
finish_segment(struct segment_writing *writing)
{
    json_dumper *dumper = &writing->line->dumper;
    if (writing->in_messages)
        json_dumper_end_array(dumper);
    if (writing->in_segment)
        json_dumper_end_array(dumper);
    writing->in_messages = writing->in_segment = false;
}

static void
finish_line(struct segment_writing *writing)
{
    finish_segment(writing);
    line_end_array(writing->line);
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
begin_segment(struct segment_writing *writing, const struct packed *packed, const char *operation)
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
write_message(struct segment_writing *writing, const struct packed *packed, const char *operation)
{
    json_dumper *dumper = &writing->line->dumper;
    const int64_t columns[] = { packed->kind,           packed->flags,         (int64_t)packed->key,
                                (int64_t)packed->bytes, packed->payload_bytes, packed->ack };
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
write_entry(struct segment_writing *writing, const struct packed *packed, const char *operation)
{
    if (packed->side == PACKED_MESSAGE) {
        write_message(writing, packed, operation);
        return;
    }
    const bool had_messages = writing->in_messages;
    finish_segment(writing);
    if ((writing->segments >= SEGMENTS_A_LINE && had_messages) || writing->segments == SEGMENTS_MOST)
        finish_line(writing);
    if (writing->segments++ == 0)
        begin_line(writing);
    begin_segment(writing, packed, operation);
}

/* Writes packed rows, each followed by its text. */
static void
write_packed(void *data, const uint8_t *bytes, size_t length)
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

static void
end_writing(struct segment_writing *writing)
{
    if (writing->segments > 0)
        finish_line(writing);
}

static void
write_history(struct segment_log *log, const struct history *history, struct segment_writing *writing)
{
    writing->endpoint = history->endpoint;
    writing->ipv6 = history->ipv6;
    chain_read(log->spill_buffer, &history->segments, write_packed, writing);
    end_writing(writing);
}

static int
compare_numbers(const void *a, const void *b)
{
    return (GPOINTER_TO_UINT(a) > GPOINTER_TO_UINT(b)) - (GPOINTER_TO_UINT(a) < GPOINTER_TO_UINT(b));
}

void
segment_log_write(struct segment_log *log, int64_t first_ns, int64_t last_ns, struct numbered before,
                  const struct settings *settings, struct line *line)
{
    struct segment_writing writing = { .line = line, .frames_before = before.frames, .settings = settings };
    GList *numbers = g_list_sort(g_hash_table_get_keys(log->histories), compare_numbers);
    for (unsigned i = 0; i < log->quotes->len; i++) {
        write_history(log, g_ptr_array_index(log->quotes, i), &writing);
    }
    for (const GList *number = numbers; number; number = number->next) {
        const struct history *history = g_hash_table_lookup(log->histories, number->data);
        writing.number = before.connections + GPOINTER_TO_UINT(number->data);
        if (!is_complete(history, first_ns, last_ns))
            write_history(log, history, &writing);
    }
    g_list_free(numbers);
    forget_all(log);
}
