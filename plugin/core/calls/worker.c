/* worker.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "worker.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "calls_rules.h"
#include "worker_causes.h"

/* A host's calls are looked at in spans of at least this many, and at most twice as many: they end where nothing is
 * outstanding, if that is soon. Of the first one everything is learned, at ten times the cost of others. */
enum { SPAN_FIRST = 768, SPAN_LEAST = 2048 };

/* How often it is learned from the first span, before which nothing is known: in the first rounds each link counts as
 * far as it is likely, then the likeliest alone. From other spans it is learned once, when they have been told. */
enum { ROUNDS = 10, ROUNDS_SOFT = 2 };

/* How often starts and triggers are made to agree on whom they belong to. */
enum { BALANCES = 16 };

/* How likely, per nanosecond, a call or a response is that follows from nothing that is seen. */
#define FROM_NOTHING 1e-9F

/* Links that are less likely are none of the likeliest. */
#define UNLIKELY .01F

/* Links whose odds are so small a part of their start's are taken for impossible. */
#define FAR_LESS 1e-4F

/* Of an operation at least one call in so many is told, or none. */
enum { TOLD_OF = 4 };

struct cause {
    uint32_t number, request;
    float p;
};

struct telling {
    const struct calls_host *host;
    struct worker_model *model;
    struct worker_pins *pins;
    struct worker_span *span;
    uint32_t *noted; /* for spans */
    GArray *causes;  /* of struct cause */
    uint32_t newest; /* the youngest of the last call's candidates, so far; 0: none */
    bool has_learned;
};

static struct link *
link_at(const struct worker_span *span, uint32_t place)
{
    return span_at(span->links, struct link, place);
}

/* Begins with nearer triggers as the likelier ones. */
static void
guess(const struct worker_span *span)
{
    for (uint32_t i = 0; i < span->starts->len; i++) {
        const struct start *start = span_at(span->starts, struct start, i);
        float all = 0;
        for (uint32_t l = 0; l < start->n_links; l++)
            all += 1 / (float)(l + 1);
        for (uint32_t l = 0; l < start->n_links; l++)
            link_at(span, start->first_link + l)->p = 1 / (float)(l + 1) / all;
    }
}

struct likely {
    float p; /* of a link */
    uint32_t place;
};

static int
compare_likely(const void *a, const void *b)
{
    const struct likely *x = a, *y = b;
    if (x->p != y->p)
        return x->p < y->p ? 1 : -1;
    return x->place < y->place ? -1 : 1;
}

/* Of the links that have a start or a trigger in common only the likeliest is left, with certainty. Returns whether
 * these are others than the last time. */
static bool
harden(const struct worker_span *span)
{
    if (span->links->len == 0)
        return false;
    struct likely *likely = g_new(struct likely, span->links->len);
    uint32_t n = 0;
    bool *starts = g_new0(bool, span->starts->len), *triggers = g_new0(bool, span->triggers->len);
    for (uint32_t i = 0; i < span->links->len; i++)
        if (link_at(span, i)->p >= UNLIKELY)
            likely[n++] = (struct likely){ link_at(span, i)->p, i };
    qsort(likely, n, sizeof *likely, compare_likely);
    for (uint32_t i = 0; i < span->links->len; i++)
        link_at(span, i)->p = 0;
    for (uint32_t i = 0; i < n; i++) {
        struct link *link = link_at(span, likely[i].place);
        if (starts[link->start] || triggers[link->trigger])
            continue;
        starts[link->start] = triggers[link->trigger] = true;
        link->p = 1;
    }
    bool is_changed = false;
    for (uint32_t i = 0; i < span->links->len; i++) {
        struct link *link = link_at(span, i);
        is_changed |= link->is_left != (link->p > 0);
        link->is_left = link->p > 0;
    }
    g_free(starts);
    g_free(triggers);
    g_free(likely);
    return is_changed;
}

