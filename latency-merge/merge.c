/* merge.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "merge.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include <gio/gio.h>

#include "commands.h"
#include "edges.h"
#include "host_totals.h"
#include "key.h"
#include "lines.h"
#include "replay.h"
#include "results.h"
#include "row_counts.h"
#include "searched_names.h"
#include "sums.h"

struct merge {
    struct totals *totals;
    struct replay *replay;
    struct edges *edges;
    uint64_t frames_before;
    /* Of the capture being added: */
    const struct capture *capture;
    uint64_t lines;
    GHashTable *replayed;     /* numbers of the connections that are replayed */
    struct row_counts counts; /* of it so far */
};

struct merge *
merge_new(const struct capture *first, GError **error)
{
    struct totals *totals = totals_new();
    if (!totals) {
        g_set_error(error, G_IO_ERROR, g_io_error_from_errno(errno), "A temporary file cannot be made: %s.",
                    g_strerror(errno));
        return NULL;
    }
    struct merge *merge = g_new0(struct merge, 1);
    merge->totals = totals;
    merge->replay = replay_new(totals, first->timeout_ns, first->fold_numbers);
    merge->edges = edges_new();
    merge->replayed = g_hash_table_new(NULL, NULL);
    return merge;
}

void
merge_free(struct merge *merge)
{
    g_hash_table_destroy(merge->replayed);
    edges_free(merge->edges);
    replay_free(merge->replay);
    totals_free(merge->totals);
    g_free(merge);
}

/* Whether a row's connection is counted by replaying it. */
static bool
is_replayed(const struct merge *merge, struct record *record)
{
    uint32_t connection = (uint32_t)record_uint(record, "connection", UINT32_MAX);
    return g_hash_table_contains(merge->replayed, GUINT_TO_POINTER(connection));
}

static void
take_request(struct merge *merge, struct record *record)
{
    const struct group_key key = key_of_server(record);
    const char *outcome = record_text(record, "outcome");
    bool truncated = strcmp(outcome, "truncated") == 0;
    bool by_messages = strcmp(record_text(record, "framing"), "turns") != 0;
    uint64_t position = merge->frames_before + record_uint(record, "request_frame", UINT32_MAX);
    struct measured measured = {
        .by_messages = by_messages,
        .in_tls = !by_messages && g_str_has_prefix(record_optional_text(record, "operation", ""), "TLS "),
        .farewell = strcmp(outcome, "closed by client") == 0,
        .waiting = strcmp(outcome, "waiting") == 0,
        .answered = truncated || strcmp(outcome, "answered") == 0 || strcmp(outcome, "cancelled") == 0,
        .failed = truncated || *record_optional_text(record, "error", "") != '\0',
    };
    if (measured.answered) {
        measured.first_byte_ns = (int64_t)record_uint(record, "first_byte", INT64_MAX);
        measured.server_time_ns = record_optional_int(record, "server_time", -1);
        measured.last_byte_ns = (int64_t)record_uint(record, "last_byte", INT64_MAX);
        measured.response_bytes = record_uint(record, "response_bytes", INT64_MAX);
    }
    merge->counts.requests++;
    const struct group_key host = key_of_host(record);
    if (is_replayed(merge, record) || record->wrong)
        return;
    totals_take_request(merge->totals, &key, &measured, position);
    host_totals_take_request(&merge->totals->hosts, &host, &measured, position);
}

static void
take_attempt(struct merge *merge, struct record *record)
{
    const struct group_key key = key_of_pair(record);
    uint64_t position = merge->frames_before + record_uint(record, "frame", UINT32_MAX);
    enum connect_result result = results_read_connect(record);
    const bool is_answered = result != CONNECT_UNANSWERED && result != CONNECT_WAITING;
    int64_t time_ns = is_answered ? (int64_t)record_uint(record, "connect", INT64_MAX) : -1;
    uint32_t syn_retries = (uint32_t)record_uint(record, "syn_retries", UINT32_MAX);
    merge->counts.attempts++;
    const struct group_key host = key_of_host(record);
    bool host_unknown = record_optional_true(record, "host_unknown");
    bool could_not_connect = result == CONNECT_REFUSED || result == CONNECT_UNREACHABLE;
    if (is_replayed(merge, record) || record->wrong)
        return;
    totals_take_attempt(merge->totals, &key, result, time_ns, syn_retries, position);
    if (!host_unknown || could_not_connect)
        host_totals_take_attempt(&merge->totals->hosts, &host, result, time_ns, syn_retries, UINT64_MAX);
}

