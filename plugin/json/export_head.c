/* export_head.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "export_head.h"

#include "../table/line_types.h"
#include "../table/segment_columns.h"
#include "export_segments.h"

void
export_head_init(struct export_head *head, enum json_content content, const char *filter)
{
    *head = (struct export_head){
        .content = content,
        .filter = g_strdup(filter),
        .first_ns = INT64_MAX,
        .last_ns = INT64_MIN,
        .scope = wmem_allocator_new(WMEM_ALLOCATOR_SIMPLE),
    };
    head->points = points_new(head->scope);
}

void
export_head_clear(struct export_head *head)
{
    g_free(head->filter);
    head->filter = NULL;
    wmem_destroy_allocator(head->scope);
}

void
export_head_take_times(struct export_head *head, int64_t first_ns, int64_t last_ns)
{
    head->first_ns = MIN(head->first_ns, first_ns);
    head->last_ns = MAX(head->last_ns, last_ns);
}

void
export_head_take_points(struct export_head *head, const struct points *points)
{
    for (unsigned number = 1; number <= points_count(points); number++)
        points_number(head->points, points_at(points, (uint16_t)number)->name);
}

void
export_head_take_request(struct export_head *head, const struct request *request)
{
    bool answered = request->response.p0_frame != 0;
    head->requests++;
    head->answered += answered;
    head->no_handshake += answered && request_server_time(request) < 0;
}

static void
write_settings(const struct table_source *source, struct line *line)
{
    const struct settings *settings = source->settings;
    char *server_ports = source->texts->server_ports(NULL);
    char *full_sizes = source->texts->full_sizes(NULL);
    line_object(line, "settings");
    line_text(line, "server_ports", server_ports);
    line_text(line, "full_sizes", full_sizes);
    line_uint(line, "chunk_size", settings->chunk_bytes);
    line_int(line, "timeout", settings->timeout_ns);
    line_text(line, "requests", settings->by_turns ? "turns" : "messages");
    if (settings->fold_numbers)
        line_true(line, "fold_numbers");
    line_end_object(line);
    wmem_free(NULL, server_ports);
    wmem_free(NULL, full_sizes);
}

static void
write_names(struct line *line, const char *member, const char *const *names, unsigned count)
{
    json_dumper_set_member_name(&line->dumper, member);
    json_dumper_begin_array(&line->dumper);
    for (unsigned i = 0; i < count; i++)
        json_dumper_value_string(&line->dumper, names[i]);
    json_dumper_end_array(&line->dumper);
}

static void
write_points(const struct points *points, struct line *line)
{
    if (points_count(points) == 0)
        return;
    json_dumper_set_member_name(&line->dumper, "capture_points");
    json_dumper_begin_array(&line->dumper);
    for (unsigned number = 1; number <= points_count(points); number++)
        line_value(line, points_at(points, (uint16_t)number)->name);
    json_dumper_end_array(&line->dumper);
}

static void
write_sightings(const struct sighting_tally *tally, struct line *line)
{
    if (!tally->seen)
        return;
    line_uint(line, "sightings", tally->seen);
    line_uint(line, "sightings_lost", tally->lost);
    if (tally->most > 1) {
        line_uint(line, "sample_least", tally->fewest);
        line_uint(line, "sample_most", tally->most);
    }
}

static void
write_rules(struct line *line, bool segments)
{
    line_object(line, "histogram");
    line_text(line, "rule", "log-linear");
    line_uint(line, "bits", HISTOGRAM_BITS);
    line_end_object(line);
    if (!segments)
        return;
    write_names(line, "segment_columns", segment_columns, SEGMENT_COLUMNS);
    write_names(line, "message_columns", message_columns, MESSAGE_COLUMNS);
}

void
export_head_write(const struct export_head *head, const struct table_source *source, struct line *line)
{
    line_begin(line, "capture");
    line_uint(line, "format", LINES_FORMAT);
    line_text(line, "plugin", LATENCY_VERSION);
    line_text(line, "wireshark", source->texts->wireshark);
    line_text(line, "content", json_content_name(head->content));
    if (head->filter)
        line_text(line, "filter", head->filter);
    line_uint(line, "frames", head->frames);
    if (head->first_ns <= head->last_ns) {
        line_int(line, "first_time", head->first_ns);
        line_int(line, "last_time", head->last_ns);
    }
    line_uint(line, "requests", head->requests);
    line_uint(line, "answered", head->answered);
    line_uint(line, "attempts", head->attempts);
    if (head->handshakes)
        line_uint(line, "handshakes", head->handshakes);
    line_uint(line, "unsolicited_frames", head->omitted.unsolicited);
    line_uint(line, "duplicate_frames", head->omitted.duplicates);
    line_uint(line, "unread_segments", head->omitted.unread);
    if (head->omitted.tls_handshakes)
        line_uint(line, "tls_handshakes", head->omitted.tls_handshakes);
    if (head->omitted.tls_alerts)
        line_uint(line, "tls_alerts", head->omitted.tls_alerts);
    line_uint(line, "no_handshake_requests", head->no_handshake);
    if (head->channels)
        line_uint(line, "channels", head->channels);
    if (head->orphan_channels)
        line_uint(line, "orphan_channels", head->orphan_channels);
    if (head->pva_channels)
        line_uint(line, "pva_channels", head->pva_channels);
    if (head->orphan_pva_channels)
        line_uint(line, "orphan_pva_channels", head->orphan_pva_channels);
    if (head->fragments)
        line_uint(line, "fragments", head->fragments);
    write_sightings(&head->sightings, line);
    write_points(head->points, line);
    write_settings(source, line);
    write_rules(line, head->content == JSON_ALL);
    line_end(line);
}

void
export_end_write(const uint64_t *counts, const char *digest, struct line *line)
{
    line_begin(line, LINE_END);
    line_object(line, "lines");
    for (unsigned i = 0; i < LINE_TYPES; i++)
        if (counts[i])
            line_uint(line, line_types[i], counts[i]);
    line_end_object(line);
    line_text(line, LINE_DIGEST, digest);
    line_end(line);
}
