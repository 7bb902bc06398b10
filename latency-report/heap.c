/* heap.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "heap.h"

GPtrArray *
heap_new(GDestroyNotify free_one)
{
    return g_ptr_array_new_with_free_func(free_one);
}

static int64_t
time_at(const GPtrArray *heap, unsigned i)
{
    return ((const struct slow *)g_ptr_array_index(heap, i))->ns;
}

bool
heap_wants(const GPtrArray *heap, unsigned most, int64_t ns)
{
    return heap->len < most || ns > time_at(heap, 0);
}

static void
swap(GPtrArray *heap, unsigned a, unsigned b)
{
    void *kept = heap->pdata[a];
    heap->pdata[a] = heap->pdata[b];
    heap->pdata[b] = kept;
}

static void
sink(GPtrArray *heap)
{
    for (unsigned at = 0, child; (child = 2 * at + 1) < heap->len; at = child) {
        if (child + 1 < heap->len && time_at(heap, child + 1) < time_at(heap, child))
            child++;
        if (time_at(heap, at) <= time_at(heap, child))
            return;
        swap(heap, at, child);
    }
}

void
heap_add(GPtrArray *heap, unsigned most, struct slow *slow)
{
    if (heap->len == most) {
        g_ptr_array_remove_index_fast(heap, 0);
        sink(heap);
    }
    g_ptr_array_add(heap, slow);
    for (unsigned at = heap->len - 1; at > 0 && time_at(heap, at) < time_at(heap, (at - 1) / 2); at = (at - 1) / 2)
        swap(heap, at, (at - 1) / 2);
}

static int
compare(const void *a, const void *b)
{
    const struct slow *x = *(struct slow *const *)a;
    const struct slow *y = *(struct slow *const *)b;
    if (x->ns != y->ns)
        return x->ns < y->ns ? 1 : -1;
    return x->begin_ns < y->begin_ns ? -1 : x->begin_ns > y->begin_ns;
}

void
heap_sort(GPtrArray *heap)
{
    g_ptr_array_sort(heap, compare);
}
