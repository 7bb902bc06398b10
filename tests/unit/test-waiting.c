/* test-waiting.c
 * What waits, against queues that are plain arrays.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <glib.h>

#include "core/util/waiting.h"
#include "unit.h"

enum { OWNERS = 3, KEYS = 7, ROOM = 4096 };

/* Keys that differ in their lowest bits, or in their highest ones alone. */
static uint64_t
key_of(unsigned key)
{
    return key % 2 == 0 ? key : (uint64_t)key << 40;
}

struct queue {
    uint32_t records[ROOM];
    unsigned first, behind;
};

static void
check(const struct waiting *waiting, const struct queue *queue, uint32_t whose, uint64_t key)
{
    const bool is_empty = queue->first == queue->behind;
    g_assert_true(waiting_first(waiting, whose, key) ==
                  (is_empty ? NULL : GUINT_TO_POINTER(queue->records[queue->first])));
    g_assert_cmpuint(waiting_count(waiting, whose, key), ==, queue->behind - queue->first);
}

static void
test_queues(void)
{
    enum { STEPS = 20000 };
    static struct queue queues[OWNERS][KEYS];
    wmem_allocator_t *scope = wmem_allocator_new(WMEM_ALLOCATOR_BLOCK);
    struct waiting waiting;
    waiting_init(&waiting, scope);
    for (uint32_t step = 1; step <= STEPS; step++) {
        const uint32_t whose = (uint32_t)g_test_rand_int_range(0, OWNERS);
        const unsigned key = (unsigned)g_test_rand_int_range(0, KEYS), what = (unsigned)g_test_rand_int_range(0, 40);
        struct queue *queue = &queues[whose][key];
        if (what == 0) {
            waiting_forget(&waiting, whose, key_of(key));
            queue->first = queue->behind;
        } else if (what % 2 == 0) {
            waiting_add(&waiting, whose, key_of(key), GUINT_TO_POINTER(step));
            queue->records[queue->behind++] = step;
        } else {
            const bool is_empty = queue->first == queue->behind;
            const uint32_t taken = GPOINTER_TO_UINT(waiting_take(&waiting, whose, key_of(key)));
            g_assert_cmpuint(taken, ==, is_empty ? 0 : queue->records[queue->first++]);
        }
        for (uint32_t i = 0; i < OWNERS; i++)
            for (unsigned j = 0; j < KEYS; j++)
                check(&waiting, &queues[i][j], i, key_of(j));
    }
    wmem_destroy_allocator(scope);
}

/* Room is needed for as many as wait at a time, and time for as many as there are. */
static void
test_many(void)
{
    enum { MANY = 100000, ROUNDS = 10 };
    wmem_allocator_t *scope = wmem_allocator_new(WMEM_ALLOCATOR_BLOCK);
    struct waiting waiting;
    waiting_init(&waiting, scope);
    for (unsigned round = 0; round < ROUNDS; round++) {
        for (uint32_t i = 1; i <= MANY; i++) {
            waiting_add(&waiting, 1, 0, GUINT_TO_POINTER(i));
            waiting_add(&waiting, 1, i, GUINT_TO_POINTER(i));
        }
        for (uint32_t i = 1; i <= MANY; i++) {
            g_assert_cmpuint(GPOINTER_TO_UINT(waiting_take(&waiting, 1, i)), ==, i);
            if (round % 2 == 0)
                g_assert_cmpuint(GPOINTER_TO_UINT(waiting_take(&waiting, 1, 0)), ==, i);
        }
        waiting_forget(&waiting, 1, 0);
    }
    g_assert_null(waiting_first(&waiting, 1, 0));
    g_assert_cmpuint(waiting.heads.count, ==, 0);
    g_assert_cmpuint(waiting.waiters.count, ==, 2 * MANY);
    wmem_destroy_allocator(scope);
}

void
waiting_tests_add(void)
{
    g_test_add_func("/waiting/queues", test_queues);
    g_test_add_func("/waiting/many", test_many);
}
