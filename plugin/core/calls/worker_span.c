/* worker_span.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "worker_span.h"

#include <stdlib.h>

/* Bounds how many triggers a start is linked to, the nearest that it may follow from and others, and how many are
 * looked at. */
enum { LINKS = 24, LINKS_FAR = 2, LINK_TRIES = 300 };

struct worker_span *
worker_span_new(const struct calls_host *host, struct worker_model *model, const struct worker_pins *pins,
                uint32_t *noted)
{
    struct worker_span *span = g_new0(struct worker_span, 1);
    span->host = host;
    span->model = model;
    span->pins = pins;
    span->noted = noted;
    span->requests = g_array_new(FALSE, FALSE, sizeof(struct span_request));
    span->made = g_array_new(FALSE, FALSE, sizeof(struct span_call));
    span->candidates = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    span->triggers = g_array_new(FALSE, FALSE, sizeof(struct trigger));
    span->starts = g_array_new(FALSE, FALSE, sizeof(struct start));
    span->links = g_array_new(FALSE, FALSE, sizeof(struct link));
    span->last_calls = g_array_new(FALSE, FALSE, sizeof(struct last_call));
    return span;
}

void
worker_span_free(struct worker_span *span)
{
    g_array_free(span->requests, TRUE);
    g_array_free(span->made, TRUE);
    g_array_free(span->candidates, TRUE);
    g_array_free(span->triggers, TRUE);
    g_array_free(span->starts, TRUE);
    g_array_free(span->links, TRUE);
    g_array_free(span->last_calls, TRUE);
    g_free(span->forward);
    g_free(span->backward);
    g_free(span->waiting);
    g_free(span->places);
    g_free(span->by_trigger);
    g_free(span->trigger_links);
    g_free(span->last_ends);
    g_free(span);
}

void
worker_span_add(struct worker_span *span, uint32_t number, const struct call_candidates *candidates)
{
    const struct span_call made = {
        .number = number,
        .first = span->candidates->len,
        .n = candidates->count,
        .worker = worker_pins_worker(span->pins, call_at(span->host->calls, number)->connection),
        .before = NO_PLACE,
        .behind = NO_PLACE,
        .answered = NO_PLACE,
        .set_free = NO_PLACE,
    };
    g_array_append_val(span->made, made);
    g_array_set_size(span->candidates, made.first + made.n);
    for (uint32_t i = 0; i < made.n; i++)
        g_array_index(span->candidates, uint32_t, made.first + i) =
            call_at(span->host->calls, candidates->number[made.n - 1 - i])->asked_place;
}

static int
compare_requests(const void *a, const void *b)
{
    const struct span_request *x = a, *y = b;
    return (x->asked > y->asked) - (x->asked < y->asked);
}

/* Makes the requests of the candidates, which are places in what the host was asked, and changes these to places in the
 * requests. */
static void
gather_requests(struct worker_span *span)
{
    uint32_t *candidates = (uint32_t *)(void *)span->candidates->data;
    for (uint32_t i = 0; i < span->candidates->len; i++) {
        const struct span_request request = { .asked = candidates[i], .response = NO_PLACE };
        if (span->noted[candidates[i]] == 0)
            g_array_append_val(span->requests, request);
        span->noted[candidates[i]] = 1;
    }
    g_array_sort(span->requests, compare_requests);
    for (uint32_t i = 0; i < span->requests->len; i++)
        span->noted[span_at(span->requests, struct span_request, i)->asked] = i;
    for (uint32_t i = 0; i < span->candidates->len; i++)
        candidates[i] = span->noted[candidates[i]];
    for (uint32_t i = 0; i < span->requests->len; i++)
        span->noted[span_at(span->requests, struct span_request, i)->asked] = 0;
}

/* Finds the calls before and behind each call, of the same worker, or on the same connection. */
static void
find_neighbours(const struct worker_span *span)
{
    GHashTable *last = g_hash_table_new(NULL, NULL);
    for (uint32_t i = 0; i < span->made->len; i++) {
        struct span_call *made = span_at(span->made, struct span_call, i);
        const uint32_t by = made->worker ? made->worker : call_at(span->host->calls, made->number)->connection;
        void *key = GUINT_TO_POINTER(by);
        const uint32_t before = GPOINTER_TO_UINT(g_hash_table_lookup(last, key));
        made->before = before > 0 ? before - 1 : NO_PLACE;
        if (before > 0)
            span_at(span->made, struct span_call, before - 1)->behind = i;
        g_hash_table_insert(last, key, GUINT_TO_POINTER(i + 1));
    }
    g_hash_table_destroy(last);
}

