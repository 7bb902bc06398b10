/* stat_page.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "stat_page.h"

#include "stat_cells.h"

struct stat_page *
stat_page_new(void)
{
    struct stat_page *page = g_new(struct stat_page, 1);
    *page = (struct stat_page){ .elements = g_ptr_array_new(), .texts = g_string_chunk_new(4096) };
    return page;
}

stat_tap_table_item_type *
stat_page_row(struct stat_page *page, const struct table_definition *definition, unsigned row)
{
    if (row == page->elements->len)
        g_ptr_array_add(page->elements, stat_cells_new(definition));
    return g_ptr_array_index(page->elements, row);
}

void
stat_page_free(struct stat_page *page, unsigned taken)
{
    for (unsigned i = taken; i < page->elements->len; i++)
        g_free(g_ptr_array_index(page->elements, i));
    g_ptr_array_free(page->elements, TRUE);
    g_string_chunk_free(page->texts);
    g_free(page);
}

void
stat_page_keep(struct stat_page **kept, struct stat_page *page)
{
    page->before = *kept;
    *kept = page;
}

void
stat_page_free_all(struct stat_page **kept)
{
    while (*kept) {
        struct stat_page *page = *kept;
        *kept = page->before;
        stat_page_free(page, 0);
    }
}
