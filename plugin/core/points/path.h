/* path.h
 * A packet's sightings in the order of time.
 *
 * Where offload cuts or merges, the packet is the largest of what was seen of it: each sighting's bytes lie within it.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_PATH_H
#define LATENCY_PATH_H

#include "fingerprint.h"
#include "point.h"
#include "process.h"

struct connection;
struct path;

struct sighting {
    struct path *path;
    struct connection *connection; /* NULL without TCP; valid while its frame is visited */
    const struct process *process; /* that the frame names; NULL if it names none */
    int64_t time_ns;               /* since the epoch, within 2^62 */
    uint32_t frame;                /* higher than in any before */
    struct range range;
    uint16_t point;
    uint16_t sample; /* N: from this frame on one connection in N is recorded; 0: the recorder says nothing of it */
    uint32_t lost;   /* sightings before it, by whoever recorded */
    uint8_t heading; /* enum heading */
    uint8_t sender;  /* index of its endpoint in the connection */
    bool traffic;    /* counted by the analysis of requests */
};

enum { PATH_SIGHTINGS = 1024 };

/* A packet, or a part of one: its ends and its bytes. */
struct extent {
    struct endpoint source, destination;
    struct range range;
    uint16_t ip_id;
    bool has_ip_id;
    bool ipv6;
};

struct path {
    struct sighting **sightings; /* by time, then frame */
    struct sighting **by_point;  /* the same by point: the same packet can pass many points many times */
    struct sighting *only;       /* both, of a packet that was seen once; else they have: */
    struct sighting begun;       /* the first that came */
    uint16_t count;
    uint16_t room : 14;
    bool has_id : 1; /* of a sighting */
    bool keep : 1;   /* it outlives its being open */
    uint32_t number; /* in the capture, from 1 */
    struct extent widest;
};

struct extent extent_of(const struct fingerprint *fingerprint);

/* Fills in a path without sightings. */
void path_begin(struct path *path, uint32_t number, const struct fingerprint *fingerprint, bool keep);

/* Puts a sighting in its place. False if the path is full. */
bool path_add(struct path *path, struct sighting *sighting, wmem_allocator_t *scope);

/* As the frames up to `frame` have it (UINT32_MAX: all): the path's first sighting, and the one before `sighting` that
 * has bytes of it. NULL if there is none before it. */
const struct sighting *path_first(const struct path *path, uint32_t frame);
const struct sighting *path_before(const struct sighting *sighting, uint32_t frame);

/* The latest sighting at that kind of point that has bytes of the range; NULL without. */
const struct sighting *path_at(const struct path *path, struct range range, const struct points *points,
                               enum point_kind kind);

/* Whether bytes of the range were seen there. */
bool path_passed(const struct path *path, uint16_t point, struct range range);

/* Whether bytes of the range have been counted as traffic: where, or 0. */
uint16_t path_traffic(const struct path *path, struct range range);

/* Frees all that it has allocated. */
void path_clear(struct path *path, wmem_allocator_t *scope);

/* How far a time is from that of the nearest sighting. */
int64_t path_distance(const struct path *path, int64_t time_ns);

#endif
