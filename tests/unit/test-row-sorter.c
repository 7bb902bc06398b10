/* test-row-sorter.c
 * Rows in more than the memory a sorter has, in the order of their keys; and numbers that are known late.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "unit.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <glib.h>

#include "core/util/row_sorter.h"

enum { ROWS = 200000, ROW_MOST = 300, KEYS = 1000, LONG_ROW = 20 << 20 };

/* What a row begins with. */
struct stamp {
    struct row_key key;
    uint32_t order, length;
};

struct checked {
    struct stamp last;
    unsigned rows;
};

static void
check_row(void *data, struct row_key key, const uint8_t *bytes, uint32_t length)
{
    struct checked *checked = data;
    struct stamp stamp;
    memcpy(&stamp, bytes, sizeof stamp);
    g_assert_cmpint(row_key_compare(&key, &stamp.key), ==, 0);
    g_assert_cmpuint(length, ==, stamp.length);
    g_assert_true(length == sizeof stamp || bytes[length - 1] == (uint8_t)stamp.order);
    int order = checked->rows ? row_key_compare(&checked->last.key, &key) : -1;
    g_assert_true(order < 0 || (order == 0 && checked->last.order < stamp.order));
    checked->last = stamp;
    checked->rows++;
}

static void
add_row(struct row_sorter *sorter, struct row_key key, uint32_t order, uint32_t length)
{
    uint8_t *bytes = g_malloc(length);
    const struct stamp stamp = { key, order, length };
    memset(bytes, (uint8_t)order, length);
    memcpy(bytes, &stamp, sizeof stamp);
    row_sorter_add(sorter, key, bytes, length);
    g_free(bytes);
}

/* `nearly`: keys ascend but for a few. */
static void
check_rows(FILE *file, unsigned rows, bool nearly)
{
    struct row_sorter *sorter = row_sorter_new(file);
    for (unsigned i = 0; i < rows; i++) {
        const uint64_t wild = (uint64_t)g_test_rand_int_range(0, KEYS);
        const struct row_key key = { nearly ? i / KEYS : wild, nearly && i % 7 ? i : wild };
        add_row(sorter, key, i, (uint32_t)g_test_rand_int_range(sizeof(struct stamp), ROW_MOST));
    }
    for (unsigned time = 0; time < 2; time++) {
        struct checked checked = { .rows = 0 };
        row_sorter_read(sorter, check_row, &checked);
        g_assert_cmpuint(checked.rows, ==, rows);
    }
    row_sorter_clear(sorter);
    add_row(sorter, (struct row_key){ 1, 1 }, 1, sizeof(struct stamp));
    struct checked checked = { .rows = 0 };
    row_sorter_read(sorter, check_row, &checked);
    g_assert_cmpuint(checked.rows, ==, 1);
    g_assert_cmpint(row_sorter_error(sorter), ==, 0);
    row_sorter_free(sorter);
}

static void
test_sorted(void)
{
    FILE *file = tmpfile();
    check_rows(NULL, 0, false);
    check_rows(NULL, 100, false);
    check_rows(NULL, ROWS, false);
    check_rows(file, ROWS, true);
    fclose(file);
}

/* In the file there is nothing but its key, its length and its bytes: no memory that nobody has written. */
static void
test_long_row(void)
{
    FILE *file = tmpfile();
    struct row_sorter *sorter = row_sorter_new(file);
    struct checked checked = { .rows = 0 };
    add_row(sorter, (struct row_key){ 0, 2 }, 1, LONG_ROW);
    add_row(sorter, (struct row_key){ 0, 1 }, 2, sizeof(struct stamp));
    row_sorter_read(sorter, check_row, &checked);
    g_assert_cmpuint(checked.rows, ==, 2);
    fseek(file, 0, SEEK_END);
    g_assert_cmpint(ftell(file), ==, sizeof(struct row_key) + sizeof(uint32_t) + LONG_ROW);
    row_sorter_free(sorter);
    fclose(file);
}

static void
test_full_disk(void)
{
    FILE *full = fopen("/dev/full", "w+b");
    struct row_sorter *sorter = row_sorter_new(full);
    struct checked checked = { .rows = 0 };
    for (unsigned i = 0; i < ROWS; i++)
        add_row(sorter, (struct row_key){ 0, i }, i, ROW_MOST);
    row_sorter_read(sorter, check_row, &checked);
    g_assert_cmpint(row_sorter_error(sorter), ==, ENOSPC);
    row_sorter_free(sorter);
    fclose(full);
}

void
row_sorter_tests_add(void)
{
    g_test_add_func("/row-sorter/sorted", test_sorted);
    g_test_add_func("/row-sorter/long-row", test_long_row);
    g_test_add_func("/row-sorter/full-disk", test_full_disk);
}
