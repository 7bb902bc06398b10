/* stays.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "stays.h"

#include "../core/analysis.h"

/* A packet whose later sightings tell of a request, or of a frame that was held. */
struct role {
    uint32_t request;
    uint32_t held;      /* the frame; 0 for none */
    struct range range; /* its bytes of the packet */
    bool is_response;
};

/* What is known of a frame that was held: of its packet, as if it were a request's and as if it were a response's. */
struct held {
    uint32_t path;
    struct range range;
    struct stay stay;
};

void
stays_init(struct stays *stays, struct table_source *source)
{
    *stays = (struct stays){ .source = source };
    by_number_init(&stays->stays, source, sizeof(struct stay));
    by_number_init(&stays->roles, source, sizeof(struct role));
    stays->held = g_hash_table_new_full(NULL, NULL, NULL, g_free);
}

void
stays_clear(struct stays *stays)
{
    by_number_clear(&stays->stays);
    by_number_clear(&stays->roles);
    g_hash_table_destroy(stays->held);
}

/* Of the frame whose items come; NULL if it has none. Another frame's may have been freed. */
static const struct sighting *
sighting_now(const struct stays *stays)
{
    return stays->frame == stays->source->frame ? stays->sighting : NULL;
}

/* Returns what is known of the frame of an item that is late; NULL for nothing. */
static struct held *
held_at(const struct stays *stays, const struct item *item)
{
    if (stays->held_capture != stays->source->number)
        return NULL;
    return g_hash_table_lookup(stays->held, GUINT_TO_POINTER(item_frame(item, stays->frame)));
}

bool
stays_wants(const struct stays *stays, const struct item *item)
{
    if (item->kind == ITEM_SIGHTING)
        return true;
    const bool is_late = item->flags & ITEM_LATE;
    if (is_late ? !held_at(stays, item) : !sighting_now(stays))
        return false;
    return item->kind == ITEM_REQUEST || (item->kind == ITEM_HELD && !is_late) ||
           (item->kind == ITEM_RESPONSE && item->request->response.first_frame == item_frame(item, stays->frame));
}

/* Remembers the packet of a frame of which it is not known yet what it is. */
static void
hold(struct stays *stays)
{
    if (stays->held_capture != stays->source->number || g_hash_table_size(stays->held) == STAYS_HELD_MOST)
        g_hash_table_remove_all(stays->held);
    stays->held_capture = stays->source->number;
    struct role *role = by_number_at(&stays->roles, stays->sighting->path->number);
    if (role->request)
        return;
    struct held *held = g_new0(struct held, 1);
    held->path = stays->sighting->path->number;
    held->range = stays->sighting->range;
    *role = (struct role){ .held = stays->frame, .range = held->range };
    stay_take_request(&held->stay, stays->sighting->path, held->range, stays->source->analysis->points);
    stay_take_response(&held->stay, stays->sighting->path, held->range, stays->source->analysis->points);
    g_hash_table_insert(stays->held, GUINT_TO_POINTER(stays->frame), held);
}

/* Notes a later sighting of a packet whose frame is held. */
static void
hold_on(const struct stays *stays, const struct path *path, const struct role *role)
{
    struct held *held = g_hash_table_lookup(stays->held, GUINT_TO_POINTER(role->held));
    if (!held)
        return;
    stay_take_request(&held->stay, path, held->range, stays->source->analysis->points);
    stay_take_response(&held->stay, path, held->range, stays->source->analysis->points);
}

/* What is known of the frame is of the item's request from now on. */
static uint32_t
take_held(struct stays *stays, const struct item *item)
{
    const struct held *held = held_at(stays, item);
    const bool is_response = item->kind == ITEM_RESPONSE;
    struct stay *stay = by_number_at(&stays->stays, item->request->number);
    for (unsigned part = is_response ? PART_APPLICATION : 0; part < (is_response ? PARTS : PART_APPLICATION); part++) {
        stay->has_end[part] = held->stay.has_end[part];
        stay->ends_ns[part] = held->stay.ends_ns[part];
    }
    if (!is_response) {
        stay->has_arrived = held->stay.has_arrived;
        stay->arrived_ns = held->stay.arrived_ns;
    }
    struct role *role = by_number_at(&stays->roles, held->path);
    *role = (struct role){ .request = item->request->number, .range = held->range, .is_response = is_response };
    g_hash_table_remove(stays->held, GUINT_TO_POINTER(item_frame(item, stays->frame)));
    return item->request->number;
}

static uint32_t
take_role(struct stays *stays, const struct path *path, const struct role *role)
{
    const struct points *points = stays->source->analysis->points;
    struct stay *stay = by_number_at(&stays->stays, role->request);
    if (role->is_response)
        stay_take_response(stay, path, role->range, points);
    else
        stay_take_request(stay, path, role->range, points);
    return role->request;
}

uint32_t
stays_take(struct stays *stays, const struct item *item)
{
    if (!stays_wants(stays, item))
        return 0;
    if (item->kind == ITEM_SIGHTING) {
        const struct role *role = by_number_at(&stays->roles, item->sighting->path->number);
        stays->sighting = item->sighting;
        stays->frame = item->sighting->frame;
        if (role->held)
            hold_on(stays, item->sighting->path, role);
        return role->request ? take_role(stays, item->sighting->path, role) : 0;
    }
    if (item->kind == ITEM_HELD) {
        hold(stays);
        return 0;
    }
    if (item->flags & ITEM_LATE)
        return take_held(stays, item);
    struct role *role = by_number_at(&stays->roles, stays->sighting->path->number);
    *role = (struct role){ .request = item->request->number,
                           .range = stays->sighting->range,
                           .is_response = item->kind == ITEM_RESPONSE };
    return take_role(stays, stays->sighting->path, role);
}

const struct stay *
stays_at(struct stays *stays, uint32_t request)
{
    return request < by_number_count(&stays->stays) ? by_number_at(&stays->stays, request) : NULL;
}
