/* selection.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "selection.h"

#include <math.h>
#include <stdlib.h>

/* A bucket takes up to this many values without looking which are the same. */
enum { UNSORTED_LEAST = 64 };

struct counted {
    int64_t value;
    uint64_t count;
};

/* A bucket with a value that is asked for. */
struct wanted {
    uint32_t bucket;
    uint64_t below; /* how many values are in lower buckets */
    GArray *values; /* of struct counted; its first `sorted` ascending, each value once */
    unsigned sorted;
};

struct selection {
    const struct histogram *histogram;
    GArray *wanted; /* of struct wanted, ascending */
};

#define WANTED(selection, i) (&g_array_index((selection)->wanted, struct wanted, i))
#define COUNTED(wanted, i)   (&g_array_index((wanted)->values, struct counted, i))

static struct wanted *
find(const struct selection *selection, uint32_t bucket)
{
    for (unsigned i = 0; i < selection->wanted->len; i++)
        if (WANTED(selection, i)->bucket == bucket)
            return WANTED(selection, i);
    return NULL;
}

/* Percentiles are asked for from low to high. */
static double
want_rank(const void *values, uint64_t rank)
{
    const struct selection *selection = values;
    const struct histogram *histogram = selection->histogram;
    uint64_t below = 0;
    for (unsigned i = 0; i < histogram_length(histogram); i++) {
        const struct bar *bar = histogram_bar(histogram, i);
        if (rank < below + bar->count) {
            struct wanted wanted = { bar->bucket, below, NULL, 0 };
            if (find(selection, bar->bucket))
                break;
            wanted.values = g_array_new(FALSE, FALSE, sizeof(struct counted));
            g_array_append_val(selection->wanted, wanted);
            break;
        }
        below += bar->count;
    }
    return 0;
}

struct selection *
selection_new(const struct histogram *histogram, uint64_t count)
{
    struct selection *selection = g_new(struct selection, 1);
    struct description unused = { .count = count };
    *selection = (struct selection){ histogram, g_array_new(FALSE, FALSE, sizeof(struct wanted)) };
    if (unused.count > 0)
        description_percentiles(&unused, want_rank, selection);
    return selection;
}

void
selection_free(struct selection *selection)
{
    for (unsigned i = 0; i < selection->wanted->len; i++)
        g_array_free(WANTED(selection, i)->values, TRUE);
    g_array_free(selection->wanted, TRUE);
    g_free(selection);
}

static int
compare_counted(const void *a, const void *b)
{
    const struct counted *x = a;
    const struct counted *y = b;
    return (x->value > y->value) - (x->value < y->value);
}

static void
sort(struct wanted *wanted)
{
    unsigned different = 0;
    if (wanted->sorted == wanted->values->len)
        return;
    qsort(wanted->values->data, wanted->values->len, sizeof(struct counted), compare_counted);
    for (unsigned i = 0; i < wanted->values->len; i++) {
        if (different > 0 && COUNTED(wanted, different - 1)->value == COUNTED(wanted, i)->value)
            COUNTED(wanted, different - 1)->count += COUNTED(wanted, i)->count;
        else
            *COUNTED(wanted, different++) = *COUNTED(wanted, i);
    }
    g_array_set_size(wanted->values, different);
    wanted->sorted = different;
}

void
selection_take(struct selection *selection, int64_t value_ns)
{
    struct wanted *wanted = find(selection, bucket_of(value_ns));
    struct counted counted = { value_ns, 1 };
    if (!wanted)
        return;
    g_array_append_val(wanted->values, counted);
    if (wanted->values->len >= MAX(2 * wanted->sorted, UNSORTED_LEAST))
        sort(wanted);
}

static double
value_at(const void *values, uint64_t rank)
{
    const struct selection *selection = values;
    for (unsigned i = selection->wanted->len; i-- > 0;) {
        struct wanted *wanted = WANTED(selection, i);
        if (wanted->below > rank)
            continue;
        uint64_t below = wanted->below;
        sort(wanted);
        for (unsigned j = 0; j < wanted->values->len; j++) {
            below += COUNTED(wanted, j)->count;
            if (rank < below)
                return (double)COUNTED(wanted, j)->value;
        }
    }
    return NAN;
}

void
selection_describe(struct selection *selection, struct description *description)
{
    if (description->count > 0)
        description_percentiles(description, value_at, selection);
}
