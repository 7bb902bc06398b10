/* gather_order.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "gather.h"

#include "heap.h"

static int
compare_times(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static int
compare_waiting(const void *a, const void *b)
{
    const struct gathered *x = *(struct gathered *const *)a;
    const struct gathered *y = *(struct gathered *const *)b;
    wide first = x->tally.first_byte.moments.sum, second = y->tally.first_byte.moments.sum;
    return (first < second) - (first > second);
}

static int
compare_attempted(const void *a, const void *b)
{
    const struct attempted *x = *(struct attempted *const *)a;
    const struct attempted *y = *(struct attempted *const *)b;
    return (x->attempts < y->attempts) - (x->attempts > y->attempts);
}

static int
compare_sent(const void *a, const void *b)
{
    const struct sent *x = *(struct sent *const *)a;
    const struct sent *y = *(struct sent *const *)b;
    uint64_t first = x->gaps + x->out_of_order + x->retransmitted,
             second = y->gaps + y->out_of_order + y->retransmitted;
    return (first < second) - (first > second);
}

void
gathering_finish(struct gathering *gathering)
{
    for (unsigned i = 0; i < gathering->servers->len; i++)
        g_array_sort(((struct gathered *)g_ptr_array_index(gathering->servers, i))->times, compare_times);
    g_ptr_array_sort(gathering->servers, compare_waiting);
    g_ptr_array_sort(gathering->operations, compare_waiting);
    g_ptr_array_sort(gathering->attempted, compare_attempted);
    g_ptr_array_sort(gathering->sent, compare_sent);
    heap_sort(gathering->slowest);
}
