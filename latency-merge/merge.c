/* merge.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "merge.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include <gio/gio.h>

#include "edges.h"
#include "key.h"
#include "lines.h"
#include "replay.h"
#include "row_counts.h"
#include "sums.h"
#include "table/names.h"
#include "core/ca/ca_phases.h"

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
    const struct group_key key = key_of_server(record), host = key_of_host(record);
    const enum outcome outcome = (enum outcome)record_word(record, "outcome", outcome_name, OUTCOMES);
    struct measured measured = outcome_measure(outcome, *record_optional_text(record, "error", "") != '\0');
    measured.by_messages = strcmp(record_text(record, "framing"), framing_name(FRAMING_TURNS)) != 0;
    measured.in_tls = !measured.by_messages && turn_is_in_tls(record_optional_text(record, "operation", ""));
    if (measured.answered) {
        measured.first_byte_ns = (int64_t)record_uint(record, "first_byte", INT64_MAX);
        measured.server_time_ns = record_optional_int(record, "server_time", -1);
        measured.last_byte_ns = (int64_t)record_uint(record, "last_byte", INT64_MAX);
        measured.response_bytes = record_uint(record, "response_bytes", INT64_MAX);
    }
    merge->counts.requests++;
    if (!is_replayed(merge, record) && !record->wrong)
        totals_add_request(merge->totals, &key, &host, &measured);
}

static void
take_attempt(struct merge *merge, struct record *record)
{
    const struct group_key key = key_of_pair(record), host = key_of_host(record);
    const enum connect_result result =
        (enum connect_result)record_word(record, "result", connect_result_name, CONNECT_RESULTS);
    const bool is_answered = result != CONNECT_UNANSWERED && result != CONNECT_WAITING;
    const int64_t time_ns = is_answered ? (int64_t)record_uint(record, "connect", INT64_MAX) : -1;
    const uint32_t syn_retries = (uint32_t)record_uint(record, "syn_retries", UINT32_MAX);
    const bool host_known = !record_optional_true(record, "host_unknown") || host_is_known_by(result);
    merge->counts.attempts++;
    if (!is_replayed(merge, record) && !record->wrong)
        totals_add_attempt(merge->totals, &key, host_known ? &host : NULL, result, time_ns, syn_retries);
}

static void
take_handshake(struct merge *merge, struct record *record)
{
    const struct group_key host = key_of_host(record);
    const enum tls_result result = (enum tls_result)record_word(record, "result", tls_result_name, TLS_RESULTS);
    const int64_t time_ns = result == TLS_COMPLETE ? (int64_t)record_uint(record, "handshake", INT64_MAX) : -1;
    const bool host_unknown = record_optional_true(record, "host_unknown");
    merge->counts.handshakes++;
    if (!is_replayed(merge, record) && !record->wrong && !host_unknown)
        host_tally_add_handshake(totals_host(merge->totals, &host), result, time_ns);
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
static struct totals *
if_summary(const struct merge *merge)
{
    return merge->capture->content == JSON_SUMMARY ? merge->totals : NULL;
}

static void
take_server(struct merge *merge, struct record *record)
{
    merge->counts.server_requests += sums_take_requests(record, if_summary(merge), TOTAL_SERVERS);
}

static void
take_operation(struct merge *merge, struct record *record)
{
    sums_take_requests(record, if_summary(merge), TOTAL_OPERATIONS);
}

static void
take_connections(struct merge *merge, struct record *record)
{
    merge->counts.clients_attempts += sums_take_attempts(record, if_summary(merge));
}

static void
take_host(struct merge *merge, struct record *record)
{
    sums_take_host(record, if_summary(merge));
}

/* Of Channel Access or, if the object is, of pvAccess. */
static enum total_number
choose(struct record *record, enum total_number ca, enum total_number pva)
{
    return g_str_has_prefix(record_text(record, "type"), "pva_") ? pva : ca;
}

static void
take_search(struct merge *merge, struct record *record)
{
    sums_take_name(record, merge->totals, choose(record, TOTAL_CA_SEARCHES, TOTAL_PVA_SEARCHES));
}

static void
take_command(struct merge *merge, struct record *record)
{
    sums_take_command(record, merge->totals, choose(record, TOTAL_CA_COMMANDS, TOTAL_PVA_COMMANDS));
}

static void
take_channel(struct merge *merge, struct record *record)
{
    const struct group_key key = key_of_server(record);
    const bool created = strcmp(record_text(record, "outcome"), ca_result_name(CA_RESULT_OK)) == 0;
    const int64_t create_ns = created ? (int64_t)record_uint(record, "create", INT64_MAX) : -1;
    const enum total_number number = choose(record, TOTAL_CA_SERVERS, TOTAL_PVA_SERVERS);
    merge->counts.channels++;
    merge->counts.created += created;
    if (created && !record->wrong)
        sample_add(&totals_channels(merge->totals, number, &key)->create, create_ns);
}

static void
take_server_of_channels(struct merge *merge, struct record *record)
{
    sums_take_channels(record, merge->totals, choose(record, TOTAL_CA_SERVERS, TOTAL_PVA_SERVERS),
                       merge->capture->content == JSON_SUMMARY, &merge->counts.server_channels);
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
    if (merge->capture->content != JSON_ALL)
        edges_take_open(merge->edges, record);
}

static void
take_unmatched(struct merge *merge, struct record *record)
{
    if (merge->capture->content != JSON_ALL)
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
    if (capture->content == JSON_SUMMARY) {
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
