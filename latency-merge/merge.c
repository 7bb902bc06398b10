/* merge.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "merge.h"

#include <inttypes.h>
#include <string.h>

#include <gio/gio.h>

#include "core/ca/ca_phases.h"
#include "core/request/tls_turn.h"
#include "core/stats/ca_tally.h"
#include "edges.h"
#include "json/line_kinds.h"
#include "json/lines.h"
#include "key.h"
#include "merged_calls.h"
#include "replay.h"
#include "sums.h"

/* What a file's objects told of. */
struct row_counts {
    uint64_t requests, attempts, handshakes, tls, calls, channels, created; /* rows, or lines of segments */
    uint64_t server_requests, clients_attempts;                             /* that sums are of */
    struct ca_tally server_channels;                                        /* likewise */
};

struct merge {
    struct totals *totals;
    struct replay *replay;
    struct edges *edges;
    struct merged_calls *calls;
    uint64_t frames_before;
    /* Of the capture being added: */
    const struct capture *capture;
    uint64_t lines;
    GHashTable *replayed;     /* numbers of the connections that are replayed */
    struct row_counts counts; /* of it so far */
};

struct merge *
merge_new(const struct capture *first)
{
    struct totals *totals = totals_new();
    struct merge *merge = g_new0(struct merge, 1);
    merge->totals = totals;
    merge->replay = replay_new(totals, first->timeout_ns, first->fold_numbers);
    merge->edges = edges_new();
    merge->calls = merged_calls_new(totals_calls(totals));
    merge->replayed = g_hash_table_new(NULL, NULL);
    return merge;
}

void
merge_free(struct merge *merge)
{
    g_hash_table_destroy(merge->replayed);
    edges_free(merge->edges);
    merged_calls_free(merge->calls);
    replay_free(merge->replay);
    totals_free(merge->totals);
    g_free(merge);
}

/* Whether a row's connection is counted by replaying it. */
static bool
is_replayed(const struct merge *merge, uint32_t connection)
{
    return g_hash_table_contains(merge->replayed, GUINT_TO_POINTER(connection));
}

static void
take_request(struct merge *merge, struct record *record, enum total_number number G_GNUC_UNUSED)
{
    struct request_line line;
    if (!line_read(record, &request_members, &line))
        return;
    line.server.endpoint.transport = line.framing == PROTOCOL_HTTP3 ? TRANSPORT_QUIC : TRANSPORT_TCP;
    const struct group_key key = key_of_server(&line.server, line.kind), host = key_of_host(&line.server, line.host);
    const struct measured measured = request_line_measure(&line);
    if (measured.answered && (line.first_byte < 0 || line.last_byte < 0))
        record_note_wrong(record, line.first_byte < 0 ? "first_byte" : "last_byte");
    merge->counts.requests++;
    if (merge->capture->calls >= 0 && !record->wrong)
        merged_calls_take_request(merge->calls, &line, &measured);
    if (!is_replayed(merge, line.connection) && !record->wrong)
        totals_add_request(merge->totals, &key, &host, &measured);
}

static void
take_attempt(struct merge *merge, struct record *record, enum total_number number G_GNUC_UNUSED)
{
    struct attempt_line line;
    if (!line_read(record, &attempt_members, &line))
        return;
    line.server.endpoint.transport = line.quic ? TRANSPORT_QUIC : TRANSPORT_TCP;
    const struct group_key key = key_of_ends(record, &line.client, &line.server, false);
    const struct group_key host = key_of_host(&line.server, line.host);
    const enum connect_result result = (enum connect_result)line.result;
    const bool is_answered = result != CONNECT_UNANSWERED && result != CONNECT_WAITING;
    const bool host_known = !line.host_unknown || host_is_known_by(result);
    if (is_answered && line.connect < 0)
        record_note_wrong(record, "connect");
    if (line.push_spacing.moments.count > line.pushes)
        record_note_wrong(record, "push_spacing");
    merge->counts.attempts++;
    if (!is_replayed(merge, line.connection) && !record->wrong) {
        const struct push_tally pushes = { line.pushes, line.push_spacing };
        totals_add_attempt(merge->totals, &key, host_known ? &host : NULL, result, is_answered ? line.connect : -1,
                           line.syn_retries, &pushes);
        omitted_take_pushes(&merge->totals->omitted, &key, line.pushes);
    }
    line_clear(&attempt_members, &line);
}