static void
take_handshake(struct merge *merge, struct record *record)
{
    const struct group_key host = key_of_host(record);
    uint64_t position = merge->frames_before + record_uint(record, "frame", UINT32_MAX);
    enum tls_result result = results_read_tls(record);
    int64_t time_ns = result == TLS_COMPLETE ? (int64_t)record_uint(record, "handshake", INT64_MAX) : -1;
    bool host_unknown = record_optional_true(record, "host_unknown");
    merge->counts.handshakes++;
    if (!is_replayed(merge, record) && !record->wrong && !host_unknown)
        host_totals_take_handshake(&merge->totals->hosts, &host, result, time_ns, position);
}

static void
take_tls(struct merge *merge, struct record *record)
{
    const char *kind = record_text(record, "kind");
    bool is_alert = strcmp(kind, "alert") == 0;
    if (!is_alert && strcmp(kind, "handshake") != 0 && !record->wrong)
        record->wrong = "kind";
    merge->counts.tls++;
    if (!is_replayed(merge, record) && !record->wrong) {
        merge->totals->tls_alerts += is_alert;
        merge->totals->tls_handshakes += !is_alert;
    }
}

/* Where only sums are known, they are taken for rows. */
static struct total *
if_summary(const struct merge *merge, struct total *total)
{
    return merge->capture->content == CONTENT_SUMMARY ? total : NULL;
}

static void
take_server(struct merge *merge, struct record *record)
{
    merge->counts.server_requests +=
        sums_take_requests(record, if_summary(merge, &merge->totals->servers), merge->frames_before + merge->lines);
}

static void
take_operation(struct merge *merge, struct record *record)
{
    sums_take_requests(record, if_summary(merge, &merge->totals->operations), merge->frames_before + merge->lines);
}

static void
take_connections(struct merge *merge, struct record *record)
{
    merge->counts.clients_attempts +=
        sums_take_attempts(record, if_summary(merge, &merge->totals->connections), merge->frames_before + merge->lines);
}

/* Else it is of Channel Access. */
static bool
is_of_pvaccess(struct record *record)
{
    return g_str_has_prefix(record_text(record, "type"), "pva_");
}

static struct total *
servers_of_channels(const struct merge *merge, struct record *record)
{
    return is_of_pvaccess(record) ? &merge->totals->pva_servers : &merge->totals->ca_servers;
}

static void
take_search(struct merge *merge, struct record *record)
{
    searched_names_take(is_of_pvaccess(record) ? merge->totals->pva_names : merge->totals->ca_names, record);
}

static void
take_command(struct merge *merge, struct record *record)
{
    commands_take(is_of_pvaccess(record) ? merge->totals->pva_commands : merge->totals->ca_commands, record);
}

static void
take_host(struct merge *merge, struct record *record)
{
    bool is_summary = merge->capture->content == CONTENT_SUMMARY;
    sums_take_host(record, is_summary ? &merge->totals->hosts : NULL, merge->frames_before + merge->lines);
}

static void
take_channel(struct merge *merge, struct record *record)
{
    const struct group_key key = key_of_server(record);
    bool created = strcmp(record_text(record, "outcome"), "ok") == 0;
    int64_t create_ns = created ? (int64_t)record_uint(record, "create", INT64_MAX) : -1;
    merge->counts.channels++;
    merge->counts.created += created;
    if (created && !record->wrong)
        total_take_create(servers_of_channels(merge, record), &key, create_ns);
}

