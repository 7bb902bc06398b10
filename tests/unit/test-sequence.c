/* test-sequence.c
 * New bytes and offsets, against a model that has a flag for each byte.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "unit.h"

#include <string.h>

#include <glib.h>

#include "core/tcp/sequence.h"

/* Bytes that the model knows, the first one in the middle where there is a history. */
enum { SPACE = 12000 };

struct model {
    bool seen[SPACE];
    unsigned end;      /* after the highest seen */
    unsigned base;     /* below it nothing is new */
    uint32_t base_seq; /* of seen[0] */
};

static unsigned
model_add(struct model *model, unsigned start, unsigned bytes)
{
    unsigned added = 0;
    for (unsigned i = start; i < start + bytes; i++) {
        added += model->seen[i] ? 0 : 1;
        model->seen[i] = true;
    }
    model->end = MAX(model->end, start + bytes);
    return added;
}

/* Runs of unseen bytes below the end. */
static unsigned
model_holes(const struct model *model)
{
    unsigned holes = 0;
    for (unsigned i = model->base; i < model->end; i++)
        holes += !model->seen[i] && (i == model->base || model->seen[i - 1]) ? 1 : 0;
    return holes;
}

static void
model_start(struct model *model, unsigned start, uint32_t seq, bool history)
{
    memset(model, 0, sizeof *model);
    model->base = history ? 0 : start;
    model->base_seq = seq - start;
    model->end = start;
    memset(model->seen, !history, start); /* what was before is there, or counts as seen */
}

/* Adds to both, and compares. */
static void
check_add(struct sequence *sequence, struct model *model, unsigned start, unsigned bytes, wmem_allocator_t *scope)
{
    int64_t offset = sequence_offset(sequence, model->base_seq + start);
    int64_t end = sequence->end;
    g_assert_cmpint(end - offset, ==, (int64_t)model->end - (int64_t)start);
    unsigned added = model_add(model, start, bytes);
    g_assert_cmpuint(sequence_add(sequence, offset, bytes, scope), ==, added);
    g_assert_cmpint(sequence->end, ==, offset + MAX((int64_t)model->end - (int64_t)start, 0));
    g_assert_cmpuint(sequence->end_seq, ==, model->base_seq + model->end);
    g_assert_cmpuint(sequence->n_holes, <=, SEQUENCE_HOLES);
}

/* Whether both would have no more holes after the segment than are remembered. */
static bool
fits(const struct model *model, unsigned start, unsigned bytes)
{
    struct model after = *model;
    model_add(&after, start, bytes);
    return model_holes(&after) < SEQUENCE_HOLES; /* one less: a history may take one for itself */
}

/* Segments near the end: in order, overtaking, late, sent again, overlapping on either side, empty. */
static void
play_random(GRand *random, uint32_t seq, bool history)
{
    enum { STEPS = 400, LONGEST = 120, FIRST = SPACE / 3 };
    wmem_allocator_t *scope = wmem_allocator_new(WMEM_ALLOCATOR_SIMPLE);
    struct sequence sequence = { 0 };
    struct model *model = g_new(struct model, 1);
    model_start(model, FIRST, seq, history);
    sequence_start(&sequence, seq, history, scope);
    g_assert_true(sequence.known);
    for (unsigned step = 0; step < STEPS; step++) {
        int start = (int)model->end;
        if (g_rand_int_range(random, 0, 3) == 0)
            start += g_rand_int_range(random, -800, 60);
        if (g_rand_int_range(random, 0, 40) == 0)
            start -= g_rand_int_range(random, 0, FIRST / 2);
        unsigned bytes = (unsigned)g_rand_int_range(random, 0, LONGEST);
        if (start < 0 || start + (int)bytes > SPACE || !fits(model, (unsigned)start, bytes))
            continue;
        check_add(&sequence, model, (unsigned)start, bytes, scope);
    }
    wmem_destroy_allocator(scope);
    g_free(model);
}

static void
test_random(void)
{
    static const uint32_t starts[] = { 0, 1, 100000, 0x7ffffff0, 0x80000000, 0xfffff000, 0xffffffff };
    GRand *random = g_rand_new_with_seed(9293);
    for (size_t i = 0; i < G_N_ELEMENTS(starts); i++) {
        for (unsigned round = 0; round < 25; round++) {
            play_random(random, starts[i], false);
            play_random(random, starts[i], true);
        }
    }
    g_rand_free(random);
}

static uint32_t
add_seq(struct sequence *sequence, uint32_t seq, uint32_t bytes, wmem_allocator_t *scope)
{
    return sequence_add(sequence, sequence_offset(sequence, seq), bytes, scope);
}

/* Without a handshake, bytes before the first frame seen are new, once; with one they never are. */
static void
test_history(void)
{
    wmem_allocator_t *scope = wmem_allocator_new(WMEM_ALLOCATOR_SIMPLE);
    struct sequence sequence = { 0 };
    sequence_start(&sequence, 5, true, scope);
    g_assert_cmpuint(add_seq(&sequence, 5, 10, scope), ==, 10);
    g_assert_cmpuint(add_seq(&sequence, 5U - 100U, 50, scope), ==, 50);
    g_assert_cmpuint(add_seq(&sequence, 5U - 100U, 50, scope), ==, 0);
    g_assert_cmpuint(add_seq(&sequence, 5U - 120U, 200, scope), ==, 20 + 50 + 70);
    g_assert_cmpuint(add_seq(&sequence, 85, 5, scope), ==, 5);

    sequence = (struct sequence){ 0 };
    sequence_start(&sequence, 5, false, scope);
    g_assert_cmpuint(add_seq(&sequence, 5U - 100U, 50, scope), ==, 0);
    g_assert_cmpuint(add_seq(&sequence, 5U - 10U, 30, scope), ==, 20);
    g_assert_cmpuint(add_seq(&sequence, 25, 5, scope), ==, 5);
    wmem_destroy_allocator(scope);
}

