/* open_paths.h
 * Paths that may go on: by the keys of their sightings' fingerprints and, for offload, the latest of a sender.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_OPEN_PATHS_H
#define LATENCY_OPEN_PATHS_H

#include "path.h"
#include "../util/hashed.h"

/* How many may go on, how many of the latest of a sender offload is looked for in, and how many of the latest with the
 * same key are looked at: the same packet can come thousands of times. */
enum { OPEN_PATHS = 65536, ROUTE_PATHS = 128, NAMES_A_KEY = 32 };

/* Bounds how many names a path's first sighting has, unless retis tracks it. */
enum { FIRST_NAMES = 2 };

/* A key of an open path; another one, of other sightings, can have the same. */
struct name {
    struct hashed hashed; /* by the key, of the newest with it; where two keys have one hash, they count as one */
    struct open *open;
    struct name *older, *newer; /* with the same key */
    struct name *next_of_open;  /* of the same path */
    const struct fingerprint *fingerprint;
};

/* A path that may go on, with all that one has which is seen once: nothing more is allocated for it. */
struct open {
    struct path *path;  /* `own`, or one that outlives its being open */
    struct name *names; /* the last of them */
    struct name first[FIRST_NAMES];
    struct fingerprint fingerprint; /* of the first sighting */
    unsigned n_first;
    struct open *newer;       /* in the order they began */
    struct route *route;      /* NULL where offload is out of the question */
    struct open *route_older; /* in the same route */
    struct open *route_newer;
    struct path own;
};

/* The open paths from one endpoint to another. */
struct route {
    struct hashed hashed; /* by its ends */
    struct endpoint ends[2];
    unsigned count : 30;
    bool ipv6 : 1;
    bool is_wide : 1; /* its packets are too far apart for: */
    struct range span; /* in which those of the latest ROUTE_PATHS lie, at least */
    struct open *newest;
};

struct open_paths {
    wmem_allocator_t *scope;
    struct hashed_table names, routes;
    struct open *oldest, *newest;
    struct open *spare; /* that are open no more, by `newer` */
    struct open *fresh; /* that were allocated, but never used: */
    unsigned n_fresh;
    uint32_t count;
    uint32_t begun;
};

/* Live in `scope`. */
void open_paths_init(struct open_paths *paths, wmem_allocator_t *scope);

/* Those that cannot go on any more by `now_ns`, or are too many. */
void open_paths_close_old(struct open_paths *paths, int64_t now_ns);

/* A new one, without sightings. `keep`: it outlives its being open. `route`: that of the fingerprint, or NULL. */
struct open *open_paths_begin(struct open_paths *paths, const struct fingerprint *fingerprint, struct route *route,
                              bool keep);

/* The path has got these bytes. */
void open_paths_widen(struct open *open, const struct fingerprint *fingerprint);

/* The hash of a fingerprint's key, by which a path is found. */
static inline uint32_t
open_paths_hash(const struct open_paths *paths, uint64_t key)
{
    return (uint32_t)hashed_mix(key ^ paths->names.key, paths->names.key << 1 | 1);
}

/* From now on it is found by the hash of this fingerprint. */
void open_paths_name(struct open_paths *paths, struct open *open, uint32_t hash, const struct fingerprint *fingerprint);

/* The latest name with that hash; NULL for none. */
struct name *open_paths_newest(const struct open_paths *paths, uint32_t hash);

/* Those from the fingerprint's source to its destination; NULL for none. */
struct route *open_paths_route(const struct open_paths *paths, const struct fingerprint *fingerprint);

/* Returns whether any of its latest paths may have bytes of the range, or lies within it. */
static inline bool
route_may_have(const struct route *route, struct range range)
{
    return route->is_wide || ranges_meet(route->span, range);
}

#endif
