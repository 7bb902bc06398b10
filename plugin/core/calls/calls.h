/* calls.h
 * Which request caused which: a call of a request is one that its server made as a client while it was outstanding
 * there (docs/calls.md).
 *
 * A layer over finished requests: takes each once, when nothing more comes of it, and tells all causes at once when it
 * is asked.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_CALLS_H
#define LATENCY_CALLS_H

#include "../request/request.h"

/* Bounds how many requests that are outstanding on a host at a time are looked at for one call. */
enum { CALL_CANDIDATES = 256 };

/* How a call's cause is known: CALL_RULE_LIST of vocabulary.h, in the order in which rules are tried. */

/* A request, and what caused it. Times since the epoch; INT64_MAX where there is none. */
struct call {
    int64_t begins_ns;   /* the request's first byte, q0 */
    int64_t answers_ns;  /* the response's first byte, p0 */
    int64_t ends_ns;     /* its last, p1; of a request without response when it ended, if it has */
    uint32_t asking_ns;  /* first to last byte of the request; at most UINT32_MAX */
    uint32_t frame;      /* the first of the request */
    uint32_t end_frame;  /* the last of the response; 0: there is none */
    uint32_t operation;  /* for calls_operation() */
    uint32_t connection; /* its number in the capture */
    uint32_t said;       /* a hash of what it asks for, as it stands: see the rule `same` */
    uint32_t cause;      /* number of the request that caused it; 0: none is told */
    uint16_t candidates; /* requests that may have caused it; CALL_CANDIDATES if there were more. A single one need not
                          * be it where the host may have asked on its own account */
    uint8_t rule;        /* enum call_rule */
    uint8_t probability; /* in percent; 100 where the rule is certain */
    uint8_t outcome;     /* enum outcome */
    bool failed : 1;     /* its response is an error */
    bool is_retry : 1;   /* of a call of the same cause that failed, or had no response */
    bool is_pushed : 1;  /* the server asked in the client's place: it is no call */
    bool is_login : 1;   /* it opens a connection, for what is asked for on it */
    bool is_call : 1;    /* its client is a host that is a server in the capture, too */
    bool is_handed : 1;  /* the thread that sends it has read none of the requests that may have caused it */
    enum wait wait : 2;
    bool is_joined : 1;  /* its client's address is another than that of which the host is asked: see calls_joins.h */
    bool is_crowded : 1; /* more requests than CALL_CANDIDATES were outstanding on the host when it began */
    union {
        uint32_t first_call;  /* for calls_each(): where its calls would begin */
        uint32_t asked_place; /* while a host's causes are told: of a request to it, the place among these */
    };
};
_Static_assert(sizeof(struct call) == 64, "docs/calls.md: what a request costs");

/* Requests of one kind, of one server. */
struct call_operation {
    struct endpoint server;
    const char *kind; /* as in latency,operations, with numbers folded */
    bool ipv6;
    uint8_t framing; /* enum protocol */
};

/* Two addresses that count as one host's, as requests show that one passes on: see calls_joins.h. */
struct call_join {
    struct endpoint listens, sends; /* port 0 */
    bool listens_ipv6, sends_ipv6;
    uint32_t requests; /* how many are passed on */
    uint32_t by_id;    /* of these with an id of theirs; the others name their clients */
};

struct calls;
struct points;
struct sighting;
struct clock_difference;

/* Begins without any request. `settings` are borrowed until calls_free(); same_hosts.h says which of them count. */
struct calls *calls_new(const struct settings *settings);
void calls_free(struct calls *calls);

/* Takes a request of which nothing more will come; one that is taken already is taken anew. 64 bytes each, and 4 of a
 * call whose cause is told. */
void calls_take(struct calls *calls, const struct requests *requests, const struct request *request);

/* Takes a sighting of a packet with a segment, once it is known whether it is the one that is analysed: the thread that
 * sent or read it. */
void calls_take_sighting(struct calls *calls, const struct points *points, const struct sighting *sighting);

/* Returns whether there are capture points that do not agree on the time (calls_clocks.h), and which. */
bool calls_points_differ(const struct calls *calls, struct clock_difference *difference);

/* Tells the cause of each request that has been taken, by what is known now. Does nothing if no request has been taken
 * since it was called last. `ids`: those of all these requests. */
void calls_tell(struct calls *calls, const struct request_ids *ids);

/* Returns what calls_tell() has joined, `count` of them. */
const struct call_join *calls_joined(const struct calls *calls, unsigned *count);

/* Returns the request of this number; NULL if it has not been taken. Its cause is known after calls_tell(). */
const struct call *calls_find(const struct calls *calls, uint32_t number);

/* Returns the highest number of a request. */
uint32_t calls_last(const struct calls *calls);

const struct call_operation *calls_operation(const struct calls *calls, uint32_t operation);
uint32_t calls_operations(const struct calls *calls); /* how many there are, from 0 */

/* Hands over the numbers of a request's calls, in the order in which they began; after calls_tell(). */
void calls_each(const struct calls *calls, uint32_t number, void (*take)(void *data, uint32_t call), void *data);

/* Returns whether the request caused others; after calls_tell(). */
bool calls_has_any(const struct calls *calls, uint32_t number);

/* How the time for which its client waited for a request was spent, after calls_tell(): with calls outstanding (each
 * moment once), and not. Both are 0 of one without response, and of one that awaits an event. Of a call that is a
 * stream the time up to its first byte counts. */
struct call_times {
    uint32_t calls;
    int64_t call_ns, own_ns;
};
struct call_times calls_times(const struct calls *calls, uint32_t number);

/* Returns how many requests have a cause that was told by this rule. */
uint64_t calls_told(const struct calls *calls, enum call_rule rule);

#endif