/* Finds the calls from which each response follows, and how likely it does. */
static void
find_last_calls(const struct worker_span *span)
{
    g_array_set_size(span->last_calls, 0);
    for (uint32_t i = 0; i < span->requests->len; i++) {
        const uint32_t response = span_at(span->requests, struct span_request, i)->response;
        const struct start *start = response == NO_PLACE ? NULL : span_at(span->starts, struct start, response);
        for (uint32_t l = 0; start && l < start->n_links; l++) {
            const struct link *link = link_at(span, start->first_link + l);
            const struct trigger *trigger = span_at(span->triggers, struct trigger, link->trigger);
            const struct last_call last = { trigger->connection, link->p };
            if (trigger->type == TRIGGER_ANSWERED && link->p > 2 * UNLIKELY)
                g_array_append_val(span->last_calls, last);
        }
        span->last_ends[i] = span->last_calls->len;
    }
}

/* The place of the first, and behind the last, of the calls from which a request's response follows. */
static uint32_t
last_first(const struct worker_span *span, uint32_t request)
{
    return request > 0 ? span->last_ends[request - 1] : 0;
}

/* Returns the tie of a call that follows from a response's end to one from which the response follows. */
static struct worker_tie *
tie_to(const struct worker_span *span, struct link *link, uint32_t connection)
{
    const struct start *start = span_at(span->starts, struct start, link->start);
    if (!link->last_tie || link->last != connection)
        link->last_tie = worker_model_tie(span->model, connection, start->connection, start->kind);
    link->last = connection;
    return link->last_tie;
}

static void
learn(struct worker_span *span)
{
    find_last_calls(span);
    for (uint32_t i = 0; i < span->triggers->len; i++)
        worker_model_add_trigger(span->model, span_at(span->triggers, struct trigger, i)->kind);
    for (uint32_t i = 0; i < span->links->len; i++) {
        struct link *link = link_at(span, i);
        const struct trigger *trigger = span_at(span->triggers, struct trigger, link->trigger);
        if (link->p <= 0)
            continue;
        worker_pair_add(link->pair, link->gap, link->p);
        if (link->tie)
            worker_tie_add(link->tie, link->p);
        if (trigger->type != TRIGGER_SENT)
            continue;
        for (uint32_t l = last_first(span, trigger->of); l < span->last_ends[trigger->of]; l++) {
            const struct last_call *last = span_at(span->last_calls, struct last_call, l);
            worker_tie_add(tie_to(span, link, last->connection), link->p * last->p);
        }
    }
}

/* Returns how much the connections say for the link. */
static float
tie_odds(const struct worker_span *span, struct link *link)
{
    const struct trigger *trigger = span_at(span->triggers, struct trigger, link->trigger);
    const uint32_t n_connections = span->connections[span_at(span->starts, struct start, link->start)->kind];
    float odds = 1;
    if (link->tie)
        return worker_tie_odds(link->tie, n_connections, link->p);
    if (trigger->type != TRIGGER_SENT)
        return odds;
    for (uint32_t l = last_first(span, trigger->of); l < span->last_ends[trigger->of]; l++) {
        const struct last_call *last = span_at(span->last_calls, struct last_call, l);
        odds += last->p * (worker_tie_odds(tie_to(span, link, last->connection), n_connections, link->p * last->p) - 1);
    }
    return odds;
}

/* What balance() needs of links that may be likely. */
struct balanced {
    float odds, p; /* as in struct link */
    uint32_t trigger, link;
};

/* Those of a start end where the next one's begin. */
struct balance {
    struct balanced *links; /* by start */
    uint32_t *ends;
    float *factors, *sums; /* of each trigger */
};

