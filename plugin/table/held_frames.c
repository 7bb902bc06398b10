/* held_frames.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "held_frames.h"

#include "../core/analysis.h"

void
held_frames_open(struct held_frames *held, struct table_source *source,
                 void (*take)(void *data, const struct item *item, uint32_t frame), void *data)
{
    *held = (struct held_frames){ take, data, source, g_hash_table_new(g_direct_hash, g_direct_equal), false, false };
    source->held_listeners = g_slist_prepend(source->held_listeners, held);
}

void
held_frames_close(struct held_frames *held)
{
    held->source->held_listeners = g_slist_remove(held->source->held_listeners, held);
    g_hash_table_destroy(held->numbers);
}

static bool
takes_all(const struct held_frames *held)
{
    return held->takes_ever || (held->takes_all && !items_are_kept(held->source->analysis->items));
}

void
held_frames_note(struct held_frames *held, const struct item *item, uint32_t frame)
{
    if (!takes_all(held) && (item->kind == ITEM_HELD || item->kind == ITEM_UNDECIDED))
        g_hash_table_add(held->numbers, GUINT_TO_POINTER(frame));
}

void
held_frames_note_event(struct held_frames *held, const struct ca_event *event, uint32_t frame)
{
    if (!takes_all(held) && event->kind == CA_HELD)
        g_hash_table_add(held->numbers, GUINT_TO_POINTER(frame));
}

void
held_frames_clear(struct held_frames *held)
{
    g_hash_table_remove_all(held->numbers);
}

void
held_frames_tell(const struct table_source *source, const struct late_item *late, unsigned count)
{
    for (const GSList *each = source->held_listeners; each; each = each->next) {
        const struct held_frames *held = each->data;
        bool wants = takes_all(held) || g_hash_table_size(held->numbers) > 0;
        for (unsigned i = 0; i < count && wants; i++) {
            bool is_noted = takes_all(held) || g_hash_table_contains(held->numbers, GUINT_TO_POINTER(late[i].frame));
            if (is_noted || late[i].item.kind == ITEM_UPDATED)
                held->take(held->data, &late[i].item, source->analysis->requests.frame);
        }
    }
}
