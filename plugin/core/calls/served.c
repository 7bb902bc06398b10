/* served.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "served.h"

#include <glib.h>

enum { OVERTOOK_PERCENT = 1, PERCENT = 100, TIMES_ALONE = 2, WAITED_PARTS = 2 };

struct visit {
    int64_t begins_ns, answers_ns;
    int64_t served_ns;  /* since when it was being served, if the server serves one at a time */
    uint32_t operation; /* its place among those of the server */
    uint32_t connection;
    uint32_t
        behind; /* place, plus one, of the visit that was being served when it came; 0: that is not known, or none */
};

/* What the visits of an operation come to. Sums are in nanoseconds. */
struct operation {
    uint32_t number;            /* for calls_operation() */
    double alone_ns, behind_ns; /* how long those took that came when there was no other, and while one was served */
    uint64_t alone, behind;
    double blocked_ns; /* how long others waited while it was being served */
};

struct look {
    struct visit *visits; /* in the order in which they began */
    GArray *answered;     /* of uint32_t: their places in the order in which they were answered */
    unsigned n;
    GArray *operations;           /* of struct operation */
    uint32_t outstanding, places; /* how many there are, and all their places plus one, by exclusive or */
    uint32_t serving;             /* the place of the visit that is certainly being served, plus one; 0: not known */
    int64_t now_ns, answered_ns;  /* of the last event, and of the last answer */
    double held_ns;               /* how long others than the one that is answered next have waited since then */
    double waited_ns, took_ns;    /* of all that came behind another and were answered after it */
    struct served served;
};

static int
compare_answers(const void *a, const void *b, void *data)
{
    const struct visit *visits = data, *x = &visits[*(const uint32_t *)a], *y = &visits[*(const uint32_t *)b];
    if (x->answers_ns != y->answers_ns)
        return x->answers_ns < y->answers_ns ? -1 : 1;
    return x < y ? -1 : x > y;
}

/* Returns the place of an operation of the server, a new one if it has not been there. */
static uint32_t
place_of(struct look *look, GHashTable *places, uint32_t number)
{
    const uint32_t known = GPOINTER_TO_UINT(g_hash_table_lookup(places, GUINT_TO_POINTER(number)));
    if (known)
        return known - 1;
    const struct operation operation = { .number = number };
    g_array_append_val(look->operations, operation);
    g_hash_table_insert(places, GUINT_TO_POINTER(number), GUINT_TO_POINTER(look->operations->len));
    return look->operations->len - 1;
}

/* Returns the place of the visit that was answered as this one in a row, from 0. */
static uint32_t
answered_at(const struct look *look, unsigned i)
{
    return g_array_index(look->answered, uint32_t, i);
}

static struct operation *
operation_of(const struct look *look, const struct visit *visit)
{
    return &g_array_index(look->operations, struct operation, visit->operation);
}

static struct look
begin(const struct calls *calls, const uint32_t *numbers, unsigned n)
{
    struct look look = { .visits = g_new0(struct visit, n), .n = n };
    GHashTable *places = g_hash_table_new(NULL, NULL);
    look.answered = g_array_sized_new(FALSE, FALSE, sizeof(uint32_t), n);
    look.operations = g_array_new(FALSE, FALSE, sizeof(struct operation));
    for (uint32_t i = 0; i < n; i++) {
        const struct call *call = calls_find(calls, numbers[i]);
        look.visits[i] = (struct visit){
            .begins_ns = call->begins_ns,
            .answers_ns = MAX(call->answers_ns, call->begins_ns),
            .operation = place_of(&look, places, call->operation),
            .connection = call->connection,
        };
        g_array_append_val(look.answered, i);
    }
    g_hash_table_destroy(places);
    g_array_sort_with_data(look.answered, compare_answers, look.visits);
    look.now_ns = look.answered_ns = n > 0 ? look.visits[0].begins_ns : 0;
    return look;
}

static void
pass_time(struct look *look, int64_t now_ns)
{
    if (look->outstanding > 1)
        look->held_ns += (double)(look->outstanding - 1) * (double)(now_ns - look->now_ns);
    look->now_ns = now_ns;
}

static void
take_begin(struct look *look, uint32_t place)
{
    struct visit *visit = &look->visits[place];
    pass_time(look, visit->begins_ns);
    if (look->serving && look->visits[look->serving - 1].connection != visit->connection)
        visit->behind = look->serving;
    if (look->outstanding == 0) {
        struct operation *operation = operation_of(look, visit);
        operation->alone++;
        operation->alone_ns += (double)(visit->answers_ns - visit->begins_ns);
        look->serving = place + 1;
    }
    look->outstanding++;
    look->places ^= place + 1;
}

