/* ca_searched.h
 * A name that was searched for, and who answered.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_CA_SEARCHED_H
#define LATENCY_CA_SEARCHED_H

#include "../ca/circuit_protocol.h"
#include "groups.h"
#include "statistic.h"

/* All zero for none. Call ca_searched_clear() when done with it. */
struct ca_searched {
    uint64_t searches;
    uint64_t attempts;
    struct statistic time; /* of searches that were answered */
    GArray *servers;       /* of struct ca_answerer; NULL before the first */
};

/* A server that answered; of some dozens each is kept, once. */
struct ca_answerer {
    struct endpoint endpoint;
    bool ipv6;
};

/* What a search has added so far; zeroed before the first call. */
struct ca_searched_share {
    uint32_t attempts;
    bool counted;
    bool answered;
};

/* Of the row of a search: in pvAccess each client has one of its own for a name. */
struct group_key ca_searched_key(const struct ca_searches *searches, const struct circuit_protocol *protocol,
                                 const struct ca_search *search);

void ca_searched_clear(void *searched);

/* Takes the search as it is now. */
void ca_searched_take(struct ca_searched *searched, struct ca_searched_share *share, const struct ca_searches *searches,
                      const struct ca_search *search);

/* Adds a server that answered, unless it is there. */
void ca_searched_add_server(struct ca_searched *searched, const struct ca_answerer *server);

/* Takes what the other has, too: of other searches. */
void ca_searched_merge(struct ca_searched *searched, const struct ca_searched *other);

unsigned ca_searched_servers(const struct ca_searched *searched);
const struct ca_answerer *ca_searched_server(const struct ca_searched *searched, unsigned i);

#endif
