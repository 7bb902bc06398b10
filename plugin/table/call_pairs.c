/* call_pairs.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "call_pairs.h"

#include <inttypes.h>
#include <math.h>

#include <wsutil/str_util.h>

static void
free_row(void *data)
{
    struct call_pair *row = data;
    sample_clear(&row->durations);
    g_free(row);
}

void
call_pairs_init(struct call_pairs *pairs)
{
    pairs->operations = groups_new(sizeof(struct caller), NULL);
    pairs->rows = g_ptr_array_new_with_free_func(free_row);
    hashed_init(&pairs->by_pair, NULL);
}

void
call_pairs_clear(struct call_pairs *pairs)
{
    groups_free(pairs->operations);
    hashed_clear(&pairs->by_pair);
    g_ptr_array_free(pairs->rows, TRUE);
}

unsigned
call_pairs_operation(struct call_pairs *pairs, const struct group_key *key)
{
    return groups_row(pairs->operations, key);
}

static struct call_pair *
row_of(struct call_pairs *pairs, unsigned called)
{
    const uint64_t pair = (uint64_t)pairs->operation << 32 | called;
    const uint32_t hash = (uint32_t)hashed_mix(pair ^ pairs->by_pair.key, pairs->by_pair.key);
    struct hashed *found = hashed_first(&pairs->by_pair, hash);
    while (found && (((struct call_pair *)found)->operation != pairs->operation ||
                     ((struct call_pair *)found)->called != called))
        found = hashed_next(found);
    if (found)
        return (struct call_pair *)found;
    struct call_pair *row = g_new0(struct call_pair, 1);
    row->operation = pairs->operation;
    row->called = called;
    g_ptr_array_add(pairs->rows, row);
    hashed_add(&pairs->by_pair, &row->hashed, hash);
    return row;
}

void
call_pairs_take_request(struct call_pairs *pairs, unsigned operation, const struct pair_request *request)
{
    struct caller *caller = groups_value(pairs->operations, operation);
    caller->requests++;
    wide_add_int(&caller->wait_ns, request->until_ns - request->begins_ns);
    pairs->requests++;
    pairs->operation = operation;
    pairs->request = *request;
}

/* Adds the time of a call that no earlier one of the row and the same request has had. */
static void
add_time(const struct call_pairs *pairs, struct call_pair *row, const struct pair_request *call)
{
    if (row->asked != pairs->requests)
        row->counted_ns = pairs->request.begins_ns;
    row->asked = pairs->requests;
    const int64_t from_ns = MAX(call->begins_ns, row->counted_ns);
    const int64_t until_ns = MIN(call->until_ns, pairs->request.until_ns);
    if (until_ns <= from_ns)
        return;
    wide_add_int(&row->time_ns, until_ns - from_ns);
    row->counted_ns = until_ns;
}

void
call_pairs_take_call(struct call_pairs *pairs, unsigned operation, const struct pair_request *call)
{
    struct call_pair *row = row_of(pairs, operation);
    pairs->calling += pairs->called_by != pairs->requests;
    pairs->called_by = pairs->requests;
    row->calls++;
    row->errors += call->failed;
    row->unanswered += (outcome_says(call->outcome) & OUTCOME_IS_UNANSWERED) != 0;
    row->retries += call->is_retry;
    row->by_rule[call->rule]++;
    pairs->told[call->rule]++;
    if (call->has_duration)
        sample_add(&row->durations, call->until_ns - call->begins_ns);
    add_time(pairs, row, call);
}

double
call_pairs_share(const struct call_pairs *pairs, const struct call_pair *row)
{
    const struct caller *caller = groups_value(pairs->operations, row->operation);
    const double wait_ns = wide_double(caller->wait_ns);
    return wait_ns > 0 ? wide_double(row->time_ns) / wait_ns * 100 : NAN;
}

/* Writes by which rules the causes were told: "63 only, 7 worker". */
static uint64_t
write_rules(const struct call_pairs *pairs, GString *text)
{
    uint64_t sum = 0;
    for (unsigned rule = CALL_ID; rule <= CALL_AFTER; rule++) {
        if (pairs->told[rule] == 0)
            continue;
        g_string_append_printf(text, "%s%" PRIu64 " %s", sum > 0 ? ", " : "", pairs->told[rule], call_rule_name(rule));
        sum += pairs->told[rule];
    }
    return sum;
}

void
call_pairs_write(const struct call_pairs *pairs, GString *text)
{
    GString *rules = g_string_new(NULL);
    const uint64_t told = write_rules(pairs, rules);
    g_string_append_printf(text, "%" PRIu64 " request%s, of which %" PRIu64 " call%s others; %" PRIu64 " call%s",
                           pairs->requests, plurality(pairs->requests, "", "s"), pairs->calling,
                           plurality(pairs->calling, "s", ""), told, plurality(told, "", "s"));
    g_string_append_printf(text, told > 0 ? ": %s (docs/calls.md).\n" : ".\n", rules->str);
    untold_calls_write(&pairs->untold, told, "row", text);
    if (told > 0)
        g_string_append(text, "Calls: for each request of the operation. Share: of the time of these requests.\n");
    g_string_free(rules, TRUE);
}