static void
add_trigger(struct worker_span *span, enum trigger_type type, int64_t ns, uint32_t of, const struct call *call)
{
    const struct trigger trigger = {
        .ns = ns,
        .of = of,
        .connection = call->connection,
        .kind = type * WORKER_OPERATIONS + worker_model_operation(span->model, call->operation),
        .type = type,
    };
    g_array_append_val(span->triggers, trigger);
}

static void
add_start(struct worker_span *span, bool is_response, int64_t ns, uint32_t of, const struct call *call)
{
    const struct start start = {
        .ns = ns,
        .of = of,
        .connection = call->connection,
        .kind = is_response * WORKER_OPERATIONS + worker_model_operation(span->model, call->operation),
        .is_response = is_response,
    };
    g_array_append_val(span->starts, start);
}

static int
compare_triggers(const void *a, const void *b)
{
    const struct trigger *x = a, *y = b;
    if (x->ns != y->ns)
        return x->ns > y->ns ? 1 : -1;
    return x->type != y->type ? (int)x->type - (int)y->type : (x->of > y->of) - (x->of < y->of);
}

static int
compare_starts(const void *a, const void *b)
{
    const struct start *x = a, *y = b;
    if (x->ns != y->ns)
        return x->ns > y->ns ? 1 : -1;
    return x->is_response != y->is_response ? x->is_response - y->is_response : (x->of > y->of) - (x->of < y->of);
}

static void
add_moments(struct worker_span *span)
{
    const struct calls_host *host = span->host;
    for (uint32_t i = 0; i < span->requests->len; i++) {
        const struct call *asked =
            call_at(host->calls, host->asked[span_at(span->requests, struct span_request, i)->asked]);
        add_trigger(span, TRIGGER_ARRIVED, asked->begins_ns + asked->asking_ns, i, asked);
        if (asked->end_frame == 0)
            continue;
        add_trigger(span, TRIGGER_SENT, asked->ends_ns, i, asked);
        add_start(span, true, asked->answers_ns, i, asked);
    }
    for (uint32_t i = 0; i < span->made->len; i++) {
        const struct span_call *made = span_at(span->made, struct span_call, i);
        const struct call *call = call_at(host->calls, made->number);
        add_start(span, false, call->begins_ns, i, call);
        if (call->end_frame == 0)
            continue;
        add_trigger(span, TRIGGER_ANSWERED, call->ends_ns, i, call);
        if (made->worker)
            add_trigger(span, TRIGGER_FREE, call->ends_ns, i, call);
    }
    g_array_sort(span->triggers, compare_triggers);
    g_array_sort(span->starts, compare_starts);
}

/* Notes where the moments of requests and calls are, now that they stay there. */
static void
note_places(const struct worker_span *span)
{
    for (uint32_t i = 0; i < span->starts->len; i++) {
        const struct start *start = span_at(span->starts, struct start, i);
        if (start->is_response)
            span_at(span->requests, struct span_request, start->of)->response = i;
        else
            span_at(span->made, struct span_call, start->of)->start = i;
    }
    for (uint32_t i = 0; i < span->triggers->len; i++) {
        const struct trigger *trigger = span_at(span->triggers, struct trigger, i);
        if (trigger->type == TRIGGER_ANSWERED)
            span_at(span->made, struct span_call, trigger->of)->answered = i;
        else if (trigger->type == TRIGGER_FREE)
            span_at(span->made, struct span_call, trigger->of)->set_free = i;
    }
}

