/* calls_host.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "calls_host.h"

#include <stdlib.h>

/* A moment in the capture: of the same time, the frame with the lower number is earlier. */
struct moment {
    int64_t ns;
    uint32_t frame;
};

struct sort_entry {
    struct moment moment;
    uint32_t value;
};

static bool
is_before(struct moment a, struct moment b)
{
    return a.ns != b.ns ? a.ns < b.ns : a.frame < b.frame;
}

static struct moment
begin_of(const struct call *call)
{
    return (struct moment){ call->begins_ns, call->frame };
}

/* Of one without response: no frame shows it. */
static struct moment
end_of(const struct call *call)
{
    return (struct moment){ call->ends_ns, call->end_frame > 0 ? call->end_frame : UINT32_MAX };
}

bool
call_is_within(const struct call *call, const struct call *cause)
{
    const struct moment end = call->end_frame > 0 ? end_of(call) : begin_of(call);
    return is_before(begin_of(cause), begin_of(call)) && is_before(end, end_of(cause));
}

static int
compare_entries(const void *a, const void *b)
{
    const struct sort_entry *x = a, *y = b;
    if (x->moment.ns != y->moment.ns)
        return x->moment.ns > y->moment.ns ? 1 : -1;
    if (x->moment.frame != y->moment.frame)
        return x->moment.frame > y->moment.frame ? 1 : -1;
    return (x->value > y->value) - (x->value < y->value);
}

void
calls_sort(const struct calls *calls, uint32_t *numbers, uint32_t n)
{
    bool is_sorted = true;
    for (uint32_t i = 1; i < n && is_sorted; i++)
        is_sorted = is_before(begin_of(call_at(calls, numbers[i - 1])), begin_of(call_at(calls, numbers[i])));
    if (is_sorted)
        return;
    struct sort_entry *entries = g_new(struct sort_entry, n);
    for (uint32_t i = 0; i < n; i++)
        entries[i] = (struct sort_entry){ begin_of(call_at(calls, numbers[i])), numbers[i] };
    qsort(entries, n, sizeof *entries, compare_entries);
    for (uint32_t i = 0; i < n; i++)
        numbers[i] = entries[i].value;
    g_free(entries);
}

/* When the host was asked first, and the longest that it took to answer: what was outstanding before the capture had
 * been answered by then, if the host took no longer. */
static void
find_settled(struct calls_host *host)
{
    int64_t longest_ns = 0;
    bool is_whole = true;
    for (uint32_t i = 0; i < host->n_asked; i++) {
        const struct call *asked = call_at(host->calls, host->asked[i]);
        const struct call_connection *connection = pool_at(&host->calls->connections, asked->connection);
        is_whole &= connection->is_whole;
        if (asked->end_frame > 0)
            longest_ns = MAX(longest_ns, asked->ends_ns - asked->begins_ns);
    }
    host->settled_ns = call_at(host->calls, host->asked[0])->begins_ns;
    if (!is_whole)
        host->settled_ns += longest_ns;
}

/* Finds out how much of the time from then on nothing was outstanding on the host that ends with its response. */
static void
find_idle(struct calls_host *host)
{
    int64_t busy_ns = 0, until_ns = host->settled_ns, last_ns = host->settled_ns;
    for (uint32_t i = 0; i < host->n_made; i++)
        last_ns = MAX(last_ns, call_at(host->calls, host->made[i])->begins_ns);
    for (uint32_t i = 0; i < host->n_asked; i++) {
        const struct call *asked = call_at(host->calls, host->asked[i]);
        last_ns = MAX(last_ns, asked->end_frame > 0 ? asked->ends_ns : asked->begins_ns);
    }
    for (uint32_t i = 0; i < host->n_asked; i++) {
        const struct call *asked = call_at(host->calls, host->asked[i]);
        const int64_t from_ns = MAX(asked->begins_ns, until_ns), to_ns = MIN(asked->ends_ns, last_ns);
        if (asked->wait != WAIT_FOR_LAST_BYTE || to_ns <= from_ns)
            continue;
        busy_ns += to_ns - from_ns;
        until_ns = to_ns;
    }
    host->idle = last_ns > host->settled_ns ? 1 - (double)busy_ns / (double)(last_ns - host->settled_ns) : 0;
}

static int
compare_spans(const void *a, const void *b)
{
    const struct call_span *x = a, *y = b;
    return (x->begins_ns > y->begins_ns) - (x->begins_ns < y->begins_ns);
}

/* Notes the time of each connection with gaps to the host, once. */
static void
find_uncertain(struct calls_host *host)
{
    GArray *spans = g_array_new(FALSE, FALSE, sizeof(struct call_span));
    for (uint32_t i = 0; i < host->n_asked; i++) {
        const struct call *asked = call_at(host->calls, host->asked[i]);
        struct call_connection *connection = pool_at(&host->calls->connections, asked->connection);
        if (!connection->has_gaps || connection->begins_ns != asked->begins_ns)
            continue;
        const struct call_span span = { connection->begins_ns, connection->ends_ns };
        g_array_append_val(spans, span);
    }
    g_array_sort(spans, compare_spans);
    for (uint32_t i = 0; i < spans->len; i++) {
        struct call_span *span = &g_array_index(spans, struct call_span, i);
        struct call_span *last = &g_array_index(spans, struct call_span, MAX(host->n_uncertain, 1) - 1);
        if (host->n_uncertain > 0 && span->begins_ns <= last->ends_ns)
            last->ends_ns = MAX(last->ends_ns, span->ends_ns);
        else
            g_array_index(spans, struct call_span, host->n_uncertain++) = *span;
    }
    host->uncertain = (struct call_span *)(void *)g_array_free(spans, FALSE);
}

