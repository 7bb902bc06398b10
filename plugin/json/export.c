/* export.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "export.h"

#include "../core/analysis.h"
#include "../core/item_subject.h"
#include "../table/line_types.h"

#include "../table/ca_events.h"
#include "export_ca.h"
#include "export_head.h"
#include "export_rows.h"
#include "export_segments.h"
#include "export_tallies.h"
#include "../table/held_frames.h"
#include "../table/observer.h"

struct json_export {
    struct table_source *source;
    struct export_head head;
    struct export_file *file;
    struct line segments; /* both to files without a name, until the head is known */
    struct line rows;
    uint64_t counts[LINE_TYPES]; /* of the lines in all of them */
    struct spill_buffer *spill_buffer;
    struct pending_requests *requests;
    struct segment_log *log; /* NULL if nobody wants it */
    struct tallies *tallies;
    struct ca_export *ca;
    struct observer observer;
    struct held_frames held;
    bool finished;
    /* The capture being read. */
    GPtrArray *attempts;   /* of struct connection, by the attempt's number less one; NULL for those not to be seen */
    GPtrArray *handshakes; /* of struct connection, by the handshake's number less one; likewise */
    GPtrArray *unmatched;  /* of struct connection that begin with server payload */
    int64_t first_ns, last_ns;
    uint32_t connections;   /* in it so far */
    struct numbered before; /* in the captures before */
};

static uint32_t
number_of(const struct json_export *export, const struct connection *connection)
{
    return export->before.connections + connection->number;
}

static void
write_request(void *data, const struct pending_request *pending)
{
    struct json_export *export = data;
    const struct request *request = &pending->request;
    enum outcome outcome = request_outcome(&export->source->analysis->requests, request);
    uint32_t connection = number_of(export, request->connection);
    enum tls_turn role = omitted_take_tls(&export->head.omitted, request, TLS_NONE);
    if (role != TLS_NONE) {
        if (role != TLS_HANDSHAKE_GOES_ON && export->head.content != JSON_SUMMARY)
            tls_row_write(&export->rows, pending, role, connection);
        return;
    }
    tallies_take_request(export->tallies, request, pending->operation);
    export_head_take_request(&export->head, request);
    if (export->head.content != JSON_SUMMARY)
        request_row_write(&export->rows, export->spill_buffer, pending, outcome, connection, export->source->settings);
    if (outcome == OUTCOME_CAPTURE_ENDED && !export->head.filter && !request->by_messages)
        open_row_write(&export->rows, pending, connection, export->source->settings);
    export_file_check(export->file);
}

static void
take_frame(void *data, const int64_t *time_ns)
{
    struct json_export *export = data;
    export->head.frames++;
    if (!time_ns)
        return;
    export->first_ns = MIN(export->first_ns, *time_ns);
    export->last_ns = MAX(export->last_ns, *time_ns);
}

static void
take_segment(void *data, const struct segment *segment, const struct connection *connection)
{
    struct json_export *export = data;
    export->connections = MAX(export->connections, connection->number);
    if (export->log)
        segment_log_take(export->log, segment, connection, false);
}

static void
take_message(void *data, const struct connection *connection, const struct message *message)
{
    struct json_export *export = data;
    if (export->log)
        segment_log_take_message(export->log, connection, message,
                                 export->source->analysis->requests.taken.segment.seq);
}

static void
take_quoted(void *data, const struct segment *quoted, const struct connection *connection)
{
    struct json_export *export = data;
    if (export->log)
        segment_log_take(export->log, quoted, connection, true);
}

static void
begin_capture(struct json_export *export)
{
    export->first_ns = INT64_MAX;
    export->last_ns = INT64_MIN;
    export->connections = 0;
    g_ptr_array_set_size(export->attempts, 0);
    g_ptr_array_set_size(export->handshakes, 0);
    g_ptr_array_set_size(export->unmatched, 0);
}

static void
write_attempts(struct json_export *export)
{
    for (unsigned i = 0; i < export->attempts->len; i++) {
        const struct connection *attempt = g_ptr_array_index(export->attempts, i);
        if (!attempt)
            continue;
        export->head.attempts++;
        tallies_take_attempt(export->tallies, attempt);
        if (export->head.content != JSON_SUMMARY)
            attempt_row_write(&export->rows, attempt, number_of(export, attempt));
    }
}

static void
write_handshakes(struct json_export *export)
{
    for (unsigned i = 0; i < export->handshakes->len; i++) {
        const struct connection *connection = g_ptr_array_index(export->handshakes, i);
        if (!connection)
            continue;
        export->head.handshakes++;
        tallies_take_handshake(export->tallies, connection);
        if (export->head.content != JSON_SUMMARY)
            handshake_row_write(&export->rows, connection, number_of(export, connection));
    }
}

static void
write_unmatched(struct json_export *export)
{
    for (unsigned i = 0; i < export->unmatched->len && !export->head.filter; i++) {
        const struct connection *unmatched = g_ptr_array_index(export->unmatched, i);
        if (unmatched_row_is_due(unmatched))
            unmatched_row_write(&export->rows, unmatched, number_of(export, unmatched));
    }
}

