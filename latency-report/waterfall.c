/* waterfall.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "waterfall.h"

/* Of deeper trees, of requests with more branches, and of larger trees it is said how many requests are left out. */
enum { DEPTH_MOST = 8, BRANCHES_MOST = 10, ROWS_MOST = 30 };

/* Stretches with less than this part of the whole between them are drawn as one. */
enum { STRETCHES_OF_WHOLE = 100 };

/* One row below a request: a call, or all of one operation that call nobody. */
struct branch {
    uint32_t place; /* of the first of them */
    uint32_t count;
    int64_t time_ns;           /* of all */
    GArray *own;               /* of struct stretch; NULL unless it calls nobody */
    uint8_t probability, rule; /* of the least certain */
    bool is_critical, failed;
};

struct writing {
    const struct call_links *links;
    struct waterfall *waterfall;
    int64_t near_ns;
    unsigned rows;
};

static void write_request(struct writing *writing, const struct branch *branch, unsigned depth);

static void
clear_row(void *data)
{
    const struct waterfall_row *row = data;
    if (row->own)
        g_array_unref(row->own);
}

static void
clear_branch(void *data)
{
    const struct branch *branch = data;
    if (branch->own)
        g_array_unref(branch->own);
}

static void
free_waterfall(void *data)
{
    struct waterfall *waterfall = data;
    g_array_free(waterfall->rows, TRUE);
    g_free(waterfall);
}

GPtrArray *
waterfalls_new(void)
{
    return g_ptr_array_new_with_free_func(free_waterfall);
}

/* Adds a stretch that begins no earlier than those before. */
static void
add_stretch(const struct writing *writing, GArray *stretches, int64_t from_ns, int64_t until_ns)
{
    const int64_t begin_ns = writing->waterfall->begin_ns;
    const struct stretch stretch = { from_ns - begin_ns, until_ns - begin_ns };
    struct stretch *last = stretches->len > 0 ? &g_array_index(stretches, struct stretch, stretches->len - 1) : NULL;
    if (until_ns <= from_ns)
        return;
    if (last && stretch.from_ns - last->until_ns < writing->near_ns)
        last->until_ns = MAX(last->until_ns, stretch.until_ns);
    else
        g_array_append_val(stretches, stretch);
}

/* Returns when a request that calls others had no call under way, to be freed with g_array_free(). */
static GArray *
own_of(const struct writing *writing, const struct asked *asked)
{
    GArray *own = g_array_new(FALSE, FALSE, sizeof(struct stretch));
    int64_t at_ns = asked->begin_ns;
    for (uint32_t i = 0; i < asked->calls; i++) {
        const struct asked *call = call_links_at(writing->links, call_links_call(writing->links, asked, i));
        add_stretch(writing, own, at_ns, MIN(call->begin_ns, asked->until_ns));
        at_ns = MAX(at_ns, call->until_ns);
    }
    add_stretch(writing, own, at_ns, asked->until_ns);
    return own;
}

/* Returns how many requests there are below one, down to a bounded depth. */
static uint64_t
count_below(const struct call_links *links, const struct asked *asked, unsigned depth)
{
    uint64_t count = asked->calls;
    for (uint32_t i = 0; i < asked->calls && depth < DEPTH_MOST * DEPTH_MOST; i++)
        count += count_below(links, call_links_at(links, call_links_call(links, asked, i)), depth + 1);
    return count;
}

static uint64_t
count_in(const struct writing *writing, const struct branch *branch)
{
    return branch->count +
           (branch->own ? 0 : count_below(writing->links, call_links_at(writing->links, branch->place), 0));
}

static int
compare_ends(const void *a, const void *b, void *data)
{
    const uint32_t first = *(const uint32_t *)a, second = *(const uint32_t *)b;
    const int64_t x = call_links_at(data, first)->until_ns, y = call_links_at(data, second)->until_ns;
    if (x != y)
        return x < y ? 1 : -1;
    return (first > second) - (first < second);
}

/* Returns the set of a request's calls that are on its critical path: the one that ended last before the request did,
 * the one that ended last before that began, and so on. */
