/* ranking.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "ranking.h"

#include <string.h>

#include <glib.h>

/* A tail this short is merged by moving, a longer one by a merge of the whole. */
enum { TAIL_LONGEST = 4096, INSERTIONS = 16 };

enum { DIGIT_BITS = 8, DIGITS = 1 << DIGIT_BITS };

/* Up to FEW numbers are sorted by inserting them, up to COPIED with a copy, more in place. */
enum { FEW = 32, COPIED = 1 << 16 };

static int64_t
get(const struct ranking *ranking, uint32_t i)
{
    return ranking->is_wide ? ((const int64_t *)ranking->data)[i] : ((const uint32_t *)ranking->data)[i];
}

static void
set(struct ranking *ranking, uint32_t i, int64_t value)
{
    if (ranking->is_wide)
        ((int64_t *)ranking->data)[i] = value;
    else
        ((uint32_t *)ranking->data)[i] = (uint32_t)value;
}

static size_t
bytes_of(const struct ranking *ranking, uint32_t n)
{
    return n * (ranking->is_wide ? sizeof(int64_t) : sizeof(uint32_t));
}

inline void
ranking_add(struct ranking *ranking, int64_t value)
{
    enum { FIRST_ROOM = 4, MANY = 4096 };
    if (ranking->n == ranking->room) {
        /* of many not half is to stay empty */
        ranking->room += ranking->room < MANY ? MAX(ranking->room, FIRST_ROOM) : ranking->room / 4;
        ranking->data = g_realloc(ranking->data, bytes_of(ranking, ranking->room));
    }
    set(ranking, ranking->n++, value);
}

void
ranking_clear(struct ranking *ranking)
{
    g_free(ranking->data);
    *ranking = (struct ranking){ .is_wide = ranking->is_wide };
}

int64_t
ranking_unordered(const struct ranking *ranking, uint32_t i)
{
    return get(ranking, i);
}

/* The first `known` of the `n` that begin at `at` are sorted. */
static void
insert(struct ranking *ranking, uint32_t at, uint32_t known, uint32_t n)
{
    for (uint32_t i = known; i < n; i++) {
        const int64_t value = get(ranking, at + i);
        uint32_t low = 0, high = i;
        while (low < high) {
            uint32_t middle = low + (high - low) / 2;
            if (get(ranking, at + middle) <= value)
                low = middle + 1;
            else
                high = middle;
        }
        char *place = (char *)ranking->data + bytes_of(ranking, at + low);
        memmove(place + bytes_of(ranking, 1), place, bytes_of(ranking, i - low));
        set(ranking, at + low, value);
    }
}

static unsigned
digit(int64_t value, unsigned shift)
{
    return ((uint64_t)value ^ UINT64_C(1) << 63) >> shift & (DIGITS - 1);
}

/* By the lowest digit, then by the higher ones, up to the one at `highest`. */
static void
sort_many(struct ranking *ranking, uint32_t at, uint32_t n, unsigned highest)
{
    struct ranking copy = { .data = g_malloc(bytes_of(ranking, n)), .is_wide = ranking->is_wide };
    for (unsigned shift = 0; shift <= highest; shift += DIGIT_BITS) {
        uint32_t counts[DIGITS] = { 0 }, next[DIGITS];
        for (uint32_t i = 0; i < n; i++)
            counts[digit(get(ranking, at + i), shift)]++;
        if (counts[digit(get(ranking, at), shift)] == n)
            continue;
        for (unsigned d = 0, sum = 0; d < DIGITS; sum += counts[d++])
            next[d] = sum;
        for (uint32_t i = 0; i < n; i++) {
            const int64_t value = get(ranking, at + i);
            set(&copy, next[digit(value, shift)]++, value);
        }
        memcpy((char *)ranking->data + bytes_of(ranking, at), copy.data, bytes_of(ranking, n));
    }
    g_free(copy.data);
}