static int
compare_keys(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void
count_connections(struct worker_span *span)
{
    if (span->starts->len == 0)
        return;
    uint64_t *keys = g_new(uint64_t, span->starts->len);
    for (uint32_t i = 0; i < span->starts->len; i++) {
        const struct start *start = span_at(span->starts, struct start, i);
        keys[i] = (uint64_t)start->connection << 32 | start->kind;
    }
    qsort(keys, span->starts->len, sizeof *keys, compare_keys);
    for (uint32_t i = 0; i < span->starts->len; i++)
        if (i == 0 || keys[i] != keys[i - 1])
            span->connections[keys[i] & UINT32_MAX]++;
    g_free(keys);
}

static const uint32_t *
candidates_of(const struct worker_span *span, const struct span_call *made)
{
    return &g_array_index(span->candidates, uint32_t, made->first);
}

static bool
may_be_of(const struct worker_span *span, const struct span_call *made, uint32_t request)
{
    const uint32_t *candidates = candidates_of(span, made);
    uint32_t low = 0;
    for (uint32_t n = made->n; n > 1; n -= n / 2)
        low += candidates[low + n / 2] <= request ? n / 2 : 0;
    return made->n > 0 && candidates[low] == request;
}

/* Whether one request may be the cause of both. */
static bool
may_be_of_one(const struct worker_span *span, const struct span_call *a, const struct span_call *b)
{
    const uint32_t *x = candidates_of(span, a), *y = candidates_of(span, b);
    for (uint32_t i = 0, j = 0; i < a->n && j < b->n;) {
        if (x[i] == y[j])
            return true;
        if (x[i] < y[j])
            i++;
        else
            j++;
    }
    return false;
}

/* Whether a pinned call was its worker's last by the time, or the last but one: the response goes through others, which
 * may take longer than the worker to begin something else. */
static bool
is_among_last(const struct worker_span *span, uint32_t place, int64_t ns)
{
    const struct span_call *other = span_at(span->made, struct span_call, place);
    for (unsigned behind = 0; behind < 2; behind++) {
        if (other->behind == NO_PLACE)
            return true;
        other = span_at(span->made, struct span_call, other->behind);
    }
    return call_at(span->host->calls, other->number)->begins_ns >= ns;
}

static bool
response_may_follow(const struct worker_span *span, const struct trigger *trigger, const struct start *start)
{
    const struct span_call *made;
    if (trigger->type == TRIGGER_ARRIVED)
        return trigger->of == start->of;
    if (trigger->type != TRIGGER_ANSWERED)
        return false;
    made = span_at(span->made, struct span_call, trigger->of);
    return may_be_of(span, made, start->of) && (!made->worker || is_among_last(span, trigger->of, start->ns));
}

static bool
call_may_follow(const struct worker_span *span, const struct trigger *trigger, const struct start *start)
{
    const struct span_call *made = span_at(span->made, struct span_call, start->of), *before;
    switch (trigger->type) {
    case TRIGGER_ARRIVED:
        return may_be_of(span, made, trigger->of);
    case TRIGGER_SENT:
        return !made->worker && !may_be_of(span, made, trigger->of);
    case TRIGGER_FREE:
        return made->worker && made->before == trigger->of;
    case TRIGGER_ANSWERED:
        /* Where a capture's times go back, a call may have been answered before it began. */
        if (trigger->of >= start->of)
            return false;
        before = span_at(span->made, struct span_call, trigger->of);
        if (before->worker && made->worker && made->before != trigger->of)
            return false;
        if (before->worker && !made->worker && !is_among_last(span, trigger->of, start->ns))
            return false;
        return may_be_of_one(span, made, before);
    default:
        return false;
    }
}

static void
add_link(struct worker_span *span, uint32_t trigger_place, uint32_t start_place)
{
    const struct trigger *trigger = span_at(span->triggers, struct trigger, trigger_place);
    struct start *start = span_at(span->starts, struct start, start_place);
    struct link *link = span_at(span->links, struct link, start->first_link + start->n_links++);
    *link = (struct link){
        .trigger = trigger_place,
        .start = start_place,
        .gap = (uint8_t)worker_gap(start->ns - trigger->ns),
        .pair = worker_model_pair(span->model, trigger->kind, start->kind),
    };
    if (trigger->type == TRIGGER_ANSWERED || trigger->type == TRIGGER_FREE)
        link->tie = worker_model_tie(span->model, trigger->connection, start->connection, start->kind);
}

static bool
has_link(const struct worker_span *span, uint32_t trigger_place, const struct start *start)
{
    for (uint32_t i = 0; i < start->n_links; i++)
        if (span_at(span->links, struct link, start->first_link + i)->trigger == trigger_place)
            return true;
    return false;
}

static bool
may_follow(const struct worker_span *span, const struct trigger *trigger, const struct start *start)
{
    return start->is_response ? response_may_follow(span, trigger, start) : call_may_follow(span, trigger, start);
}

/* Links the start to a trigger that it may follow from, though others are nearer. */
static void
add_far_link(struct worker_span *span, uint32_t trigger_place, uint32_t start_place)
{
    if (trigger_place == NO_PLACE)
        return;
    const struct trigger *trigger = span_at(span->triggers, struct trigger, trigger_place);
    const struct start *start = span_at(span->starts, struct start, start_place);
    if (trigger->ns <= start->ns && may_follow(span, trigger, start) && !has_link(span, trigger_place, start))
        add_link(span, trigger_place, start_place);
}

/* Returns since when there may be triggers that the start follows from: a response follows from what came after its
 * request had begun, and a pinned call, but for the call before it, from what came after its first candidate had. */
static int64_t
triggers_since_ns(const struct worker_span *span, const struct start *start)
{
    const struct calls_host *host = span->host;
    const struct span_call *made;
    uint32_t request = start->of;
    if (!start->is_response) {
        made = span_at(span->made, struct span_call, start->of);
        if (!made->worker)
            return INT64_MIN;
        request = *candidates_of(span, made);
    }
    return call_at(host->calls, host->asked[span_at(span->requests, struct span_request, request)->asked])->begins_ns;
}

/* `past`: triggers up to the start. `arrivals`: of each request its trigger. */
static void
add_links(struct worker_span *span, uint32_t start_place, uint32_t past, const uint32_t *arrivals)
{
    struct start *start = span_at(span->starts, struct start, start_place);
    const int64_t since_ns = triggers_since_ns(span, start);
    for (uint32_t i = past, tries = 0; i-- > 0 && tries < LINK_TRIES && start->n_links < LINKS; tries++) {
        const struct trigger *trigger = span_at(span->triggers, struct trigger, i);
        if (trigger->ns < since_ns)
            break;
        if (may_follow(span, trigger, start))
            add_link(span, i, start_place);
    }
    if (start->is_response) {
        add_far_link(span, arrivals[start->of], start_place);
        return;
    }
    const struct span_call *made = span_at(span->made, struct span_call, start->of);
    if (made->before != NO_PLACE) {
        add_far_link(span, span_at(span->made, struct span_call, made->before)->answered, start_place);
        add_far_link(span, span_at(span->made, struct span_call, made->before)->set_free, start_place);
    }
}

/* Likewise. */
static void
link_start(struct worker_span *span, uint32_t start_place, uint32_t past, const uint32_t *arrivals)
{
    struct start *start = span_at(span->starts, struct start, start_place);
    start->first_link = span->links->len;
    g_array_set_size(span->links, start->first_link + LINKS + LINKS_FAR);
    add_links(span, start_place, past, arrivals);
    g_array_set_size(span->links, start->first_link + start->n_links);
}

static void
link_starts(struct worker_span *span)
{
    uint32_t *arrivals = g_new(uint32_t, span->requests->len), past = 0;
    for (uint32_t i = 0; i < span->triggers->len; i++) {
        const struct trigger *trigger = span_at(span->triggers, struct trigger, i);
        if (trigger->type == TRIGGER_ARRIVED)
            arrivals[trigger->of] = i;
    }
    for (uint32_t i = 0; i < span->starts->len; i++) {
        const int64_t ns = span_at(span->starts, struct start, i)->ns;
        while (past < span->triggers->len && span_at(span->triggers, struct trigger, past)->ns <= ns)
            past++;
        link_start(span, i, past, arrivals);
    }
    g_free(arrivals);
}

static void
index_by_trigger(struct worker_span *span)
{
    const uint32_t n_triggers = span->triggers->len, n_links = span->links->len;
    uint32_t *counts = g_new0(uint32_t, n_triggers + 2);
    span->by_trigger = g_new(uint32_t, n_links);
    for (uint32_t i = 0; i < n_links; i++)
        counts[span_at(span->links, struct link, i)->trigger + 2]++;
    for (uint32_t i = 2; i < n_triggers + 2; i++)
        counts[i] += counts[i - 1];
    for (uint32_t i = 0; i < n_links; i++)
        span->by_trigger[counts[span_at(span->links, struct link, i)->trigger + 1]++] = i;
    span->trigger_links = counts;
}

void
worker_span_link(struct worker_span *span)
{
    gather_requests(span);
    find_neighbours(span);
    add_moments(span);
    note_places(span);
    count_connections(span);
    link_starts(span);
    index_by_trigger(span);
    span->forward = g_new(float, span->candidates->len);
    span->backward = g_new(float, span->candidates->len);
    span->waiting = g_new(float, span->candidates->len);
    span->places = g_new0(uint16_t, span->requests->len);
    span->last_ends = g_new0(uint32_t, span->requests->len);
}