static GHashTable *
critical_of(const struct writing *writing, const struct asked *asked)
{
    GHashTable *critical = g_hash_table_new(NULL, NULL);
    GArray *ends = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    int64_t until_ns = asked->until_ns;
    for (uint32_t i = 0; i < asked->calls; i++) {
        const uint32_t place = call_links_call(writing->links, asked, i);
        g_array_append_val(ends, place);
    }
    g_array_sort_with_data(ends, compare_ends, (void *)writing->links);
    for (unsigned i = 0; i < ends->len; i++) {
        const uint32_t place = g_array_index(ends, uint32_t, i);
        const struct asked *call = call_links_at(writing->links, place);
        if (call->until_ns > until_ns || call->until_ns <= call->begin_ns)
            continue;
        g_hash_table_add(critical, GUINT_TO_POINTER(place));
        until_ns = call->begin_ns;
    }
    g_array_free(ends, TRUE);
    return critical;
}

static struct branch
branch_of(const struct writing *writing, uint32_t place, bool is_critical)
{
    const struct asked *asked = call_links_at(writing->links, place);
    struct branch branch = {
        .place = place,
        .count = 1,
        .time_ns = asked->until_ns - asked->begin_ns,
        .own = asked->calls > 0 ? NULL : g_array_new(FALSE, FALSE, sizeof(struct stretch)),
        .probability = asked->probability,
        .rule = asked->rule,
        .is_critical = is_critical,
        .failed = asked->failed,
    };
    if (branch.own)
        add_stretch(writing, branch.own, asked->begin_ns, asked->until_ns);
    return branch;
}

static void
branch_add(const struct writing *writing, struct branch *branch, uint32_t place, bool is_critical)
{
    const struct asked *asked = call_links_at(writing->links, place);
    branch->count++;
    branch->time_ns += asked->until_ns - asked->begin_ns;
    if (asked->probability < branch->probability)
        branch->rule = asked->rule;
    branch->probability = MIN(branch->probability, asked->probability);
    branch->is_critical |= is_critical;
    branch->failed |= asked->failed;
    add_stretch(writing, branch->own, asked->begin_ns, asked->until_ns);
}

/* Returns the branches of a request, to be freed with g_array_free(), in the order in which they begin. Calls of one
 * operation that call nobody are one branch. */
static GArray *
branches_of(const struct writing *writing, const struct asked *asked)
{
    GArray *branches = g_array_new(FALSE, FALSE, sizeof(struct branch));
    GHashTable *critical = critical_of(writing, asked);
    GHashTable *leaves = g_hash_table_new(NULL, NULL); /* by operation: the branch's place, plus one */
    g_array_set_clear_func(branches, clear_branch);
    for (uint32_t i = 0; i < asked->calls; i++) {
        const uint32_t place = call_links_call(writing->links, asked, i);
        const struct asked *call = call_links_at(writing->links, place);
        const bool is_critical = g_hash_table_contains(critical, GUINT_TO_POINTER(place));
        void *const operation = GUINT_TO_POINTER(call->operation);
        const unsigned leaf = call->calls == 0 ? GPOINTER_TO_UINT(g_hash_table_lookup(leaves, operation)) : 0;
        if (leaf > 0) {
            branch_add(writing, &g_array_index(branches, struct branch, leaf - 1), place, is_critical);
            continue;
        }
        const struct branch branch = branch_of(writing, place, is_critical);
        g_array_append_val(branches, branch);
        if (call->calls == 0)
            g_hash_table_insert(leaves, operation, GUINT_TO_POINTER(branches->len));
    }
    g_hash_table_destroy(critical);
    g_hash_table_destroy(leaves);
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
    return (x->place > y->place) - (x->place < y->place);
}

static int
compare_places(const void *a, const void *b)
{
    const uint32_t x = ((const struct branch *)a)->place, y = ((const struct branch *)b)->place;
    return (x > y) - (x < y);
}

/* Leaves the most important branches; returns how many requests are left out. */
static uint64_t
leave_most_important(const struct writing *writing, GArray *branches)
{
    uint64_t left_out = 0;
    if (branches->len <= BRANCHES_MOST)
        return 0;
    g_array_sort(branches, compare_importance);
    for (unsigned i = BRANCHES_MOST; i < branches->len; i++)
        left_out += count_in(writing, &g_array_index(branches, struct branch, i));
    g_array_set_size(branches, BRANCHES_MOST);
    g_array_sort(branches, compare_places);
    return left_out;
}

