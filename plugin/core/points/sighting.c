/* sighting.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "sighting.h"

#include "open_paths.h"

/* Content is not the same for longer than a second without being sent again. */
enum { NS_PER_S = 1000000000 };

struct sightings {
    wmem_allocator_t *scope;
    struct open_paths open;
    int64_t now_ns; /* the latest time of any */
};

struct sightings *
sightings_new(wmem_allocator_t *scope)
{
    struct sightings *sightings = wmem_new0(scope, struct sightings);
    sightings->scope = scope;
    open_paths_init(&sightings->open, scope);
    sightings->now_ns = INT64_MIN;
    return sightings;
}

static struct range
range_of(const struct fingerprint *fingerprint)
{
    return (struct range){ fingerprint->seq, fingerprint->bytes };
}

static uint32_t
tracking_hash(const struct sightings *sightings, const struct fingerprint *fingerprint)
{
    return open_paths_hash(&sightings->open, fingerprint_tracking_key(fingerprint));
}

static struct open *
by_id(struct sightings *sightings, const struct fingerprint *fingerprint, uint32_t packet_hash)
{
    const struct name *name = fingerprint->has_packet_id ? open_paths_newest(&sightings->open, packet_hash) : NULL;
    for (unsigned i = 0; name && i < NAMES_A_KEY; name = name->older, i++)
        if (name->fingerprint->has_packet_id && name->fingerprint->packet_id == fingerprint->packet_id &&
            name->fingerprint->section == fingerprint->section && name->fingerprint->ip_id == fingerprint->ip_id &&
            name->fingerprint->seq == fingerprint->seq && name->fingerprint->bytes == fingerprint->bytes &&
            name->fingerprint->ack == fingerprint->ack && name->fingerprint->ipv6 == fingerprint->ipv6)
            return name->open;
    name = fingerprint->tracking_id ? open_paths_newest(&sightings->open, tracking_hash(sightings, fingerprint)) : NULL;
    for (unsigned i = 0; name && i < NAMES_A_KEY; name = name->older, i++)
        if (name->fingerprint->tracking_id == fingerprint->tracking_id &&
            name->fingerprint->section == fingerprint->section)
            return name->open;
    return NULL;
}

static bool
has_id(const struct fingerprint *fingerprint)
{
    return fingerprint->has_packet_id || fingerprint->tracking_id;
}

/* Where nothing tells a packet from the same one sent again, one that passes a point again is the latter; so is one
 * that has another id. */
static bool
may_pass(const struct open *open, const struct fingerprint *fingerprint, uint16_t point, bool certain)
{
    if (open->path->count == PATH_SIGHTINGS)
        return false;
    return (certain && fingerprint->has_ip_id) || !path_passed(open->path, point, range_of(fingerprint));
}

static struct open *
by_content(struct sightings *sightings, const struct fingerprint *fingerprint, uint32_t content_hash,
           const struct sighting *seen)
{
    const struct name *name = open_paths_newest(&sightings->open, content_hash);
    int64_t nearest = INT64_MAX;
    struct open *found = NULL;
    for (unsigned i = 0; name && i < NAMES_A_KEY; name = name->older, i++) {
        bool translated;
        if (name->open->path->has_id && has_id(fingerprint))
            continue;
        int64_t distance = path_distance(name->open->path, seen->time_ns);
        if (distance > NS_PER_S || !fingerprint_is_same(name->fingerprint, fingerprint, &translated) ||
            !may_pass(name->open, fingerprint, seen->point, !translated))
            continue;
        /* Translation and offload change it; where they do not, it tells options from others. */
        if (name->fingerprint->checksum != fingerprint->checksum)
            distance += NS_PER_S;
        /* Of several that are as near, the oldest. */
        if (distance > nearest)
            continue;
        nearest = distance;
        found = name->open;
    }
    return found;
}

/* Linux counts the IP IDs of what it cuts from the whole's on, one for each part of equal size but the last
 * (inet_gso_segment), and gives what it merges the ID of the first (inet_gro_complete); some give all parts the same.
 */
