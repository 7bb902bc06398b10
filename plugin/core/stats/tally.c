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
    sample_clear(&tally->duration);
}

void
tally_outline(struct tally *tally)
{
    sample_outline(&tally->first_byte);
    sample_outline(&tally->duration);
    tally->has_durations = true;
}

struct measured
request_measure(const struct requests *requests, const struct request *request)
{
    struct measured measured = { .by_messages = request->by_messages, .in_tls = request_is_in_tls(request) };
    measured.answered = request->response.first_frame;
    if (!measured.answered) {
        measured.farewell = request_is_farewell(request);
        measured.waiting = request_is_waiting(requests, request);
        return measured;
    }
    measured.wait = request_wait(request);
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
        .wait = WAIT_FOR_LAST_BYTE,
        .server_time_ns = -1,
    };
}

int64_t
measured_wait_ns(const struct measured *measured)
{
    if (measured->wait == WAIT_FOR_EVENT)
        return 0;
    return measured->wait == WAIT_FOR_FIRST_BYTE ? measured->first_byte_ns : measured->last_byte_ns;
}

static const struct sample *
durations_of(const struct tally *tally)
{
    return tally->has_durations ? &tally->duration : &tally->first_byte;
}

struct sample *
tally_durations(struct tally *tally)
{
    return tally->has_durations ? &tally->duration : &tally->first_byte;
}

/* Begins a sample of its own for durations, with those that there are: the next one differs from its time to first
 * byte. Most servers answer in a single packet, and need no second sample. */
static void
keep_durations(struct tally *tally)
{
    if (!tally->has_durations)
        sample_merge(&tally->duration, &tally->first_byte);
    tally->has_durations = true;
}

static void
add_wait(struct tally *tally, enum wait wait, int64_t wait_ns)
{
    if (wait == WAIT_FOR_LAST_BYTE) {
        sample_add(&tally->duration, wait_ns);
    } else if (wait == WAIT_FOR_FIRST_BYTE) {
        tally->streams++;
        wide_add_int(&tally->streams_wait_ns, wait_ns);
    } else {
        tally->long_polls++;
    }
}

/* Takes back what the share has added of its wait. */
static void
remove_wait(struct tally *tally, const struct share *share)
{
    if (share->wait == WAIT_FOR_LAST_BYTE) {
        sample_remove(&tally->duration, share->wait_ns);
    } else if (share->wait == WAIT_FOR_FIRST_BYTE) {
        tally->streams--;
        wide_subtract(&tally->streams_wait_ns, wide_of(share->wait_ns));
    } else {
        tally->long_polls -= share->wait == WAIT_FOR_EVENT;
    }
}

