/* sighting.c
 *
 * Paths that may go on hang on hash tables by their keys, and, for offload, on a list of the latest of their sender.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "sighting.h"

#include <string.h>

#include <glib.h>

#include "../tcp/connection.h"

/* Packets longer ago are not looked for: neither a queue nor a reader with ids takes longer than the first, nor is
 * content the same for longer than the second without being sent again. */
enum { NS_PER_S = 1000000000, OPEN_S = 60 };

/* How many may go on, how many of the latest of a sender offload is looked for in, and how many of the latest with the
 * same key are looked at: the same packet can come thousands of times. */
enum { OPEN_PATHS = 65536, ROUTE_PATHS = 128, NAMES_A_KEY = 32 };

/* A key of an open path; another one, of other sightings, can have the same. */
struct name {
    uint64_t key;
    struct open *open;
    struct name *older, *newer; /* with the same key */
    struct name *newest;        /* meaningful in the oldest, which is the one in the table */
    struct name *next_of_open;  /* of the same path */
    struct fingerprint fingerprint;
};

/* A path that may go on. */
struct open {
    struct path *path;
    struct name *names;
    struct open *newer;       /* in the order they began */
    struct route *route;      /* NULL where offload is out of the question */
    struct open *route_older; /* in the same route */
    struct open *route_newer;
    bool has_id;
    bool keep;
};

/* The open paths from one endpoint to another. */
struct route {
    struct endpoint ends[2];
    struct open *newest;
    unsigned count;
    bool ipv6;
};

struct sightings {
    wmem_allocator_t *scope;
    wmem_map_t *names;  /* by key */
    wmem_map_t *routes; /* by themselves */
    struct open *oldest, *newest;
    uint32_t open_paths;
    uint32_t paths;
    int64_t now_ns; /* the latest time of any */
};

static unsigned
hash_route(const void *key)
{
    const struct route *route = key;
    return wmem_strong_hash((const uint8_t *)route->ends, sizeof route->ends);
}

static int
equal_routes(const void *a, const void *b)
{
    const struct route *x = a;
    const struct route *y = b;
    return x->ipv6 == y->ipv6 && endpoint_equal(&x->ends[0], &y->ends[0]) && endpoint_equal(&x->ends[1], &y->ends[1]);
}

struct sightings *
sightings_new(wmem_allocator_t *scope)
{
    struct sightings *sightings = wmem_new0(scope, struct sightings);
    sightings->scope = scope;
    sightings->names = wmem_map_new(scope, wmem_int64_hash, g_int64_equal);
    sightings->routes = wmem_map_new(scope, hash_route, equal_routes);
    sightings->now_ns = INT64_MIN;
    return sightings;
}

static struct range
range_of(const struct fingerprint *fingerprint)
{
    return (struct range){ fingerprint->seq, fingerprint->bytes };
}

static struct name *
newest_name(const struct sightings *sightings, uint64_t key)
{
    const struct name *oldest = wmem_map_lookup(sightings->names, &key);
    return oldest ? oldest->newest : NULL;
}

static void
drop_name(struct sightings *sightings, struct name *name)
{
    struct name *oldest = wmem_map_lookup(sightings->names, &name->key);
    if (name->newer)
        name->newer->older = name->older;
    else
        oldest->newest = name->older;
    if (name->older) {
        name->older->newer = name->newer;
    } else {
        /* the table's key is the name's own */
        wmem_map_remove(sightings->names, &name->key);
        if (name->newer) {
            name->newer->newest = name->newest;
            wmem_map_insert(sightings->names, &name->newer->key, name->newer);
        }
    }
    wmem_free(sightings->scope, name);
}

static void
leave_route(struct sightings *sightings, struct open *open)
{
    struct route *route = open->route;
    if (open->route_newer)
        open->route_newer->route_older = open->route_older;
    else
        route->newest = open->route_older;
    if (open->route_older)
        open->route_older->route_newer = open->route_newer;
    if (--route->count == 0) {
        wmem_map_remove(sightings->routes, route);
        wmem_free(sightings->scope, route);
    }
}

static void
close_oldest(struct sightings *sightings)
{
    struct open *open = sightings->oldest;
    sightings->oldest = open->newer;
    if (!sightings->oldest)
        sightings->newest = NULL;
    sightings->open_paths--;
    for (struct name *name = open->names, *next; name; name = next) {
        next = name->next_of_open;
        drop_name(sightings, name);
    }
    if (open->route)
        leave_route(sightings, open);
    if (!open->keep)
        path_free(open->path, sightings->scope);
    wmem_free(sightings->scope, open);
}

