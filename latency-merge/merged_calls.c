/* merged_calls.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "merged_calls.h"

#include "core/request/operation.h"
#include "json/call_links.h"
#include "key.h"

/* An address. */
struct host {
    unsigned serves_in; /* the last capture in which it is a server, from 1 */
};

struct merged_calls {
    struct call_pairs *pairs;
    struct call_links links; /* of the capture */
    struct groups *hosts;    /* of struct host */
    unsigned capture;        /* its number, from 1 */
};

struct merged_calls *
merged_calls_new(struct call_pairs *pairs)
{
    struct merged_calls *merged = g_new0(struct merged_calls, 1);
    merged->pairs = pairs;
    merged->hosts = groups_new(sizeof(struct host), NULL);
    merged->capture = 1;
    call_links_init(&merged->links);
    return merged;
}

void
merged_calls_free(struct merged_calls *merged)
{
    groups_free(merged->hosts);
    call_links_clear(&merged->links);
    g_free(merged);
}

static unsigned
host_row(const struct merged_calls *merged, const struct member_endpoint *end)
{
    struct group_key key = { .client = end->endpoint, .kind = "", .ipv6 = end->ipv6 };
    key.client.port = 0;
    return groups_row(merged->hosts, &key);
}

/* Kinds have their numbers folded, as where the calls were told. */
void
merged_calls_take_request(struct merged_calls *merged, const struct request_line *line, const struct measured *measured)
{
    char kind[OPERATION_ROOM];
    if (call_links_are_told(&merged->links))
        merged_calls_end_capture(merged);
    operation_fold(line->kind, kind);
    const struct group_key key = key_of_server(&line->server, kind);
    struct asked asked = asked_of_line(line, measured);
    struct host *server = groups_value(merged->hosts, host_row(merged, &line->server));
    server->serves_in = merged->capture;
    asked.operation = call_pairs_operation(merged->pairs, &key);
    asked.client = host_row(merged, &line->client);
    call_links_take_request(&merged->links, &asked);
}

void
merged_calls_take(struct merged_calls *merged, struct record *record)
{
    call_links_take(&merged->links, record);
}

static struct pair_request
pair_request_of(const struct asked *asked)
{
    return (struct pair_request){
        .begins_ns = asked->begin_ns,
        .until_ns = asked->until_ns,
        .rule = asked->rule,
        .outcome = asked->outcome,
        .failed = asked->failed,
        .is_retry = asked->is_retry,
        .has_duration = asked->has_duration,
    };
}

/* Counts a request of which no cause is told, if its client serves others. */
static void
count_untold(const struct merged_calls *merged, const struct asked *asked)
{
    const struct host *client = groups_value(merged->hosts, asked->client);
    if (asked->rule == CALL_SEVERAL)
        merged->pairs->untold.several++;
    else if (!asked->has_cause && !asked->is_pushed && (asked->is_uncaused || client->serves_in == merged->capture))
        merged->pairs->untold.none++;
}

void
merged_calls_end_capture(struct merged_calls *merged)
{
    const struct call_links *links = &merged->links;
    call_links_join(&merged->links);
    for (uint32_t place = 0; place < links->asked->len; place++) {
        const struct asked *asked = call_links_at(links, place);
        const struct pair_request request = pair_request_of(asked);
        count_untold(merged, asked);
        call_pairs_take_request(merged->pairs, asked->operation, &request);
        for (uint32_t i = 0; i < asked->calls; i++) {
            const struct asked *call = call_links_at(links, call_links_call(links, asked, i));
            const struct pair_request called = pair_request_of(call);
            call_pairs_take_call(merged->pairs, call->operation, &called);
        }
    }
    call_links_begin(&merged->links);
    merged->capture++;
}
