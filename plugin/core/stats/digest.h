/* digest.h
 * What a group of requests comes to, in numbers that merge by adding; its memory does not grow with requests.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_DIGEST_H
#define LATENCY_DIGEST_H

#include <stdbool.h>

#include "../request/request.h"
#include "statistic.h"
#include "tally.h"

/* A request, as far as digests go. */
struct measured {
    bool by_messages; /* from others by its messages */
    bool in_tls;      /* not, for nobody has decrypted it */
    bool farewell;    /* it awaits no answer */
    bool waiting;     /* its answer may still come */
    bool answered;    /* the rest is meaningful only then */
    bool failed;      /* by an error */
    int64_t first_byte_ns;
    int64_t server_time_ns; /* -1 if unknown */
    int64_t last_byte_ns;
    uint64_t response_bytes;
};

struct measured request_measure(const struct requests *requests, const struct request *request);

/* All zero when empty. Call digest_clear() when done with it. */
struct digest {
    uint64_t requests, errors, by_messages;
    uint64_t in_tls;    /* the others, where nobody has decrypted them */
    uint64_t farewells; /* requests without response that await none */
    uint64_t waiting;   /* requests whose response may still come */
    uint64_t response_bytes;
    uint64_t server_times; /* requests that have one */
    wide server_time_ns;   /* sums */
    wide last_byte_ns;
    struct statistic first_byte; /* of the answered */
};

void digest_clear(struct digest *digest);
/* The response to a request that has been taken without one. */
void digest_answer(struct digest *digest, const struct measured *measured);

/* Takes one of the waiting as not waiting any more; none if a damaged file says that none waits. */
void digest_end_wait(struct digest *digest);

void digest_take(struct digest *digest, const struct measured *measured);
void digest_merge(struct digest *digest, const struct digest *other);

/* Returns how many requests will have no response, of those that await one. */
uint64_t digest_unanswered(const struct digest *digest);

/* As tally_summarize() has it, but for the percentiles, which are within 0.4 %. */
void digest_summarize(const struct digest *digest, struct tally_summary *summary);

#endif