/* Weighs all links, and leaves those that are not far less likely than another of their start. Returns how many. */
static uint32_t
weigh(struct worker_span *span, struct balance *balance)
{
    uint32_t n = 0;
    worker_model_settle(span->model);
    for (uint32_t i = 0; i < span->starts->len; i++) {
        const struct start *start = span_at(span->starts, struct start, i);
        float all = FROM_NOTHING;
        for (uint32_t l = start->first_link; l < start->first_link + start->n_links; l++) {
            struct link *link = link_at(span, l);
            link->odds = worker_pair_odds(span->model, link->pair, link->gap) * tie_odds(span, link);
            all += link->odds;
        }
        for (uint32_t l = start->first_link; l < start->first_link + start->n_links; l++) {
            struct link *link = link_at(span, l);
            link->p = 0;
            if (link->odds >= all * FAR_LESS)
                balance->links[n++] = (struct balanced){ link->odds, 0, link->trigger, l };
        }
        balance->ends[i] = n;
    }
    return n;
}

/* Finds how likely links are, and adds up what each trigger has of the starts' links. */
static void
share_among_links(const struct worker_span *span, const struct balance *balance)
{
    struct balanced *links = balance->links;
    const float *factors = balance->factors;
    float *sums = balance->sums;
    memset(sums, 0, span->triggers->len * sizeof *sums);
    for (uint32_t i = 0, first = 0; i < span->starts->len; first = balance->ends[i++]) {
        const uint32_t end = balance->ends[i];
        float all = FROM_NOTHING;
        for (uint32_t l = first; l < end; l++)
            all += links[l].p = links[l].odds * factors[links[l].trigger];
        const float part = 1 / all;
        for (uint32_t l = first; l < end; l++)
            sums[links[l].trigger] += links[l].p *= part;
    }
}

/* From each trigger one start follows at most: `factors` are how far it is left to others, until both sides agree
 * (Sinkhorn and Knopp, 1967). Each step goes half as far again as it is asked to, for both sides to agree sooner
 * (Thibault et al., 2021). */
static void
balance(struct worker_span *span)
{
    const uint32_t n_triggers = span->triggers->len;
    struct balance balance = {
        .links = g_new(struct balanced, span->links->len),
        .ends = g_new(uint32_t, span->starts->len),
        .factors = g_new(float, n_triggers),
        .sums = g_new(float, n_triggers),
    };
    const uint32_t n_links = weigh(span, &balance);
    for (uint32_t i = 0; i < n_triggers; i++)
        balance.factors[i] = 1;
    for (unsigned round = 0; round < BALANCES; round++) {
        share_among_links(span, &balance);
        for (uint32_t i = 0; i < n_triggers; i++) {
            const float left = 1 / (1 + balance.sums[i] / balance.factors[i]);
            balance.factors[i] = MIN(left * sqrtf(left / balance.factors[i]), 1);
        }
    }
    share_among_links(span, &balance);
    for (uint32_t l = 0; l < n_links; l++)
        link_at(span, balance.links[l].link)->p = balance.links[l].p;
    g_free(balance.links);
    g_free(balance.ends);
    g_free(balance.factors);
    g_free(balance.sums);
}

/* Whether a call that is not told yet is for a request, for all that is known: not where the host asks on its own
 * account, too, or where the capture does not have all requests to it. */
static bool
is_for_request(const struct calls_host *host, const struct call *call)
{
    return call->rule == CALL_SEVERAL && !call->is_handed && !host->is_partial &&
           calls_host_habit(host, call)->alone == 0;
}

static void
note_causes(const struct telling *telling)
{
    const struct worker_span *span = telling->span;
    for (uint32_t i = 0; i < span->made->len; i++) {
        const struct span_call *made = span_at(span->made, struct span_call, i);
        struct cause cause = { .number = made->number };
        if (!is_for_request(span->host, call_at(span->host->calls, made->number)))
            continue;
        const uint32_t request = worker_causes_best(span, made, &cause.p);
        if (request == NO_PLACE)
            continue;
        cause.request = span->host->asked[span_at(span->requests, struct span_request, request)->asked];
        g_array_append_val(telling->causes, cause);
    }
}

/* Learns from the first span, until that changes nothing. */
static void
learn_first(struct worker_span *span)
{
    guess(span);
    for (unsigned round = 0; round < ROUNDS - 1; round++) {
        if (round >= ROUNDS_SOFT && !harden(span))
            return;
        worker_model_forget(span->model);
        learn(span);
        balance(span);
        worker_causes_find(span);
        worker_causes_agree(span);
    }
    harden(span);
    worker_model_forget(span->model);
    learn(span);
}

