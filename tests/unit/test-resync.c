/* test-resync.c
 * What the facts leave of which request the next answer belongs to.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <glib.h>

#include "core/request/looks.h"
#include "core/request/resync.h"
#include "unit.h"

enum { GET = 1, SET = 2 };

static void
check(const struct resync *resync, uint64_t low, uint64_t high, bool known)
{
    const struct interval next = resync_next(resync);
    g_assert_cmpuint(next.low, ==, low);
    g_assert_cmpuint(next.high, ==, high);
    g_assert_cmpint(next.known, ==, known);
}

/* One after another, each behind 10 more bytes. */
static void
ask(struct resync *resync, unsigned count, const uint16_t *kinds)
{
    for (unsigned i = 0; i < count; i++)
        resync_ask(resync, 10 * (i + 1), looks_of(kinds ? kinds[i] : 0, 0));
}

/* Also of more than are remembered after a gap. */
static void
test_order(void)
{
    struct resync *resync = resync_new(NULL);
    check(resync, 0, 0, true);
    g_assert_true(resync_next(resync).idle);
    ask(resync, 1000, NULL);
    for (unsigned i = 0; i < 1000; i++) {
        check(resync, i, i, true);
        resync_answer(resync);
    }
    g_assert_true(resync_next(resync).idle);
    resync_free(resync);
}

/* Answers are missing: what the server has not acknowledged is none of it, and what does not look like the answer. */
static void
test_missed_answers(void)
{
    static const uint16_t kinds[] = { GET, SET, SET, GET, SET, GET };
    struct resync *resync = resync_new(NULL);
    ask(resync, G_N_ELEMENTS(kinds), kinds);
    resync_miss(resync);
    check(resync, 0, 6, false);
    resync_acknowledge(resync, 45);
    check(resync, 0, 3, false);
    resync_see(resync, looks_of(SET, 0), false);
    check(resync, 1, 2, false);
    resync_answer(resync);
    check(resync, 2, 3, false);
    resync_see(resync, looks_of(GET, 0), false);
    check(resync, 3, 3, true);
    resync_miss(resync);
    resync_acknowledge(resync, 55);
    resync_answer(resync);
    resync_miss(resync);
    check(resync, 4, 6, false);
    g_assert_cmpuint(resync_row(resync, 3, 9), ==, 3);
    resync_free(resync);
}

/* What the answer was like may be known only when it has passed. */
static void
test_passed(void)
{
    static const uint16_t kinds[] = { GET, SET, GET, GET };
    struct resync *resync = resync_new(NULL);
    ask(resync, G_N_ELEMENTS(kinds), kinds);
    resync_miss(resync);
    resync_answer(resync);
    check(resync, 1, 4, false);
    resync_see(resync, looks_of(SET, 0), true);
    check(resync, 2, 2, true);
    resync_free(resync);
}

/* Requests are missing: as many answers at most may be to them. */
static void
test_gap(void)
{
    struct resync *resync = resync_new(NULL);
    ask(resync, 1, NULL);
    resync_open_gap(resync, 11);
    check(resync, 0, 0, true);
    resync_answer(resync);
    check(resync, 1, 2, false);
    resync_answer(resync);
    resync_close_gap(resync, 2);
    g_assert_cmpuint(resync_ask(resync, 100, 0), ==, 2);
    g_assert_cmpuint(resync_ask(resync, 110, 0), ==, 3);
    resync_acknowledge(resync, 105);
    check(resync, 1, 2, false);
    resync_answer(resync);
    check(resync, 2, 3, false);
    resync_acknowledge(resync, 105);
    check(resync, 2, 2, true);
    g_assert_cmpuint(resync_row(resync, 3, 9), ==, 1);
    resync_free(resync);
}

static void
test_identified(void)
{
    struct resync *resync = resync_new(NULL);
    for (unsigned i = 0; i < 5; i++)
        resync_ask(resync, i, looks_of(0, 100 + i));
    g_assert_true(resync_identify(resync, looks_of(0, 100)));
    check(resync, 0, 0, true);
    g_assert_false(resync_identify(resync, looks_of(0, 7)));
    g_assert_false(resync_next(resync).known);
    g_assert_false(resync_identify(resync, looks_of(0, 103)));
    check(resync, 3, 3, true);
    resync_free(resync);
}

/* Six times two in flight, never more: of three that can be answered the first was. */
static void
test_habit(void)
{
    struct resync *resync = resync_new(NULL);
    for (unsigned i = 0; i < 8; i++) {
        ask(resync, 2, NULL);
        resync_note_flight(resync);
        resync_answer(resync);
        resync_answer(resync);
    }
    ask(resync, 1, NULL);
    resync_miss(resync);
    ask(resync, 2, NULL);
    check(resync, 16, 17, false);
    resync_note_flight(resync);
    check(resync, 17, 17, true);
    resync_free(resync);
}

