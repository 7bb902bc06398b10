/* open_paths.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "open_paths.h"

#include <glib.h>

#include "../tcp/connection.h"

/* Packets longer ago are not looked for: neither a queue nor a reader with ids takes longer. */
enum { NS_PER_S = 1000000000, OPEN_S = 60 };

/* How many open paths are allocated at once. */
enum { FRESH = 32 };

/* A name that is not among a path's first, with a fingerprint of its own. */
struct later_name {
    struct name name; /* first */
    struct fingerprint fingerprint;
};

void
open_paths_init(struct open_paths *paths, wmem_allocator_t *scope)
{
    *paths = (struct open_paths){ .scope = scope };
    hashed_init(&paths->names, scope);
    hashed_init(&paths->routes, scope);
}

inline struct name *
open_paths_newest(const struct open_paths *paths, uint32_t hash)
{
    return (struct name *)hashed_first(&paths->names, hash);
}

static void
drop_name(struct open_paths *paths, struct name *name)
{
    if (name->older)
        name->older->newer = name->newer;
    if (name->newer) {
        name->newer->older = name->older;
    } else {
        hashed_remove(&paths->names, &name->hashed);
        if (name->older)
            hashed_add(&paths->names, &name->older->hashed, name->hashed.hash);
    }
    if (name->fingerprint != &name->open->fingerprint)
        wmem_free(paths->scope, name);
}

static void
leave_route(struct open_paths *paths, struct open *open)
{
    struct route *route = open->route;
    if (open->route_newer)
        open->route_newer->route_older = open->route_older;
    else
        route->newest = open->route_older;
    if (open->route_older)
        open->route_older->route_newer = open->route_newer;
    if (--route->count == 0) {
        hashed_remove(&paths->routes, &route->hashed);
        wmem_free(paths->scope, route);
    }
}

static void
close_oldest(struct open_paths *paths)
{
    struct open *open = paths->oldest;
    paths->oldest = open->newer;
    if (!paths->oldest)
        paths->newest = NULL;
    paths->count--;
    for (struct name *name = open->names, *next; name; name = next) {
        next = name->next_of_open;
        drop_name(paths, name);
    }
    if (open->route)
        leave_route(paths, open);
    if (!open->path->keep)
        path_clear(open->path, paths->scope);
    else if (open->path == &open->own)
        return;
    open->newer = paths->spare;
    paths->spare = open;
}

static int64_t
last_ns(const struct path *path)
{
    return path->sightings[path->count - 1]->time_ns;
}

void
open_paths_close_old(struct open_paths *paths, int64_t now_ns)
{
    while (paths->oldest &&
           (paths->count >= OPEN_PATHS || now_ns - last_ns(paths->oldest->path) > (int64_t)OPEN_S * NS_PER_S))
        close_oldest(paths);
}

/* Returns whether the path has such a name already. `newest`: of all with its key. */
static bool
is_named(const struct open *open, const struct name *newest, const struct fingerprint *fingerprint)
{
    unsigned looked_at = 0;
    for (const struct name *name = newest; name && looked_at < NAMES_A_KEY; name = name->older, looked_at++)
        if (name->open == open && name->fingerprint->ip_id == fingerprint->ip_id)
            return true;
    return false;
}

/* With a fingerprint, which is the path's own of its first sighting; the rest is not filled in. */
static inline struct name *
new_name(struct open_paths *paths, struct open *open, const struct fingerprint *fingerprint)
{
    if (open->path->count == 0 && open->n_first < FIRST_NAMES) {
        struct name *first = &open->first[open->n_first++];
        first->fingerprint = &open->fingerprint;
        return first;
    }
    struct later_name *later = wmem_new(paths->scope, struct later_name);
    later->fingerprint = *fingerprint;
    later->name.fingerprint = &later->fingerprint;
    return &later->name;
}

void
open_paths_name(struct open_paths *paths, struct open *open, uint32_t hash, const struct fingerprint *fingerprint)
{
    struct name *newest = open_paths_newest(paths, hash);
    if (open->path->count > 0 && is_named(open, newest, fingerprint))
        return;
    struct name *name = new_name(paths, open, fingerprint);
    name->open = open;
    name->older = newest;
    name->newer = NULL;
    name->next_of_open = open->names;
    open->names = name;
    if (newest) {
        newest->newer = name;
        hashed_remove(&paths->names, &newest->hashed);
    }
    hashed_add(&paths->names, &name->hashed, hash);
}

