/* heap.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "heap.h"

static void
free_slow(void *data)
{
    struct slow_request *slow = data;
    g_free(slow->client);
    g_free(slow->server);
    g_free(slow->operation);
    g_free(slow->status);
    g_free(slow->outcome);
    g_free(slow);
}

GPtrArray *
heap_new(void)
{
    return g_ptr_array_new_with_free_func(free_slow);
}

static int64_t
time_at(const GPtrArray *heap, unsigned i)
{
    return ((const struct slow_request *)g_ptr_array_index(heap, i))->first_byte_ns;
}

bool
heap_wants(const GPtrArray *heap, int64_t first_byte_ns)
{
    return heap->len < SLOWEST || first_byte_ns > time_at(heap, 0);
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
heap_add(GPtrArray *heap, struct slow_request *slow)
{
    if (heap->len == SLOWEST) {
        free_slow(heap->pdata[0]);
        heap->pdata[0] = slow;
        sink(heap);
        return;
    }
    g_ptr_array_add(heap, slow);
    for (unsigned at = heap->len - 1; at > 0 && time_at(heap, at) < time_at(heap, (at - 1) / 2); at = (at - 1) / 2)
        swap(heap, at, (at - 1) / 2);
}

static int
compare(const void *a, const void *b)
{
    const struct slow_request *x = *(struct slow_request *const *)a;
    const struct slow_request *y = *(struct slow_request *const *)b;
    if (x->first_byte_ns != y->first_byte_ns)
        return x->first_byte_ns < y->first_byte_ns ? 1 : -1;
    return x->time_ns < y->time_ns ? -1 : x->time_ns > y->time_ns;
}

void
heap_sort(GPtrArray *heap)
{
    g_ptr_array_sort(heap, compare);
}
