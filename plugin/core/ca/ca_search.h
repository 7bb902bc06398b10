/* ca_search.h
 * Searches for channels by name: who asked, how often, and who answered.
 *
 * A search lasts from the first SEARCH of a client for a name until a circuit asked for that channel; the next SEARCH,
 * after a disconnect, begins another.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_CA_SEARCH_H
#define LATENCY_CA_SEARCH_H

#include "ca_circuit.h"
#include "ca_peer.h"
#include "../util/lookup.h"
#include "../util/texts.h"

/* Parties by their numbers. */
struct ca_search {
    const char *pv;
    int64_t first_ns;   /* the first SEARCH */
    int64_t attempt_ns; /* the SEARCH that was answered; the last one while none was */
    int64_t answer_ns;  /* the first reply */
    uint32_t cid;
    uint32_t searcher;
    uint32_t host;   /* the searcher's */
    uint32_t server; /* of the first reply; 0: none answered */
    uint32_t others; /* number of the first ca_replier; servers that answered too */
    uint32_t first_frame;
    uint32_t attempt_frame;
    uint32_t answer_frame;
    uint32_t attempts; /* up to the first reply */
    uint32_t channel;  /* of pvAccess: that it led to; before there is one, that an earlier search led to */
    uint32_t older;    /* number of the search before with this host and cid */
    uint16_t replies;
    bool not_found; /* a server said that it does not have the name */
    bool used;      /* a circuit has asked for the channel */
};

/* One more server that answered. */
struct ca_replier {
    uint32_t server;
    uint32_t next;
};

struct ca_searches {
    struct pool pool;
    struct pool repliers;
    struct lookup by_searcher; /* and cid */
    struct lookup by_host;     /* and cid: the newest */
    struct ca_peers peers;
    struct texts names;
};

/* A datagram, or what a circuit carries of searches, between its VERSIONs. */
struct ca_batch {
    struct ca_peer *searcher;
    uint32_t sequence; /* of the last VERSION, if valid */
    bool has_sequence;
};

void ca_searches_init(struct ca_searches *searches, wmem_allocator_t *scope);

/* Each returns the number of the search, 0 if the capture does not have it. */
uint32_t ca_search_ask(struct ca_searches *searches, const struct ca_batch *batch, uint32_t cid, const uint8_t *name,
                       size_t name_bytes, const struct ca_arrival *arrival);
/* One that has been asked for. */
uint32_t ca_search_find(const struct ca_searches *searches, const struct ca_batch *batch, uint32_t cid,
                        const uint8_t *name, size_t name_bytes);
uint32_t ca_search_reply(struct ca_searches *searches, const struct ca_batch *batch, uint32_t cid,
                         const struct ca_peer *server, const struct ca_arrival *arrival);
uint32_t ca_search_not_found(struct ca_searches *searches, const struct ca_batch *batch, uint32_t cid);

/* The search that led a client on `host` to ask `server` for the channel; 0 if there is none. `ambiguous`: there are
 * several which may be. */
uint32_t ca_search_use(struct ca_searches *searches, uint32_t host, uint32_t cid, const char *pv, uint32_t server,
                       bool *ambiguous);

struct ca_search *ca_search_at(const struct ca_searches *searches, uint32_t number);

/* From the first SEARCH, and from the one that was answered, to the first reply, in nanoseconds; -1 if unanswered. */
int64_t ca_search_time(const struct ca_search *search);
int64_t ca_search_latency(const struct ca_search *search);

#endif
