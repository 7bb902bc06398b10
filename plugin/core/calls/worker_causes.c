/* worker_causes.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "worker_causes.h"

#include <string.h>

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

/* The call's candidates. */
static const uint32_t *
candidates_of(const struct worker_span *span, const struct span_call *made)
{
    return span_at(span->candidates, uint32_t, made->first);
}

static uint32_t
candidate(const struct worker_span *span, const struct span_call *made, uint32_t i)
{
    return candidates_of(span, made)[i];
}

/* Returns the place of a request among the call's candidates, which are ascending; it must be one. */
static uint32_t
candidate_of(const struct worker_span *span, const struct span_call *made, uint32_t request)
{
    const uint32_t *candidates = candidates_of(span, made);
    uint32_t low = 0;
    for (uint32_t n = made->n; n > 1; n -= n / 2)
        low += candidates[low + n / 2] <= request ? n / 2 : 0;
    return low;
}

/* Notes in span->places where each candidate of the call is among these, from 1. */
static void
begin_places(const struct worker_span *span, const struct span_call *made)
{
    const uint32_t *candidates = candidates_of(span, made);
    for (uint32_t i = 0; i < made->n; i++)
        span->places[candidates[i]] = (uint16_t)(i + 1);
}

static void
end_places(const struct worker_span *span, const struct span_call *made)
{
    const uint32_t *candidates = candidates_of(span, made);
    for (uint32_t i = 0; i < made->n; i++)
        span->places[candidates[i]] = 0;
}

/* Adds `times` the parts of a call's candidates to the sums of those that are candidates of another, too, whose places
 * are noted; sums[0] is for all others. */
static void
add_common(const struct worker_span *span, const struct span_call *from, const float *parts, float times, float *sums)
{
    const uint32_t *candidates = candidates_of(span, from);
    parts += from->first;
    for (uint32_t i = 0; i < from->n; i++)
        sums[span->places[candidates[i]]] += times * parts[i];
}

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

/* Adds how likely the call is the first of each candidate where a free worker begins with it, as far as `p`. */
static void
add_free(const struct worker_span *span, const struct span_call *made, float p, bool *has_waiting, float *begins)
{
    if (!*has_waiting)
        find_waiting(span, made);
    *has_waiting = true;
    for (uint32_t i = 0; i < made->n; i++)
        begins[i + 1] += p * span->waiting[made->first + i];
}

/* Fills in how likely each candidate caused the call, by what it follows from. `begins`, and `sums`, from 1: how likely
 * the call is the first of each, and how likely it is another of its calls. */
static void
go_forward(const struct worker_span *span, struct span_call *made, float *begins, float *sums)
{
    const struct start *start = span_at(span->starts, struct start, made->start);
    float *forward = span->forward + made->first;
    bool has_waiting = false;
    for (uint32_t i = 0; i <= made->n; i++)
        sums[i] = begins[i] = 0;
    for (uint32_t l = 0; l < start->n_links; l++) {
        const struct link *link = span_at(span->links, struct link, start->first_link + l);
        const struct trigger *trigger = trigger_of(span, link);
        if (link->p < UNLIKELY)
            continue;
        if (trigger->type == TRIGGER_ARRIVED)
            begins[span->places[trigger->of]] += link->p;
        else if (trigger->type != TRIGGER_ANSWERED)
            add_free(span, made, link->p, &has_waiting, begins);
        else
            add_common(span, made_at(span, trigger->of), span->forward, link->p, sums);
    }
    made->forward = 0;
    for (uint32_t i = 0; i < made->n; i++) {
        const float begin = begins[i + 1];
        span_at(span->requests, struct span_request, candidate(span, made, i))->is_unstarted *= 1 - MIN(begin, 1);
        forward[i] = sums[i + 1] + begin;
        made->forward += forward[i];
    }
}

/* Fills in how likely what follows from the call is of each candidate. */
static void
go_backward(const struct worker_span *span, const struct span_call *made, float *sums)
{
    float *backward = span->backward + made->first, followed = 0;
    for (uint32_t i = 0; i <= made->n; i++)
        sums[i] = 0;
    for (uint32_t l = made->answered == NO_PLACE ? 0 : span->trigger_links[made->answered];
         made->answered != NO_PLACE && l < span->trigger_links[made->answered + 1]; l++) {
        const struct link *link = span_at(span->links, struct link, span->by_trigger[l]);
        const struct start *start = span_at(span->starts, struct start, link->start);
        followed += link->p;
        if (link->p < UNLIKELY)
            continue;
        if (start->is_response)
            sums[span->places[start->of]] += link->p;
        else
            add_common(span, made_at(span, start->of), span->backward, link->p, sums);
    }
    for (uint32_t i = 0; i < made->n; i++)
        backward[i] = sums[i + 1] + (MAX(1 - followed, 0) + ENDS_UNSEEN) / (float)made->n;
}

