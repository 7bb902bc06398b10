/* call_tree.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "call_tree.h"

#include <inttypes.h>
#include <stdlib.h>

#include "../core/util/vocabulary.h"
#include "call_name.h"
#include "text_number.h"
#include "text_shortened.h"

/* Of deeper trees, of requests with more branches, and of larger trees it is said how many requests are left out. */
enum { DEPTH_MOST = 8, BRANCHES_MOST = 10, LINES_MOST = 40 };

enum { LINE_WIDTH = 80, NUMBERS_WIDTH = 36, INDENT = 2, DECIMALS = 3, NS_PER_MS = 1000000 };

/* One line below a request: a call, or all of one operation that call nobody. */
struct branch {
    uint32_t number; /* the first of them */
    uint32_t count;
    int64_t time_ns;     /* of all */
    uint8_t probability; /* of the least certain */
    uint8_t rule;        /* enum call_rule; of that one */
    bool is_critical, is_leaf, failed;
};

/* A call of a request, and when its client's wait ended. */
struct end {
    int64_t end_ns;
    uint32_t number;
};

struct writing {
    const struct calls *calls;
    const struct table_source *source;
    GString *text;
    wmem_allocator_t *scope;
    int64_t from_ns; /* when the tree begins */
    unsigned lines;
};

static void write_request(struct writing *writing, const struct branch *branch, unsigned depth);

static void
append_number(void *numbers, uint32_t number)
{
    g_array_append_val((GArray *)numbers, number);
}

/* Returns the numbers of a request's calls, to be freed with g_array_free(). */
static GArray *
calls_of(const struct writing *writing, uint32_t number)
{
    GArray *numbers = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    calls_each(writing->calls, number, append_number, numbers);
    return numbers;
}

/* Returns how many requests there are below one, down to a bounded depth. */
static uint64_t
count_below(const struct writing *writing, uint32_t number, unsigned depth)
{
    GArray *numbers = calls_of(writing, number);
    uint64_t count = numbers->len;
    for (unsigned i = 0; i < numbers->len && depth < DEPTH_MOST * DEPTH_MOST; i++)
        count += count_below(writing, g_array_index(numbers, uint32_t, i), depth + 1);
    g_array_free(numbers, TRUE);
    return count;
}

static int
compare_ends(const void *a, const void *b)
{
    const struct end *x = a;
    const struct end *y = b;
    if (x->end_ns != y->end_ns)
        return x->end_ns < y->end_ns ? 1 : -1;
    return x->number < y->number ? -1 : x->number > y->number;
}

/* Returns the set of a request's calls that are on its critical path: the one that ended last before the request did,
 * the one that ended last before that began, and so on. */
static GHashTable *
critical_of(const struct writing *writing, uint32_t number, const GArray *numbers)
{
    GHashTable *critical = g_hash_table_new(NULL, NULL);
    GArray *ends = g_array_new(FALSE, FALSE, sizeof(struct end));
    int64_t until_ns = call_awaited_until(calls_find(writing->calls, number));
    for (unsigned i = 0; i < numbers->len; i++) {
        const uint32_t call = g_array_index(numbers, uint32_t, i);
        const struct end end = { call_awaited_until(calls_find(writing->calls, call)), call };
        g_array_append_val(ends, end);
    }
    g_array_sort(ends, compare_ends);
    for (unsigned i = 0; i < ends->len; i++) {
        const struct end *end = &g_array_index(ends, struct end, i);
        const struct call *call = calls_find(writing->calls, end->number);
        if (end->end_ns > until_ns || end->end_ns <= call->begins_ns)
            continue;
        g_hash_table_add(critical, GUINT_TO_POINTER(end->number));
        until_ns = call->begins_ns;
    }
    g_array_free(ends, TRUE);
    return critical;
}

static struct branch
branch_of(const struct writing *writing, uint32_t number, bool is_critical)
{
    const struct call *call = calls_find(writing->calls, number);
    return (struct branch){
        .number = number,
        .count = 1,
        .time_ns = call_wait_ns(call),
        .probability = call->probability,
        .rule = call->rule,
        .is_critical = is_critical,
        .is_leaf = calls_times(writing->calls, number).calls == 0,
        .failed = call->failed,
    };
}

static void
branch_add(struct branch *branch, const struct branch *more)
{
    branch->count++;
    branch->time_ns += more->time_ns;
    if (more->probability < branch->probability)
        branch->rule = more->rule;
    branch->probability = MIN(branch->probability, more->probability);
    branch->is_critical |= more->is_critical;
    branch->failed |= more->failed;
}

/* Returns the branches of a request, to be freed with g_array_free(), in the order in which they begin. Calls of one
 * operation that call nobody are one branch. */
static GArray *
branches_of(const struct writing *writing, uint32_t number)
{
    GArray *branches = g_array_new(FALSE, FALSE, sizeof(struct branch)), *numbers = calls_of(writing, number);
    GHashTable *critical = critical_of(writing, number, numbers);
    GHashTable *leaves = g_hash_table_new(NULL, NULL); /* by operation: the branch's place, plus one */
    for (unsigned i = 0; i < numbers->len; i++) {
        const uint32_t call = g_array_index(numbers, uint32_t, i);
        const struct branch branch = branch_of(writing, call, g_hash_table_contains(critical, GUINT_TO_POINTER(call)));
        void *const operation = GUINT_TO_POINTER(calls_find(writing->calls, call)->operation);
        const unsigned place = branch.is_leaf ? GPOINTER_TO_UINT(g_hash_table_lookup(leaves, operation)) : 0;
        if (place > 0) {
            branch_add(&g_array_index(branches, struct branch, place - 1), &branch);
            continue;
        }
        g_array_append_val(branches, branch);
        if (branch.is_leaf)
            g_hash_table_insert(leaves, operation, GUINT_TO_POINTER(branches->len));
    }
    g_hash_table_destroy(critical);
    g_hash_table_destroy(leaves);
    g_array_free(numbers, TRUE);
    return branches;
}

