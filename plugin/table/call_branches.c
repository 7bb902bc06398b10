/* call_branches.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "call_branches.h"

/* Of deeper trees, and of requests with more branches, some requests are left out. */
enum { DEPTH_MOST = 8, BRANCHES_MOST = 10 };

static void show(struct call_branches *branches, const struct call_branch *branch, unsigned depth);

static struct tree_request
request_at(const struct call_branches *branches, uint32_t number)
{
    return branches->request(branches->data, number);
}

uint32_t
call_branch_number(const struct call_branch *branch)
{
    return g_array_index(branch->numbers, uint32_t, 0);
}

/* Returns the numbers of a request's calls, to be freed with g_array_free(). */
static GArray *
calls_of(const struct call_branches *branches, uint32_t number)
{
    GArray *numbers = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    branches->add_calls(branches->data, number, numbers);
    return numbers;
}

/* Returns how many requests there are below one, down to a bounded depth. */
static uint64_t
count_below(const struct call_branches *branches, uint32_t number, unsigned depth)
{
    GArray *numbers = calls_of(branches, number);
    uint64_t count = numbers->len;
    for (unsigned i = 0; i < numbers->len && depth < DEPTH_MOST * DEPTH_MOST; i++)
        count += count_below(branches, g_array_index(numbers, uint32_t, i), depth + 1);
    g_array_free(numbers, TRUE);
    return count;
}

static uint64_t
count_in(const struct call_branches *branches, const struct call_branch *branch)
{
    return branch->numbers->len + (branch->is_leaf ? 0 : count_below(branches, call_branch_number(branch), 0));
}

static int
compare_ends(const void *a, const void *b, void *data)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    const int64_t x_ns = request_at(data, x).until_ns, y_ns = request_at(data, y).until_ns;
    if (x_ns != y_ns)
        return x_ns < y_ns ? 1 : -1;
    return (x > y) - (x < y);
}

/* Returns the set of a request's calls that are on its critical path: the one that ended last before the request did,
 * the one that ended last before that began, and so on. */
static GHashTable *
critical_of(const struct call_branches *branches, uint32_t number, const GArray *numbers)
{
    GHashTable *critical = g_hash_table_new(NULL, NULL);
    GArray *ends = g_array_sized_new(FALSE, FALSE, sizeof(uint32_t), numbers->len);
    int64_t until_ns = request_at(branches, number).until_ns;
    g_array_append_vals(ends, numbers->data, numbers->len);
    g_array_sort_with_data(ends, compare_ends, (void *)branches);
    for (unsigned i = 0; i < ends->len; i++) {
        const uint32_t call = g_array_index(ends, uint32_t, i);
        const struct tree_request request = request_at(branches, call);
        if (request.until_ns > until_ns || request.until_ns <= request.begin_ns)
            continue;
        g_hash_table_add(critical, GUINT_TO_POINTER(call));
        until_ns = request.begin_ns;
    }
    g_array_free(ends, TRUE);
    return critical;
}

static void
free_numbers(void *data)
{
    g_array_free(((struct call_branch *)data)->numbers, TRUE);
}

static struct call_branch
branch_new(const struct tree_request *request)
{
    return (struct call_branch){
        .numbers = g_array_new(FALSE, FALSE, sizeof(uint32_t)),
        .rule = request->rule,
        .probability = request->probability,
        .is_leaf = !request->calls,
    };
}

static void
branch_add(struct call_branch *branch, uint32_t number, const struct tree_request *request, bool is_critical)
{
    g_array_append_val(branch->numbers, number);
    branch->time_ns += request->until_ns - request->begin_ns;
    if (request->probability < branch->probability)
        branch->rule = request->rule;
    branch->probability = MIN(branch->probability, request->probability);
    branch->is_critical |= is_critical;
    branch->failed |= request->failed;
}

