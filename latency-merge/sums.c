/* sums.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "sums.h"

#include "host_totals.h"
#include "key.h"

static void
read_count_and_sum(struct record *record, const char *name, uint64_t *count, wide *sum)
{
    struct record member = record_object(record, name);
    *count = record_uint(&member, "count", INT64_MAX);
    *sum = record_int(&member, "sum");
    if (member.wrong && !record->wrong)
        record->wrong = name;
}

uint64_t
sums_take_requests(struct record *record, struct total *total, uint64_t position)
{
    const struct group_key key = key_of_server(record);
    uint64_t answered = 0;
    struct digest digest = {
        .requests = record_uint(record, "requests", INT64_MAX),
        .errors = record_uint(record, "errors", INT64_MAX),
        .by_messages = record_uint(record, "told_apart", INT64_MAX),
        .in_tls = record_uint(record, "in_tls", INT64_MAX),
        .farewells = record_uint(record, "closed_by_client", INT64_MAX),
        .waiting = record_optional_uint(record, "waiting", INT64_MAX),
        .response_bytes = record_uint(record, "response_bytes", INT64_MAX),
        .first_byte = record_statistic(record, "first_byte"),
    };
    read_count_and_sum(record, "server_time", &digest.server_times, &digest.server_time_ns);
    read_count_and_sum(record, "last_byte", &answered, &digest.last_byte_ns);
    if (answered != digest.first_byte.moments.count && !record->wrong)
        record->wrong = "last_byte";
    if (total && !record->wrong)
        total_merge_requests(total, &key, &digest, position);
    uint64_t requests = digest.requests;
    digest_clear(&digest);
    return requests;
}

uint64_t
sums_take_attempts(struct record *record, struct total *total, uint64_t position)
{
    const struct group_key key = key_of_pair(record);
    struct connect_digest digest = {
        .attempts = record_uint(record, "attempts", INT64_MAX),
        .results = {
            [CONNECT_UNANSWERED] = record_uint(record, "unanswered", INT64_MAX),
            [CONNECT_ACCEPTED] = record_uint(record, "accepted", INT64_MAX),
            [CONNECT_REFUSED] = record_uint(record, "refused", INT64_MAX),
            [CONNECT_UNREACHABLE] = record_uint(record, "unreachable", INT64_MAX),
            [CONNECT_WAITING] = record_optional_uint(record, "waiting", INT64_MAX),
        },
        .syn_retries = record_uint(record, "syn_retries", INT64_MAX),
        .time = record_statistic(record, "connect"),
    };
    if (total && !record->wrong)
        total_merge_attempts(total, &key, &digest, position);
    uint64_t attempts = digest.attempts;
    connect_digest_clear(&digest);
    return attempts;
}

void
sums_take_host(struct record *record, struct host_totals *hosts, uint64_t position)
{
    const struct group_key key = key_of_host(record);
    struct host_digest digest = {
        .connects.attempts = record_uint(record, "attempts", INT64_MAX),
        .connects.results[CONNECT_ACCEPTED] = record_uint(record, "accepted", INT64_MAX),
        .connects.time = record_statistic(record, "connect"),
        .handshakes = {
            [TLS_UNFINISHED] = record_uint(record, "unfinished", INT64_MAX),
            [TLS_COMPLETE] = record_uint(record, "complete", INT64_MAX),
            [TLS_FAILED] = record_uint(record, "failed", INT64_MAX),
        },
        .handshake = record_statistic(record, "handshake"),
        .requests.requests = record_uint(record, "requests", INT64_MAX),
        .requests.farewells = record_uint(record, "closed_by_client", INT64_MAX),
        .requests.waiting = record_optional_uint(record, "waiting", INT64_MAX),
        .requests.first_byte = record_statistic(record, "first_byte"),
    };
    if (hosts && !record->wrong)
        host_totals_merge(hosts, &key, &digest, position);
    host_digest_clear(&digest);
}

static struct moments
read_mean(struct record *record, const char *name)
{
    struct moments moments = { 0 };
    read_count_and_sum(record, name, &moments.count, &moments.sum);
    return moments;
}

void
sums_take_channels(struct record *record, struct total *total, bool approximate, uint64_t position,
                   struct ca_tally *sum)
{
    const struct group_key key = key_of_server(record);
    uint64_t answered;
    struct ca_digest digest = { .create = record_statistic(record, "create") };
    struct ca_tally *tally = &digest.tally;
    tally->channels = record_uint(record, "channels", INT64_MAX);
    tally->created = digest.create.moments.count;
    tally->failed = record_uint(record, "failed", INT64_MAX);
    tally->waiting = record_optional_uint(record, "waiting", INT64_MAX);
    read_count_and_sum(record, "answered", &answered, &tally->asked_ns);
    tally->search = read_mean(record, "search");
    tally->tcp_connect = read_mean(record, "tcp_connect");
    tally->hello = read_mean(record, "hello");
    tally->first_value = read_mean(record, "first_value");
    if (answered != tally->created + tally->failed && !record->wrong)
        record->wrong = "answered";
    if (record_uint(record, "unanswered", INT64_MAX) != ca_tally_unanswered(tally) && !record->wrong)
        record->wrong = "unanswered";
    if (!record->wrong) {
        total_merge_ca(total, &key, &digest, approximate, position);
        ca_tally_merge(sum, tally);
    }
    ca_digest_clear(&digest);
}
