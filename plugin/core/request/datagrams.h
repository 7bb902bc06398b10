/* datagrams.h
 * Requests in datagrams of UDP, each with its answer in another: DNS (dns_datagram.h).
 *
 * A conversation is a client's address, and a server: a struct connection whose client has port 0, for resolvers ask
 * each query from a port of its own. A query is answered by what has its key: id, question and port. As long as it is
 * not, the same again is one more attempt, and the same request. What comes again after that is a retransmission, if an
 * answer to one of the last DATAGRAMS_RECENT requests, or else a request of its own.
 *
 * A query is awaited for DATAGRAM_WAIT_NS since its last attempt, which is what glibc waits at most (resolv.conf(5)),
 * and tried for DATAGRAM_TRIES_NS. Of a capture DATAGRAMS_OUTSTANDING are awaited at once: of more, the oldest are
 * lost.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_DATAGRAMS_H
#define LATENCY_DATAGRAMS_H

#include "event.h"
#include "operation.h"
#include "request.h"

enum { DATAGRAMS_OUTSTANDING = 65536, DATAGRAMS_RECENT = 64 };
#define DATAGRAM_WAIT_NS  INT64_C(30000000000)
#define DATAGRAM_TRIES_NS INT64_C(120000000000)

struct datagram {
    struct segment segment; /* in its conversation, once that is known: the client's port is 0 */
    struct message message; /* what it says: MESSAGE_ASKS or MESSAGE_ANSWERS; may point into: */
    char operation[OPERATION_ROOM];
    struct endpoint group; /* if has_group: who may have been asked instead of the answer's sender */
    uint16_t client_port;
    bool has_group;
    bool names_request; /* by its key; else it answers what alone is outstanding with its id, its lowest 16 bits */
};

/* Of a capture. */
struct datagrams {
    struct connection_table *conversations;
    GQueue outstanding; /* of struct request_reference: the one that was asked first */
};

/* `count`: see connection_table_new(). End with datagrams_clear(). */
void datagrams_init(struct datagrams *datagrams, wmem_allocator_t *scope, uint32_t *count);
void datagrams_clear(struct datagrams *datagrams);

/* The datagram's conversation, a new one if there is none; it is told there by datagrams_take(). */
struct connection *datagrams_find(struct datagrams *datagrams, const struct requests *requests,
                                  struct datagram *datagram);

/* Takes a datagram of the conversation. */
void datagrams_take(struct datagrams *datagrams, struct requests *requests, struct connection *conversation,
                    struct datagram *datagram);

/* An ICMP error quotes the query: nobody listens, for now. */
void datagrams_refuse(struct requests *requests, struct connection *conversation, const struct datagram *query);

#endif