/* Returns the branches of a request, to be freed with g_array_free(), in the order in which they begin. */
static GArray *
branches_of(const struct call_branches *branches, uint32_t number)
{
    GArray *all = g_array_new(FALSE, FALSE, sizeof(struct call_branch)), *numbers = calls_of(branches, number);
    GHashTable *critical = critical_of(branches, number, numbers);
    GHashTable *leaves = g_hash_table_new(NULL, NULL); /* by operation: the branch's place, plus one */
    g_array_set_clear_func(all, free_numbers);
    for (unsigned i = 0; i < numbers->len; i++) {
        const uint32_t call = g_array_index(numbers, uint32_t, i);
        const struct tree_request request = request_at(branches, call);
        void *const operation = GUINT_TO_POINTER(request.operation);
        unsigned place = request.calls ? 0 : GPOINTER_TO_UINT(g_hash_table_lookup(leaves, operation));
        if (place == 0) {
            const struct call_branch branch = branch_new(&request);
            g_array_append_val(all, branch);
            place = all->len;
        }
        if (!request.calls)
            g_hash_table_insert(leaves, operation, GUINT_TO_POINTER(place));
        branch_add(&g_array_index(all, struct call_branch, place - 1), call, &request,
                   g_hash_table_contains(critical, GUINT_TO_POINTER(call)));
    }
    g_hash_table_destroy(critical);
    g_hash_table_destroy(leaves);
    g_array_free(numbers, TRUE);
    return all;
}

static int
compare_numbers(const void *a, const void *b)
{
    const uint32_t x = call_branch_number(a), y = call_branch_number(b);
    return (x > y) - (x < y);
}

/* Those on the critical path come first, then the longest. */
static int
compare_importance(const void *a, const void *b)
{
    const struct call_branch *x = a, *y = b;
    if (x->is_critical != y->is_critical)
        return x->is_critical ? -1 : 1;
    if (x->time_ns != y->time_ns)
        return x->time_ns < y->time_ns ? 1 : -1;
    return compare_numbers(a, b);
}

/* Leaves the most important branches; returns how many requests are left out. */
static uint64_t
leave_most_important(const struct call_branches *branches, GArray *all)
{
    uint64_t left_out = 0;
    if (all->len <= BRANCHES_MOST)
        return 0;
    g_array_sort(all, compare_importance);
    for (unsigned i = BRANCHES_MOST; i < all->len; i++)
        left_out += count_in(branches, &g_array_index(all, struct call_branch, i));
    g_array_set_size(all, BRANCHES_MOST);
    g_array_sort(all, compare_numbers);
    return left_out;
}

static void
leave_out(struct call_branches *branches, uint64_t requests, unsigned depth)
{
    branches->leave_out(branches->data, requests, depth);
    branches->rows++;
}

static void
show_below(struct call_branches *branches, const struct call_branch *parent, unsigned depth)
{
    const uint32_t number = call_branch_number(parent);
    if (depth > DEPTH_MOST) {
        leave_out(branches, count_below(branches, number, 0), depth);
        return;
    }
    GArray *all = branches_of(branches, number);
    uint64_t left_out = leave_most_important(branches, all);
    for (unsigned i = 0; i < all->len; i++) {
        struct call_branch *branch = &g_array_index(all, struct call_branch, i);
        branch->is_critical &= parent->is_critical;
        if (branches->rows < branches->rows_most)
            show(branches, branch, depth);
        else
            left_out += count_in(branches, branch);
    }
    if (left_out > 0)
        leave_out(branches, left_out, depth);
    g_array_free(all, TRUE);
}

static void
show(struct call_branches *branches, const struct call_branch *branch, unsigned depth)
{
    branches->show(branches->data, branch, depth);
    branches->rows++;
    if (!branch->is_leaf)
        show_below(branches, branch, depth + 1);
}

void
call_branches_show(struct call_branches *branches, uint32_t number)
{
    const struct tree_request request = request_at(branches, number);
    struct call_branch root = branch_new(&request);
    branch_add(&root, number, &request, true);
    show(branches, &root, 0);
    free_numbers(&root);
}
