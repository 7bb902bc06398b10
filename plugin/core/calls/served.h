/* served.h
 * Servers that serve one request at a time, and what their other requests wait for meanwhile.
 *
 * A request that comes while another is the only one outstanding at its server comes while that is being served. Where
 * the server has several threads, or goes on with others while one waits, some that come later are answered earlier.
 *
 * The rule *one at a time*: of at least SERVED_BEHIND_LEAST requests that came while one of another connection was
 * being served, no more than 1 % were answered before it; they took at least twice as long as requests of the same
 * operations that came when the server had nothing to do; and at least half of that passed before the other's answer.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_SERVED_H
#define LATENCY_SERVED_H

#include "calls.h"

enum { SERVED_BEHIND_LEAST = 10 };

/* What a server's requests show. Sums of times are in nanoseconds. */
struct served {
    uint64_t behind;    /* came while one of another connection was being served */
    uint64_t overtook;  /* of these, were answered before that one */
    bool one_at_a_time; /* by the rule; the rest is meaningful only then: */
    uint32_t blocking;  /* the operation while which is being served others wait longest, all in all */
};

/* Looks at the requests of one server, whose numbers are in the order in which they began: each has a response, and
 * awaits no event. Adds to `waited_ns`, which has as many as there are operations, how long the requests of each waited
 * while one of `blocking` was being served, other than themselves; nothing unless the rule holds. */
struct served served_look(const struct calls *calls, const uint32_t *numbers, unsigned n, double *waited_ns);

#endif
