/* waterfall.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "waterfall.h"

#include "table/call_branches.h"

/* Of larger trees it is said how many requests are left out. */
enum { ROWS_MOST = 30 };

/* Stretches with less than this part of the whole between them are drawn as one. */
enum { STRETCHES_OF_WHOLE = 100 };

struct writing {
    const struct call_links *links;
    struct waterfall *waterfall;
    int64_t near_ns;
};

static void
clear_row(void *data)
{
    const struct waterfall_row *row = data;
    if (row->own)
        g_array_free(row->own, TRUE);
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

/* Adds when a request had no call under way. */
static void
add_own(const struct writing *writing, GArray *own, const struct asked *asked)
{
    int64_t at_ns = asked->begin_ns;
    for (uint32_t i = 0; i < asked->calls; i++) {
        const struct asked *call = call_links_at(writing->links, call_links_call(writing->links, asked, i));
        add_stretch(writing, own, at_ns, MIN(call->begin_ns, asked->until_ns));
        at_ns = MAX(at_ns, call->until_ns);
    }
    add_stretch(writing, own, at_ns, asked->until_ns);
}

/* Returns when the requests of a branch had no call under way, to be freed with g_array_free(). */
static GArray *
own_of(const struct writing *writing, const struct call_branch *branch)
{
    GArray *own = g_array_new(FALSE, FALSE, sizeof(struct stretch));
    for (unsigned i = 0; i < branch->numbers->len; i++)
        add_own(writing, own, call_links_at(writing->links, g_array_index(branch->numbers, uint32_t, i)));
    return own;
}

/* Requests are named by their places. */
static struct tree_request
tree_request_of(const void *data, uint32_t place)
{
    const struct asked *asked = call_links_at(((const struct writing *)data)->links, place);
    return (struct tree_request){
        .begin_ns = asked->begin_ns,
        .until_ns = asked->until_ns,
        .operation = asked->operation,
        .rule = asked->rule,
        .probability = asked->probability,
        .failed = asked->failed,
        .calls = asked->calls > 0,
    };
}

static void
add_calls(const void *data, uint32_t place, GArray *places)
{
    const struct call_links *links = ((const struct writing *)data)->links;
    const struct asked *asked = call_links_at(links, place);
    for (uint32_t i = 0; i < asked->calls; i++) {
        const uint32_t call = call_links_call(links, asked, i);
        g_array_append_val(places, call);
    }
}

static void
write_left_out(void *data, uint64_t count, unsigned depth)
{
    const struct waterfall_row row = { .depth = depth, .left_out = count };
    g_array_append_val(((struct writing *)data)->waterfall->rows, row);
}

static struct stretch
whole_of(const struct writing *writing, const struct asked *asked)
{
    const int64_t begin_ns = writing->waterfall->begin_ns;
    return (struct stretch){ asked->begin_ns - begin_ns, asked->until_ns - begin_ns };
}

static void
write_request(void *data, const struct call_branch *branch, unsigned depth)
{
    const struct writing *writing = data;
    const struct asked *asked = call_links_at(writing->links, call_branch_number(branch));
    const int64_t own_ns = branch->is_leaf ? branch->time_ns : call_links_own_ns(writing->links, asked);
    const struct waterfall_row row = {
        .depth = depth,
        .operation = asked->operation,
        .number = asked->number,
        .frame = asked->frame,
        .count = branch->numbers->len,
        .time_ns = asked->has_response ? branch->time_ns : -1,
        .own_ns = asked->has_duration ? own_ns : -1,
        .whole = whole_of(writing, asked),
        .own = own_of(writing, branch),
        .rule = branch->rule,
        .probability = branch->probability,
        .outcome = asked->outcome,
        .is_critical = branch->is_critical,
        .failed = branch->failed,
    };
    g_array_append_val(writing->waterfall->rows, row);
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
    struct writing writing = { links, waterfall, waterfall->wait_ns / STRETCHES_OF_WHOLE };
    struct call_branches branches = {
        .request = tree_request_of,
        .add_calls = add_calls,
        .show = write_request,
        .leave_out = write_left_out,
        .data = &writing,
        .rows_most = ROWS_MOST,
    };
    call_branches_show(&branches, place);
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