static bool
ids_fit(const struct extent *whole, const struct extent *part)
{
    uint16_t step = (uint16_t)(part->ip_id - whole->ip_id);
    uint32_t offset = part->range.seq - whole->range.seq;
    if (!whole->has_ip_id && !part->has_ip_id)
        return true;
    return step == 0 || (uint64_t)step * part->range.bytes <= offset;
}

static bool
is_part(const struct extent *whole, const struct extent *part)
{
    return part->range.bytes > 0 && range_contains(whole->range, part->range) && ids_fit(whole, part);
}

/* `extent`: the fingerprint's. */
static bool
is_cut_or_merged(const struct open *open, const struct fingerprint *fingerprint, const struct extent *extent,
                 const struct sighting *seen)
{
    const struct path *path = open->path;
    return (is_part(&path->widest, extent) || is_part(extent, &path->widest)) &&
           path_distance(path, seen->time_ns) <= NS_PER_S && may_pass(open, fingerprint, seen->point, true);
}

/* Of those it merges, the first: the one at its begin, else the nearest to it. `route`: the fingerprint's. Most packets
 * of a connection begin where all before have ended. */
static struct open *
by_bytes(const struct route *route, const struct fingerprint *fingerprint, const struct sighting *seen)
{
    if (!route_may_have(route, range_of(fingerprint)))
        return NULL;
    const struct extent extent = extent_of(fingerprint);
    struct open *found = NULL;
    unsigned looked_at = 0;
    for (struct open *open = route->newest; open && looked_at < ROUTE_PATHS; open = open->route_older) {
        looked_at++;
        if (!ranges_meet(open->path->widest.range, extent.range) || !is_cut_or_merged(open, fingerprint, &extent, seen))
            continue;
        if (is_part(&open->path->widest, &extent))
            return open;
        if (!found ||
            open->path->widest.range.seq - fingerprint->seq < found->path->widest.range.seq - fingerprint->seq)
            found = open;
    }
    return found;
}

static void
add_names(struct sightings *sightings, struct open *open, const struct fingerprint *fingerprint, uint32_t packet_hash,
          uint32_t content_hash)
{
    open->path->has_id |= has_id(fingerprint);
    if (fingerprint->has_packet_id)
        open_paths_name(&sightings->open, open, packet_hash, fingerprint);
    if (fingerprint->tracking_id)
        open_paths_name(&sightings->open, open, tracking_hash(sightings, fingerprint), fingerprint);
    open_paths_name(&sightings->open, open, content_hash, fingerprint);
}

struct sighting *
sightings_take(struct sightings *sightings, const struct fingerprint *fingerprint, const struct sighting *seen,
               bool keep)
{
    sightings->now_ns = MAX(sightings->now_ns, seen->time_ns);
    open_paths_close_old(&sightings->open, sightings->now_ns);
    const struct open_paths *paths = &sightings->open;
    const uint32_t packet_hash =
        fingerprint->has_packet_id ? open_paths_hash(paths, fingerprint_packet_key(fingerprint)) : 0;
    const uint32_t content_hash = open_paths_hash(paths, fingerprint_content_key(fingerprint));
    struct route *route = NULL;
    struct open *open = by_id(sightings, fingerprint, packet_hash);
    if (!open)
        open = by_content(sightings, fingerprint, content_hash, seen);
    if (!open && fingerprint->tcp && fingerprint->bytes)
        route = open_paths_route(&sightings->open, fingerprint);
    if (route)
        open = by_bytes(route, fingerprint, seen);
    if (!open || open->path->count == PATH_SIGHTINGS)
        open = open_paths_begin(&sightings->open, fingerprint, route, keep);
    struct path *path = open->path;
    if (fingerprint->bytes > path->widest.range.bytes)
        open_paths_widen(open, fingerprint);
    path->keep |= keep;
    add_names(sightings, open, fingerprint, packet_hash, content_hash);

    struct sighting *sighting = path->count == 0 ? &path->begun : wmem_new(sightings->scope, struct sighting);
    *sighting = *seen;
    sighting->range = range_of(fingerprint);
    path_add(path, sighting, sightings->scope);
    return sighting;
}
