/* stays.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "stays.h"

#include "../core/analysis.h"

/* A packet whose later sightings tell of a request. */
struct role {
    uint32_t request;
    struct range range; /* its bytes of the packet */
    bool is_response;
};

void
stays_init(struct stays *stays, struct table_source *source)
{
    *stays = (struct stays){ .source = source };
    by_number_init(&stays->stays, source, sizeof(struct stay));
    by_number_init(&stays->roles, source, sizeof(struct role));
}

void
stays_clear(struct stays *stays)
{
    by_number_clear(&stays->stays);
    by_number_clear(&stays->roles);
}

/* Of the frame whose items come; NULL if it has none. Another frame's may have been freed. */
static const struct sighting *
sighting_now(const struct stays *stays)
{
    return stays->frame == stays->source->frame ? stays->sighting : NULL;
}

bool
stays_wants(const struct stays *stays, const struct item *item)
{
    if (item->kind == ITEM_SIGHTING)
        return true;
    /* What is late comes without its frame's sighting. */
    if (!sighting_now(stays) || item->flags & ITEM_LATE)
        return false;
    return item->kind == ITEM_REQUEST ||
           (item->kind == ITEM_RESPONSE && item->request->response.p0_frame == stays->frame);
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
        return role->request ? take_role(stays, item->sighting->path, role) : 0;
    }
    struct role *role = by_number_at(&stays->roles, stays->sighting->path->number);
    *role = (struct role){ item->request->number, stays->sighting->range, item->kind == ITEM_RESPONSE };
    return take_role(stays, stays->sighting->path, role);
}

const struct stay *
stays_at(struct stays *stays, uint32_t request)
{
    return request < by_number_count(&stays->stays) ? by_number_at(&stays->stays, request) : NULL;
}
