/* born.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "born.h"

void
born_init(struct born *born)
{
    born->births = g_array_new(FALSE, FALSE, sizeof(struct birth));
}

void
born_clear(struct born *born)
{
    g_array_free(born->births, TRUE);
}

void
born_note(struct born *born, unsigned row, struct birth birth)
{
    if (row == born->births->len)
        g_array_append_val(born->births, birth);
}

static int
compare_rows(const void *a, const void *b)
{
    const struct born_row *x = a;
    const struct born_row *y = b;
    if (x->birth.ns != y->birth.ns)
        return x->birth.ns < y->birth.ns ? -1 : 1;
    if (x->birth.frame != y->birth.frame)
        return x->birth.frame < y->birth.frame ? -1 : 1;
    if (x->table != y->table)
        return x->table < y->table ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

GArray *
born_order(const struct born *const *tables, unsigned n)
{
    GArray *order = g_array_new(FALSE, FALSE, sizeof(struct born_row));
    for (unsigned table = 0; table < n; table++) {
        const GArray *births = tables[table]->births;
        for (unsigned row = 0; row < births->len; row++) {
            const struct born_row each = { g_array_index(births, struct birth, row), table, row };
            g_array_append_val(order, each);
        }
    }
    g_array_sort(order, compare_rows);
    return order;
}

void
born_merge_groups(struct groups *groups, const struct born *const *tables, struct groups *const *others, unsigned n,
                  void (*merge)(void *value, const void *other))
{
    GArray *order = born_order(tables, n);
    for (unsigned i = 0; i < order->len; i++) {
        const struct born_row *each = &g_array_index(order, struct born_row, i);
        const struct groups *other = others[each->table];
        merge(groups_at(groups, groups_key(other, each->row)), groups_value(other, each->row));
    }
    g_array_free(order, TRUE);
}