void
worker_causes_find(const struct worker_span *span)
{
    float begins[CALL_CANDIDATES + 1], sums[CALL_CANDIDATES + 1];
    for (uint32_t i = 0; i < span->requests->len; i++)
        span_at(span->requests, struct span_request, i)->is_unstarted = 1;
    for (uint32_t i = 0; i < span->made->len; i++) {
        begin_places(span, made_at(span, i));
        go_forward(span, made_at(span, i), begins, sums);
        end_places(span, made_at(span, i));
    }
    for (uint32_t i = span->made->len; i-- > 0;) {
        begin_places(span, made_at(span, i));
        go_backward(span, made_at(span, i), sums);
        end_places(span, made_at(span, i));
    }
}

/* Returns how well the call agrees with a free worker's beginning it: `backward`, from 1, of each candidate. */
static float
agreement_of_free(const struct worker_span *span, const struct span_call *made, const float *backward)
{
    float agreement = 0;
    for (uint32_t i = 0; i < made->n; i++)
        agreement += span->waiting[made->first + i] * backward[i + 1];
    return agreement;
}

/* Returns how well the call agrees with its following from another: `backward`, from 1, of each candidate, whose places
 * are noted. */
static float
agreement_of_answered(const struct worker_span *span, const struct span_call *before, const float *backward)
{
    const uint32_t *candidates = candidates_of(span, before);
    float agreement = 0;
    for (uint32_t i = 0; i < before->n; i++)
        agreement += span->forward[before->first + i] * backward[span->places[candidates[i]]];
    return before->forward > 0 ? agreement / before->forward : 0;
}

static float
agreement_of_response(const struct worker_span *span, const struct trigger *trigger, uint32_t request)
{
    if (trigger->type == TRIGGER_ARRIVED)
        return 1;
    const struct span_call *made = made_at(span, trigger->of);
    return made->forward > 0 ? span->forward[made->first + candidate_of(span, made, request)] / made->forward : 0;
}

/* Makes the links of a start, which add up to `all`, add up to one. */
static void
share(const struct worker_span *span, const struct start *start, float all)
{
    for (uint32_t l = 0; l < start->n_links && all > 0; l++)
        span_at(span->links, struct link, start->first_link + l)->p /= all;
}

static void
agree_on_response(const struct worker_span *span, const struct start *start)
{
    float all = 0;
    for (uint32_t l = 0; l < start->n_links; l++) {
        struct link *link = span_at(span->links, struct link, start->first_link + l);
        link->p *= link->p < UNLIKELY ? 0 : agreement_of_response(span, trigger_of(span, link), start->of);
        all += link->p;
    }
    share(span, start, all);
}

/* Weighs the links of a call by how well they agree with what follows: `backward`, from 1, of each candidate. */
static void
agree_on_call(const struct worker_span *span, const struct start *start, const float *backward)
{
    const struct span_call *made = made_at(span, start->of);
    float all = 0, of_free = -1; /* not known yet */
    for (uint32_t l = 0; l < start->n_links; l++) {
        struct link *link = span_at(span->links, struct link, start->first_link + l);
        const struct trigger *trigger = trigger_of(span, link);
        if (link->p < UNLIKELY)
            link->p = 0;
        else if (trigger->type == TRIGGER_ARRIVED)
            link->p *= backward[span->places[trigger->of]];
        else if (trigger->type == TRIGGER_ANSWERED)
            link->p *= agreement_of_answered(span, made_at(span, trigger->of), backward);
        else
            link->p *= of_free = of_free < 0 ? agreement_of_free(span, made, backward) : of_free;
        all += link->p;
    }
    share(span, start, all);
}

void
worker_causes_agree(const struct worker_span *span)
{
    float backward[CALL_CANDIDATES + 1] = { 0 };
    for (uint32_t i = 0; i < span->starts->len; i++) {
        const struct start *start = span_at(span->starts, struct start, i);
        if (start->is_response) {
            agree_on_response(span, start);
            continue;
        }
        const struct span_call *made = made_at(span, start->of);
        memcpy(backward + 1, span->backward + made->first, made->n * sizeof *backward);
        begin_places(span, made);
        agree_on_call(span, start, backward);
        end_places(span, made);
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