static void
take_server_of_channels(struct merge *merge, struct record *record)
{
    sums_take_channels(record, servers_of_channels(merge, record), merge->capture->content == CONTENT_SUMMARY,
                       merge->frames_before + merge->lines, &merge->counts.server_channels);
}

static void
take_segments(struct merge *merge, struct record *record)
{
    if (record_has(record, "connection"))
        g_hash_table_add(merge->replayed, GUINT_TO_POINTER((unsigned)record_uint(record, "connection", UINT32_MAX)));
    replay_take(merge->replay, record);
}

/* In files of `all`, connections with open ends are replayed. */
static void
take_open(struct merge *merge, struct record *record)
{
    if (merge->capture->content != CONTENT_ALL)
        edges_take_open(merge->edges, record);
}

static void
take_unmatched(struct merge *merge, struct record *record)
{
    if (merge->capture->content != CONTENT_ALL)
        edges_take_unmatched(merge->edges, record, merge->totals);
}

static bool
take_record(struct merge *merge, struct lines *lines, struct record *record, GError **error)
{
    static const struct {
        const char *type;
        void (*take)(struct merge *merge, struct record *record);
    } types[] = {
        { "request", take_request },
        { "attempt", take_attempt },
        { "segments", take_segments },
        { "server", take_server },
        { "operation", take_operation },
        { "connections", take_connections },
        { "open", take_open },
        { "unmatched", take_unmatched },
        { "handshake", take_handshake },
        { "host", take_host },
        { "sender", NULL },
        { "channel", take_channel },
        { "ca_server", take_server_of_channels },
        { "search", take_search },
        { "ca_command", take_command },
        { "pva_channel", take_channel },
        { "pva_monitor", NULL },
        { "pva_server", take_server_of_channels },
        { "pva_search", take_search },
        { "pva_command", take_command },
        { "tls", take_tls },
    };
    const char *type = record_text(record, "type");
    unsigned i = 0;
    while (i < G_N_ELEMENTS(types) && strcmp(types[i].type, type) != 0)
        i++;
    if (i == G_N_ELEMENTS(types)) {
        lines_complain(lines, error, "there is no object \"%s\" in docs/json.md.", type);
        return false;
    }
    if (types[i].take)
        types[i].take(merge, record);
    if (record->wrong)
        lines_complain(lines, error, "\"%s\" of this object \"%s\" is missing, or not what docs/json.md says.",
                       record->wrong, type);
    return !record->wrong;
}

bool
merge_take(struct merge *merge, const struct capture *capture, GError **error)
{
    struct lines *lines = lines_open(capture->path, error);
    struct record record;
    GError *wrong = NULL;
    if (!lines)
        return false;
    merge->capture = capture;
    merge->lines = 0;
    merge->counts = (struct row_counts){ 0 };
    merge->totals->orphan_channels += capture->orphan_channels;
    merge->totals->orphan_pva_channels += capture->orphan_pva_channels;
    if (capture->content == CONTENT_SUMMARY) {
        merge->totals->tls_handshakes += capture->tls_handshakes;
        merge->totals->tls_alerts += capture->tls_alerts;
    }
    g_hash_table_remove_all(merge->replayed);
    replay_begin_capture(merge->replay, merge->frames_before);
    while (!wrong && lines_next(lines, &record, &wrong))
        if (merge->lines++ > 0)
            take_record(merge, lines, &record, &wrong);
    lines_close(lines);
    edges_end_capture(merge->edges);
    replay_end_capture(merge->replay, capture->last_ns);
    merge->frames_before += capture->frames;
    if (!wrong)
        row_counts_agree(&merge->counts, capture, &wrong);
    if (wrong)
        g_propagate_error(error, wrong);
    return !wrong;
}

struct totals *
merge_finish(struct merge *merge)
{
    replay_finish(merge->replay);
    return merge->totals;
}

uint64_t
merge_cut(const struct merge *merge)
{
    return replay_cut(merge->replay);
}

uint64_t
merge_joined(const struct merge *merge)
{
    return edges_joined(merge->edges);
}
