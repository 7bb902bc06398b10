/* call_tree.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "call_tree.h"

#include <inttypes.h>

#include "../core/util/vocabulary.h"
#include "call_branches.h"
#include "call_name.h"
#include "text_number.h"
#include "text_shortened.h"

/* Of larger trees it is said how many requests are left out. */
enum { LINES_MOST = 40 };

enum { LINE_WIDTH = 80, NUMBERS_WIDTH = 36, INDENT = 2, DECIMALS = 3, NS_PER_MS = 1000000 };

struct writing {
    const struct calls *calls;
    const struct table_source *source;
    GString *text;
    wmem_allocator_t *scope;
    int64_t from_ns; /* when the tree begins */
};

static struct tree_request
tree_request_of(const void *data, uint32_t number)
{
    const struct calls *calls = ((const struct writing *)data)->calls;
    const struct call *call = calls_find(calls, number);
    return (struct tree_request){
        .begin_ns = call->begins_ns,
        .until_ns = call_awaited_until(call),
        .operation = call->operation,
        .rule = call->rule,
        .probability = call->probability,
        .failed = call->failed,
        .calls = calls_has_any(calls, number),
    };
}

static void
append_number(void *numbers, uint32_t number)
{
    g_array_append_val((GArray *)numbers, number);
}

static void
add_calls(const void *data, uint32_t number, GArray *numbers)
{
    calls_each(((const struct writing *)data)->calls, number, append_number, numbers);
}

static void
write_left_out(void *data, uint64_t count, unsigned depth)
{
    struct writing *writing = data;
    g_string_append_printf(writing->text, "%*s|%*s|%*s|%*s| %*s… %" PRIu64 " more\n", 7, "", 8, "", 8, "", 8, "",
                           (int)(depth * INDENT), "", count);
}

/* Says how sure the cause is, where it is not certain, and what went wrong. */
static char *
remark_on(const struct writing *writing, const struct call_branch *branch, const struct call *call)
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
write_request(void *data, const struct call_branch *branch, unsigned depth)
{
    struct writing *writing = data;
    const uint32_t number = call_branch_number(branch);
    const struct call *call = calls_find(writing->calls, number);
    const struct call_operation *operation = calls_operation(writing->calls, call->operation);
    const bool has_end = call->end_frame != 0;
    const int64_t own_ns = branch->is_leaf ? branch->time_ns : calls_times(writing->calls, number).own_ns;
    const char *remark = remark_on(writing, branch, call);
    char *count = branch->numbers->len > 1 ? wmem_strdup_printf(writing->scope, "%u × ", branch->numbers->len) : "";
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
    struct call_branches branches = {
        .request = tree_request_of,
        .add_calls = add_calls,
        .show = write_request,
        .leave_out = write_left_out,
        .data = &writing,
        .rows_most = LINES_MOST,
    };
    call_branches_show(&branches, number);
    wmem_destroy_allocator(writing.scope);
    return g_string_free(writing.text, FALSE);
}