/* By the highest digit, in place, then by the lower ones: McIlroy, Bostic, McIlroy, "Engineering Radix Sort" (1993).
 * No order of values makes it slow. */
static void
sort(struct ranking *ranking, uint32_t at, uint32_t n, unsigned shift)
{
    uint32_t next[DIGITS], end[DIGITS] = { 0 };
    if (n <= FEW) {
        insert(ranking, at, 0, n);
        return;
    }
    if (n <= COPIED) {
        sort_many(ranking, at, n, shift);
        return;
    }
    for (uint32_t i = 0; i < n; i++)
        end[digit(get(ranking, at + i), shift)]++;
    for (unsigned d = 0; d < DIGITS; d++) {
        next[d] = d == 0 ? at : end[d - 1];
        end[d] += next[d];
    }
    for (unsigned d = 0; d < DIGITS; d++) {
        while (next[d] < end[d]) {
            int64_t value = get(ranking, next[d]);
            for (unsigned own; (own = digit(value, shift)) != d;) {
                const int64_t other = get(ranking, next[own]);
                set(ranking, next[own]++, value);
                value = other;
            }
            set(ranking, next[d]++, value);
        }
    }
    for (unsigned d = 0; d < DIGITS && shift > 0; d++) {
        const uint32_t begin = d == 0 ? at : end[d - 1];
        sort(ranking, begin, end[d] - begin, shift - DIGIT_BITS);
    }
}

/* Both parts are sorted. */
static void
merge_tail(struct ranking *ranking)
{
    uint32_t from = ranking->sorted, tail = ranking->n - ranking->sorted;
    ranking->sorted = ranking->n;
    ranking->tail_sorted = 0;
    if (from == 0)
        return;
    struct ranking copy = { .data = g_memdup2((char *)ranking->data + bytes_of(ranking, from), bytes_of(ranking, tail)),
                            .is_wide = ranking->is_wide };
    for (uint32_t to = ranking->n; tail > 0;) {
        if (from > 0 && get(ranking, from - 1) > get(&copy, tail - 1))
            set(ranking, --to, get(ranking, --from));
        else
            set(ranking, --to, get(&copy, --tail));
    }
    g_free(copy.data);
}

void
ranking_sort(struct ranking *ranking)
{
    uint32_t tail = ranking->n - ranking->sorted;
    if (tail - ranking->tail_sorted > INSERTIONS)
        sort(ranking, ranking->sorted, tail, ranking->is_wide ? 56 : 24);
    else
        insert(ranking, ranking->sorted, ranking->tail_sorted, tail);
    ranking->tail_sorted = tail;
    if (tail > TAIL_LONGEST)
        merge_tail(ranking);
}

/* Bisects how many of the first `k` come from the sorted ones. */
int64_t
ranking_at(const struct ranking *ranking, uint32_t k)
{
    const uint32_t sorted = ranking->sorted, tail = ranking->n - sorted;
    uint32_t low = k > tail ? k - tail : 0, high = MIN(k, sorted);
    while (low < high) {
        uint32_t i = low + (high - low) / 2;
        if (get(ranking, sorted + k - i - 1) > get(ranking, i))
            low = i + 1;
        else
            high = i;
    }
    if (low == sorted)
        return get(ranking, sorted + k - low);
    if (k - low == tail)
        return get(ranking, low);
    return MIN(get(ranking, low), get(ranking, sorted + k - low));
}

void
ranking_remove(struct ranking *ranking, const int64_t *removed, uint32_t n)
{
    uint32_t kept = 0, taken = 0;
    ranking_sort(ranking);
    merge_tail(ranking);
    for (uint32_t i = 0; i < ranking->n; i++) {
        const int64_t value = get(ranking, i);
        while (taken < n && removed[taken] < value)
            taken++;
        if (taken < n && removed[taken] == value)
            taken++;
        else
            set(ranking, kept++, value);
    }
    ranking->n = ranking->sorted = kept;
}