/* Writes what hangs on the capture's records, before they vanish. */
static void
end_capture(void *data)
{
    struct json_export *export = data;
    if (export->finished)
        return;
    pending_requests_flush(export->requests);
    write_attempts(export);
    write_handshakes(export);
    write_unmatched(export);
    ca_export_end_capture(export->ca, export->head.content != JSON_SUMMARY ? &export->rows : NULL);
    if (export->log)
        segment_log_write(export->log, export->first_ns, export->last_ns, export->before, export->source->settings,
                          &export->segments);
    held_frames_clear(&export->held);
    export_file_check(export->file);
    export_head_take_times(&export->head, export->first_ns, export->last_ns);
    if (export->source->has_points)
        export_head_take_points(&export->head, export->source->analysis->points);
    export->head.fragments += export->source->fragments;
    export->before.connections += export->connections;
    export->before.frames = export->head.frames;
    begin_capture(export);
}

static void
take_last_event(void *data, const struct ca_event *event)
{
    export_take_ca(data, event);
}

static void
take_last(void *data, const struct item *item, uint32_t frame)
{
    export_take(data, item, frame);
    ca_events_each(((struct json_export *)data)->source->analysis->channels, item, take_last_event, data);
}

struct json_export *
export_new(struct table_source *source, const char *path, const char *filter, enum json_content content)
{
    struct export_file *file = export_file_new(path);
    if (!file)
        return NULL;
    struct json_export *export = g_new0(struct json_export, 1);
    /* What a filter leaves of a connection tells nothing of its ends. */
    export_head_init(&export->head, filter ? MAX(content, JSON_ROWS) : content, filter);
    export->source = source;
    export->file = file;
    export->segments.dumper.output_file = export_file_part(file, PART_SEGMENTS);
    export->rows.dumper.output_file = export_file_part(file, PART_ROWS);
    export->segments.counts = export->rows.counts = export->counts;
    export->spill_buffer = spill_buffer_new(export_file_part(file, PART_SPILL_BUFFER));
    bool with_packets = export->head.content != JSON_SUMMARY;
    export->requests = pending_requests_new(with_packets ? export->spill_buffer : NULL, write_request, export);
    export->log = export->head.content == JSON_ALL ? segment_log_new(export->spill_buffer) : NULL;
    export->tallies = tallies_new(source->settings);
    export->ca = ca_export_new(source);
    export->attempts = g_ptr_array_new();
    export->handshakes = g_ptr_array_new();
    export->unmatched = g_ptr_array_new();
    begin_capture(export);
    export->observer = (struct observer){
        .data = export,
        .frame = take_frame,
        .segment = take_segment,
        .message = take_message,
        .quoted = take_quoted,
        .end = end_capture,
    };
    observer_add(source, &export->observer);
    held_frames_open(&export->held, source, take_last, export);
    return export;
}

void
export_free(struct json_export *export)
{
    observer_remove(export->source, &export->observer);
    held_frames_close(&export->held);
    g_ptr_array_free(export->attempts, TRUE);
    g_ptr_array_free(export->handshakes, TRUE);
    g_ptr_array_free(export->unmatched, TRUE);
    tallies_free(export->tallies);
    ca_export_free(export->ca);
    if (export->log)
        segment_log_free(export->log);
    pending_requests_free(export->requests);
    spill_buffer_free(export->spill_buffer);
    export_file_free(export->file);
    export_head_clear(&export->head);
    g_free(export);
}

static void
note_connection(GPtrArray *connections, uint32_t number, const struct connection *connection)
{
    if (connections->len < number)
        g_ptr_array_set_size(connections, (int)number);
    connections->pdata[number - 1] = (void *)connection;
}

void
export_take(struct json_export *export, const struct item *item, uint32_t frame)
{
    const struct connection *attempt = item_attempt(item);
    held_frames_note(&export->held, item, frame);
    if (attempt)
        note_connection(export->attempts, attempt->connect.number, attempt);
    if (item->kind == ITEM_TLS)
        note_connection(export->handshakes, item->connection->handshake->number, item->connection);
    omitted_take(&export->head.omitted, item);
    if (item_payload(item))
        tallies_take_payload(export->tallies, item);
    if (item_request(item)) {
        pending_requests_take(export->requests, item, item_frame(item, frame));
    } else if (item->kind == ITEM_UNSOLICITED && item_frame(item, frame) == item->connection->greeting.frame) {
        g_ptr_array_add(export->unmatched, item->connection);
    }
}

void
export_take_ca(struct json_export *export, const struct ca_event *event)
{
    ca_export_take(export->ca, event);
}

static void
write_head(struct json_export *export)
{
    FILE *out = export_file_part(export->file, PART_HEAD);
    struct line line = { .dumper = { .output_file = out }, .counts = export->counts };
    export_head_write(&export->head, export->source, &line);
}

static void
write_end(void *data, const char *digest, FILE *out)
{
    const struct json_export *export = data;
    struct line line = { .dumper = { .output_file = out } };
    export_end_write(export->counts, digest, &line);
}

bool
export_finish(struct json_export *export)
{
    end_capture(export);
    export->finished = true;
    tallies_write(export->tallies, &export->rows);
    ca_export_write(export->ca, export->head.content != JSON_SUMMARY, &export->rows);
    export->head.channels = ca_export_channels(export->ca);
    export->head.orphan_channels = ca_export_orphans(export->ca);
    write_head(export);
    export_file_check(export->file);
    export_file_note_error(export->file, spill_buffer_error(export->spill_buffer));
    return export_file_finish(export->file, write_end, export);
}
