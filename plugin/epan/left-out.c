/* left-out.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "left-out.h"

#include <inttypes.h>

#include <wsutil/str_util.h>

void
left_out_take(struct left_out *left_out, const struct item *item)
{
    left_out->unsolicited += item->kind == ITEM_UNSOLICITED;
    left_out->duplicates += item->kind == ITEM_DUPLICATE;
    left_out->unread += item->kind == ITEM_UNREAD;
}

bool
left_out_begins(struct left_out *left_out, const struct item *item)
{
    if (item->kind == ITEM_REQUEST)
        left_out->unsolicited -= MIN(left_out->unsolicited, item->request->unasked_frames);
    return item->kind != ITEM_AMENDED;
}

void
left_out_write(const struct left_out *left_out, GString *text)
{
    const struct {
        uint64_t count;
        const char *one, *more;
    } kinds[] = {
        { left_out->unsolicited, "frame that a server sent unasked", "frames that a server sent unasked" },
        { left_out->duplicates, "second copy of a frame", "second copies of a frame" },
        { left_out->unread, "TCP segment without a whole header, or a time",
          "TCP segments without a whole header, or a time" },
        { left_out->begun_before, "connection whose SYN was not captured", "connections whose SYN was not captured" },
    };
    const char *before = "Left out: ";
    for (unsigned i = 0; i < G_N_ELEMENTS(kinds); i++) {
        if (kinds[i].count == 0)
            continue;
        g_string_append_printf(text, "%s%" PRIu64 " %s", before, kinds[i].count,
                               plurality(kinds[i].count, kinds[i].one, kinds[i].more));
        before = ", ";
    }
    if (*before == ',')
        g_string_append(text, ".\n");
}
