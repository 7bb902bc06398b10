/* sums.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "sums.h"

#include "key.h"
#include "table/names.h"

static void
read_count_and_sum(struct record *record, const char *name, uint64_t *count, wide *sum)
{
    struct record member = record_object(record, name);
    *count = record_uint(&member, "count", INT64_MAX);
    *sum = wide_of(record_int(&member, "sum"));
    if (member.wrong && !record->wrong)
        record->wrong = name;
}

static struct moments
read_mean(struct record *record, const char *name)
{
    struct moments moments = { 0 };
    read_count_and_sum(record, name, &moments.count, &moments.sum);
    return moments;
}

static struct sample
read_sample(struct record *record, const char *name)
{
    const struct statistic statistic = record_statistic(record, name);
    return sample_of_statistic(&statistic);
}

uint64_t
sums_take_requests(struct record *record, struct totals *totals, enum total_number number)
{
    const struct group_key key = key_of_server(record);
    uint64_t answered = 0;
    struct tally tally = {
        .requests = record_uint(record, "requests", INT64_MAX),
        .errors = record_uint(record, "errors", INT64_MAX),
        .by_messages = record_uint(record, "told_apart", INT64_MAX),
        .in_tls = record_uint(record, "in_tls", INT64_MAX),
        .farewells = record_uint(record, "closed_by_client", INT64_MAX),
        .waiting = record_optional_uint(record, "waiting", INT64_MAX),
        .response_bytes = record_uint(record, "response_bytes", INT64_MAX),
        .first_byte = read_sample(record, "first_byte"),
    };
    read_count_and_sum(record, "server_time", &tally.server_times, &tally.server_time_ns);
    read_count_and_sum(record, "last_byte", &answered, &tally.last_byte_ns);
    if (answered != tally.first_byte.moments.count && !record->wrong)
        record->wrong = "last_byte";
    if (totals && !record->wrong)
        tally_merge(totals_requests(totals, number, &key), &tally);
    const uint64_t requests = tally.requests;
    tally_clear(&tally);
    return requests;
}

uint64_t
sums_take_attempts(struct record *record, struct totals *totals)
{
    const struct group_key key = key_of_pair(record);
    struct connect_tally tally = {
        .attempts = record_uint(record, "attempts", INT64_MAX),
        .syn_retries = record_uint(record, "syn_retries", INT64_MAX),
        .time = read_sample(record, "connect"),
    };
    for (unsigned i = 0; i < CONNECT_RESULTS; i++)
        tally.results[i] = i == CONNECT_WAITING ? record_optional_uint(record, connect_result_name(i), INT64_MAX)
                                                : record_uint(record, connect_result_name(i), INT64_MAX);
    if (totals && !record->wrong)
        connect_tally_merge(totals_attempts(totals, &key), &tally);
    const uint64_t attempts = tally.attempts;
    connect_tally_clear(&tally);
    return attempts;
}

void
sums_take_host(struct record *record, struct totals *totals)
{
    const struct group_key key = key_of_host(record);
    struct host_tally tally = {
        .connects.attempts = record_uint(record, "attempts", INT64_MAX),
        .connects.results[CONNECT_ACCEPTED] = record_uint(record, "accepted", INT64_MAX),
        .connects.time = read_sample(record, "connect"),
        .handshake = read_sample(record, "handshake"),
        .requests.requests = record_uint(record, "requests", INT64_MAX),
        .requests.farewells = record_uint(record, "closed_by_client", INT64_MAX),
        .requests.waiting = record_optional_uint(record, "waiting", INT64_MAX),
        .requests.first_byte = read_sample(record, "first_byte"),
    };
    for (unsigned i = 0; i < TLS_RESULTS; i++)
        tally.handshakes[i] = record_uint(record, tls_result_name(i), INT64_MAX);
    if (totals && !record->wrong)
        host_tally_merge(totals_host(totals, &key), &tally);
    host_tally_clear(&tally);
}

void
sums_take_channels(struct record *record, struct totals *totals, enum total_number number, bool is_summary,
                   struct ca_tally *sum)
{
    const struct group_key key = key_of_server(record);
    uint64_t answered;
    struct ca_server_tally server = { .create = read_sample(record, "create") };
    struct ca_tally *counts = &server.counts;
    counts->channels = record_uint(record, "channels", INT64_MAX);
    counts->created = server.create.moments.count;
    counts->failed = record_uint(record, "failed", INT64_MAX);
    counts->waiting = record_optional_uint(record, "waiting", INT64_MAX);
    read_count_and_sum(record, "answered", &answered, &counts->asked_ns);
    counts->search = read_mean(record, "search");
    counts->tcp_connect = read_mean(record, "tcp_connect");
    counts->hello = read_mean(record, "hello");
    counts->first_value = read_mean(record, "first_value");
    if (answered != counts->created + counts->failed && !record->wrong)
        record->wrong = "answered";
    if (record_uint(record, "unanswered", INT64_MAX) != ca_tally_unanswered(counts) && !record->wrong)
        record->wrong = "unanswered";
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
take_answerers(struct ca_searched *searched, struct record *record)
{
    JsonArray *servers = record_array(record, "servers");
    for (unsigned i = 0; servers && i < json_array_get_length(servers); i++) {
        JsonNode *node = json_array_get_element(servers, i);
        struct record member = { JSON_NODE_HOLDS_OBJECT(node) ? json_node_get_object(node) : NULL, NULL };
        struct ca_answerer server = { 0 };
        record_endpoint(&member, "server", "server_port", &server.endpoint, &server.ipv6);
        if (!member.wrong)
            ca_searched_add_server(searched, &server);
        else if (!record->wrong)
            record->wrong = "servers";
    }
}

void
sums_take_name(struct record *record, struct totals *totals, enum total_number number)
{
    struct group_key key = { .kind = record_printed_text(record, "name") };
    if (record_has(record, "client"))
        record_endpoint(record, "client", NULL, &key.client, &key.ipv6);
    struct ca_searched more = {
        .searches = record_uint(record, "searches", INT64_MAX),
        .attempts = record_uint(record, "attempts", INT64_MAX),
        .time = record_statistic(record, "time"),
    };
    const uint64_t unanswered = record_uint(record, "unanswered", INT64_MAX);
    if (unanswered + more.time.moments.count != more.searches && !record->wrong)
        record->wrong = "unanswered";
    take_answerers(&more, record);
    if (!record->wrong)
        ca_searched_merge(totals_name(totals, number, &key), &more);
    ca_searched_clear(&more);
}

void
sums_take_command(struct record *record, struct totals *totals, enum total_number number)
{
    const struct group_key key = { .kind = record_printed_text(record, "command") };
    struct statistic times = record_statistic(record, "response_time");
    if ((!*key.kind || times.moments.count == 0) && !record->wrong)
        record->wrong = *key.kind ? "response_time" : "command";
    if (!record->wrong)
        statistic_merge(totals_command(totals, number, &key), &times);
    statistic_clear(&times);
}