static uint32_t
hash_of_route(const struct open_paths *paths, const struct fingerprint *fingerprint)
{
    const uint64_t key = paths->routes.key;
    return (uint32_t)endpoint_hash(&fingerprint->destination, key ^ endpoint_hash(&fingerprint->source, key));
}

struct route *
open_paths_route(const struct open_paths *paths, const struct fingerprint *fingerprint)
{
    struct hashed *found = hashed_first(&paths->routes, hash_of_route(paths, fingerprint));
    for (; found; found = hashed_next(found)) {
        struct route *route = (struct route *)found;
        if (route->ipv6 == fingerprint->ipv6 && endpoint_equal(&route->ends[0], &fingerprint->source) &&
            endpoint_equal(&route->ends[1], &fingerprint->destination))
            return route;
    }
    return NULL;
}

/* Returns whether `whole` has the part, too, now. Of what is half the sequence apart nobody knows which comes first. */
static bool
span_widen(struct range *whole, struct range part)
{
    enum { HALF = 1U << 30 };
    const bool is_before = part.seq - whole->seq > INT32_MAX;
    const struct range first = is_before ? part : *whole, second = is_before ? *whole : part;
    const uint32_t to_second = second.seq - first.seq;
    if (to_second > HALF || first.bytes > HALF || second.bytes > HALF)
        return false;
    *whole = (struct range){ first.seq, MAX(first.bytes, to_second + second.bytes) };
    return true;
}

/* Forgets what older paths had. */
static void
measure_span(struct route *route)
{
    unsigned looked_at = 0;
    route->span = route->newest->path->widest.range;
    route->is_wide = false;
    for (struct open *open = route->newest; open && looked_at < ROUTE_PATHS; open = open->route_older, looked_at++)
        route->is_wide |= !span_widen(&route->span, open->path->widest.range);
}

static void
widen_route(struct route *route, struct range range)
{
    if (route->is_wide || !span_widen(&route->span, range))
        measure_span(route);
}

void
open_paths_widen(struct open *open, const struct fingerprint *fingerprint)
{
    open->path->widest = extent_of(fingerprint);
    if (open->route)
        widen_route(open->route, open->path->widest.range);
}

static void
join_route(struct open_paths *paths, struct open *open, const struct fingerprint *fingerprint, struct route *route)
{
    if (!route) {
        route = wmem_new(paths->scope, struct route);
        *route = (struct route){ .ends = { fingerprint->source, fingerprint->destination },
                                 .ipv6 = fingerprint->ipv6,
                                 .span = open->path->widest.range };
        hashed_add(&paths->routes, &route->hashed, hash_of_route(paths, fingerprint));
    }
    open->route = route;
    open->route_older = route->newest;
    if (route->newest)
        route->newest->route_newer = open;
    route->newest = open;
    route->count++;
    widen_route(route, open->path->widest.range);
}

/* Nothing in it is filled in. */
static inline struct open *
new_open(struct open_paths *paths)
{
    struct open *spare = paths->spare;
    if (spare) {
        paths->spare = spare->newer;
        return spare;
    }
    if (paths->n_fresh == 0) {
        paths->fresh = wmem_alloc_array(paths->scope, struct open, FRESH);
        paths->n_fresh = FRESH;
    }
    return &paths->fresh[--paths->n_fresh];
}

struct open *
open_paths_begin(struct open_paths *paths, const struct fingerprint *fingerprint, struct route *route, bool keep)
{
    struct open *open = new_open(paths);
    open->path = keep ? wmem_new(paths->scope, struct path) : &open->own;
    path_begin(open->path, ++paths->begun, fingerprint, keep);
    open->names = NULL;
    open->fingerprint = *fingerprint;
    open->n_first = 0;
    open->newer = open->route_older = open->route_newer = NULL;
    open->route = NULL;
    if (paths->newest)
        paths->newest->newer = open;
    else
        paths->oldest = open;
    paths->newest = open;
    paths->count++;
    if (fingerprint->tcp && fingerprint->bytes)
        join_route(paths, open, fingerprint, route ? route : open_paths_route(paths, fingerprint));
    return open;
}
