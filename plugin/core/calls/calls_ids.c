/* calls_ids.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "calls_ids.h"

struct call_id {
    uint64_t hash;
    uint32_t number;
    bool is_text;
};

void
calls_ids_init(struct calls_ids *ids)
{
    ids->all = g_array_new(FALSE, FALSE, sizeof(struct call_id));
    ids->by_number = g_array_new(FALSE, FALSE, sizeof(uint32_t));
}

void
calls_ids_clear(struct calls_ids *ids)
{
    g_array_free(ids->all, TRUE);
    g_array_free(ids->by_number, TRUE);
}

void
calls_ids_add(struct calls_ids *ids, uint32_t number, enum id_kind kind, uint64_t hash)
{
    const struct call_id id = { hash, number, kind == ID_TEXT };
    g_array_append_val(ids->all, id);
}

static const struct call_id *
id_at(const struct calls_ids *ids, uint32_t place)
{
    return &g_array_index(ids->all, struct call_id, place);
}

static int
compare_ids(const void *a, const void *b)
{
    const struct call_id *x = a, *y = b;
    if (x->hash != y->hash)
        return x->hash > y->hash ? 1 : -1;
    return (x->number > y->number) - (x->number < y->number);
}

static int
compare_numbers(const void *a, const void *b, void *data)
{
    const struct calls_ids *ids = data;
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    const uint32_t x_number = id_at(ids, x)->number, y_number = id_at(ids, y)->number;
    if (x_number != y_number)
        return x_number > y_number ? 1 : -1;
    return (x > y) - (x < y);
}

/* A request that was taken anew has its ids again. */
static void
drop_repeated(struct calls_ids *ids)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < ids->all->len; i++)
        if (kept == 0 || compare_ids(id_at(ids, kept - 1), id_at(ids, i)) != 0)
            g_array_index(ids->all, struct call_id, kept++) = *id_at(ids, i);
    g_array_set_size(ids->all, kept);
}

void
calls_ids_settle(struct calls_ids *ids)
{
    g_array_sort(ids->all, compare_ids);
    drop_repeated(ids);
    g_array_set_size(ids->by_number, ids->all->len);
    for (uint32_t i = 0; i < ids->all->len; i++)
        g_array_index(ids->by_number, uint32_t, i) = i;
    g_array_sort_with_data(ids->by_number, compare_numbers, ids);
}

/* The first place in by_number of this request, or of the next that has one. */
static uint32_t
find_number(const struct calls_ids *ids, uint32_t number)
{
    uint32_t low = 0, high = ids->by_number->len;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (id_at(ids, g_array_index(ids->by_number, uint32_t, middle))->number < number)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Those with the id at that place, if it says anything. What only looks like an id, in both, is none. */
static void
each_with(const struct calls_ids *ids, uint32_t place, void (*take)(void *data, uint32_t other), void *data)
{
    const struct call_id id = *id_at(ids, place);
    uint32_t begin = place, end = place;
    while (begin > 0 && place - begin <= CALL_ID_REQUESTS && id_at(ids, begin - 1)->hash == id.hash)
        begin--;
    while (end < ids->all->len && end - begin <= CALL_ID_REQUESTS && id_at(ids, end)->hash == id.hash)
        end++;
    if (end - begin > CALL_ID_REQUESTS)
        return;
    for (uint32_t i = begin; i < end; i++)
        if (i != place && !(id.is_text && id_at(ids, i)->is_text))
            take(data, id_at(ids, i)->number);
}

void
calls_ids_each(const struct calls_ids *ids, uint32_t number, void (*take)(void *data, uint32_t other), void *data)
{
    uint32_t at = find_number(ids, number);
    for (unsigned taken = 0; taken < CALL_IDS && at < ids->by_number->len; taken++, at++) {
        const uint32_t place = g_array_index(ids->by_number, uint32_t, at);
        if (id_at(ids, place)->number != number)
            return;
        each_with(ids, place, take, data);
    }
}
