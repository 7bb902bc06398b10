/* item.c
 *
 * Items stand in blocks, so that they never move.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "item.h"

#include "request.h"

enum { BLOCK = 2048 };

struct items {
    GPtrArray *blocks; /* of BLOCK items */
    GArray *frames;    /* by frame number: position of its first item plus one; 0 for none */
    uint32_t count;
    uint32_t frame; /* of the last item */
    bool keep;
};

const struct connection *
item_attempt(const struct item *item)
{
    if (item->kind != ITEM_SYN && item->kind != ITEM_SYN_AGAIN && item->kind != ITEM_ANSWER)
        return NULL;
    return item->connection->connect.number ? item->connection : NULL;
}

const struct connection *
item_payload(const struct item *item)
{
    if (item->flags & ITEM_MESSAGE)
        return NULL;
    switch (item->kind) {
    case ITEM_REQUEST:
    case ITEM_RESPONSE:
        return item->request->connection;
    case ITEM_UNSOLICITED:
    case ITEM_UNPLACED:
    case ITEM_STRAY:
        return item->connection;
    default:
        return NULL;
    }
}

const struct request *
item_request(const struct item *item)
{
    bool of_request = item->kind == ITEM_REQUEST || item->kind == ITEM_RESPONSE || item->kind == ITEM_AMENDED;
    return of_request ? item->request : NULL;
}

unsigned
item_flags(const struct item *item)
{
    return item->flags & ITEM_FIRST ? 0 : (unsigned)__builtin_popcount(item->flags & ITEM_SHOWN);
}

struct items *
items_new(bool keep)
{
    struct items *items = g_new0(struct items, 1);
    items->blocks = g_ptr_array_new_with_free_func(g_free);
    items->frames = g_array_new(FALSE, TRUE, sizeof(uint32_t));
    items->keep = keep;
    return items;
}

void
items_free(struct items *items)
{
    g_ptr_array_free(items->blocks, TRUE);
    g_array_free(items->frames, TRUE);
    g_free(items);
}

void
items_set_keep(struct items *items, bool keep)
{
    items->keep = keep;
}

bool
items_are_kept(const struct items *items)
{
    return items->keep;
}

struct item *
items_at(struct items *items, uint32_t position)
{
    struct item *block = g_ptr_array_index(items->blocks, position / BLOCK);
    return &block[position % BLOCK];
}

uint32_t
items_last(const struct items *items)
{
    return items->count - 1;
}

struct item *
items_add(struct items *items, uint32_t frame, enum item_kind kind)
{
    bool same_frame = items->count > 0 && items->frame == frame;
    if (same_frame) {
        items_at(items, items->count - 1)->flags &= (uint16_t)~ITEM_LAST;
    } else if (items->keep) {
        if (items->frames->len <= frame)
            g_array_set_size(items->frames, frame + 1);
        g_array_index(items->frames, uint32_t, frame) = items->count + 1;
    } else {
        items->count = 0;
    }
    if (items->count / BLOCK == items->blocks->len)
        g_ptr_array_add(items->blocks, g_new(struct item, BLOCK));
    items->frame = frame;
    struct item *item = items_at(items, items->count++);
    *item = (struct item){ .kind = (uint8_t)kind, .flags = ITEM_LAST };
    return item;
}

void
items_drop(struct items *items, uint32_t frame)
{
    if (items->count == 0 || items->frame != frame)
        return;
    if (items->keep)
        g_array_index(items->frames, uint32_t, frame) = 0;
    else
        items->count = 0;
    items->frame = 0;
}

struct item *
items_first(struct items *items, uint32_t frame, uint32_t *position)
{
    if (items->keep) {
        if (frame >= items->frames->len || g_array_index(items->frames, uint32_t, frame) == 0)
            return NULL;
        *position = g_array_index(items->frames, uint32_t, frame) - 1;
    } else {
        if (items->count == 0 || items->frame != frame)
            return NULL;
        *position = 0;
    }
    return items_at(items, *position);
}

struct item *
items_next(struct items *items, uint32_t *position)
{
    if (items_at(items, *position)->flags & ITEM_LAST)
        return NULL;
    return items_at(items, ++*position);
}
