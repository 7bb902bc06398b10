/* worker_causes.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "worker_causes.h"

/* Links that are less likely say nothing of causes. */
#define UNLIKELY 1e-4F

/* How far a worker that is free takes the request that has waited longest, and what is left for any other. */
#define TAKES_OLDEST .9F
#define TAKES_ANY    .003F

/* What is left for a cause though no link leads from the call to anything of it: parts that no link shows. */
#define ENDS_UNSEEN .02F

static struct trigger *
trigger_of(const struct worker_span *span, const struct link *link)
{
    return span_at(span->triggers, struct trigger, link->trigger);
}

static struct span_call *
made_at(const struct worker_span *span, uint32_t place)
{
    return span_at(span->made, struct span_call, place);
}

static uint32_t
candidate(const struct worker_span *span, const struct span_call *made, uint32_t i)
{
    return g_array_index(span->candidates, uint32_t, made->first + i);
}

/* Returns the place of a request among the call's candidates; made->n if it is none. */
static uint32_t
candidate_of(const struct worker_span *span, const struct span_call *made, uint32_t request)
{
    uint32_t i = 0;
    while (i < made->n && candidate(span, made, i) != request)
        i++;
    return i;
}

/* Hands over each request that may have caused both calls, as places among the candidates of each. */
#define EACH_COMMON(span, a, b, i, j)                                                                                  \
    for (uint32_t i = 0, j = 0; i < (a)->n && j < (b)->n; candidate(span, a, i) == candidate(span, b, j)  ? (i++, j++) \
                                                          : candidate(span, a, i) < candidate(span, b, j) ? i++        \
                                                                                                          : j++)       \
        if (candidate(span, a, i) == candidate(span, b, j))

/* Fills in how likely a free worker that begins with the call does so for each candidate: it takes the one that has
 * waited longest. */
static void
find_waiting(const struct worker_span *span, const struct span_call *made)
{
    float left = 1;
    for (uint32_t i = 0; i < made->n; i++) {
        const float is_unstarted = span_at(span->requests, struct span_request, candidate(span, made, i))->is_unstarted;
        span->waiting[made->first + i] = left * (is_unstarted * TAKES_OLDEST + TAKES_ANY);
        left *= 1 - is_unstarted * TAKES_OLDEST;
    }
}

/* Fills in how likely each candidate caused the call, by what it follows from. `begins`: how likely the call is the
 * first of each. */
static void
go_forward(const struct worker_span *span, const struct span_call *made, float *begins)
{
    const struct start *start = span_at(span->starts, struct start, made->start);
    float *forward = span->forward + made->first;
    find_waiting(span, made);
    for (uint32_t i = 0; i < made->n; i++)
        forward[i] = begins[i] = 0;
    for (uint32_t l = 0; l < start->n_links; l++) {
        const struct link *link = span_at(span->links, struct link, start->first_link + l);
        const struct trigger *trigger = trigger_of(span, link);
        if (link->p < UNLIKELY)
            continue;
        if (trigger->type == TRIGGER_ARRIVED)
            begins[candidate_of(span, made, trigger->of)] += link->p;
        else if (trigger->type != TRIGGER_ANSWERED)
            for (uint32_t i = 0; i < made->n; i++)
                begins[i] += link->p * span->waiting[made->first + i];
        else {
            const struct span_call *before = made_at(span, trigger->of);
            EACH_COMMON(span, before, made, i, j)
            forward[j] += link->p * span->forward[before->first + i];
        }
    }
    for (uint32_t i = 0; i < made->n; i++) {
        span_at(span->requests, struct span_request, candidate(span, made, i))->is_unstarted *= 1 - MIN(begins[i], 1);
        forward[i] += begins[i];
    }
}