void
calls_host_open(struct calls_host *host)
{
    calls_sort(host->calls, host->asked, host->n_asked);
    calls_sort(host->calls, host->made, host->n_made);
    find_settled(host);
    find_idle(host);
    find_uncertain(host);
    host->pairs = g_hash_table_new_full(g_int64_hash, g_int64_equal, NULL, g_free);
    for (uint32_t i = 0; i < host->n_asked; i++) {
        struct call *asked = call_at(host->calls, host->asked[i]);
        asked->asked_place = i;
        calls_host_habit(host, asked)->asked++;
    }
}

void
calls_host_close(struct calls_host *host)
{
    g_free(host->uncertain);
    g_hash_table_destroy(host->pairs);
}

bool
calls_host_knows(const struct calls_host *host, const struct call *call)
{
    uint32_t low = 0, high = host->n_uncertain;
    if (call->begins_ns < host->settled_ns)
        return false;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (host->uncertain[middle].ends_ns < call->begins_ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low == host->n_uncertain || host->uncertain[low].begins_ns > call->begins_ns;
}

struct call_habit *
calls_host_habit(const struct calls_host *host, const struct call *call)
{
    struct call_habit *habit = &host->habits[call->operation];
    if (habit->host != host->number)
        *habit = (struct call_habit){ .host = host->number };
    return habit;
}

struct call_pair *
calls_host_pair(const struct calls_host *host, const struct call *call, const struct call *cause)
{
    const uint64_t kinds = (uint64_t)call->operation << 32 | cause->operation;
    struct call_pair *pair = g_hash_table_lookup(host->pairs, &kinds);
    if (!pair) {
        pair = g_new0(struct call_pair, 1);
        pair->kinds = kinds;
        g_hash_table_insert(host->pairs, &pair->kinds, pair);
    }
    return pair;
}

/* A request that has begun. */
struct outstanding_request {
    struct moment end;
    uint32_t number;
};

/* The requests that are outstanding on a host at a moment, those that began last standing last. Those that have ended
 * since are dropped when they are met. */
struct outstanding {
    const struct calls_host *host;
    uint32_t next; /* to begin, in `asked` */
    GArray *all;   /* of struct outstanding_request */
};

static void
add_begun(struct outstanding *outstanding, struct moment moment)
{
    const struct calls_host *host = outstanding->host;
    for (; outstanding->next < host->n_asked; outstanding->next++) {
        const uint32_t number = host->asked[outstanding->next];
        const struct call *asked = call_at(host->calls, number);
        const struct outstanding_request request = { end_of(asked), number };
        if (!is_before(begin_of(asked), moment))
            return;
        g_array_append_val(outstanding->all, request);
    }
}

/* Of more than CALL_CANDIDATES that are outstanding only the latest are looked at. Where a host asks itself, nothing
 * that is asked on a connection is caused by what was asked there before. */
static void
find_candidates(const struct outstanding *outstanding, const struct call *call, struct call_candidates *candidates)
{
    const struct calls *calls = outstanding->host->calls;
    const struct call_connection *connection = pool_at(&calls->connections, call->connection);
    const bool asks_itself = connection->server == connection->client;
    const struct moment begin = begin_of(call), end = call->end_frame > 0 ? end_of(call) : begin;
    const int64_t late_ns = MAX(begin.ns, end.ns);
    uint32_t count = 0;
    candidates->is_cut = false;
    for (uint32_t i = outstanding->all->len; i-- > 0 && !candidates->is_cut;) {
        const struct outstanding_request *request = &g_array_index(outstanding->all, struct outstanding_request, i);
        if (request->end.ns <= late_ns && is_before(request->end, begin))
            g_array_remove_index(outstanding->all, i);
        else if (outstanding->all->len - i > CALL_CANDIDATES)
            candidates->is_cut = true;
        else if ((request->end.ns > late_ns || is_before(end, request->end)) &&
                 !(asks_itself && call_at(calls, request->number)->connection == call->connection))
            candidates->number[count++] = request->number;
    }
    candidates->count = count;
}

void
calls_host_each(const struct calls_host *host, call_wants *wants, call_take *take, void *data)
{
    struct outstanding outstanding = { host, 0, g_array_new(FALSE, FALSE, sizeof(struct outstanding_request)) };
    struct call_candidates candidates;
    for (uint32_t i = 0; i < host->n_made; i++) {
        struct call *call = call_at(host->calls, host->made[i]);
        if (wants && !wants(host, call))
            continue;
        add_begun(&outstanding, begin_of(call));
        if (call->cause > 0) {
            candidates.number[0] = call->cause;
            candidates.count = 1;
            candidates.is_cut = call->is_crowded;
        } else {
            find_candidates(&outstanding, call, &candidates);
            call->is_crowded = candidates.is_cut;
        }
        take(data, host->made[i], &candidates);
    }
    g_array_free(outstanding.all, TRUE);
}
