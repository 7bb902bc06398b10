/* live_sum.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "live_sum.h"

#include <string.h>

static void
free_request(struct live_request *request)
{
    if (request)
        g_free((char *)request->operation);
    g_free(request);
}

void
live_sum_clear(struct live_sum *sum)
{
    statistic_clear(&sum->wait);
    for (unsigned i = 0; i < LIVE_SLOWEST; i++)
        free_request(sum->slowest[i]);
    *sum = (struct live_sum){ 0 };
}

/* Puts a copy of the request behind those that are as slow, if it is one of the slowest. */
static void
add_slow(struct live_sum *sum, const struct live_request *request)
{
    unsigned at = LIVE_SLOWEST;
    while (at > 0 && (!sum->slowest[at - 1] || sum->slowest[at - 1]->wait_ns < request->wait_ns))
        at--;
    if (at == LIVE_SLOWEST)
        return;
    free_request(sum->slowest[LIVE_SLOWEST - 1]);
    memmove(&sum->slowest[at + 1], &sum->slowest[at], (LIVE_SLOWEST - 1 - at) * sizeof *sum->slowest);
    sum->slowest[at] = g_new(struct live_request, 1);
    *sum->slowest[at] = *request;
    sum->slowest[at]->operation = g_strdup(request->operation);
}

void
live_sum_add(struct live_sum *sum, const struct live_request *request)
{
    sum->requests++;
    sum->errors += request->is_answered && request->has_failed;
    sum->unanswered += !request->is_answered;
    if (!request->has_wait)
        return;
    statistic_add(&sum->wait, request->wait_ns);
    add_slow(sum, request);
}

static void
add_counts(struct live_sum *sum, const struct live_sum *other)
{
    sum->requests += other->requests;
    sum->errors += other->errors;
    sum->unanswered += other->unanswered;
}

void
live_sum_merge_counts(struct live_sum *sum, const struct live_sum *other)
{
    add_counts(sum, other);
    moments_merge(&sum->wait.moments, &other->wait.moments);
}

void
live_sum_merge(struct live_sum *sum, const struct live_sum *other)
{
    add_counts(sum, other);
    statistic_merge(&sum->wait, &other->wait);
    for (unsigned i = 0; i < LIVE_SLOWEST && other->slowest[i]; i++)
        add_slow(sum, other->slowest[i]);
}
