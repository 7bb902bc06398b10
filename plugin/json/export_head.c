/* export_head.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "export_head.h"

#include "../table/event_row.h"
#include "line_kinds.h"

void
export_head_init(struct export_head *head, enum json_content content, const char *filter)
{
    *head = (struct export_head){
        .content = content,
        .filter = g_strdup(filter),
        .first_ns = INT64_MAX,
        .last_ns = INT64_MIN,
        .calls = -1,
        .joined = g_ptr_array_new_with_free_func(g_free),
        .scope = wmem_allocator_new(WMEM_ALLOCATOR_SIMPLE),
    };
    head->points = points_new(head->scope);
}

void
export_head_clear(struct export_head *head)
{
    g_free(head->filter);
    head->filter = NULL;
    g_ptr_array_free(head->joined, TRUE);
    omitted_clear(&head->omitted);
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
    bool answered = request->response.first_frame != 0;
    head->requests++;
    head->answered += answered;
    head->no_handshake += answered && request_server_time(request) < 0;
}

static void
write_points(struct line *line, const void *data)
{
    const struct points *points = data;
    for (unsigned number = 1; number <= points_count(points); number++)
        line_value(line, points_at(points, (uint16_t)number)->name);
}

static void
write_joined(struct line *line, const void *data)
{
    const GPtrArray *joined = data;
    for (unsigned i = 0; i < joined->len; i++)
        line_value(line, g_ptr_array_index(joined, i));
}

static void
write_segment_columns(struct line *line, const void *data)
{
    (void)data;
    for (unsigned i = 0; i < SEGMENT_COLUMNS; i++)
        line_value(line, segment_columns[i]);
}

static void
write_message_columns(struct line *line, const void *data)
{
    (void)data;
    for (unsigned i = 0; i < MESSAGE_COLUMNS; i++)
        line_value(line, message_columns[i]);
}

void
export_head_write(const struct export_head *head, const struct table_source *source, struct line *line)
{
    const struct settings *settings = source->settings;
    const struct sighting_tally *sightings = &head->sightings;
    const bool has_frames = head->first_ns <= head->last_ns, is_sampled = sightings->seen && sightings->most > 1;
    const bool has_segments = head->content == JSON_ALL;
    char *server_ports = source->texts->server_ports(NULL);
    char *full_sizes = source->texts->full_sizes(NULL);
    const struct capture_line row = {
        .format = LINES_FORMAT,
        .plugin = LATENCY_VERSION,
        .wireshark = source->texts->wireshark,
        .content = head->content,
        .filter = head->filter ? head->filter : "",
        .frames = head->frames,
        .first_time = has_frames ? head->first_ns : NO_TIME,
        .last_time = has_frames ? head->last_ns : NO_TIME,
        .requests = head->requests,
        .answered = head->answered,
        .attempts = head->attempts,
        .handshakes = head->handshakes,
        .unsolicited_frames = head->omitted.unsolicited,
        .duplicate_frames = head->omitted.duplicates,
        .unread_segments = head->omitted.unread,
        .tls_handshakes = head->omitted.tls_handshakes,
        .tls_alerts = head->omitted.tls_alerts,
        .no_handshake_requests = head->no_handshake,
        .channels = head->channels,
        .orphan_channels = head->orphan_channels,
        .pva_channels = head->pva_channels,
        .orphan_pva_channels = head->orphan_pva_channels,
        .fragments = head->fragments,
        .calls = head->calls,
        .joined = { head->joined->len > 0 ? write_joined : NULL, head->joined },
        .sightings = sightings->seen,
        .sightings_lost = sightings->seen ? (int64_t)sightings->lost : -1,
        .sample_least = is_sampled ? sightings->fewest : 0,
        .sample_most = is_sampled ? sightings->most : 0,
        .capture_points = { points_count(head->points) > 0 ? write_points : NULL, head->points },
        .settings = {
            .server_ports = server_ports,
            .full_sizes = full_sizes,
            .chunk_size = settings->chunk_bytes,
            .timeout = settings->timeout_ns,
            .requests = settings->by_turns ? "turns" : "messages",
            .fold_numbers = settings->fold_numbers,
        },
        .histogram = { .rule = "log-linear", .bits = HISTOGRAM_BITS },
        .segment_columns.write = has_segments ? write_segment_columns : NULL,
        .message_columns.write = has_segments ? write_message_columns : NULL,
    };
    line_write(line, "capture", &capture_members, &row);
    wmem_free(NULL, server_ports);
    wmem_free(NULL, full_sizes);
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
