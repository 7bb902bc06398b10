/* trees_table.c
 * -z latency,trees: the slowest requests, each with the requests that it caused, and these in turn.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "table.h"

#include <inttypes.h>

#include <wsutil/str_util.h>

#include "call_name.h"
#include "call_source.h"
#include "call_tree.h"
#include "passing_requests.h"
#include "table_rows.h"

enum { TREES_USUALLY = 5 };

/* A tree as it is printed, of a capture that may be gone. */
struct tree {
    int64_t wait_ns;
    uint64_t order; /* among all: the first comes first of those that took as long */
    char *text;
};

/* A request that nobody in the capture caused. */
struct root {
    int64_t wait_ns;
    uint32_t number;
};

struct rows {
    struct table_rows table;
    struct passing_requests passing;
    GArray *trees; /* of struct tree, the slowest first: as many as are wanted */
    GArray *roots; /* of struct root, of the capture that is looked at, likewise */
    const struct calls *calls;
    char *remarks; /* call_remarks_text() of the latest capture */
    struct untold_calls untold;
    uint64_t n_roots, told, order;
};

static void take_trees(void *data);

static void
clear_tree(void *data)
{
    g_free(((struct tree *)data)->text);
}

static void
open_rows(void *data)
{
    struct rows *rows = data;
    rows->trees = g_array_new(FALSE, FALSE, sizeof(struct tree));
    g_array_set_clear_func(rows->trees, clear_tree);
    rows->roots = g_array_new(FALSE, FALSE, sizeof(struct root));
    passing_requests_open(&rows->passing, &rows->table, take_trees);
    call_source_want(rows->table.source);
}

static void
close_rows(void *data)
{
    struct rows *rows = data;
    call_source_leave(rows->table.source);
    passing_requests_close(&rows->passing);
    g_array_free(rows->trees, TRUE);
    g_array_free(rows->roots, TRUE);
    g_free(rows->remarks);
}

static int
take_item(void *data, const void *record)
{
    passing_requests_take(&((struct rows *)data)->passing, record);
    return -1;
}

static int
compare_roots(const void *a, const void *b)
{
    const struct root *x = a;
    const struct root *y = b;
    if (x->wait_ns != y->wait_ns)
        return x->wait_ns < y->wait_ns ? 1 : -1;
    return x->number < y->number ? -1 : x->number > y->number;
}

static int
compare_trees(const void *a, const void *b)
{
    const struct tree *x = a;
    const struct tree *y = b;
    if (x->wait_ns != y->wait_ns)
        return x->wait_ns < y->wait_ns ? 1 : -1;
    return x->order < y->order ? -1 : 1;
}

/* Keeps the slowest: twice as many as are wanted, before they are sorted again. */
static void
take_request(void *data, uint32_t number)
{
    struct rows *rows = data;
    const struct call *call = calls_find(rows->calls, number);
    if (!call)
        return;
    untold_calls_take(&rows->untold, call);
    rows->told += call->cause != 0;
    if (call->cause != 0 || call->rule == CALL_SEVERAL)
        return;
    rows->n_roots++;
    const struct root root = { call_wait_ns(call), number };
    g_array_append_val(rows->roots, root);
    if (rows->roots->len < 2 * rows->table.most)
        return;
    g_array_sort(rows->roots, compare_roots);
    g_array_set_size(rows->roots, rows->table.most);
}

static void
take_trees(void *data)
{
    struct rows *rows = data;
    rows->calls = call_source_told(rows->table.source);
    g_array_set_size(rows->roots, 0);
    passing_requests_each_new(&rows->passing, take_request);
    g_free(rows->remarks);
    rows->remarks = call_remarks_text(rows->table.source);
    g_array_sort(rows->roots, compare_roots);
    for (unsigned i = 0; i < MIN(rows->roots->len, rows->table.most); i++) {
        const struct root *root = &g_array_index(rows->roots, struct root, i);
        const struct tree tree = { root->wait_ns, ++rows->order,
                                   call_tree_text(rows->calls, rows->table.source, root->number) };
        g_array_append_val(rows->trees, tree);
    }
    g_array_sort(rows->trees, compare_trees);
    if (rows->trees->len > rows->table.most)
        g_array_set_size(rows->trees, rows->table.most);
}

static unsigned
count_rows(void *data)
{
    const struct rows *rows = data;
    if (passing_requests_has_new(&rows->passing))
        take_trees(data);
    return rows->trees->len;
}

static void
summarize(void *data, GString *text)
{
    struct rows *rows = data;
    const unsigned shown = count_rows(rows);
    const uint64_t passed = rows->passing.passed;
    g_string_append_printf(text, "%" PRIu64 " request%s, %" PRIu64 " of them not called by another; %u %s shown.\n",
                           passed, plurality(passed, "", "s"), rows->n_roots, shown, plurality(shown, "is", "are"));
    untold_calls_write(&rows->untold, rows->told, "caller", text);
    g_string_append(text, rows->remarks ? rows->remarks : "");
    omitted_write(&rows->table.omitted, rows->table.source, text);
}

static void
print(void *data, const char *notes, FILE *file)
{
    const struct rows *rows = data;
    fprintf(file, "\nTrees: the slowest requests, and what they call (times in ms)\n%s", notes);
    if (rows->trees->len > 0)
        fputs("Own: the time without calls. From: when it began, after the first of its tree.\n"
              "*: on the critical path, for which the first waited.\n" CALL_TREE_HEADINGS,
              file);
    for (unsigned i = 0; i < rows->trees->len; i++)
        fprintf(file, "%s%s", i > 0 ? "\n" : "", g_array_index(rows->trees, struct tree, i).text);
}

const struct table_definition trees_table = {
    .shows_operations = true,
    .title = "Latency: Trees",
    .argument = "latency,trees",
    .most = TREES_USUALLY,
    .bytes = sizeof(struct rows),
    .open = open_rows,
    .close = close_rows,
    .take = take_item,
    .count = count_rows,
    .summarize = summarize,
    .print = print,
    .is_of_whole = true,
    .absence = absence_of_requests,
};
