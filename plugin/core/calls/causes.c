/* causes.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "causes.h"

#include <string.h>

/* Returns how long the client of an answered request waited for its answer. */
static int64_t
wait_of(const struct call *call)
{
    const int64_t until_ns = call->wait == WAIT_FOR_FIRST_BYTE ? call->answers_ns : call->ends_ns;
    return call->wait == WAIT_FOR_EVENT ? 0 : MAX(until_ns - call->begins_ns, 0);
}

static bool
is_answered(const struct call *call)
{
    return outcome_says(call->outcome) & OUTCOME_HAS_ANSWER && call->answers_ns != INT64_MAX;
}

/* Returns how long a request took itself: not with its calls, and not longer than its client waited. */
static int64_t
own_of(const struct calls *calls, uint32_t number, const struct call *call)
{
    const int64_t wait_ns = wait_of(call);
    return wait_ns > 0 ? CLAMP(calls_times(calls, number).own_ns, 0, wait_ns) : 0;
}

static void
add_call(struct cause *cause, const struct call *call, int64_t own_ns)
{
    const unsigned says = outcome_says(call->outcome);
    cause->requests++;
    cause->unanswered += (says & OUTCOME_IS_UNANSWERED) != 0;
    cause->lost += call->outcome == OUTCOME_LOST;
    cause->waiting += call->outcome == OUTCOME_WAITING;
    if (!is_answered(call))
        return;
    cause->answered++;
    cause->errors += call->failed;
    cause->duration_ns += (double)wait_of(call);
    cause->own_ns += (double)own_ns;
}

/* Takes all that count; returns the numbers of those whose clients waited for their answers. */
static GArray *
take_all(struct causes *causes, bool (*counts)(void *data, uint32_t number), void *data)
{
    GArray *numbers = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    for (uint32_t number = 1; number <= calls_last(causes->calls); number++) {
        const struct call *call = calls_find(causes->calls, number);
        if (!call || !counts(data, number))
            continue;
        const bool waited = is_answered(call) && call->wait != WAIT_FOR_EVENT;
        const int64_t own_ns = waited ? own_of(causes->calls, number, call) : 0;
        add_call(&causes->operations[call->operation], call, own_ns);
        add_call(&causes->all, call, own_ns);
        causes->told += call->cause != 0;
        causes->untold += call->rule == CALL_SEVERAL;
        if (waited)
            g_array_append_val(numbers, number);
    }
    return numbers;
}

static int
compare_begins(const void *a, const void *b, void *data)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    const int64_t x_ns = calls_find(data, x)->begins_ns, y_ns = calls_find(data, y)->begins_ns;
    if (x_ns != y_ns)
        return x_ns < y_ns ? -1 : 1;
    return x < y ? -1 : x > y;
}

/* Returns how long one or more of these were outstanding, which are in the order in which they began. */
static double
busy(const struct calls *calls, const GArray *numbers)
{
    double sum_ns = 0;
    int64_t until_ns = INT64_MIN;
    for (unsigned i = 0; i < numbers->len; i++) {
        const struct call *call = calls_find(calls, g_array_index(numbers, uint32_t, i));
        const int64_t from_ns = MAX(call->begins_ns, until_ns), end_ns = call->begins_ns + wait_of(call);
        sum_ns += end_ns > from_ns ? (double)(end_ns - from_ns) : 0;
        until_ns = MAX(until_ns, end_ns);
    }
    return sum_ns;
}

static void
rank(struct causes *causes)
{
    for (uint32_t operation = 0; operation < causes->n_operations; operation++) {
        unsigned at = causes->n_first;
        while (at > 0 &&
               causes->operations[operation].own_ns > causes->operations[causes->first[at - 1].operation].own_ns)
            at--;
        if (at == CAUSES_FIRST || causes->operations[operation].own_ns <= 0)
            continue;
        causes->n_first = MIN(causes->n_first + 1, CAUSES_FIRST);
        memmove(&causes->first[at + 1], &causes->first[at], (causes->n_first - 1 - at) * sizeof *causes->first);
        causes->first[at] = (struct first_cause){ .operation = operation };
    }
}

/* Adds up, for one of the first, how long the requests of each operation wait for it, and finds the most. */
static void
find_caller(const struct causes *causes, const GArray *numbers, struct first_cause *first)
{
    double *waits_ns = g_new0(double, causes->n_operations);
    for (unsigned i = 0; i < numbers->len; i++) {
        const struct call *call = calls_find(causes->calls, g_array_index(numbers, uint32_t, i));
        const struct call *cause = call->operation == first->operation ? calls_find(causes->calls, call->cause) : NULL;
        if (!cause)
            continue;
        double *sum_ns = &waits_ns[cause->operation];
        *sum_ns += (double)wait_of(call);
        if (*sum_ns <= first->caller_ns)
            continue;
        first->caller_ns = *sum_ns;
        first->caller = cause->operation;
    }
    g_free(waits_ns);
}

