/* call_map.h
 * Who calls whom: the calls of each server by each other one, and the requests of clients that are no servers.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef REPORT_CALL_MAP_H
#define REPORT_CALL_MAP_H

#include "json/call_links.h"
#include "core/util/wide.h"

/* The clients that are no servers, in the place of a server's row. */
#define CALL_CLIENTS UINT32_MAX

struct call_edge {
    int64_t pair;            /* of both rows */
    uint32_t caller, called; /* rows of servers */
    uint64_t calls, errors, unanswered, by_worker;
    wide time_ns; /* of clients: how long they waited; else of the requests to the caller: when a call was under way */
    uint64_t counted; /* the latest request to the caller, of which this has been counted until then: */
    int64_t counted_ns;
};

struct call_map {
    GPtrArray *edges; /* of struct call_edge */
    GHashTable *by_pair;
    uint64_t requests;         /* that have been looked at */
    uint64_t told[CALL_RULES]; /* calls by rule; of CALL_SEVERAL those whose cause is not told */
    uint64_t none;             /* calls of which no request was seen that can have caused them */
};

void call_map_init(struct call_map *map);
void call_map_clear(struct call_map *map);

/* Adds the requests of a file, after call_links_join(). `serves` says whether the host of that row is a server in it.
 */
void call_map_take(struct call_map *map, const struct call_links *links, bool (*serves)(void *data, uint32_t client),
                   void *data);

/* Sorts the edges: the one with most time comes first. To be called last. */
void call_map_sort(struct call_map *map);

/* Returns whether any call is told. */
bool call_map_has_calls(const struct call_map *map);

#endif