/* Those on the critical path come first, then the longest. */
static int
compare_importance(const void *a, const void *b)
{
    const struct branch *x = a;
    const struct branch *y = b;
    if (x->is_critical != y->is_critical)
        return x->is_critical ? -1 : 1;
    if (x->time_ns != y->time_ns)
        return x->time_ns < y->time_ns ? 1 : -1;
    return x->number < y->number ? -1 : x->number > y->number;
}

static int
compare_numbers(const void *a, const void *b)
{
    const struct branch *x = a;
    const struct branch *y = b;
    return x->number < y->number ? -1 : x->number > y->number;
}

/* Leaves the most important branches; returns how many requests are left out. */
static uint64_t
leave_most_important(const struct writing *writing, GArray *branches)
{
    uint64_t left_out = 0;
    if (branches->len <= BRANCHES_MOST)
        return 0;
    g_array_sort(branches, compare_importance);
    for (unsigned i = BRANCHES_MOST; i < branches->len; i++) {
        const struct branch *branch = &g_array_index(branches, struct branch, i);
        left_out += branch->count + (branch->is_leaf ? 0 : count_below(writing, branch->number, 0));
    }
    g_array_set_size(branches, BRANCHES_MOST);
    g_array_sort(branches, compare_numbers);
    return left_out;
}

static void
write_left_out(struct writing *writing, uint64_t count, unsigned depth)
{
    g_string_append_printf(writing->text, "%*s|%*s|%*s|%*s| %*s… %" PRIu64 " more\n", 7, "", 8, "", 8, "", 8, "",
                           (int)(depth * INDENT), "", count);
    writing->lines++;
}

static void
write_branches(struct writing *writing, const struct branch *parent, unsigned depth)
{
    if (depth > DEPTH_MOST) {
        write_left_out(writing, count_below(writing, parent->number, 0), depth);
        return;
    }
    GArray *branches = branches_of(writing, parent->number);
    uint64_t left_out = leave_most_important(writing, branches);
    for (unsigned i = 0; i < branches->len; i++) {
        struct branch *branch = &g_array_index(branches, struct branch, i);
        branch->is_critical &= parent->is_critical;
        if (writing->lines < LINES_MOST)
            write_request(writing, branch, depth);
        else
            left_out += branch->count + (branch->is_leaf ? 0 : count_below(writing, branch->number, 0));
    }
    if (left_out > 0)
        write_left_out(writing, left_out, depth);
    g_array_free(branches, TRUE);
}

/* Says how sure the cause is, where it is not certain, and what went wrong. */
static char *
remark_on(const struct writing *writing, const struct branch *branch, const struct call *call)
{
    char *rule = "", *failed = "";
    if (branch->rule == CALL_WORKER)
        rule = wmem_strdup_printf(writing->scope, " (worker %u %%)", branch->probability);
    else if (branch->rule == CALL_AFTER)
        rule = " (after)";
    if (branch->failed)
        failed = ", error";
    else if (call->end_frame == 0)
        failed = wmem_strdup_printf(writing->scope, ", %s", outcome_name(call->outcome));
    return wmem_strdup_printf(writing->scope, "%s%s", rule, failed);
}

static const char *
time_text(const struct writing *writing, int64_t ns, bool is_known)
{
    return is_known ? number_decimal(writing->scope, (double)ns / NS_PER_MS, DECIMALS) : "-";
}

static void
write_request(struct writing *writing, const struct branch *branch, unsigned depth)
{
    const struct call *call = calls_find(writing->calls, branch->number);
    const struct call_operation *operation = calls_operation(writing->calls, call->operation);
    const bool has_end = call->end_frame != 0;
    const int64_t own_ns = branch->is_leaf ? branch->time_ns : calls_times(writing->calls, branch->number).own_ns;
    const char *remark = remark_on(writing, branch, call);
    char *count = branch->count > 1 ? wmem_strdup_printf(writing->scope, "%u × ", branch->count) : "";
    char *name = call_name(writing->scope, writing->source, operation->kind, &operation->server, operation->ipv6);
    const int indent = (int)depth * INDENT;
    const int room =
        LINE_WIDTH - NUMBERS_WIDTH - indent - (int)g_utf8_strlen(remark, -1) - (int)g_utf8_strlen(count, -1);
    g_string_append_printf(writing->text, "%7" PRIu32 "|%8s|%8s|%8s|%c%*s%s%s%s\n", call->frame,
                           time_text(writing, branch->time_ns, has_end),
                           time_text(writing, own_ns, has_end && call->wait == WAIT_FOR_LAST_BYTE),
                           time_text(writing, call->begins_ns - writing->from_ns, true),
                           branch->is_critical ? '*' : ' ', indent, "", count,
                           text_shortened(writing->scope, name, room, true), remark);
    writing->lines++;
    if (!branch->is_leaf)
        write_branches(writing, branch, depth + 1);
}

char *
call_tree_text(const struct calls *calls, const struct table_source *source, uint32_t number)
{
    struct writing writing = {
        .calls = calls,
        .source = source,
        .text = g_string_new(NULL),
        .scope = wmem_allocator_new(WMEM_ALLOCATOR_SIMPLE),
        .from_ns = calls_find(calls, number)->begins_ns,
    };
    const struct branch root = branch_of(&writing, number, true);
    write_request(&writing, &root, 0);
    wmem_destroy_allocator(writing.scope);
    return g_string_free(writing.text, FALSE);
}
