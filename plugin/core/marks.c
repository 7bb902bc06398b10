/* marks.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "marks.h"

void
marks_init(struct marks *marks)
{
    marks->numbers = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    marks->frames = g_array_new(FALSE, FALSE, sizeof(struct marked_frame));
}

void
marks_clear(struct marks *marks)
{
    g_array_free(marks->numbers, TRUE);
    g_array_free(marks->frames, TRUE);
}

static struct marked_frame *
at(const struct marks *marks, uint32_t position)
{
    return &g_array_index(marks->frames, struct marked_frame, position);
}

void
marks_add(struct marks *marks, uint32_t frame, uint32_t number)
{
    uint32_t n = marks->frames->len;
    if (n == 0 || at(marks, n - 1)->frame != frame) {
        const struct marked_frame marked = { frame, marks->numbers->len };
        g_array_append_val(marks->frames, marked);
    }
    g_array_append_val(marks->numbers, number);
}

void
marks_drop(struct marks *marks, uint32_t frame)
{
    uint32_t n = marks->frames->len;
    if (n == 0 || at(marks, n - 1)->frame != frame)
        return;
    g_array_set_size(marks->numbers, at(marks, n - 1)->first);
    g_array_set_size(marks->frames, n - 1);
}

void
marks_forget(struct marks *marks)
{
    g_array_set_size(marks->numbers, 0);
    g_array_set_size(marks->frames, 0);
}

const uint32_t *
marks_of(const struct marks *marks, uint32_t frame, uint32_t *count)
{
    uint32_t low = 0;
    uint32_t high = marks->frames->len;
    *count = 0;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (at(marks, middle)->frame < frame)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == marks->frames->len || at(marks, low)->frame != frame)
        return NULL;
    uint32_t end = low + 1 < marks->frames->len ? at(marks, low + 1)->first : marks->numbers->len;
    *count = end - at(marks, low)->first;
    return &g_array_index(marks->numbers, uint32_t, at(marks, low)->first);
}