static uint32_t
place_of_server(GHashTable *places, const struct endpoint *server)
{
    gpointer known = g_hash_table_lookup(places, server);
    if (!known) {
        known = GUINT_TO_POINTER(g_hash_table_size(places) + 1);
        g_hash_table_insert(places, (void *)server, known);
    }
    return GPOINTER_TO_UINT(known) - 1;
}

static unsigned
hash_server(const void *server)
{
    return wmem_strong_hash(server, sizeof(struct endpoint));
}

static int
equal_servers(const void *a, const void *b)
{
    return endpoint_equal(a, b);
}

/* The requests of each server. */
struct by_server {
    uint32_t *places;  /* of its server, by operation */
    uint32_t *numbers; /* of all requests, server by server, and in their order */
    uint32_t *ends;    /* behind the last of a server, there */
    struct cause *sums;
    uint32_t n_servers;
};

static struct by_server
sort_by_server(const struct causes *causes, const GArray *numbers)
{
    struct by_server by_server = { .places = g_new(uint32_t, causes->n_operations) };
    GHashTable *places = g_hash_table_new(hash_server, equal_servers);
    for (uint32_t i = 0; i < causes->n_operations; i++)
        by_server.places[i] = place_of_server(places, &calls_operation(causes->calls, i)->server);
    by_server.n_servers = g_hash_table_size(places);
    g_hash_table_destroy(places);
    by_server.ends = g_new0(uint32_t, by_server.n_servers + 1);
    by_server.sums = g_new0(struct cause, by_server.n_servers);
    by_server.numbers = g_new(uint32_t, numbers->len);
    for (uint32_t i = 0; i < causes->n_operations; i++) {
        by_server.sums[by_server.places[i]].own_ns += causes->operations[i].own_ns;
        by_server.sums[by_server.places[i]].duration_ns += causes->operations[i].duration_ns;
    }
    for (unsigned i = 0; i < numbers->len; i++) {
        const uint32_t operation = calls_find(causes->calls, g_array_index(numbers, uint32_t, i))->operation;
        by_server.ends[by_server.places[operation] + 1]++;
    }
    for (uint32_t i = 0; i < by_server.n_servers; i++)
        by_server.ends[i + 1] += by_server.ends[i];
    for (unsigned i = 0; i < numbers->len; i++) {
        const uint32_t number = g_array_index(numbers, uint32_t, i);
        const uint32_t operation = calls_find(causes->calls, number)->operation;
        by_server.numbers[by_server.ends[by_server.places[operation]]++] = number;
    }
    return by_server;
}

/* Looks at one server: one whose requests do wait for calls is no cause of what they wait. */
static void
look_at_server(struct causes *causes, const struct by_server *by_server, uint32_t place, double *queued_ns)
{
    enum { CALLS_PART = 10 };
    const struct cause *sum = &by_server->sums[place];
    const uint32_t from = place > 0 ? by_server->ends[place - 1] : 0, n = by_server->ends[place] - from;
    if (n < SERVED_BEHIND_LEAST || sum->own_ns * CAUSES_SERVER_PART < causes->all.own_ns ||
        (sum->duration_ns - sum->own_ns) * CALLS_PART > sum->duration_ns)
        return;
    struct served_server server = { served_look(causes->calls, by_server->numbers + from, n, queued_ns), 0 };
    for (uint32_t i = 0; server.served.one_at_a_time && i < causes->n_operations; i++)
        if (by_server->places[i] == place)
            server.queued_ns += causes->operations[i].queued_ns = MIN(queued_ns[i], causes->operations[i].own_ns);
    if (server.queued_ns * CAUSES_QUEUED_PART >= sum->own_ns && server.queued_ns > 0)
        g_array_append_val(causes->servers, server);
}

static void
look_at_servers(struct causes *causes, const GArray *numbers)
{
    struct by_server by_server = sort_by_server(causes, numbers);
    double *queued_ns = g_new0(double, causes->n_operations);
    for (uint32_t place = 0; place < by_server.n_servers; place++)
        look_at_server(causes, &by_server, place, queued_ns);
    g_free(queued_ns);
    g_free(by_server.places);
    g_free(by_server.numbers);
    g_free(by_server.ends);
    g_free(by_server.sums);
}

void
causes_find(struct causes *causes, const struct calls *calls, bool (*counts)(void *data, uint32_t number), void *data)
{
    *causes = (struct causes){ .calls = calls, .n_operations = calls_operations(calls) };
    causes->operations = g_new0(struct cause, causes->n_operations);
    causes->servers = g_array_new(FALSE, FALSE, sizeof(struct served_server));
    for (uint32_t i = 0; i < causes->n_operations; i++)
        causes->operations[i].operation = i;
    GArray *numbers = take_all(causes, counts, data);
    g_array_sort_with_data(numbers, compare_begins, (void *)calls);
    causes->busy_ns = busy(calls, numbers);
    rank(causes);
    for (unsigned i = 0; i < causes->n_first; i++)
        find_caller(causes, numbers, &causes->first[i]);
    look_at_servers(causes, numbers);
    g_array_free(numbers, TRUE);
}

void
causes_clear(struct causes *causes)
{
    g_free(causes->operations);
    g_array_free(causes->servers, TRUE);
}
