/* path.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "path.h"

#include <string.h>

inline struct extent
extent_of(const struct fingerprint *fingerprint)
{
    return (struct extent){
        .source = fingerprint->source,
        .destination = fingerprint->destination,
        .range = { fingerprint->seq, fingerprint->bytes },
        .ip_id = fingerprint->ip_id,
        .has_ip_id = fingerprint->has_ip_id,
        .ipv6 = fingerprint->ipv6,
    };
}

inline void
path_begin(struct path *path, uint32_t number, const struct fingerprint *fingerprint, bool keep)
{
    path->count = 0;
    path->room = 0;
    path->has_id = false;
    path->keep = keep;
    path->number = number;
    path->widest = extent_of(fingerprint);
}

static bool
is_before(const struct sighting *a, const struct sighting *b)
{
    return a->time_ns != b->time_ns ? a->time_ns < b->time_ns : a->frame < b->frame;
}

/* Where the sightings at a point begin in by_point, or would. */
static unsigned
place_of(const struct path *path, uint16_t point)
{
    unsigned low = 0, high = path->count;
    while (low < high) {
        unsigned middle = (low + high) / 2;
        if (path->by_point[middle]->point < point)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void
insert(struct sighting **sightings, unsigned count, unsigned at, struct sighting *sighting)
{
    memmove(&sightings[at + 1], &sightings[at], (count - at) * sizeof *sightings);
    sightings[at] = sighting;
}

/* For twice as many. */
static void
make_room(struct path *path, wmem_allocator_t *scope)
{
    const struct path before = *path;
    path->room = MAX(before.room * 2U, 2U) & 0x3fffU;
    path->sightings = wmem_alloc_array(scope, struct sighting *, 2U * path->room);
    path->by_point = path->sightings + path->room;
    memcpy(path->sightings, before.sightings, before.count * sizeof *before.sightings);
    memcpy(path->by_point, before.by_point, before.count * sizeof *before.by_point);
    if (before.room > 0)
        wmem_free(scope, before.sightings);
}

bool
path_add(struct path *path, struct sighting *sighting, wmem_allocator_t *scope)
{
    uint16_t at = path->count;
    if (path->count == PATH_SIGHTINGS)
        return false;
    sighting->path = path;
    if (path->count == 0) {
        path->only = sighting;
        path->sightings = path->by_point = &path->only;
        path->count = 1;
        return true;
    }
    if (path->count >= path->room)
        make_room(path, scope);
    while (at > 0 && is_before(sighting, path->sightings[at - 1]))
        at--;
    insert(path->by_point, path->count, place_of(path, sighting->point), sighting);
    insert(path->sightings, path->count, at, sighting);
    path->count++;
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
    for (unsigned i = place_of(path, point); i < path->count && path->by_point[i]->point == point; i++)
        if (range_overlaps(path->by_point[i]->range, range))
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

void
path_clear(struct path *path, wmem_allocator_t *scope)
{
    for (unsigned i = 0; i < path->count; i++)
        if (path->sightings[i] != &path->begun)
            wmem_free(scope, path->sightings[i]);
    if (path->room > 0)
        wmem_free(scope, path->sightings);
}

int64_t
path_distance(const struct path *path, int64_t time_ns)
{
    int64_t first = path->sightings[0]->time_ns;
    int64_t last = path->sightings[path->count - 1]->time_ns;
    return time_ns < first ? first - time_ns : time_ns > last ? time_ns - last : 0;
}