static void
add_answer(struct tally *tally, const struct measured *measured)
{
    tally->errors += measured->failed;
    tally->response_bytes += measured->response_bytes;
    tally->server_times += measured->server_time_ns >= 0;
    wide_add_int(&tally->server_time_ns, MAX(measured->server_time_ns, 0));
    if (measured->wait != WAIT_FOR_LAST_BYTE || measured->first_byte_ns != measured->last_byte_ns)
        keep_durations(tally);
    if (tally->has_durations)
        add_wait(tally, measured->wait, measured_wait_ns(measured));
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

static inline void
take_wait(struct tally *tally, struct share *share, enum wait wait, int64_t wait_ns)
{
    if (share->wait == wait && share->wait_ns == wait_ns)
        return;
    if (tally->has_durations) {
        remove_wait(tally, share);
        add_wait(tally, wait, wait_ns);
    }
    share->wait = wait;
    share->wait_ns = wait_ns;
}

inline void
tally_settle(struct tally *tally, struct share *share, const struct requests *requests, const struct request *request)
{
    const bool waiting = request_is_waiting(requests, request);
    tally->farewells += request_is_farewell(request) - share->farewell;
    share->farewell = request_is_farewell(request);
    tally->waiting += waiting - share->waiting;
    share->waiting = waiting;
}

void
tally_settle_wait(struct tally *tally, struct share *share)
{
    if (share->is_under_way)
        take_wait(tally, share, WAIT_FOR_LAST_BYTE, share->latest_ns);
    share->is_under_way = false;
}

/* Takes back what the share has added of an answer, which turned out to be no answer: see request_lose_answer(). */
static void
take_back_answer(struct tally *tally, struct share *share)
{
    if (tally->has_durations)
        remove_wait(tally, share);
    sample_remove(&tally->first_byte, share->first_byte_ns);
    wide_subtract(&tally->server_time_ns, wide_of(share->server_ns));
    tally->server_times -= share->has_server_time;
    tally->response_bytes -= share->response_bytes;
    tally->errors -= share->failed;
    *share = (struct share){
        .tls = share->tls, .counted = share->counted, .farewell = share->farewell, .waiting = share->waiting
    };
}

/* Returns whether the duration is left to be added later: the response goes on, and with each further frame another one
 * would have to be taken back. By turns it may go on until the client asks again. */
static bool
is_left_for_later(const struct request *request)
{
    const bool is_latest_turn = !request->by_messages && request == request->connection->request;
    return (is_latest_turn || request_goes_on(request)) && request_wait(request) == WAIT_FOR_LAST_BYTE;
}

inline void
tally_take(struct tally *tally, struct share *share, const struct requests *requests, const struct request *request,
           bool is_known)
{
    if (!share->counted)
        count(tally, share, request);
    tally_settle(tally, share, requests, request);
    if (!request->response.first_frame) {
        if (share->answered)
            take_back_answer(tally, share);
        return;
    }
    tally->errors += request_has_error(request) && !share->failed;
    share->failed |= request_has_error(request);
    int64_t server_ns = request_server_time(request);
    /* A first part that was held makes it shorter, and the next longer; a handshake that comes late makes it known. */
    int64_t first_byte_ns = request_first_byte(request);
    const enum wait wait = request_wait(request);
    const int64_t wait_ns = request_wait_ns(request);
    share->is_under_way = !is_known && is_left_for_later(request);
    if (share->is_under_way || wait != WAIT_FOR_LAST_BYTE || wait_ns != first_byte_ns ||
        (share->answered && share->first_byte_ns != first_byte_ns))
        keep_durations(tally);
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
    tally->response_bytes += request->response.bytes - share->response_bytes;
    share->response_bytes = request->response.bytes & (UINT64_MAX >> 12);
    share->latest_ns = wait_ns;
    if (!share->is_under_way)
        take_wait(tally, share, wait, wait_ns);
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
    tally->response_bytes += other->response_bytes;
    tally->streams += other->streams;
    wide_add(&tally->streams_wait_ns, other->streams_wait_ns);
    tally->long_polls += other->long_polls;
    if (other->has_durations)
        keep_durations(tally);
    if (tally->has_durations)
        sample_merge(&tally->duration, durations_of(other));
    sample_merge(&tally->first_byte, &other->first_byte);
}

uint64_t
tally_unanswered(const struct tally *tally)
{
    return tally->requests - tally->first_byte.moments.count - tally->farewells - tally->waiting;
}

wide
tally_wait_ns(const struct tally *tally)
{
    wide sum = durations_of(tally)->moments.sum;
    wide_add(&sum, tally->streams_wait_ns);
    return sum;
}

void
tally_summarize(struct tally *tally, struct tally_summary *summary)
{
    sample_describe(&tally->first_byte, &summary->first_byte);
    summary->duration = summary->first_byte;
    if (tally->has_durations)
        sample_describe(&tally->duration, &summary->duration);
    summary->requests = tally->requests;
    summary->unanswered = tally_unanswered(tally);
    summary->errors = tally->errors;
    summary->response_bytes = tally->response_bytes;
    summary->wait = wide_double(tally_wait_ns(tally));
    summary->server_time = wide_mean(tally->server_time_ns, tally->server_times);
    summary->server_times = tally->server_times;
}
