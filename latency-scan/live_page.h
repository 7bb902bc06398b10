/* live_page.h
 * A screenful of the live view as lines of text, for whatever draws them.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef SCAN_LIVE_PAGE_H
#define SCAN_LIVE_PAGE_H

#include <wsutil/wmem/wmem.h>

#include "live_ui.h"

/* What a text is, by which it is coloured. */
enum page_style { PAGE_PLAIN, PAGE_TITLE, PAGE_HEAD, PAGE_SELECTED, PAGE_BAD, PAGE_SLOW, PAGE_FAINT, PAGE_STYLES };

/* A text in a line. */
struct page_piece {
    enum page_style style;
    char *text;
};

struct page {
    wmem_allocator_t *scope; /* of texts on their way to it */
    int lines, columns;      /* of the screen */
    bool has_unicode;
    GPtrArray *all; /* of a GArray of struct page_piece: as many as there are lines, or fewer */
    int used;       /* columns of the last line */
};

/* What the title says of the capture. */
struct live_status {
    const char *name; /* of the file, or where it comes from */
    uint64_t frames;
    int64_t now_ns;
    double done;     /* of the file, from 0 to 1; negative if that is not known */
    double behind_s; /* how long ago the latest frame was captured, if that is long; else 0 */
    bool has_ended;
    const char *said; /* a sentence about something that went wrong; "" for nothing */
    int64_t slow_ns;  /* from which on a time is slow; 0: none is */
};

/* `lines` and `columns`: 0 or less are taken as 1. */
struct page *page_new(int lines, int columns, bool has_unicode);
void page_free(struct page *page);

/* Fill the page, which is empty. How many rows it has room for. */
unsigned page_rows(int lines);
void page_show_rows(struct page *page, const struct live_ui *ui, const struct live_view *view,
                    const struct live_status *status);
/* Keeps what is shown of an opened row within it. */
void page_show_opened(struct page *page, struct live_ui *ui, const struct live_opened *opened,
                      const struct live_status *status);
void page_show_help(struct page *page, const struct live_ui *ui, const struct live_status *status);

#endif
