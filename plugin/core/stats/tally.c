/* tally.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "tally.h"

void
tally_clear(void *value)
{
    struct tally *tally = value;
    sample_clear(&tally->first_byte);
}

void
tally_outline(struct tally *tally, struct values *values)
{
    sample_outline(&tally->first_byte, values);
}

struct measured
request_measure(const struct requests *requests, const struct request *request)
{
    struct measured measured = { .by_messages = request->by_messages, .in_tls = request_is_in_tls(request) };
    measured.answered = request->response.p0_frame;
    if (!measured.answered) {
        measured.farewell = request_is_farewell(request);
        measured.waiting = request_is_waiting(requests, request);
        return measured;
    }
    measured.failed = request_has_error(request);
    measured.first_byte_ns = request_first_byte(request);
    measured.server_time_ns = request_server_time(request);
    measured.last_byte_ns = request_last_byte(request);
    measured.response_bytes = request->response.bytes;
    return measured;
}

struct measured
outcome_measure(enum outcome outcome, bool an_error)
{
    return (struct measured){
        .farewell = outcome == OUTCOME_CLOSED_BY_CLIENT,
        .waiting = outcome == OUTCOME_WAITING,
        .answered = outcome_says(outcome) & OUTCOME_HAS_ANSWER,
        .failed = an_error || outcome_says(outcome) & OUTCOME_IS_ERROR,
        .server_time_ns = -1,
    };
}

static void
add_answer(struct tally *tally, const struct measured *measured)
{
    tally->errors += measured->failed;
    tally->response_bytes += measured->response_bytes;
    tally->server_times += measured->server_time_ns >= 0;
    wide_add_int(&tally->server_time_ns, MAX(measured->server_time_ns, 0));
    wide_add_int(&tally->last_byte_ns, measured->last_byte_ns);
    sample_add(&tally->first_byte, measured->first_byte_ns);
}

void
tally_add(struct tally *tally, const struct measured *measured)
{
    tally->requests++;
    tally->by_messages += measured->by_messages;
    tally->in_tls += measured->in_tls;
    tally->farewells += measured->farewell;
    tally->waiting += measured->waiting;
    if (measured->answered)
        add_answer(tally, measured);
}

void
tally_add_answer(struct tally *tally, const struct measured *measured)
{
    tally->waiting -= tally->waiting > 0;
    add_answer(tally, measured);
}

static void
count(struct tally *tally, struct share *share, const struct request *request)
{
    tally->requests++;
    tally->by_messages += request->by_messages;
    tally->in_tls += request_is_in_tls(request);
    share->counted = 1;
}

void
tally_settle(struct tally *tally, struct share *share, const struct requests *requests, const struct request *request)
{
    const bool waiting = request_is_waiting(requests, request);
    tally->farewells += request_is_farewell(request) - share->farewell;
    share->farewell = request_is_farewell(request);
    tally->waiting += waiting - share->waiting;
    share->waiting = waiting;
}

void
tally_take(struct tally *tally, struct share *share, const struct requests *requests, const struct request *request)
{
    if (!share->counted)
        count(tally, share, request);
    tally_settle(tally, share, requests, request);
    if (!request->response.p0_frame)
        return;
    tally->errors += request_has_error(request) && !share->failed;
    share->failed |= request_has_error(request);
    int64_t server_ns = request_server_time(request);
    int64_t last_byte_ns = request_last_byte(request);
    /* A first part that was held makes it shorter, and the next longer; a handshake that comes late makes it known. */
    int64_t first_byte_ns = request_first_byte(request);
    if (share->answered && share->first_byte_ns != first_byte_ns)
        sample_remove(&tally->first_byte, share->first_byte_ns);
    if (!share->answered || share->first_byte_ns != first_byte_ns)
        sample_add(&tally->first_byte, first_byte_ns);
    share->answered = 1;
    share->first_byte_ns = first_byte_ns;
    tally->server_times += (server_ns >= 0) - share->has_server_time;
    share->has_server_time = server_ns >= 0;
    wide_add_int(&tally->server_time_ns, MAX(server_ns, 0) - share->server_ns);
    share->server_ns = MAX(server_ns, 0);
    wide_add_int(&tally->last_byte_ns, last_byte_ns);
    wide_subtract(&tally->last_byte_ns, wide_of(share->last_byte_ns));
    tally->response_bytes += request->response.bytes - share->response_bytes;
    share->last_byte_ns = last_byte_ns;
    share->response_bytes = request->response.bytes & (UINT64_MAX >> 9);
}

void
tally_merge(struct tally *tally, const struct tally *other)
{
    tally->requests += other->requests;
    tally->errors += other->errors;
    tally->by_messages += other->by_messages;
    tally->in_tls += other->in_tls;
    tally->farewells += other->farewells;
    tally->waiting += other->waiting;
    tally->server_times += other->server_times;
    wide_add(&tally->server_time_ns, other->server_time_ns);
    wide_add(&tally->last_byte_ns, other->last_byte_ns);
    tally->response_bytes += other->response_bytes;
    sample_merge(&tally->first_byte, &other->first_byte);
}

uint64_t
tally_unanswered(const struct tally *tally)
{
    return tally->requests - tally->first_byte.moments.count - tally->farewells - tally->waiting;
}

void
tally_summarize(struct tally *tally, struct tally_summary *summary)
{
    sample_describe(&tally->first_byte, &summary->first_byte);
    summary->requests = tally->requests;
    summary->unanswered = tally_unanswered(tally);
    summary->errors = tally->errors;
    summary->response_bytes = tally->response_bytes;
    summary->server_time = wide_mean(tally->server_time_ns, tally->server_times);
    summary->server_times = tally->server_times;
    summary->last_byte = wide_mean(tally->last_byte_ns, summary->first_byte.count);
}