/* At most 32 holes are remembered; the bytes of older ones count as seen. */
static void
test_hole_limit(void)
{
    enum { HOLES = 40, STRIDE = 100, HOLE = 30, FORGOTTEN = HOLES - SEQUENCE_HOLES };
    wmem_allocator_t *scope = wmem_allocator_new(WMEM_ALLOCATOR_SIMPLE);
    const uint32_t seq = UINT32_MAX - 1500; /* the wrap is among them */
    struct sequence sequence = { 0 };
    sequence_start(&sequence, seq, false, scope);
    for (uint32_t i = 0; i < HOLES; i++)
        g_assert_cmpuint(add_seq(&sequence, seq + i * STRIDE + HOLE, STRIDE - HOLE, scope), ==, STRIDE - HOLE);
    for (uint32_t i = 0; i < HOLES; i++)
        g_assert_cmpuint(add_seq(&sequence, seq + i * STRIDE, HOLE, scope), ==, i < FORGOTTEN ? 0 : HOLE);
    for (uint32_t i = 0; i < HOLES; i++)
        g_assert_cmpuint(add_seq(&sequence, seq + i * STRIDE, STRIDE, scope), ==, 0);
    wmem_destroy_allocator(scope);
}

/* Exactly 32 holes are all remembered, also when one is filled and another comes. */
static void
test_hole_limit_reached(void)
{
    enum { STRIDE = 10, HOLE = 4 };
    wmem_allocator_t *scope = wmem_allocator_new(WMEM_ALLOCATOR_SIMPLE);
    struct sequence sequence = { 0 };
    sequence_start(&sequence, 0, false, scope);
    for (uint32_t i = 0; i < SEQUENCE_HOLES; i++)
        add_seq(&sequence, i * STRIDE + HOLE, STRIDE - HOLE, scope);
    g_assert_cmpuint(add_seq(&sequence, 7 * STRIDE, HOLE, scope), ==, HOLE);
    add_seq(&sequence, SEQUENCE_HOLES * STRIDE + HOLE, STRIDE - HOLE, scope);
    for (uint32_t i = 0; i <= SEQUENCE_HOLES; i++)
        g_assert_cmpuint(add_seq(&sequence, i * STRIDE, HOLE, scope), ==, i == 7 ? 0 : HOLE);
    wmem_destroy_allocator(scope);
}

/* More than 4 GiB: a sequence number comes round and its bytes are new again. */
static void
test_more_than_4_gib(void)
{
    enum { BYTES = 65536, TIMES = 3 * 65536 };
    wmem_allocator_t *scope = wmem_allocator_new(WMEM_ALLOCATOR_SIMPLE);
    struct sequence sequence = { 0 };
    uint32_t seq = 4294900000U;
    sequence_start(&sequence, seq, true, scope);
    int64_t first = sequence_offset(&sequence, seq);
    uint64_t added = 0;
    for (uint32_t i = 0; i < TIMES; i++, seq += BYTES)
        added += add_seq(&sequence, seq, BYTES, scope);
    g_assert_cmpuint(added, ==, (uint64_t)BYTES * TIMES);
    g_assert_cmpint(sequence.end - first, ==, (int64_t)BYTES * TIMES);
    g_assert_cmpuint(add_seq(&sequence, seq - BYTES, BYTES, scope), ==, 0);
    wmem_destroy_allocator(scope);
}

/* Half the sequence space before the highest byte, and half after it. */
static void
test_offset_range(void)
{
    wmem_allocator_t *scope = wmem_allocator_new(WMEM_ALLOCATOR_SIMPLE);
    struct sequence sequence = { 0 };
    sequence_start(&sequence, 10, false, scope);
    int64_t end = sequence_offset(&sequence, 10);
    g_assert_cmpint(end, ==, sequence.end);
    g_assert_cmpint(sequence_offset(&sequence, 10 + 0x7fffffffU) - end, ==, 0x7fffffff);
    g_assert_cmpint(sequence_offset(&sequence, 10 - 0x7fffffffU) - end, ==, -0x7fffffff);
    g_assert_cmpint(sequence_offset(&sequence, 9) - end, ==, -1);
    wmem_destroy_allocator(scope);
}

void
sequence_tests_add(void)
{
    g_test_add_func("/sequence/random", test_random);
    g_test_add_func("/sequence/history", test_history);
    g_test_add_func("/sequence/hole-limit", test_hole_limit);
    g_test_add_func("/sequence/hole-limit-reached", test_hole_limit_reached);
    g_test_add_func("/sequence/more-than-4-gib", test_more_than_4_gib);
    g_test_add_func("/sequence/offset-range", test_offset_range);
}
