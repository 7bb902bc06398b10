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

/* Sorts the entries, and writes their values in that order. */
static void
sort_values(struct sort_entry *entries, uint32_t n, uint32_t *values)
{
    if (n > 0)
        qsort(entries, n, sizeof *entries, compare_entries);
    for (uint32_t i = 0; i < n; i++)
        values[i] = entries[i].value;
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
    sort_values(entries, n, numbers);
    g_free(entries);
}

static void
sort_by_end(struct calls_host *host)
{
    struct sort_entry *entries = g_new(struct sort_entry, host->n_asked);
    for (uint32_t i = 0; i < host->n_asked; i++) {
        const struct call *asked = call_at(host->calls, host->asked[i]);
        const struct moment begin = begin_of(asked), end = end_of(asked);
        entries[i] = (struct sort_entry){ is_before(end, begin) ? begin : end, i };
    }
    sort_values(entries, host->n_asked, host->by_end);
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
    host->by_end = g_new(uint32_t, host->n_asked);
    host->older = g_new(uint32_t, host->n_asked);
    host->newer = g_new(uint32_t, host->n_asked);
    calls_sort(host->calls, host->asked, host->n_asked);
    calls_sort(host->calls, host->made, host->n_made);
    sort_by_end(host);
    find_settled(host);
    find_idle(host);
    find_uncertain(host);
    host->pairs = g_hash_table_new_full(g_int64_hash, g_int64_equal, NULL, g_free);
    for (uint32_t i = 0; i < host->n_asked; i++)
        calls_host_habit(host, call_at(host->calls, host->asked[i]))->asked++;
}

void
calls_host_close(struct calls_host *host)
{
    g_free(host->by_end);
    g_free(host->older);
    g_free(host->newer);
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
    struct call_habit *habit = &host->habits[call_habit_number(host->calls, call)];
    if (habit->host != host->number)
        *habit = (struct call_habit){ .host = host->number };
    return habit;
}

struct call_pair *
calls_host_pair(const struct calls_host *host, const struct call *call, const struct call *cause)
{
    const uint64_t kinds = (uint64_t)call_habit_number(host->calls, call) << 32 | call_habit_number(host->calls, cause);
    struct call_pair *pair = g_hash_table_lookup(host->pairs, &kinds);
    if (!pair) {
        pair = g_new0(struct call_pair, 1);
        pair->kinds = kinds;
        g_hash_table_insert(host->pairs, &pair->kinds, pair);
    }
    return pair;
}

/* The requests that are outstanding on a host at a moment, as a list of places in `asked`. */
struct outstanding {
    const struct calls_host *host;
    uint32_t next, next_end; /* to begin, in `asked`, and to end, in `by_end` */
    uint32_t newest;         /* UINT32_MAX: there are none */
};

static void
add_newest(struct outstanding *outstanding)
{
    const struct calls_host *host = outstanding->host;
    const uint32_t place = outstanding->next++;
    host->older[place] = outstanding->newest;
    host->newer[place] = UINT32_MAX;
    if (outstanding->newest != UINT32_MAX)
        host->newer[outstanding->newest] = place;
    outstanding->newest = place;
}

static void
drop(struct outstanding *outstanding, uint32_t place)
{
    const struct calls_host *host = outstanding->host;
    const uint32_t older = host->older[place], newer = host->newer[place];
    if (older != UINT32_MAX)
        host->newer[older] = newer;
    if (newer != UINT32_MAX)
        host->older[newer] = older;
    else
        outstanding->newest = older;
}

/* Those that begin before the moment, and have not ended by then. */
static void
go_on(struct outstanding *outstanding, struct moment moment)
{
    const struct calls_host *host = outstanding->host;
    while (outstanding->next < host->n_asked &&
           is_before(begin_of(call_at(host->calls, host->asked[outstanding->next])), moment))
        add_newest(outstanding);
    for (; outstanding->next_end < host->n_asked; outstanding->next_end++) {
        const uint32_t place = host->by_end[outstanding->next_end];
        const struct call *asked = call_at(host->calls, host->asked[place]);
        if (place >= outstanding->next || !is_before(end_of(asked), moment))
            return;
        drop(outstanding, place);
    }
}

/* Of more than CALL_CANDIDATES that are outstanding only the latest are looked at. */
static void
find_candidates(const struct outstanding *outstanding, const struct call *call, struct call_candidates *candidates)
{
    const struct calls_host *host = outstanding->host;
    uint32_t place = outstanding->newest;
    candidates->count = 0;
    for (unsigned looked = 0; looked < CALL_CANDIDATES && place != UINT32_MAX; looked++, place = host->older[place])
        if (call_is_within(call, call_at(host->calls, host->asked[place])))
            candidates->number[candidates->count++] = host->asked[place];
    candidates->is_cut = place != UINT32_MAX;
}

void
calls_host_each(const struct calls_host *host, call_take *take, void *data)
{
    struct outstanding outstanding = { .host = host, .newest = UINT32_MAX };
    struct call_candidates candidates;
    for (uint32_t i = 0; i < host->n_made; i++) {
        const struct call *call = call_at(host->calls, host->made[i]);
        go_on(&outstanding, begin_of(call));
        find_candidates(&outstanding, call, &candidates);
        take(data, host->made[i], &candidates);
    }
}