/* Takes one that came while another was being served. */
static void
compare_with_other(struct look *look, const struct visit *visit)
{
    const struct visit *other = &look->visits[visit->behind - 1];
    look->served.behind++;
    if (visit->behind == look->serving) {
        look->served.overtook++;
        return;
    }
    struct operation *operation = operation_of(look, visit);
    operation->behind++;
    operation->behind_ns += (double)(visit->answers_ns - visit->begins_ns);
    look->took_ns += (double)(visit->answers_ns - visit->begins_ns);
    look->waited_ns += (double)(other->answers_ns - visit->begins_ns);
}

static void
take_answer(struct look *look, uint32_t place)
{
    struct visit *visit = &look->visits[place];
    pass_time(look, visit->answers_ns);
    visit->served_ns = MAX(visit->begins_ns, look->answered_ns);
    look->answered_ns = visit->answers_ns;
    operation_of(look, visit)->blocked_ns += look->held_ns;
    look->held_ns = 0;
    if (visit->behind)
        compare_with_other(look, visit);
    look->outstanding--;
    look->places ^= place + 1;
    if (look->serving == place + 1 || look->outstanding == 1)
        look->serving = look->outstanding == 1 ? look->places : 0;
}

static void
take_all(struct look *look)
{
    unsigned begun = 0, answered = 0;
    while (answered < look->n) {
        const int64_t next_ns = look->visits[answered_at(look, answered)].answers_ns;
        if (begun < look->n && look->visits[begun].begins_ns <= next_ns)
            take_begin(look, begun++);
        else
            take_answer(look, answered_at(look, answered++));
    }
}

/* Returns whether those that came behind others took much longer than their like do alone. */
static bool
took_longer(const struct look *look)
{
    double took_ns = 0, alone_ns = 0;
    for (unsigned i = 0; i < look->operations->len; i++) {
        const struct operation *operation = &g_array_index(look->operations, struct operation, i);
        if (operation->alone == 0)
            continue;
        took_ns += operation->behind_ns;
        alone_ns += (double)operation->behind * operation->alone_ns / (double)operation->alone;
    }
    return took_ns > 0 && took_ns >= TIMES_ALONE * alone_ns;
}

static bool
is_one_at_a_time(const struct look *look)
{
    const struct served *served = &look->served;
    return served->behind >= SERVED_BEHIND_LEAST && served->overtook * PERCENT <= served->behind * OVERTOOK_PERCENT &&
           took_longer(look) && look->waited_ns * WAITED_PARTS >= look->took_ns;
}

/* Returns the place of the operation that others wait for longest. */
static uint32_t
find_blocking(const struct look *look)
{
    uint32_t found = 0;
    for (unsigned i = 1; i < look->operations->len; i++)
        if (g_array_index(look->operations, struct operation, i).blocked_ns >
            g_array_index(look->operations, struct operation, found).blocked_ns)
            found = i;
    return found;
}

/* Adds how long each waited while one of `blocking` was being served: what of that there had been when it was answered,
 * less what there had been when it came. */
static void
add_waits(const struct look *look, uint32_t blocking, double *waited_ns)
{
    double *before_ns = g_new0(double, look->n), served_ns = 0;
    for (unsigned i = 0, answered = 0; i < look->n; i++) {
        const int64_t now_ns = look->visits[i].begins_ns;
        const struct visit *next = &look->visits[answered_at(look, answered)];
        for (; next->answers_ns < now_ns; next = &look->visits[answered_at(look, ++answered)])
            served_ns += next->operation == blocking ? (double)(next->answers_ns - next->served_ns) : 0;
        const bool is_within = next->operation == blocking && next->served_ns < now_ns;
        before_ns[i] = served_ns + (is_within ? (double)(now_ns - next->served_ns) : 0);
    }
    served_ns = 0;
    for (unsigned i = 0; i < look->n; i++) {
        const struct visit *visit = &look->visits[answered_at(look, i)];
        const double own_ns = visit->operation == blocking ? (double)(visit->answers_ns - visit->served_ns) : 0;
        waited_ns[operation_of(look, visit)->number] += MAX(served_ns - before_ns[answered_at(look, i)], 0);
        served_ns += own_ns;
    }
    g_free(before_ns);
}

struct served
served_look(const struct calls *calls, const uint32_t *numbers, unsigned n, double *waited_ns)
{
    struct look look = begin(calls, numbers, n);
    take_all(&look);
    look.served.one_at_a_time = is_one_at_a_time(&look);
    if (look.served.one_at_a_time) {
        const uint32_t blocking = find_blocking(&look);
        look.served.blocking = g_array_index(look.operations, struct operation, blocking).number;
        add_waits(&look, blocking, waited_ns);
    }
    g_free(look.visits);
    g_array_free(look.answered, TRUE);
    g_array_free(look.operations, TRUE);
    return look.served;
}
