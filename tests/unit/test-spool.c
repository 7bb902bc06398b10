/* test-spool.c
 * Chains in more than the memory a spool has, against copies of them.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "unit.h"

#include <stdio.h>
#include <string.h>

#include <glib.h>

#include "core/spool.h"

enum { CHAINS = 50, PIECES = 20000, PIECE_MOST = 5000 };

struct expected {
    struct chain chain;
    GByteArray *bytes;
};

static void
collect(void *data, const uint8_t *bytes, size_t length)
{
    g_byte_array_append(data, bytes, (unsigned)length);
}

static void
expect_same(struct spool *spool, const struct expected *expected)
{
    GByteArray *got = g_byte_array_new();
    chain_read(spool, &expected->chain, collect, got);
    g_assert_cmpmem(got->data, got->len, expected->bytes->data, expected->bytes->len);
    g_assert_true(chain_is_empty(&expected->chain) == (got->len == 0));
    g_byte_array_unref(got);
}

static void
append_random(struct spool *spool, struct expected *expected)
{
    static uint8_t piece[PIECE_MOST];
    uint32_t length = (uint32_t)g_test_rand_int_range(1, PIECE_MOST);
    memset(piece, g_test_rand_int_range(0, 256), length);
    chain_append(spool, &expected->chain, piece, length);
    g_byte_array_append(expected->bytes, piece, length);
}

static void
test_chains(void)
{
    FILE *file = tmpfile();
    struct spool *spool = spool_new(file);
    struct expected *chains = g_new0(struct expected, CHAINS);
    for (unsigned i = 0; i < CHAINS; i++)
        chains[i].bytes = g_byte_array_new();
    for (unsigned i = 0; i < PIECES; i++) {
        struct expected *expected = &chains[g_test_rand_int_range(0, CHAINS)];
        append_random(spool, expected);
        if (i % 1000 == 0) {
            expect_same(spool, expected);
            chain_clear(spool, &expected->chain);
            g_byte_array_set_size(expected->bytes, 0);
        }
    }
    g_assert_cmpint(fseeko(file, 0, SEEK_END), ==, 0);
    g_assert_cmpint(ftello(file), >, 0); /* else nothing was tested */
    for (unsigned i = 0; i < CHAINS; i++) {
        expect_same(spool, &chains[i]);
        chain_clear(spool, &chains[i].chain);
        expect_same(spool, &(struct expected){ chains[i].chain, g_byte_array_set_size(chains[i].bytes, 0) });
        g_byte_array_unref(chains[i].bytes);
    }
    g_assert_cmpint(spool_error(spool), ==, 0);
    g_free(chains);
    spool_free(spool);
    fclose(file);
}

/* A disk that is full is no crash, and is told. */
static void
test_full_disk(void)
{
    FILE *file = fopen("/dev/full", "w+b");
    if (!file) {
        g_test_skip("there is no /dev/full");
        return;
    }
    struct spool *spool = spool_new(file);
    struct expected expected = { .bytes = g_byte_array_new() };
    for (unsigned i = 0; i < PIECES; i++)
        append_random(spool, &expected);
    g_assert_cmpint(spool_error(spool), !=, 0);
    chain_read(spool, &expected.chain, collect, expected.bytes);
    chain_clear(spool, &expected.chain);
    g_byte_array_unref(expected.bytes);
    spool_free(spool);
    fclose(file);
}

void
spool_tests_add(void)
{
    g_test_add_func("/spool/chains", test_chains);
    g_test_add_func("/spool/full-disk", test_full_disk);
}
