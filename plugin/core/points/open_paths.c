/* open_paths.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "open_paths.h"

#include <glib.h>

#include "../tcp/connection.h"

/* Packets longer ago are not looked for: neither a queue nor a reader with ids takes longer. */
enum { NS_PER_S = 1000000000, OPEN_S = 60 };

void
open_paths_init(struct open_paths *paths, wmem_allocator_t *scope)
{
    *paths = (struct open_paths){ .scope = scope };
    hashed_init(&paths->names, scope);
    hashed_init(&paths->routes, scope);
}

static uint32_t
hash_of_key(const struct open_paths *paths, uint64_t key)
{
    return (uint32_t)hashed_mix(key ^ paths->names.key, paths->names.key << 1 | 1);
}

struct name *
open_paths_newest(const struct open_paths *paths, uint64_t key)
{
    return (struct name *)hashed_first(&paths->names, hash_of_key(paths, key));
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
    if (name != &name->open->first)
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
        path_free(open->path, paths->scope);
    wmem_free(paths->scope, open);
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

void
open_paths_name(struct open_paths *paths, struct open *open, uint64_t key, const struct fingerprint *fingerprint)
{
    struct name *newest = open_paths_newest(paths, key);
    unsigned looked_at = 0;
    for (const struct name *name = newest; name && looked_at < NAMES_A_KEY; name = name->older, looked_at++)
        if (name->open == open && name->fingerprint.ip_id == fingerprint->ip_id)
            return;
    struct name *name = open->names ? wmem_new(paths->scope, struct name) : &open->first;
    *name = (struct name){ .open = open, .older = newest, .next_of_open = open->names, .fingerprint = *fingerprint };
    open->names = name;
    if (newest) {
        newest->newer = name;
        hashed_remove(&paths->names, &newest->hashed);
    }
    hashed_add(&paths->names, &name->hashed, hash_of_key(paths, key));
}

static uint32_t
hash_of_route(const struct open_paths *paths, const struct fingerprint *fingerprint)
{
    const uint64_t key = paths->routes.key;
    const uint64_t source = hashed_bytes(key, &fingerprint->source, sizeof fingerprint->source);
    return (uint32_t)hashed_bytes(key ^ source, &fingerprint->destination, sizeof fingerprint->destination);
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

struct open *
open_paths_begin(struct open_paths *paths, const struct fingerprint *fingerprint, struct route *route, bool keep)
{
    struct open *open = wmem_new0(paths->scope, struct open);
    open->path = wmem_new0(paths->scope, struct path);
    open->path->number = ++paths->begun;
    open->path->widest = extent_of(fingerprint);
    open->path->keep = keep;
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