static void
take_handshake(struct merge *merge, struct record *record, enum total_number number G_GNUC_UNUSED)
{
    struct handshake_line line;
    if (!line_read(record, &handshake_members, &line))
        return;
    line.server.endpoint.transport = line.quic ? TRANSPORT_QUIC : TRANSPORT_TCP;
    const struct group_key host = key_of_host(&line.server, line.host);
    const bool is_complete = line.result == TLS_COMPLETE;
    if (is_complete && line.handshake < 0)
        record_note_wrong(record, "handshake");
    merge->counts.handshakes++;
    if (!is_replayed(merge, line.connection) && !record->wrong && !line.host_unknown)
        host_tally_add_handshake(totals_host(merge->totals, &host), (enum tls_result)line.result,
                                 is_complete ? line.handshake : -1);
}

static void
take_tls(struct merge *merge, struct record *record, enum total_number number G_GNUC_UNUSED)
{
    struct tls_line line;
    if (!line_read(record, &tls_members, &line))
        return;
    merge->counts.tls++;
    if (is_replayed(merge, line.connection))
        return;
    merge->totals->omitted.tls_alerts += line.kind == TLS_ALERT;
    merge->totals->omitted.tls_handshakes += line.kind != TLS_ALERT;
}

static void
take_call(struct merge *merge, struct record *record, enum total_number number G_GNUC_UNUSED)
{
    merge->counts.calls++;
    merged_calls_take(merge->calls, record);
}

/* Where only sums are known, they are taken for rows. */
static struct totals *
if_summary(const struct merge *merge)
{
    return merge->capture->content == JSON_SUMMARY ? merge->totals : NULL;
}

static void
take_requests(struct merge *merge, struct record *record, enum total_number number)
{
    const uint64_t requests = sums_take_requests(record, if_summary(merge), number);
    merge->counts.server_requests += number == TOTAL_SERVERS ? requests : 0;
}

static void
take_connections(struct merge *merge, struct record *record, enum total_number number G_GNUC_UNUSED)
{
    merge->counts.clients_attempts += sums_take_attempts(record, if_summary(merge));
}

static void
take_host(struct merge *merge, struct record *record, enum total_number number G_GNUC_UNUSED)
{
    sums_take_host(record, if_summary(merge));
}

static void
take_search(struct merge *merge, struct record *record, enum total_number number)
{
    sums_take_name(record, merge->totals, number);
}

static void
take_command(struct merge *merge, struct record *record, enum total_number number)
{
    sums_take_command(record, merge->totals, number);
}

static void
take_channel(struct merge *merge, struct record *record, enum total_number number)
{
    struct channel_line line;
    if (!line_read(record, &channel_members, &line))
        return;
    const struct group_key key = key_of_server(&line.server, "");
    const bool created = line.outcome == CA_RESULT_OK;
    if (created && line.create < 0)
        record_note_wrong(record, "create");
    merge->counts.channels++;
    merge->counts.created += created;
    if (created && !record->wrong)
        sample_add(&totals_channels(merge->totals, number, &key)->create, line.create);
}

static void
take_server_of_channels(struct merge *merge, struct record *record, enum total_number number)
{
    sums_take_channels(record, merge->totals, number, merge->capture->content == JSON_SUMMARY,
                       &merge->counts.server_channels);
}

static void
take_segments(struct merge *merge, struct record *record, enum total_number number G_GNUC_UNUSED)
{
    if (record_has(record, "connection"))
        g_hash_table_add(merge->replayed, GUINT_TO_POINTER((unsigned)record_uint(record, "connection", UINT32_MAX)));
    replay_take(merge->replay, record);
}

/* In files of `all`, connections with open ends are replayed. */
static void
take_open(struct merge *merge, struct record *record, enum total_number number G_GNUC_UNUSED)
{
    if (merge->capture->content != JSON_ALL)
        edges_take_open(merge->edges, record);
}

static void
take_unmatched(struct merge *merge, struct record *record, enum total_number number G_GNUC_UNUSED)
{
    if (merge->capture->content != JSON_ALL)
        edges_take_unmatched(merge->edges, record, merge->totals);
}

