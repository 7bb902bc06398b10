/* report_rows.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "report_rows.h"

#include <wsutil/inet_addr.h>

static int
compare_positions(const void *a, const void *b, void *groups)
{
    const struct row *x = groups_value(groups, *(const uint32_t *)a);
    const struct row *y = groups_value(groups, *(const uint32_t *)b);
    if (x->position != y->position)
        return x->position < y->position ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

static void
take_value(void *data, uint32_t row, int64_t value_ns)
{
    struct report_rows *rows = data;
    if (rows->selections[row])
        selection_take(rows->selections[row], value_ns);
}

bool
report_rows_begin(struct report_rows *rows, const struct total *total,
                  const struct statistic *(*statistic)(const void *value))
{
    uint32_t n = groups_count(total->rows);
    GArray *order = g_array_sized_new(FALSE, FALSE, sizeof(uint32_t), n);
    *rows = (struct report_rows){ total, statistic, g_new0(struct selection *, n), NULL };
    for (uint32_t i = 0; i < n; i++) {
        const struct row *row = groups_value(total->rows, i);
        g_array_append_val(order, i);
        if (!row->approximate)
            rows->selections[i] = selection_new(statistic(row));
    }
    g_array_sort_with_data(order, compare_positions, total->rows);
    rows->order = (uint32_t *)(void *)g_array_free(order, FALSE);
    return values_each(total->values, take_value, rows);
}

void
report_rows_end(struct report_rows *rows)
{
    for (unsigned i = 0; i < groups_count(rows->total->rows); i++)
        if (rows->selections[i])
            selection_free(rows->selections[i]);
    g_free(rows->selections);
    g_free(rows->order);
}

void
report_rows_describe(const struct report_rows *rows, uint32_t number, struct description *description)
{
    if (rows->selections[number])
        selection_describe(rows->selections[number], description);
    else
        statistic_describe(rows->statistic(groups_value(rows->total->rows, number)), description);
}

const char *
report_address(wmem_allocator_t *scope, const struct endpoint *endpoint, bool ipv6)
{
    char *text = wmem_alloc(scope, WS_INET6_ADDRSTRLEN);
    return ipv6 ? ws_inet_ntop6(endpoint->address, text, WS_INET6_ADDRSTRLEN)
                : ws_inet_ntop4(endpoint->address, text, WS_INET6_ADDRSTRLEN);
}

const char *
report_endpoint(wmem_allocator_t *scope, const struct endpoint *endpoint, bool ipv6)
{
    return wmem_strdup_printf(scope, ipv6 ? "[%s]:%u" : "%s:%u", report_address(scope, endpoint, ipv6), endpoint->port);
}
