/* capture.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "capture.h"

#include <inttypes.h>
#include <string.h>

#include "../table/event_row.h"
#include "line_kinds.h"
#include "lines.h"

static void
read_settings(const struct settings_line *settings, struct capture *capture)
{
    capture->timeout_ns = settings->timeout;
    capture->fold_numbers = settings->fold_numbers;
    capture->settings =
        g_strdup_printf("server ports \"%s\", full sizes \"%s\", chunk size %u, timeout %" PRId64 " ns, %s%s",
                        settings->server_ports, settings->full_sizes, settings->chunk_size, settings->timeout,
                        settings->requests, settings->fold_numbers ? ", folded numbers" : "");
}

static void
check_columns(struct record *record, const char *name, struct elements names, const char *const *expected,
              unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        if (strcmp(record_next_text(record, name, &names), expected[i]) != 0)
            record_note_wrong(record, name);
}

static void
check_rules(struct record *record, const struct capture_line *line)
{
    if (strcmp(line->histogram.rule, "log-linear") != 0 || line->histogram.bits != HISTOGRAM_BITS)
        record_note_wrong(record, "histogram");
    if (line->content != JSON_ALL)
        return;
    check_columns(record, "segment_columns", line->segment_columns.read, segment_columns, SEGMENT_COLUMNS);
    check_columns(record, "message_columns", line->message_columns.read, message_columns, MESSAGE_COLUMNS);
}

static void
read_head(struct record *record, struct capture *capture)
{
    struct capture_line line;
    if (!line_read(record, &capture_members, &line))
        return;
    const bool has_frames = line.first_time != NO_TIME;
    struct elements points = line.capture_points.read;
    capture->content = (enum json_content)line.content;
    capture->filter = *line.filter ? g_strdup(line.filter) : NULL;
    capture->frames = line.frames;
    capture->first_ns = has_frames ? line.first_time : 0;
    capture->last_ns = line.last_time != NO_TIME ? line.last_time : capture->first_ns;
    if (capture->first_ns > capture->last_ns)
        record_note_wrong(record, "first_time");
    capture->requests = line.requests;
    capture->attempts = line.attempts;
    capture->handshakes = line.handshakes;
    capture->tls_handshakes = line.tls_handshakes;
    capture->tls_alerts = line.tls_alerts;
    capture->channels = line.channels;
    capture->orphan_channels = line.orphan_channels;
    capture->pva_channels = line.pva_channels;
    capture->orphan_pva_channels = line.orphan_pva_channels;
    capture->fragments = line.fragments;
    capture->calls = line.calls;
    capture->sightings = (struct sighting_tally){
        .seen = line.sightings,
        .lost = (uint64_t)MAX(line.sightings_lost, 0),
        .fewest = line.sample_most ? line.sample_least : line.sightings > 0,
        .most = line.sample_most ? line.sample_most : line.sightings > 0,
    };
    while (points.left > 0)
        g_ptr_array_add(capture->points, g_strdup(record_next_text(record, "capture_points", &points)));
    read_settings(&line.settings, capture);
    check_rules(record, &line);
}

static bool
read_first_line(struct lines *lines, struct capture *capture, GError **error)
{
    struct record record;
    GError *wrong = NULL;
    if (!lines_next(lines, &record, &wrong)) {
        if (wrong)
            g_propagate_error(error, wrong);
        else
            lines_complain(lines, error, "the file is empty.");
        return false;
    }
    if (strcmp(record_optional_text(&record, "type", ""), "capture") != 0) {
        lines_complain(lines, error, "the file does not begin with the object \"capture\" of -z latency,json.");
        return false;
    }
    int64_t format = record_int(&record, "format");
    if (format != LINES_FORMAT) {
        lines_complain(lines, error, "the file has format %" PRId64 "; this latency-merge reads format %d.", format,
                       LINES_FORMAT);
        return false;
    }
    read_head(&record, capture);
    if (record.wrong)
        lines_complain(lines, error, "\"%s\" is missing, or not what docs/json.md says.", record.wrong);
    return !record.wrong;
}

struct capture *
capture_read(const char *path, GError **error)
{
    struct lines *lines = lines_open(path, error);
    if (!lines)
        return NULL;
    struct capture *capture = g_new0(struct capture, 1);
    capture->path = g_strdup(path);
    capture->points = g_ptr_array_new_with_free_func(g_free);
    bool right = read_first_line(lines, capture, error);
    lines_close(lines);
    if (right)
        return capture;
    capture_free(capture);
    return NULL;
}

void
capture_free(struct capture *capture)
{
    g_free(capture->path);
    g_free(capture->filter);
    g_free(capture->settings);
    g_ptr_array_free(capture->points, TRUE);
    g_free(capture);
}
