/* export.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "export.h"

#include "../core/analysis.h"
#include "../core/item_subject.h"
#include "line_kinds.h"

#include "../table/ca_events.h"
#include "export_ca.h"
#include "export_calls.h"
#include "../core/pva/pva_protocol.h"
#include "export_head.h"
#include "export_late.h"
#include "export_rows.h"
#include "export_segments.h"
#include "export_tallies.h"
#include "../table/held_frames.h"
#include "../table/observer.h"
#include "../table/stays.h"

struct json_export {
    struct table_source *source;
    struct export_head head;
    struct export_file *file;
    struct line segments; /* both to files without a name, until the head is known */
    struct line rows;
    struct late_rows *late;
    struct connection_rows *of_connections;
    uint64_t counts[LINE_TYPES]; /* of the lines in all of them */
    struct spill_buffer *spill_buffer;
    struct pending_requests *requests;
    struct segment_log *log; /* NULL if nobody wants it */
    struct tallies *tallies;
    struct ca_export *ca, *pva;
    struct call_rows *calls; /* NULL if nobody wants them */
    struct observer observer;
    struct held_frames held;
    struct stays stays;
    bool finished;
    /* The capture being read. */
    uint64_t written; /* requests, as soon as they were complete */
    bool ends_connection;
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
write_request_row(struct json_export *export, struct line *line, const struct pending_request *pending,
                  struct row_key key)
{
    const struct request *request = &pending->request;
    const struct requests *requests = &export->source->analysis->requests;
    enum outcome outcome = request_outcome(requests, request);
    uint32_t connection = number_of(export, request->connection);
    enum tls_turn role = omitted_take_tls(&export->head.omitted, request, TLS_NONE);
    if (role != TLS_NONE) {
        if (role != TLS_HANDSHAKE_GOES_ON && export->head.content != JSON_SUMMARY)
            tls_row_write(line, pending, role, connection);
        return;
    }
    tallies_take_request(export->tallies, key, requests, request, pending->operation);
    export_head_take_request(&export->head, request);
    if (export->head.content != JSON_SUMMARY)
        request_row_write(line, export->spill_buffer, pending, stays_at(&export->stays, request->number),
                          request_ids_trace(requests, request->number), outcome, connection, export->source->settings);
    if (outcome == OUTCOME_WAITING && !export->head.filter && !request->by_messages)
        open_row_write(line, pending, connection, export->source->settings);
}

