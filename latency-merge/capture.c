/* capture.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "capture.h"

#include <inttypes.h>
#include <string.h>

#include "lines.h"
#include "table/line_types.h"
#include "table/segment_columns.h"

static void
read_settings(struct record *record, struct capture *capture)
{
    struct record settings = record_object(record, "settings");
    const char *server_ports = record_text(&settings, "server_ports");
    const char *full_sizes = record_text(&settings, "full_sizes");
    uint64_t chunk_size = record_uint(&settings, "chunk_size", UINT32_MAX);
    const char *requests = record_text(&settings, "requests");
    capture->timeout_ns = (int64_t)record_uint(&settings, "timeout", INT64_MAX);
    capture->fold_numbers = record_optional_true(&settings, "fold_numbers");
    capture->settings = g_strdup_printf(
        "server ports \"%s\", full sizes \"%s\", chunk size %" PRIu64 ", timeout %" PRId64 " ns, %s%s", server_ports,
        full_sizes, chunk_size, capture->timeout_ns, requests, capture->fold_numbers ? ", folded numbers" : "");
    if (settings.wrong && !record->wrong)
        record->wrong = "settings";
}

static void
check_columns(struct record *record, const char *name, const char *const *expected, unsigned count)
{
    JsonArray *names = record_array(record, name);
    for (unsigned i = 0; i < count; i++)
        if (strcmp(record_text_element(record, name, names, i), expected[i]) != 0)
            record->wrong = record->wrong ? record->wrong : name;
}

static void
check_rules(struct record *record, enum json_content content)
{
    struct record histogram = record_object(record, "histogram");
    if (strcmp(record_text(&histogram, "rule"), "log-linear") != 0 ||
        record_int(&histogram, "bits") != HISTOGRAM_BITS || histogram.wrong)
        record->wrong = record->wrong ? record->wrong : "histogram";
    if (content != JSON_ALL)
        return;
    check_columns(record, "segment_columns", segment_columns, SEGMENT_COLUMNS);
    check_columns(record, "message_columns", message_columns, MESSAGE_COLUMNS);
}

/* Absent if there are none. */
static uint64_t
read_count(struct record *record, const char *name)
{
    return record_has(record, name) ? record_uint(record, name, INT64_MAX) : 0;
}

static void
read_sightings(struct record *record, struct sighting_tally *tally)
{
    const bool is_sampled = record_has(record, "sample_most");
    tally->seen = read_count(record, "sightings");
    tally->lost = read_count(record, "sightings_lost");
    tally->most = is_sampled ? (uint32_t)record_uint(record, "sample_most", UINT16_MAX) : tally->seen > 0;
    tally->fewest = is_sampled ? (uint32_t)record_uint(record, "sample_least", UINT16_MAX) : tally->most;
}

static void
read_points(struct record *record, struct capture *capture)
{
    JsonArray *names = record_has(record, "capture_points") ? record_array(record, "capture_points") : NULL;
    for (unsigned i = 0; names && i < json_array_get_length(names); i++)
        g_ptr_array_add(capture->points, g_strdup(record_text_element(record, "capture_points", names, i)));
}

static void
read_head(struct record *record, struct capture *capture)
{
    const int64_t furthest_ns = INT64_C(1) << 62;
    capture->content = (enum json_content)record_word(record, "content", json_content_name, JSON_CONTENTS);
    capture->filter = g_strdup(record_optional_text(record, "filter", NULL));
    capture->frames = record_uint(record, "frames", INT64_MAX);
    capture->first_ns = record_optional_int(record, "first_time", 0);
    capture->last_ns = record_optional_int(record, "last_time", capture->first_ns);
    if (capture->first_ns < -furthest_ns || capture->last_ns > furthest_ns || capture->first_ns > capture->last_ns)
        record->wrong = record->wrong ? record->wrong : "first_time";
    capture->requests = record_uint(record, "requests", INT64_MAX);
    capture->attempts = record_uint(record, "attempts", INT64_MAX);
    capture->handshakes = read_count(record, "handshakes");
    capture->tls_handshakes = read_count(record, "tls_handshakes");
    capture->tls_alerts = read_count(record, "tls_alerts");
    capture->channels = read_count(record, "channels");
    capture->orphan_channels = read_count(record, "orphan_channels");
    capture->pva_channels = read_count(record, "pva_channels");
    capture->orphan_pva_channels = read_count(record, "orphan_pva_channels");
    capture->unsolicited = record_uint(record, "unsolicited_frames", INT64_MAX);
    capture->duplicates = record_uint(record, "duplicate_frames", INT64_MAX);
    capture->unread = record_uint(record, "unread_segments", INT64_MAX);
    capture->fragments = read_count(record, "fragments");
    read_sightings(record, &capture->sightings);
    read_points(record, capture);
    read_settings(record, capture);
    check_rules(record, capture->content);
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