/* What a client says behind what it asked is no habit, be it many segments. */
static void
test_habit_of_segments(void)
{
    struct resync *resync = resync_new(NULL);
    ask(resync, 2, NULL);
    for (unsigned i = 0; i < 8; i++)
        resync_note_flight(resync);
    resync_miss(resync);
    ask(resync, 1, NULL);
    resync_note_flight(resync);
    check(resync, 0, 2, false);
    resync_free(resync);
}

static void
test_repeated(void)
{
    struct resync *resync = resync_new(NULL);
    ask(resync, 3, NULL);
    resync_answer(resync);
    resync_repeat(resync);
    check(resync, 0, 1, false);
    resync_free(resync);
}

/* Facts that contradict each other: nothing is known, until all has been answered. */
static void
test_contradiction(void)
{
    static const uint16_t kinds[] = { GET, GET };
    struct resync *resync = resync_new(NULL);
    ask(resync, G_N_ELEMENTS(kinds), kinds);
    resync_acknowledge(resync, 5);
    check(resync, 2, 3, false);
    g_assert_cmpuint(resync_ask(resync, 50, 0), ==, 3);
    g_assert_false(resync_finish(resync));
    check(resync, 4, 4, true);
    resync_free(resync);
}

/* Of many that can be answered the oldest are given up. */
static void
test_many(void)
{
    struct resync *resync = resync_new(NULL);
    ask(resync, 5000, NULL);
    resync_miss(resync);
    check(resync, 5000 - RESYNC_WINDOW + 1, 5000, false);
    resync_acknowledge(resync, INT64_MIN + 1);
    g_assert_false(resync_next(resync).known);
    resync_free(resync);
}

/* A conversation of which not all is seen; the facts are true. */
enum { TRUTH = 4096, UNSEEN = -1 };

struct truth {
    struct resync *resync;
    GRand *chance;
    int64_t number[TRUTH]; /* of each request, UNSEEN in a gap */
    int64_t end[TRUTH];
    uint16_t kind[TRUTH];
    unsigned asked, answered;
    int64_t at;
};

static void
add(struct truth *truth, bool seen)
{
    const uint16_t kind = (uint16_t)(1 << g_rand_int_range(truth->chance, 0, 3));
    truth->at += 10;
    truth->kind[truth->asked] = kind;
    truth->end[truth->asked] = truth->at;
    truth->number[truth->asked++] = seen ? (int64_t)resync_ask(truth->resync, truth->at, looks_of(kind, 0)) : UNSEEN;
}

static void
answer(struct truth *truth, bool seen)
{
    if (truth->answered == truth->asked)
        return;
    const unsigned i = truth->answered++;
    if (!seen)
        return;
    const int64_t number = truth->number[i];
    resync_acknowledge(truth->resync, truth->end[g_rand_int_range(truth->chance, (int)i, (int)truth->asked)]);
    resync_see(truth->resync, looks_of(truth->kind[i], 0), false);
    const struct interval next = resync_next(truth->resync);
    g_assert_false(next.idle);
    g_assert_true(number == UNSEEN ? !next.known : next.low <= (uint64_t)number && (uint64_t)number <= next.high);
    resync_answer(truth->resync);
}

static void
lose_requests(struct truth *truth)
{
    const int count = g_rand_int_range(truth->chance, 0, 4);
    resync_open_gap(truth->resync, truth->at + 1);
    for (int i = 0; i < count; i++)
        add(truth, false);
    while (g_rand_int_range(truth->chance, 0, 2))
        answer(truth, true);
    resync_close_gap(truth->resync, (uint64_t)count + (uint64_t)g_rand_int_range(truth->chance, 0, 3));
}

static void
test_truth(void)
{
    unsigned known = 0;
    for (uint32_t seed = 0; seed < 200; seed++) {
        struct truth truth = { .resync = resync_new(NULL), .chance = g_rand_new_with_seed(seed) };
        while (truth.asked < 1000) {
            const int what = g_rand_int_range(truth.chance, 0, 200);
            if (what == 0) {
                lose_requests(&truth);
            } else if (what == 1) {
                for (int i = g_rand_int_range(truth.chance, 0, 4); i > 0; i--)
                    answer(&truth, false);
                resync_miss(truth.resync);
            } else if (what < 100 && truth.asked - truth.answered < 64) {
                add(&truth, true);
            } else {
                answer(&truth, true);
            }
            known += resync_next(truth.resync).known;
        }
        resync_free(truth.resync);
        g_rand_free(truth.chance);
    }
    g_assert_cmpuint(known, >, 300000);
}

void
resync_tests_add(void)
{
    g_test_add_func("/resync/order", test_order);
    g_test_add_func("/resync/missed-answers", test_missed_answers);
    g_test_add_func("/resync/passed", test_passed);
    g_test_add_func("/resync/gap", test_gap);
    g_test_add_func("/resync/identified", test_identified);
    g_test_add_func("/resync/habit", test_habit);
    g_test_add_func("/resync/habit-of-segments", test_habit_of_segments);
    g_test_add_func("/resync/repeated", test_repeated);
    g_test_add_func("/resync/contradiction", test_contradiction);
    g_test_add_func("/resync/many", test_many);
    g_test_add_func("/resync/truth", test_truth);
}
