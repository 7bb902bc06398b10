/* digest.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "digest.h"

struct measured
request_measure(const struct requests *requests, const struct request *request)
{
    if (!request->response.p0_frame)
        return (struct measured){ .by_messages = request->by_messages,
                                  .in_tls = request_is_in_tls(request),
                                  .farewell = request_is_farewell(request),
                                  .waiting = request_is_waiting(requests, request) };
    return (struct measured){
        .by_messages = request->by_messages,
        .in_tls = request_is_in_tls(request),
        .answered = true,
        .failed = request_has_error(request),
        .first_byte_ns = request_first_byte(request),
        .server_time_ns = request_server_time(request),
        .last_byte_ns = request_last_byte(request),
        .response_bytes = request->response.bytes,
    };
}

void
digest_clear(struct digest *digest)
{
    statistic_clear(&digest->first_byte);
    *digest = (struct digest){ 0 };
}

void
digest_answer(struct digest *digest, const struct measured *measured)
{
    digest->errors += measured->failed;
    digest->response_bytes += measured->response_bytes;
    digest->server_times += measured->server_time_ns >= 0;
    digest->server_time_ns += MAX(measured->server_time_ns, 0);
    digest->last_byte_ns += measured->last_byte_ns;
    statistic_add(&digest->first_byte, measured->first_byte_ns);
}

void
digest_end_wait(struct digest *digest)
{
    digest->waiting -= digest->waiting > 0;
}

void
digest_take(struct digest *digest, const struct measured *measured)
{
    digest->requests++;
    digest->by_messages += measured->by_messages;
    digest->in_tls += measured->in_tls;
    digest->farewells += measured->farewell;
    digest->waiting += measured->waiting;
    if (measured->answered)
        digest_answer(digest, measured);
}

void
digest_merge(struct digest *digest, const struct digest *other)
{
    digest->requests += other->requests;
    digest->errors += other->errors;
    digest->by_messages += other->by_messages;
    digest->in_tls += other->in_tls;
    digest->farewells += other->farewells;
    digest->waiting += other->waiting;
    digest->response_bytes += other->response_bytes;
    digest->server_times += other->server_times;
    digest->server_time_ns += other->server_time_ns;
    digest->last_byte_ns += other->last_byte_ns;
    statistic_merge(&digest->first_byte, &other->first_byte);
}

uint64_t
digest_unanswered(const struct digest *digest)
{
    return digest->requests - digest->first_byte.moments.count - digest->farewells - digest->waiting;
}

void
digest_summarize(const struct digest *digest, struct tally_summary *summary)
{
    statistic_describe(&digest->first_byte, &summary->first_byte);
    summary->requests = digest->requests;
    summary->unanswered = digest_unanswered(digest);
    summary->errors = digest->errors;
    summary->response_bytes = digest->response_bytes;
    summary->server_time = wide_mean(digest->server_time_ns, digest->server_times);
    summary->server_times = digest->server_times;
    summary->last_byte = wide_mean(digest->last_byte_ns, digest->first_byte.moments.count);
}