static void
write_request(void *data, const struct pending_request *pending)
{
    struct json_export *export = data;
    const struct requests *requests = &export->source->analysis->requests;
    const uint32_t order = pending->request.number;
    bool is_told_last = requests_are_ending(requests) && !items_are_kept(requests->items);
    if (export->ends_connection || is_told_last) {
        const struct row_key key = late_rows_key(export->source->number, LATE_REQUEST, order);
        write_request_row(export, late_rows_begin(export->late), pending, key);
        late_rows_add(export->late, LATE_REQUEST, order);
    } else {
        const struct row_key key = { (uint64_t) export->source->number << 3, ++export->written };
        write_request_row(export, &export->rows, pending, key);
    }
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
take_event(void *data, const struct connection *connection, const struct event *event, const struct segment *segment)
{
    struct json_export *export = data;
    if (export->log)
        segment_log_take_event(export->log, connection, event, segment->seq);
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
}

/* Writes what hangs on the connection's records, before they vanish. */
static void
forget(void *data, const struct connection *connection)
{
    struct json_export *export = data;
    export->ends_connection = true;
    pending_requests_end(export->requests, connection);
    export->ends_connection = false;
    connection_rows_forget(export->of_connections, connection);
    if (export->log)
        segment_log_forget(export->log, connection, export->source->last_ns);
}

/* The same for the capture's. */
static void
end_connections(struct json_export *export)
{
    export->ends_connection = true;
    pending_requests_flush(export->requests);
    export->ends_connection = false;
    connection_rows_end_capture(export->of_connections);
    late_rows_write(export->late, export->rows.dumper.output_file);
}

static void
end_capture(void *data)
{
    struct json_export *export = data;
    if (export->finished)
        return;
    end_connections(export);
    if (export->calls)
        call_rows_write(export->calls, &export->rows, export->head.joined);
    struct line *rows = export->head.content != JSON_SUMMARY ? &export->rows : NULL;
    ca_export_end_capture(export->ca, rows);
    ca_export_end_capture(export->pva, rows);
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
take_last(void *data, const struct item *item, uint32_t frame)
{
    export_take(data, item, frame);
    ca_events_each(((struct json_export *)data)->source->analysis->channels, item, export_take_ca, data);
}

struct json_export *
export_new(struct table_source *source, const char *path, const char *filter, enum json_content content, bool has_calls)
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
    stays_init(&export->stays, source);
    export->tallies = tallies_new(source->settings);
    export->calls = has_calls && content != JSON_SUMMARY ? call_rows_new(source) : NULL;
    struct export_head *head = &export->head;
    export->ca = ca_export_new(source, &circuit_of_channel_access, &head->channels, &head->orphan_channels);
    export->pva = ca_export_new(source, &circuit_of_pvaccess, &head->pva_channels, &head->orphan_pva_channels);
    export->late = late_rows_new(export_file_part(file, PART_LATE_ROWS), export->counts);
    export->of_connections =
        connection_rows_new(source, head, export->tallies, export->late, &export->before.connections);
    begin_capture(export);
    export->observer = (struct observer){
        .data = export,
        .frame = take_frame,
        .segment = take_segment,
        .event = take_event,
        .quoted = take_quoted,
        .forget = forget,
        .end = end_capture,
    };
    observer_add(source, &export->observer);
    held_frames_open(&export->held, source, take_last, export);
    export->held.takes_all = !filter;
    return export;
}

void
export_free(struct json_export *export)
{
    observer_remove(export->source, &export->observer);
    held_frames_close(&export->held);
    connection_rows_free(export->of_connections);
    late_rows_free(export->late);
    stays_clear(&export->stays);
    tallies_free(export->tallies);
    if (export->calls)
        call_rows_free(export->calls);
    ca_export_free(export->ca);
    ca_export_free(export->pva);
    if (export->log)
        segment_log_free(export->log);
    pending_requests_free(export->requests);
    spill_buffer_free(export->spill_buffer);
    export_file_free(export->file);
    export_head_clear(&export->head);
    g_free(export);
}

void
export_take(void *data, const struct item *item, uint32_t frame)
{
    struct json_export *export = data;
    held_frames_note(&export->held, item, item_frame(item, frame));
    connection_rows_take(export->of_connections, item, item_frame(item, frame));
    stays_take(&export->stays, item);
    omitted_take(&export->head.omitted, item);
    if (item->kind == ITEM_SIGHTING)
        sighting_tally_take(&export->head.sightings, item->sighting);
    if (item_payload(item))
        tallies_take_payload(export->tallies, item);
    if (item_request(item))
        pending_requests_take(export->requests, item, frame);
    if (export->calls)
        call_rows_take(export->calls, item);
}

void
export_take_ca(void *data, const struct ca_event *event)
{
    const struct json_export *export = data;
    ca_export_take(export->ca, event);
    ca_export_take(export->pva, event);
}

static void
write_head(struct json_export *export)
{
    FILE *out = export_file_part(export->file, PART_HEAD);
    if (export->calls)
        export->head.calls = (int64_t) export->counts[line_type_find("call")];
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
    ca_export_write(export->pva, export->head.content != JSON_SUMMARY, &export->rows);
    write_head(export);
    export_file_check(export->file);
    export_file_note_error(export->file, spill_buffer_error(export->spill_buffer));
    export_file_note_error(export->file, late_rows_error(export->late));
    return export_file_finish(export->file, write_end, export);
}
