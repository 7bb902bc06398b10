/* item.c
 *
 * Items stand in blocks, so that they never move.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "item.h"
#include "../util/seldom.h"

enum { BLOCK = 2048 };

struct items {
    GPtrArray *blocks; /* of BLOCK items */
    GArray *frames;    /* by frame number: position of its first item plus one; 0 for none */
    uint32_t count;
    uint32_t frame;      /* the highest that has items */
    uint32_t end_frame;  /* whose items stand at the end of the store */
    uint32_t current;    /* that is being taken; not lower */
    uint32_t late_frame; /* 0 if none is open */
    GPtrArray *opened;   /* of struct item, its */
    GArray *late;        /* of struct late_item, known with `frame` */
    bool keep;
};

/* Positions of late items that have not been stored. */
#define OPENED (UINT32_C(1) << 31)

inline const struct request *
item_request(const struct item *item)
{
    bool of_request = item->kind == ITEM_REQUEST || item->kind == ITEM_RESPONSE || item->kind == ITEM_UPDATED;
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
    items->opened = g_ptr_array_new_with_free_func(g_free);
    items->late = g_array_new(FALSE, FALSE, sizeof(struct late_item));
    items->keep = keep;
    return items;
}

void
items_free(struct items *items)
{
    g_ptr_array_free(items->blocks, TRUE);
    g_array_free(items->frames, TRUE);
    g_ptr_array_free(items->opened, TRUE);
    g_array_free(items->late, TRUE);
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

static inline struct item *
at(struct items *items, uint32_t position)
{
    if (position & OPENED)
        return g_ptr_array_index(items->opened, position & ~OPENED);
    struct item *block = g_ptr_array_index(items->blocks, position / BLOCK);
    return &block[position % BLOCK];
}

uint32_t
item_frame(const struct item *item, uint32_t frame)
{
    return item->flags & ITEM_LATE ? ((const struct late_item *)item)->frame : frame;
}

/* At the end of the store, where `frame` is the last with items. */
static inline struct item *
store(struct items *items, enum item_kind kind)
{
    if (items->count / BLOCK == items->blocks->len)
        g_ptr_array_add(items->blocks, g_new(struct item, BLOCK));
    struct item *item = at(items, items->count++);
    *item = (struct item){ .kind = (uint8_t)kind, .flags = ITEM_LAST };
    return item;
}

static SELDOM struct item *
open_item(struct items *items, enum item_kind kind)
{
    struct item *item = g_new0(struct item, 1);
    item->kind = (uint8_t)kind;
    g_ptr_array_add(items->opened, item);
    return item;
}

/* The frame's items move to the end of the store, to get one more. */
static SELDOM struct item *
append(struct items *items, uint32_t frame)
{
    uint32_t position, begin = items->count;
    if (items->end_frame == frame && items->count > 0) {
        at(items, items->count - 1)->flags &= (uint16_t)~ITEM_LAST;
        return store(items, ITEM_HELD);
    }
    for (const struct item *item = items_first(items, frame, &position); item; item = items_next(items, &position)) {
        uint16_t flags = item->flags & (uint16_t)~ITEM_LAST;
        const struct item copy = *item;
        *store(items, ITEM_HELD) = copy;
        at(items, items->count - 1)->flags = flags;
        if (copy.flags & ITEM_LAST)
            break;
    }
    if (items->frames->len <= frame)
        g_array_set_size(items->frames, frame + 1);
    g_array_index(items->frames, uint32_t, frame) = begin + 1;
    items->end_frame = frame;
    return store(items, ITEM_HELD);
}

inline void
items_enter(struct items *items, uint32_t frame)
{
    if (frame <= items->current)
        return;
    items->current = frame;
    if (items->late->len > 0)
        g_array_set_size(items->late, 0);
}

inline struct item *
items_add(struct items *items, uint32_t frame, enum item_kind kind)
{
    if (items->late_frame && frame == items->late_frame)
        return open_item(items, kind);
    bool same_frame = items->count > 0 && items->frame == frame;
    items_enter(items, frame);
    if (same_frame && items->end_frame != frame) {
        struct item *item = append(items, frame);
        item->kind = (uint8_t)kind;
        return item;
    }
    if (same_frame) {
        at(items, items->count - 1)->flags &= (uint16_t)~ITEM_LAST;
    } else if (items->keep) {
        if (items->frames->len <= frame)
            g_array_set_size(items->frames, frame + 1);
        g_array_index(items->frames, uint32_t, frame) = items->count + 1;
    } else {
        items->count = 0;
    }
    items->frame = items->end_frame = frame;
    return store(items, kind);
}

/* What stands for `item` in its frame until now; NULL if nothing does. */
static struct item *
find(struct items *items, uint32_t frame, const struct item *item, enum item_kind was)
{
    uint32_t position;
    struct item *slot = items_first(items, frame, &position);
    while (slot && (slot->kind != was || (slot->flags ^ item->flags) & ITEM_MESSAGE))
        slot = items_next(items, &position);
    return slot;
}

SELDOM void
items_settle(struct items *items, uint32_t frame, const struct item *item, enum item_kind was)
{
    if (frame < items->current && frame != items->late_frame) {
        struct late_item late = { *item, frame };
        late.item.flags |= ITEM_LATE;
        g_array_append_val(items->late, late);
    }
    if (!items->keep && frame < items->current && frame != items->late_frame)
        return;
    struct item *slot = find(items, frame, item, was);
    if (!slot)
        slot = frame == items->late_frame ? open_item(items, was) : append(items, frame);
    uint16_t last = slot->flags & ITEM_LAST;
    *slot = *item;
    slot->flags = (uint16_t)((item->flags & ~ITEM_LAST) | last);
}

/* The frame's own, not that of a message in it. */
static bool
is_payload(const struct item *item)
{
    const enum item_kind kind = (enum item_kind)item->kind;
    bool is_any = kind == ITEM_REQUEST || kind == ITEM_RESPONSE || kind == ITEM_UNSOLICITED ||
                  kind == ITEM_UNREQUESTED || kind == ITEM_HELD || kind == ITEM_UNDECIDED;
    return is_any && !(item->flags & ITEM_MESSAGE);
}

void
items_begin_late(struct items *items, uint32_t frame)
{
    items->late_frame = frame;
}

void
items_end_late(struct items *items)
{
    uint32_t frame = items->late_frame;
    items->late_frame = 0;
    for (unsigned i = 0; i < items->opened->len; i++) {
        const struct item *item = g_ptr_array_index(items->opened, i);
        items_settle(items, frame, item, is_payload(item) ? ITEM_HELD : ITEM_NONE);
    }
    g_ptr_array_set_size(items->opened, 0);
}

static bool
is_packet(const struct item *item, const struct request *request, enum item_kind kind)
{
    return is_payload(item) && item->kind == kind && item->request == request;
}

static void
demote(struct item *item, uint16_t flags)
{
    item->flags = (uint16_t)((item->flags & ~(ITEM_FIRST | ITEM_SHOWN)) | (flags & ITEM_SHOWN));
}

void
items_demote(struct items *items, uint32_t frame, struct request *request, enum item_kind kind, uint16_t flags)
{
    uint32_t position;
    bool is_told = frame < items->current && frame != items->late_frame;
    for (struct item *item = items_first(items, frame, &position); item; item = items_next(items, &position))
        if (is_packet(item, request, kind))
            demote(item, flags);
    for (unsigned i = 0; i < items->late->len; i++) {
        struct late_item *late = &g_array_index(items->late, struct late_item, i);
        if (late->frame != frame || !is_packet(&late->item, request, kind))
            continue;
        demote(&late->item, flags);
        is_told = false;
    }
    if (!is_told)
        return;
    struct late_item told = { .item = { .kind = ITEM_UPDATED, .request = request }, .frame = frame };
    told.item.flags = (uint16_t)((flags & ITEM_SHOWN) | ITEM_LATE | ITEM_DEMOTED);
    g_array_append_val(items->late, told);
}

const struct late_item *
items_late(const struct items *items, unsigned *count)
{
    *count = items->late->len;
    return items->late->len > 0 ? &g_array_index(items->late, struct late_item, 0) : NULL;
}

void
items_told(struct items *items)
{
    g_array_set_size(items->late, 0);
}

void
items_forget(struct items *items)
{
    items->count = items->frame = items->end_frame = items->current = 0;
    g_array_set_size(items->late, 0);
}

void
items_drop(struct items *items, uint32_t frame)
{
    if (items->current == frame) {
        items->current = 0;
        g_array_set_size(items->late, 0);
    }
    if (items->count == 0 || items->frame != frame)
        return;
    if (items->keep)
        g_array_index(items->frames, uint32_t, frame) = 0;
    else
        items->count = 0;
    items->frame = items->end_frame = 0;
}

inline struct item *
items_first(struct items *items, uint32_t frame, uint32_t *position)
{
    if (items->late_frame && frame == items->late_frame) {
        *position = OPENED;
        return items->opened->len > 0 ? g_ptr_array_index(items->opened, 0) : NULL;
    }
    if (items->keep) {
        if (frame >= items->frames->len || g_array_index(items->frames, uint32_t, frame) == 0)
            return NULL;
        *position = g_array_index(items->frames, uint32_t, frame) - 1;
    } else {
        if (items->count == 0 || items->frame != frame)
            return NULL;
        *position = 0;
    }
    return at(items, *position);
}

inline struct item *
items_next(struct items *items, uint32_t *position)
{
    if (*position & OPENED)
        return ++*position - OPENED < items->opened->len ? at(items, *position) : NULL;
    if (at(items, *position)->flags & ITEM_LAST)
        return NULL;
    return at(items, ++*position);
}