static void
write_left_out(struct writing *writing, uint64_t count, unsigned depth)
{
    const struct waterfall_row row = { .depth = depth, .left_out = count };
    g_array_append_val(writing->waterfall->rows, row);
    writing->rows++;
}

static void
write_branches(struct writing *writing, const struct branch *parent, unsigned depth)
{
    const struct asked *asked = call_links_at(writing->links, parent->place);
    if (depth > DEPTH_MOST) {
        write_left_out(writing, count_below(writing->links, asked, 0), depth);
        return;
    }
    GArray *branches = branches_of(writing, asked);
    uint64_t left_out = leave_most_important(writing, branches);
    for (unsigned i = 0; i < branches->len; i++) {
        struct branch *branch = &g_array_index(branches, struct branch, i);
        branch->is_critical &= parent->is_critical;
        if (writing->rows < ROWS_MOST)
            write_request(writing, branch, depth);
        else
            left_out += count_in(writing, branch);
    }
    if (left_out > 0)
        write_left_out(writing, left_out, depth);
    g_array_free(branches, TRUE);
}

static struct stretch
whole_of(const struct writing *writing, const struct asked *asked)
{
    const int64_t begin_ns = writing->waterfall->begin_ns;
    return (struct stretch){ asked->begin_ns - begin_ns, asked->until_ns - begin_ns };
}

static void
write_request(struct writing *writing, const struct branch *branch, unsigned depth)
{
    const struct asked *asked = call_links_at(writing->links, branch->place);
    const int64_t own_ns = branch->own ? branch->time_ns : call_links_own_ns(writing->links, asked);
    const struct waterfall_row row = {
        .depth = depth,
        .operation = asked->operation,
        .number = asked->number,
        .frame = asked->frame,
        .count = branch->count,
        .time_ns = asked->has_response ? branch->time_ns : -1,
        .own_ns = asked->has_duration ? own_ns : -1,
        .whole = whole_of(writing, asked),
        .own = branch->own ? g_array_ref(branch->own) : own_of(writing, asked),
        .rule = branch->rule,
        .probability = branch->probability,
        .outcome = asked->outcome,
        .is_critical = branch->is_critical,
        .failed = branch->failed,
    };
    g_array_append_val(writing->waterfall->rows, row);
    writing->rows++;
    if (!branch->own)
        write_branches(writing, branch, depth + 1);
}

static struct waterfall *
waterfall_new(const struct call_links *links, uint32_t place, unsigned file)
{
    const struct asked *asked = call_links_at(links, place);
    struct waterfall *waterfall = g_new(struct waterfall, 1);
    *waterfall = (struct waterfall){
        .begin_ns = asked->begin_ns,
        .wait_ns = asked->until_ns - asked->begin_ns,
        .file = file,
        .rows = g_array_new(FALSE, FALSE, sizeof(struct waterfall_row)),
    };
    g_array_set_clear_func(waterfall->rows, clear_row);
    struct writing writing = { links, waterfall, waterfall->wait_ns / STRETCHES_OF_WHOLE, 0 };
    struct branch root = branch_of(&writing, place, true);
    write_request(&writing, &root, 0);
    clear_branch(&root);
    return waterfall;
}

/* Returns where one that took so long comes: behind those that took as long. */
static unsigned
rank_of(const GPtrArray *waterfalls, int64_t wait_ns)
{
    unsigned rank = 0;
    while (rank < waterfalls->len &&
           ((const struct waterfall *)g_ptr_array_index(waterfalls, rank))->wait_ns >= wait_ns)
        rank++;
    return rank;
}

/* Requests come in the order of their numbers, so that of equal ones the first is kept. */
void
waterfalls_take(GPtrArray *waterfalls, const struct call_links *links, unsigned file)
{
    for (uint32_t place = 0; place < links->asked->len; place++) {
        const struct asked *asked = call_links_at(links, place);
        const unsigned rank = rank_of(waterfalls, asked->until_ns - asked->begin_ns);
        if (asked->has_cause || asked->rule == CALL_SEVERAL || rank == WATERFALLS)
            continue;
        g_ptr_array_insert(waterfalls, (int)rank, waterfall_new(links, place, file));
        if (waterfalls->len > WATERFALLS)
            g_ptr_array_remove_index(waterfalls, WATERFALLS);
    }
}