/* Fills in how likely what follows from the call is of each candidate. */
static void
go_backward(const struct worker_span *span, const struct span_call *made)
{
    float *backward = span->backward + made->first, followed = 0;
    for (uint32_t i = 0; i < made->n; i++)
        backward[i] = 0;
    for (uint32_t l = made->answered == NO_PLACE ? 0 : span->trigger_links[made->answered];
         made->answered != NO_PLACE && l < span->trigger_links[made->answered + 1]; l++) {
        const struct link *link = span_at(span->links, struct link, span->by_trigger[l]);
        const struct start *start = span_at(span->starts, struct start, link->start);
        followed += link->p;
        if (link->p < UNLIKELY)
            continue;
        if (start->is_response) {
            backward[candidate_of(span, made, start->of)] += link->p;
            continue;
        }
        const struct span_call *next = made_at(span, start->of);
        EACH_COMMON(span, next, made, i, j)
        backward[j] += link->p * span->backward[next->first + i];
    }
    for (uint32_t i = 0; i < made->n; i++)
        backward[i] += (MAX(1 - followed, 0) + ENDS_UNSEEN) / (float)made->n;
}

void
worker_causes_find(const struct worker_span *span)
{
    float begins[CALL_CANDIDATES + 1];
    for (uint32_t i = 0; i < span->requests->len; i++)
        span_at(span->requests, struct span_request, i)->is_unstarted = 1;
    for (uint32_t i = 0; i < span->made->len; i++)
        go_forward(span, made_at(span, i), begins);
    for (uint32_t i = span->made->len; i-- > 0;)
        go_backward(span, made_at(span, i));
}

/* Returns how well a link to a call agrees with what follows from that. */
static float
agreement_of_call(const struct worker_span *span, const struct trigger *trigger, const struct span_call *made)
{
    const float *backward = span->backward + made->first;
    float agreement = 0, all = 0;
    if (trigger->type == TRIGGER_ARRIVED)
        return backward[candidate_of(span, made, trigger->of)];
    if (trigger->type != TRIGGER_ANSWERED) {
        for (uint32_t i = 0; i < made->n; i++)
            agreement += span->waiting[made->first + i] * backward[i];
        return agreement;
    }
    const struct span_call *before = made_at(span, trigger->of);
    for (uint32_t i = 0; i < before->n; i++)
        all += span->forward[before->first + i];
    EACH_COMMON(span, before, made, i, j)
    agreement += span->forward[before->first + i] * backward[j];
    return all > 0 ? agreement / all : 0;
}

static float
agreement_of_response(const struct worker_span *span, const struct trigger *trigger, uint32_t request)
{
    float all = 0;
    if (trigger->type == TRIGGER_ARRIVED)
        return 1;
    const struct span_call *made = made_at(span, trigger->of);
    for (uint32_t i = 0; i < made->n; i++)
        all += span->forward[made->first + i];
    return all > 0 ? span->forward[made->first + candidate_of(span, made, request)] / all : 0;
}

void
worker_causes_agree(const struct worker_span *span)
{
    for (uint32_t i = 0; i < span->starts->len; i++) {
        const struct start *start = span_at(span->starts, struct start, i);
        float all = 0;
        for (uint32_t l = 0; l < start->n_links; l++) {
            struct link *link = span_at(span->links, struct link, start->first_link + l);
            const struct trigger *trigger = trigger_of(span, link);
            if (link->p < UNLIKELY)
                link->p = 0;
            else
                link->p *= start->is_response ? agreement_of_response(span, trigger, start->of)
                                              : agreement_of_call(span, trigger, made_at(span, start->of));
            all += link->p;
        }
        for (uint32_t l = 0; l < start->n_links && all > 0; l++)
            span_at(span->links, struct link, start->first_link + l)->p /= all;
    }
}

uint32_t
worker_causes_best(const struct worker_span *span, const struct span_call *made, float *p)
{
    const float *forward = span->forward + made->first, *backward = span->backward + made->first;
    float best = 0, all = 0;
    uint32_t request = NO_PLACE;
    for (uint32_t i = 0; i < made->n; i++) {
        const float both = forward[i] * backward[i];
        all += both;
        if (both <= best)
            continue;
        best = both;
        request = candidate(span, made, i);
    }
    *p = all > 0 ? best / all : 0;
    return request;
}