static int64_t
last_ns(const struct path *path)
{
    return path->sightings[path->count - 1]->time_ns;
}

static void
close_old(struct sightings *sightings)
{
    while (sightings->oldest && (sightings->open_paths >= OPEN_PATHS ||
                                 sightings->now_ns - last_ns(sightings->oldest->path) > (int64_t)OPEN_S * NS_PER_S))
        close_oldest(sightings);
}

static void
add_name(struct sightings *sightings, struct open *open, uint64_t key, const struct fingerprint *fingerprint)
{
    struct name *newest = newest_name(sightings, key);
    unsigned looked_at = 0;
    for (const struct name *name = newest; name && looked_at < NAMES_A_KEY; name = name->older, looked_at++)
        if (name->open == open && name->fingerprint.ip_id == fingerprint->ip_id)
            return;
    struct name *name = wmem_new(sightings->scope, struct name);
    *name = (struct name){
        .key = key, .open = open, .older = newest, .next_of_open = open->names, .fingerprint = *fingerprint
    };
    open->names = name;
    if (!newest)
        wmem_map_insert(sightings->names, &name->key, name);
    else
        newest->newer = name;
    struct name *oldest = newest ? wmem_map_lookup(sightings->names, &key) : name;
    oldest->newest = name;
}

static struct open *
by_id(struct sightings *sightings, const struct fingerprint *fingerprint)
{
    const struct name *name =
        fingerprint->has_packet_id ? newest_name(sightings, fingerprint_packet_key(fingerprint)) : NULL;
    for (unsigned i = 0; name && i < NAMES_A_KEY; name = name->older, i++)
        if (name->fingerprint.has_packet_id && name->fingerprint.packet_id == fingerprint->packet_id &&
            name->fingerprint.section == fingerprint->section && name->fingerprint.ip_id == fingerprint->ip_id &&
            name->fingerprint.seq == fingerprint->seq && name->fingerprint.bytes == fingerprint->bytes &&
            name->fingerprint.ack == fingerprint->ack && name->fingerprint.ipv6 == fingerprint->ipv6)
            return name->open;
    name = fingerprint->tracking_id ? newest_name(sightings, fingerprint_tracking_key(fingerprint)) : NULL;
    for (unsigned i = 0; name && i < NAMES_A_KEY; name = name->older, i++)
        if (name->fingerprint.tracking_id == fingerprint->tracking_id &&
            name->fingerprint.section == fingerprint->section)
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
may_pass(const struct open *open, const struct fingerprint *fingerprint, bool certain)
{
    if (open->path->count == PATH_SIGHTINGS)
        return false;
    return (certain && fingerprint->has_ip_id) || !path_passed(open->path, fingerprint->point, range_of(fingerprint));
}

static struct open *
by_content(struct sightings *sightings, const struct fingerprint *fingerprint)
{
    const struct name *name = newest_name(sightings, fingerprint_content_key(fingerprint));
    int64_t nearest = INT64_MAX;
    struct open *found = NULL;
    for (unsigned i = 0; name && i < NAMES_A_KEY; name = name->older, i++) {
        bool translated;
        if (name->open->has_id && has_id(fingerprint))
            continue;
        int64_t distance = path_distance(name->open->path, fingerprint->time_ns);
        if (distance > NS_PER_S || !fingerprint_is_same(&name->fingerprint, fingerprint, &translated) ||
            !may_pass(name->open, fingerprint, !translated))
            continue;
        /* Translation and offload change it; where they do not, it tells options from others. */
        if (name->fingerprint.checksum != fingerprint->checksum)
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
ids_fit(const struct fingerprint *whole, const struct fingerprint *part)
{
    uint16_t step = (uint16_t)(part->ip_id - whole->ip_id);
    uint32_t offset = part->seq - whole->seq;
    if (!whole->has_ip_id && !part->has_ip_id)
        return true;
    return step == 0 || (uint64_t)step * part->bytes <= offset;
}

static bool
is_part(const struct fingerprint *whole, const struct fingerprint *part)
{
    return part->bytes > 0 && range_contains(range_of(whole), range_of(part)) && ids_fit(whole, part);
}

static bool
is_cut_or_merged(const struct open *open, const struct fingerprint *fingerprint)
{
    const struct path *path = open->path;
    const struct fingerprint *widest = &path->widest;
    return (is_part(widest, fingerprint) || is_part(fingerprint, widest)) &&
           path_distance(path, fingerprint->time_ns) <= NS_PER_S && may_pass(open, fingerprint, true);
}

static struct route *
route_of(struct sightings *sightings, const struct fingerprint *fingerprint)
{
    struct route key = { .ends = { fingerprint->source, fingerprint->destination }, .ipv6 = fingerprint->ipv6 };
    return wmem_map_lookup(sightings->routes, &key);
}

/* Of those it merges, the first: the one at its begin, else the nearest to it. */
static struct open *
by_bytes(struct sightings *sightings, const struct fingerprint *fingerprint)
{
    const struct route *route = fingerprint->tcp && fingerprint->bytes ? route_of(sightings, fingerprint) : NULL;
    struct open *found = NULL;
    unsigned looked_at = 0;
    for (struct open *open = route ? route->newest : NULL; open && looked_at < ROUTE_PATHS; open = open->route_older) {
        looked_at++;
        if (!is_cut_or_merged(open, fingerprint))
            continue;
        if (is_part(&open->path->widest, fingerprint))
            return open;
        if (!found || open->path->widest.seq - fingerprint->seq < found->path->widest.seq - fingerprint->seq)
            found = open;
    }
    return found;
}

static void
join_route(struct sightings *sightings, struct open *open, const struct fingerprint *fingerprint)
{
    struct route *route = route_of(sightings, fingerprint);
    if (!route) {
        route = wmem_new(sightings->scope, struct route);
        *route = (struct route){ .ends = { fingerprint->source, fingerprint->destination }, .ipv6 = fingerprint->ipv6 };
        wmem_map_insert(sightings->routes, route, route);
    }
    open->route = route;
    open->route_older = route->newest;
    if (route->newest)
        route->newest->route_newer = open;
    route->newest = open;
    route->count++;
}

static struct open *
begin_path(struct sightings *sightings, const struct fingerprint *fingerprint, bool keep)
{
    struct open *open = wmem_new0(sightings->scope, struct open);
    open->path = wmem_new0(sightings->scope, struct path);
    open->path->number = ++sightings->paths;
    open->path->widest = *fingerprint;
    open->keep = keep;
    if (sightings->newest)
        sightings->newest->newer = open;
    else
        sightings->oldest = open;
    sightings->newest = open;
    sightings->open_paths++;
    if (fingerprint->tcp && fingerprint->bytes)
        join_route(sightings, open, fingerprint);
    return open;
}

static void
add_names(struct sightings *sightings, struct open *open, const struct fingerprint *fingerprint)
{
    open->has_id |= has_id(fingerprint);
    if (fingerprint->has_packet_id)
        add_name(sightings, open, fingerprint_packet_key(fingerprint), fingerprint);
    if (fingerprint->tracking_id)
        add_name(sightings, open, fingerprint_tracking_key(fingerprint), fingerprint);
    add_name(sightings, open, fingerprint_content_key(fingerprint), fingerprint);
}

struct sighting *
sightings_take(struct sightings *sightings, const struct fingerprint *fingerprint, bool keep)
{
    sightings->now_ns = MAX(sightings->now_ns, fingerprint->time_ns);
    close_old(sightings);
    struct open *open = by_id(sightings, fingerprint);
    if (!open)
        open = by_content(sightings, fingerprint);
    if (!open)
        open = by_bytes(sightings, fingerprint);
    if (!open || open->path->count == PATH_SIGHTINGS)
        open = begin_path(sightings, fingerprint, keep);
    struct path *path = open->path;
    if (fingerprint->bytes > path->widest.bytes)
        path->widest = *fingerprint;
    open->keep |= keep;
    add_names(sightings, open, fingerprint);

    struct sighting *sighting = wmem_new0(sightings->scope, struct sighting);
    sighting->time_ns = fingerprint->time_ns;
    sighting->frame = fingerprint->frame;
    sighting->range = range_of(fingerprint);
    sighting->point = fingerprint->point;
    sighting->heading = fingerprint->heading;
    sighting->process = fingerprint->process;
    path_add(path, sighting, sightings->scope);
    return sighting;
}
