/* sums.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "sums.h"

#include "json/line_kinds.h"
#include "key.h"

/* Each answered request has a duration, or is a stream, or awaits an event. */
static void
check_waits(struct record *record, const struct tally *tally)
{
    if (tally->duration.moments.count + tally->streams + tally->long_polls != tally->first_byte.moments.count)
        record_note_wrong(record, "duration");
}

uint64_t
sums_take_requests(struct record *record, struct totals *totals, enum total_number number)
{
    struct requests_line line;
    if (!line_read(record, &requests_members, &line))
        return 0;
    line.server.endpoint.transport = line.quic ? TRANSPORT_QUIC : TRANSPORT_TCP;
    const struct group_key key = key_of_server(&line.server, line.kind);
    struct tally tally = {
        .requests = line.requests,
        .errors = line.errors,
        .by_messages = line.told_apart,
        .in_tls = line.in_tls,
        .farewells = line.closed_by_client,
        .waiting = line.waiting,
        .server_times = line.server_time.count,
        .server_time_ns = line.server_time.sum,
        .response_bytes = line.response_bytes,
        .streams = line.streams.count,
        .streams_wait_ns = line.streams.sum,
        .long_polls = line.long_polls,
        .first_byte = sample_of_statistic(&line.first_byte),
        .has_durations = true,
        .duration = sample_of_statistic(&line.duration),
    };
    check_waits(record, &tally);
    if (totals && !record->wrong)
        tally_merge(totals_requests(totals, number, &key), &tally);
    tally_clear(&tally);
    return line.requests;
}

uint64_t
sums_take_attempts(struct record *record, struct totals *totals)
{
    struct connections_line line;
    if (!line_read(record, &connections_members, &line))
        return 0;
    line.server.endpoint.transport = line.quic ? TRANSPORT_QUIC : TRANSPORT_TCP;
    const struct group_key key = key_of_ends(record, &line.client, &line.server, false);
    struct connect_tally tally = {
        .attempts = line.attempts,
        .results = {
            [CONNECT_UNANSWERED] = line.unanswered,
            [CONNECT_ACCEPTED] = line.accepted,
            [CONNECT_REFUSED] = line.refused,
            [CONNECT_UNREACHABLE] = line.unreachable,
            [CONNECT_WAITING] = line.waiting,
        },
        .syn_retries = line.syn_retries,
        .pushes = { line.pushes, line.push_spacing },
        .time = sample_of_statistic(&line.connect),
    };
    if (line.push_spacing.moments.count > line.pushes)
        record_note_wrong(record, "push_spacing");
    if (totals && !record->wrong) {
        connect_tally_merge(totals_attempts(totals, &key), &tally);
        omitted_take_pushes(&totals->omitted, &key, tally.pushes.frames);
    }
    connect_tally_clear(&tally);
    return line.attempts;
}

void
sums_take_host(struct record *record, struct totals *totals)
{
    struct host_line line;
    if (!line_read(record, &host_members, &line))
        return;
    line.server.endpoint.transport = line.quic ? TRANSPORT_QUIC : TRANSPORT_TCP;
    if (line.server.is_none && !*line.host)
        record_note_wrong(record, "server");
    line.server.endpoint.port = line.server_port;
    const struct group_key key = key_of_host(&line.server, line.host);
    struct host_tally tally = {
        .connects.attempts = line.attempts,
        .connects.results[CONNECT_ACCEPTED] = line.accepted,
        .connects.time = sample_of_statistic(&line.connect),
        .handshakes = {
            [TLS_UNFINISHED] = line.unfinished,
            [TLS_COMPLETE] = line.complete,
            [TLS_FAILED] = line.failed,
        },
        .handshake = sample_of_statistic(&line.handshake),
        .requests.requests = line.requests,
        .requests.farewells = line.closed_by_client,
        .requests.waiting = line.waiting,
        .requests.streams = line.streams.count,
        .requests.streams_wait_ns = line.streams.sum,
        .requests.long_polls = line.long_polls,
        .requests.first_byte = sample_of_statistic(&line.first_byte),
        .requests.has_durations = true,
        .requests.duration = sample_of_statistic(&line.duration),
    };
    check_waits(record, &tally.requests);
    if (totals && !record->wrong)
        host_tally_merge(totals_host(totals, &key), &tally);
    host_tally_clear(&tally);
}

static struct moments
moments_of(const struct member_mean *mean)
{
    return (struct moments){ .count = mean->count, .sum = mean->sum };
}

void
sums_take_channels(struct record *record, struct totals *totals, enum total_number number, bool is_summary,
                   struct ca_tally *sum)
{
    struct channels_line line;
    if (!line_read(record, &channels_members, &line))
        return;
    const struct group_key key = key_of_server(&line.server, "");
    struct ca_server_tally server = {
        .counts = {
            .channels = line.channels,
            .created = line.create.moments.count,
            .failed = line.failed,
            .waiting = line.waiting,
            .asked_ns = line.answered.sum,
            .search = moments_of(&line.search),
            .tcp_connect = moments_of(&line.tcp_connect),
            .hello = moments_of(&line.hello),
            .first_value = moments_of(&line.first_value),
        },
        .create = sample_of_statistic(&line.create),
    };
    const struct ca_tally *counts = &server.counts;
    if (line.answered.count != counts->created + counts->failed)
        record_note_wrong(record, "answered");
    if (line.unanswered != ca_tally_unanswered(counts))
        record_note_wrong(record, "unanswered");
    if (!record->wrong) {
        struct ca_server_tally *total = totals_channels(totals, number, &key);
        ca_tally_merge(&total->counts, counts);
        if (is_summary)
            sample_merge(&total->create, &server.create);
        ca_tally_merge(sum, counts);
    }
    ca_server_tally_clear(&server);
}

static void
take_answerers(struct ca_searched *searched, struct record *record, struct elements servers)
{
    while (servers.left > 0 && !record->wrong) {
        struct record member = record_next_object(record, "servers", &servers);
        struct ca_answerer server = { 0 };
        record_endpoint(&member, "server", "server_port", &server.endpoint, &server.ipv6);
        if (member.wrong)
            record_note_wrong(record, "servers");
        else
            ca_searched_add_server(searched, &server);
    }
}

void
sums_take_name(struct record *record, struct totals *totals, enum total_number number)
{
    struct search_line line;
    if (!line_read(record, &search_members, &line))
        return;
    const struct group_key key = { .client = line.client.endpoint, .kind = line.name, .ipv6 = line.client.ipv6 };
    struct ca_searched more = { .searches = line.searches, .attempts = line.attempts, .time = line.time };
    if (line.unanswered + line.time.moments.count != line.searches)
        record_note_wrong(record, "unanswered");
    take_answerers(&more, record, line.servers.read);
    if (!record->wrong)
        ca_searched_merge(totals_name(totals, number, &key), &more);
    ca_searched_clear(&more);
}

void
sums_take_command(struct record *record, struct totals *totals, enum total_number number)
{
    struct command_line line;
    if (!line_read(record, &command_members, &line))
        return;
    const struct group_key key = { .kind = line.command };
    if (!*line.command || line.response_time.moments.count == 0)
        record_note_wrong(record, *line.command ? "response_time" : "command");
    if (!record->wrong)
        statistic_merge(totals_command(totals, number, &key), &line.response_time);
    statistic_clear(&line.response_time);
}
