/* test-item.c
 * The store of items: what was added to a frame comes back in order, or is gone with the next frame.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "unit.h"

#include <glib.h>

#include "core/tcp/item.h"

enum { FRAMES = 20000, MOST_PER_FRAME = 5 };

/* 0 for one frame out of four. */
static unsigned
items_of(uint32_t frame)
{
    return frame % 4 == 0 ? 0 : frame * 7 % (MOST_PER_FRAME + 1);
}

/* Adds the items of a frame, each marked with its frame and place, and notes their addresses. */
static void
add_frame(struct items *items, uint32_t frame, GPtrArray *added)
{
    for (unsigned i = 0; i < items_of(frame); i++) {
        enum item_kind kind = i % 2 == 0 ? ITEM_REQUEST : ITEM_RESPONSE;
        struct item *item = items_add(items, frame, kind);
        g_assert_cmpint(item->kind, ==, kind);
        g_assert_cmpint(item->flags & ~ITEM_LAST, ==, 0);
        g_assert_null(item->request);
        g_assert_cmpuint(item->byte_offset, ==, 0);
        g_assert_cmpint(item->spacing_ns, ==, 0);
        g_assert_cmpint(item->ipid_delta, ==, 0);
        item->byte_offset = frame * 10U + i;
        item->flags |= ITEM_SHORT; /* setting flags must not hide what ends the frame */
        if (added != NULL)
            g_ptr_array_add(added, item);
    }
}

static void
check_frame(struct items *items, uint32_t frame)
{
    uint32_t position;
    struct item *item = items_first(items, frame, &position);
    for (unsigned i = 0; i < items_of(frame); i++) {
        g_assert_nonnull(item);
        if (item == NULL)
            return;
        g_assert_cmpuint(item->byte_offset, ==, frame * 10U + i);
        item = items_next(items, &position);
    }
    g_assert_null(item);
}

static void
check_absent(struct items *items, uint32_t frame)
{
    uint32_t position;
    g_assert_null(items_first(items, frame, &position));
}

static void
test_kept(void)
{
    struct items *items = items_new(true);
    GPtrArray *added = g_ptr_array_new();
    g_assert_true(items_are_kept(items));
    check_absent(items, 1);
    for (uint32_t frame = 1; frame <= FRAMES; frame++) {
        add_frame(items, frame, added);
        check_frame(items, frame);
    }
    guint n = 0;
    for (uint32_t frame = 1; frame <= FRAMES; frame++) {
        check_frame(items, frame);
        for (unsigned i = 0; i < items_of(frame); i++) { /* pointers stay valid, over all growth */
            const struct item *item = g_ptr_array_index(added, n++);
            g_assert_cmpuint(item->byte_offset, ==, frame * 10U + i);
        }
    }
    for (uint32_t frame = FRAMES; frame >= 1; frame--) /* frames are visited in any order */
        check_frame(items, frame);
    check_absent(items, 0);
    check_absent(items, FRAMES + 1);
    check_absent(items, UINT32_MAX);
    g_ptr_array_free(added, TRUE);
    items_free(items);
}

static void
test_not_kept(void)
{
    struct items *items = items_new(false);
    uint32_t last = 0;
    g_assert_false(items_are_kept(items));
    check_absent(items, 1);
    for (uint32_t frame = 1; frame <= FRAMES; frame++) {
        add_frame(items, frame, NULL);
        check_frame(items, frame);
        if (items_of(frame) > 0) {
            check_absent(items, last);
            last = frame;
        }
    }
    items_free(items);
}

/* So that a frame's items may be more than a block has room for. */
static void
test_many_in_one_frame(void)
{
    enum { MANY = 30000 };
    for (int keep = 0; keep <= 1; keep++) {
        struct items *items = items_new(keep != 0);
        uint32_t position;
        add_frame(items, 1, NULL);
        struct item *first = items_add(items, 2, ITEM_SYN);
        for (unsigned i = 1; i < MANY; i++)
            items_add(items, 2, ITEM_REQUEST)->byte_offset = i;
        add_frame(items, 3, NULL);
        check_frame(items, 3);
        if (keep != 0) {
            unsigned n = 0;
            g_assert_true(items_first(items, 2, &position) == first);
            for (struct item *item = first; item != NULL; item = items_next(items, &position))
                g_assert_cmpuint(item->byte_offset, ==, n++);
            g_assert_cmpuint(n, ==, MANY);
            check_frame(items, 1);
        }
        items_free(items);
    }
}

/* Wireshark says only after the first frames that it will come back, or not. */
static void
test_kept_from_now_on(void)
{
    enum { BEFORE = 10, AFTER = 5000 };
    struct items *items = items_new(false);
    for (uint32_t frame = 1; frame <= BEFORE; frame++)
        add_frame(items, frame, NULL);
    items_set_keep(items, true);
    g_assert_true(items_are_kept(items));
    for (uint32_t frame = BEFORE + 1; frame <= AFTER; frame++)
        add_frame(items, frame, NULL);
    for (uint32_t frame = BEFORE + 1; frame <= AFTER; frame++)
        check_frame(items, frame);
    items_free(items);

    items = items_new(true);
    items_set_keep(items, false);
    g_assert_false(items_are_kept(items));
    add_frame(items, 1, NULL);
    add_frame(items, 2, NULL);
    check_frame(items, 2);
    check_absent(items, 1);
    items_free(items);
}

/* Frame numbers of a filtered capture have long gaps. */
static void
test_sparse(void)
{
    struct items *items = items_new(true);
    for (uint32_t frame = 1; frame < 1000000; frame += 99991)
        items_add(items, frame, ITEM_ACK)->byte_offset = frame;
    for (uint32_t frame = 1; frame < 1000000; frame += 99991) {
        uint32_t position;
        const struct item *item = items_first(items, frame, &position);
        g_assert_nonnull(item);
        if (item != NULL)
            g_assert_cmpuint(item->byte_offset, ==, frame);
        g_assert_null(items_next(items, &position));
        check_absent(items, frame + 1);
    }
    items_free(items);
}

/* Another frame has got the number of the last: what was dropped is gone, under any number. */
static void
test_dropped(void)
{
    for (int keep = 0; keep <= 1; keep++) {
        struct items *items = items_new(keep != 0);
        add_frame(items, 3, NULL);
        items_drop(items, 3);
        check_absent(items, 3);
        check_absent(items, 0);
        add_frame(items, 3, NULL);
        check_frame(items, 3);
        items_drop(items, 2);
        check_frame(items, 3);
        items_free(items);
    }
}

void
item_tests_add(void)
{
    g_test_add_func("/item/kept", test_kept);
    g_test_add_func("/item/not-kept", test_not_kept);
    g_test_add_func("/item/many-in-one-frame", test_many_in_one_frame);
    g_test_add_func("/item/kept-from-now-on", test_kept_from_now_on);
    g_test_add_func("/item/sparse", test_sparse);
    g_test_add_func("/item/dropped", test_dropped);
}