static bool
take_record(struct merge *merge, struct lines *lines, struct record *record, GError **error)
{
    static const struct {
        const char *type;
        void (*take)(struct merge *merge, struct record *record, enum total_number number);
        enum total_number number; /* its table, where several types are taken alike */
    } types[] = {
        { "request", take_request, TOTALS },
        { "attempt", take_attempt, TOTALS },
        { "segments", take_segments, TOTALS },
        { "server", take_requests, TOTAL_SERVERS },
        { "operation", take_requests, TOTAL_OPERATIONS },
        { "connections", take_connections, TOTALS },
        { "open", take_open, TOTALS },
        { "unmatched", take_unmatched, TOTALS },
        { "handshake", take_handshake, TOTALS },
        { "host", take_host, TOTALS },
        { "sender", NULL, TOTALS },
        { "channel", take_channel, TOTAL_CA_SERVERS },
        { "ca_server", take_server_of_channels, TOTAL_CA_SERVERS },
        { "search", take_search, TOTAL_CA_SEARCHES },
        { "ca_command", take_command, TOTAL_CA_COMMANDS },
        { "pva_channel", take_channel, TOTAL_PVA_SERVERS },
        { "pva_monitor", NULL, TOTALS },
        { "pva_server", take_server_of_channels, TOTAL_PVA_SERVERS },
        { "pva_search", take_search, TOTAL_PVA_SEARCHES },
        { "pva_command", take_command, TOTAL_PVA_COMMANDS },
        { "tls", take_tls, TOTALS },
        { "call", take_call, TOTALS },
    };
    const char *type = record_text(record, "type");
    unsigned i = 0;
    while (i < G_N_ELEMENTS(types) && strcmp(types[i].type, type) != 0)
        i++;
    if (i == G_N_ELEMENTS(types)) {
        lines_complain(lines, error, "docs/json.md has no object \"%s\".", type);
        return false;
    }
    if (types[i].take)
        types[i].take(merge, record, types[i].number);
    if (record->wrong)
        lines_complain_of_member(lines, error, record);
    return !record->wrong;
}

/* Whether a file is whole: what its first line counted has come, if no hand has changed the file and its last line.
 * False, with a sentence, if it is not. */
static bool
is_whole(const struct row_counts *counts, const struct capture *capture, GError **error)
{
    bool rows = capture->content != JSON_SUMMARY;
    const uint64_t calls = (uint64_t)MAX(capture->calls, 0);
    const uint64_t channels = capture->channels + capture->pva_channels;
    const uint64_t tls = capture->tls_handshakes + capture->tls_alerts;
    const struct {
        const char *name;
        uint64_t counted, found;
    } checks[] = {
        { "requests", capture->requests, rows ? counts->requests : capture->requests },
        { "attempts", capture->attempts, rows ? counts->attempts : capture->attempts },
        { "requests to servers", capture->requests, counts->server_requests },
        { "attempts of clients", capture->attempts, counts->clients_attempts },
        { "handshakes and alerts of TLS", tls, rows ? counts->tls : tls },
        { "calls", calls, rows ? counts->calls : calls },
        { "handshakes", capture->handshakes, rows ? counts->handshakes : capture->handshakes },
        { "channels", channels, rows ? counts->channels : channels },
        { "channels of servers", channels, counts->server_channels.channels },
        { "channels created", counts->server_channels.created,
          rows ? counts->created : counts->server_channels.created },
    };
    for (unsigned i = 0; i < G_N_ELEMENTS(checks); i++) {
        if (checks[i].counted == checks[i].found)
            continue;
        g_set_error(error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA,
                    "\"%s\" is not whole: it has %" PRIu64 " of %" PRIu64 " %s.", capture->path, checks[i].found,
                    checks[i].counted, checks[i].name);
        return false;
    }
    return true;
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
        merge->totals->omitted.tls_handshakes += capture->tls_handshakes;
        merge->totals->omitted.tls_alerts += capture->tls_alerts;
    }
    g_hash_table_remove_all(merge->replayed);
    replay_begin_capture(merge->replay, merge->frames_before);
    while (!wrong && lines_next(lines, &record, &wrong))
        if (merge->lines++ > 0)
            take_record(merge, lines, &record, &wrong);
    lines_close(lines);
    edges_end_capture(merge->edges);
    merged_calls_end_capture(merge->calls);
    replay_end_capture(merge->replay, capture->last_ns);
    merge->frames_before += capture->frames;
    if (!wrong)
        is_whole(&merge->counts, capture, &wrong);
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