/* Tells what the span says, learns from it, and begins another. */
static void
end_span(struct telling *telling)
{
    struct worker_span *span = telling->span;
    worker_span_link(span);
    if (!telling->has_learned)
        learn_first(span);
    balance(span);
    worker_causes_find(span);
    note_causes(telling);
    if (telling->has_learned) {
        worker_causes_agree(span);
        harden(span);
        learn(span);
    }
    telling->has_learned = true;
    worker_span_free(span);
    worker_model_bound_ties(telling->model);
    telling->span = worker_span_new(telling->host, telling->model, telling->pins, telling->noted);
}

/* Whether no request is outstanding of those that may have caused earlier calls. */
static bool
is_quiet(const struct telling *telling, const struct call_candidates *candidates)
{
    for (uint32_t i = 0; i < candidates->count; i++)
        if (candidates->number[i] <= telling->newest)
            return false;
    return true;
}

static void
take(void *data, uint32_t number, struct call_candidates *candidates)
{
    struct telling *telling = data;
    const struct call *call = call_at(telling->host->calls, number);
    if (candidates->is_cut || (call->rule == CALL_NONE || call->rule == CALL_AFTER))
        return;
    if (call->cause == 0)
        calls_rules_narrow(telling->host, number, candidates);
    if (candidates->count == 0)
        return;
    const uint32_t n = telling->span->made->len, least = telling->has_learned ? SPAN_LEAST : SPAN_FIRST;
    if (n >= 2 * least || (n >= least && is_quiet(telling, candidates)))
        end_span(telling);
    worker_span_add(telling->span, number, candidates);
    for (uint32_t i = 0; i < candidates->count; i++)
        telling->newest = MAX(telling->newest, candidates->number[i]);
}

/* Tells what is likely, but of operations of which little is. */
static void
tell_likely(const struct telling *telling, float least)
{
    struct calls *calls = telling->host->calls;
    uint32_t *all = g_new0(uint32_t, calls_operations(calls)), *likely = g_new0(uint32_t, calls_operations(calls));
    for (uint32_t i = 0; i < telling->causes->len; i++) {
        const struct cause *cause = span_at(telling->causes, struct cause, i);
        const uint32_t operation = call_at(calls, cause->number)->operation;
        all[operation]++;
        likely[operation] += cause->p >= least;
    }
    for (uint32_t i = 0; i < telling->causes->len; i++) {
        const struct cause *cause = span_at(telling->causes, struct cause, i);
        const uint32_t operation = call_at(calls, cause->number)->operation;
        if (cause->p >= least && likely[operation] >= all[operation] / TOLD_OF)
            call_tell(calls, cause->number, cause->request, CALL_WORKER, (unsigned)(cause->p * 100));
    }
    g_free(all);
    g_free(likely);
}

static bool
has_several(const struct calls_host *host)
{
    for (uint32_t i = 0; i < host->n_made; i++)
        if (call_at(host->calls, host->made[i])->rule == CALL_SEVERAL)
            return true;
    return false;
}

void
worker_tell(const struct calls_host *host, unsigned percent)
{
    if (percent > 100 || !has_several(host))
        return;
    struct telling telling = {
        .host = host,
        .model = worker_model_new(),
        .pins = worker_pins_new(host),
        .noted = g_new0(uint32_t, host->n_asked),
        .causes = g_array_new(FALSE, FALSE, sizeof(struct cause)),
    };
    telling.span = worker_span_new(host, telling.model, telling.pins, telling.noted);
    calls_host_each(host, NULL, take, &telling);
    if (telling.span->made->len > 0)
        end_span(&telling);
    tell_likely(&telling, (float)percent / 100);
    g_array_free(telling.causes, TRUE);
    worker_span_free(telling.span);
    worker_pins_free(telling.pins);
    g_free(telling.noted);
    worker_model_free(telling.model);
}
