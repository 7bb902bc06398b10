/* path.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "path.h"

#include <string.h>

static bool
is_before(const struct sighting *a, const struct sighting *b)
{
    return a->time_ns != b->time_ns ? a->time_ns < b->time_ns : a->frame < b->frame;
}

bool
path_add(struct path *path, struct sighting *sighting, wmem_allocator_t *scope)
{
    uint16_t at = path->count;
    if (path->count == PATH_SIGHTINGS)
        return false;
    if (path->count == path->room) {
        path->room = (uint16_t)(path->room * 2 + 4);
        path->sightings = wmem_realloc(scope, path->sightings, path->room * sizeof(struct sighting *));
    }
    while (at > 0 && is_before(sighting, path->sightings[at - 1]))
        at--;
    memmove(&path->sightings[at + 1], &path->sightings[at], (size_t)(path->count - at) * sizeof(struct sighting *));
    path->sightings[at] = sighting;
    path->count++;
    sighting->path = path;
    return true;
}

const struct sighting *
path_first(const struct path *path, uint32_t frame)
{
    for (unsigned i = 0; i < path->count; i++)
        if (path->sightings[i]->frame <= frame)
            return path->sightings[i];
    return NULL;
}

const struct sighting *
path_before(const struct sighting *sighting, uint32_t frame)
{
    const struct path *path = sighting->path;
    for (unsigned i = path->count; i-- > 0;) {
        const struct sighting *other = path->sightings[i];
        if (other->frame <= frame && is_before(other, sighting) && range_overlaps(other->range, sighting->range))
            return other;
    }
    return NULL;
}

const struct sighting *
path_at(const struct path *path, struct range range, const struct points *points, enum point_kind kind)
{
    for (unsigned i = path->count; i-- > 0;) {
        const struct sighting *sighting = path->sightings[i];
        if (points_at(points, sighting->point)->kind == kind && range_overlaps(sighting->range, range))
            return sighting;
    }
    return NULL;
}

bool
path_passed(const struct path *path, uint16_t point, struct range range)
{
    for (unsigned i = 0; i < path->count; i++)
        if (path->sightings[i]->point == point && range_overlaps(path->sightings[i]->range, range))
            return true;
    return false;
}

uint16_t
path_traffic(const struct path *path, struct range range)
{
    for (unsigned i = 0; i < path->count; i++)
        if (path->sightings[i]->traffic && range_overlaps(path->sightings[i]->range, range))
            return path->sightings[i]->point;
    return 0;
}

int64_t
path_distance(const struct path *path, int64_t time_ns)
{
    int64_t first = path->sightings[0]->time_ns;
    int64_t last = path->sightings[path->count - 1]->time_ns;
    return time_ns < first ? first - time_ns : time_ns > last ? time_ns - last : 0;
}
