/* open_paths.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "open_paths.h"

#include <glib.h>

#include "../tcp/connection.h"

/* Packets longer ago are not looked for: neither a queue nor a reader with ids takes longer. */
enum { NS_PER_S = 1000000000, OPEN_S = 60 };

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

void
open_paths_init(struct open_paths *paths, wmem_allocator_t *scope)
{
    *paths = (struct open_paths){
        .scope = scope,
        .names = wmem_map_new(scope, wmem_int64_hash, g_int64_equal),
        .routes = wmem_map_new(scope, hash_route, equal_routes),
    };
}

struct name *
open_paths_newest(const struct open_paths *paths, uint64_t key)
{
    const struct name *oldest = wmem_map_lookup(paths->names, &key);
    return oldest ? oldest->newest : NULL;
}

static void
drop_name(struct open_paths *paths, struct name *name)
{
    struct name *oldest = wmem_map_lookup(paths->names, &name->key);
    if (name->newer)
        name->newer->older = name->older;
    else
        oldest->newest = name->older;
    if (name->older) {
        name->older->newer = name->newer;
    } else {
        /* the table's key is the name's own */
        wmem_map_remove(paths->names, &name->key);
        if (name->newer) {
            name->newer->newest = name->newest;
            wmem_map_insert(paths->names, &name->newer->key, name->newer);
        }
    }
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
        wmem_map_remove(paths->routes, route);
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
    if (!open->keep)
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
    struct name *name = wmem_new(paths->scope, struct name);
    *name = (struct name){
        .key = key, .open = open, .older = newest, .next_of_open = open->names, .fingerprint = *fingerprint
    };
    open->names = name;
    if (!newest)
        wmem_map_insert(paths->names, &name->key, name);
    else
        newest->newer = name;
    struct name *oldest = newest ? wmem_map_lookup(paths->names, &key) : name;
    oldest->newest = name;
}

struct route *
open_paths_route(const struct open_paths *paths, const struct fingerprint *fingerprint)
{
    struct route key = { .ends = { fingerprint->source, fingerprint->destination }, .ipv6 = fingerprint->ipv6 };
    return wmem_map_lookup(paths->routes, &key);
}

static void
join_route(struct open_paths *paths, struct open *open, const struct fingerprint *fingerprint)
{
    struct route *route = open_paths_route(paths, fingerprint);
    if (!route) {
        route = wmem_new(paths->scope, struct route);
        *route = (struct route){ .ends = { fingerprint->source, fingerprint->destination }, .ipv6 = fingerprint->ipv6 };
        wmem_map_insert(paths->routes, route, route);
    }
    open->route = route;
    open->route_older = route->newest;
    if (route->newest)
        route->newest->route_newer = open;
    route->newest = open;
    route->count++;
}

struct open *
open_paths_begin(struct open_paths *paths, const struct fingerprint *fingerprint, bool keep)
{
    struct open *open = wmem_new0(paths->scope, struct open);
    open->path = wmem_new0(paths->scope, struct path);
    open->path->number = ++paths->begun;
    open->path->widest = extent_of(fingerprint);
    open->keep = keep;
    if (paths->newest)
        paths->newest->newer = open;
    else
        paths->oldest = open;
    paths->newest = open;
    paths->count++;
    if (fingerprint->tcp && fingerprint->bytes)
        join_route(paths, open, fingerprint);
    return open;
}
