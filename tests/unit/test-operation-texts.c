/* test-operation-texts.c
 * What many requests ask for: each has its text, however many share it or come and go.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "unit.h"

#include <stdio.h>
#include <string.h>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#endif

#include <glib.h>

#include "core/request/operation.h"
#include "core/request/operation_texts.h"

enum { MANY = 10000 };

static void
test_shared(void)
{
    wmem_allocator_t *scope = wmem_allocator_new(WMEM_ALLOCATOR_SIMPLE);
    struct operation_texts texts;
    operation_texts_init(&texts, scope);
    const char *first = operation_text_share(&texts, "GET /");
    g_assert_true(operation_text_share(&texts, "GET /") == first);
    const char *other = operation_text_share(&texts, "GET /a");
    g_assert_cmpstr(first, ==, "GET /");
    g_assert_cmpstr(other, ==, "GET /a");
    operation_text_leave(&texts, first);
    g_assert_cmpstr(first, ==, "GET /");
    wmem_destroy_allocator(scope);
}

/* A text stays as long as somebody has it, however many others come and go. */
static void
test_kept(void)
{
    wmem_allocator_t *scope = wmem_allocator_new(WMEM_ALLOCATOR_SIMPLE);
    struct operation_texts texts;
    char text[OPERATION_ROOM];
    const char *kept[MANY];
    operation_texts_init(&texts, scope);
    for (unsigned i = 0; i < MANY; i++) {
        snprintf(text, sizeof text, "GET /%0*u", (int)(i % (OPERATION_ROOM - 16)) + 1, i);
        kept[i] = operation_text_share(&texts, text);
        if (i % 3 == 0)
            operation_text_leave(&texts, kept[i]);
    }
    for (unsigned i = 0; i < MANY; i++) {
        snprintf(text, sizeof text, "GET /%0*u", (int)(i % (OPERATION_ROOM - 16)) + 1, i);
        if (i % 3 != 0)
            g_assert_cmpstr(kept[i], ==, text);
    }
    wmem_destroy_allocator(scope);
}

/* A text that nobody has any more, and that was not asked for lately, takes no memory. */
static void
test_freed(void)
{
    wmem_allocator_t *scope = wmem_allocator_new(WMEM_ALLOCATOR_SIMPLE);
    struct operation_texts texts;
    char text[OPERATION_ROOM];
    operation_texts_init(&texts, scope);
    const char *kept = operation_text_share(&texts, "GET /kept"), *left = operation_text_share(&texts, "GET /left");
    operation_text_leave(&texts, left);
    for (unsigned i = 0; i < MANY * 10; i++) {
        snprintf(text, sizeof text, "GET /%u", i);
        operation_text_leave(&texts, operation_text_share(&texts, text));
    }
    g_assert_cmpstr(kept, ==, "GET /kept");
#ifdef __SANITIZE_ADDRESS__
    g_assert_true(__asan_address_is_poisoned(left));
#endif
    wmem_destroy_allocator(scope);
}

void
operation_texts_tests_add(void)
{
    g_test_add_func("/operation-texts/shared", test_shared);
    g_test_add_func("/operation-texts/kept", test_kept);
    g_test_add_func("/operation-texts/freed", test_freed);
}
