/* fastcgi_requests.h
 * The requests of a FastCGI connection that are under way: begun, and not ended.
 *
 * An id is used again as soon as its request has ended (the FastCGI Specification 1.0, 3.3), and most web servers have
 * but one id. Where records are missing, a request may have ended unseen, and another have its id: then it is given up,
 * and what is asked from there on is of another generation.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_FASTCGI_REQUESTS_H
#define LATENCY_FASTCGI_REQUESTS_H

#include "../parser.h"
#include "fastcgi_output.h"
#include "fastcgi_params.h"

/* The oldest of more is given up. */
enum { FASTCGI_REQUESTS_MOST = 256 };

struct fastcgi_request {
    uint16_t id;
    uint16_t role;
    bool has_asked;
    bool is_answered;
    bool is_lost;     /* its records pass unread */
    bool is_doubtful; /* bytes of the server are missing since it asked, which may have been of its answer */
    struct fastcgi_output output;
};

/* A connection's. */
struct fastcgi {
    /* Of the server, of the client. */
    struct fastcgi_side {
        uint16_t id;    /* of the record that is being read, or was last */
        bool lacks;     /* records are missing since the generation began */
        bool is_unread; /* and are until one is read */
    } side[2];
    uint16_t generation;
    uint32_t count, room;
    struct fastcgi_request *requests; /* the oldest first */
    struct fastcgi_params *params;    /* of the one that has not asked; NULL: there is none */
};

struct fastcgi *fastcgi_of(struct reading *reading);

/* Returns what the exchanges know the id by. */
uint64_t fastcgi_key(const struct fastcgi *fastcgi, uint16_t id);

/* NULL if none has the id. */
struct fastcgi_request *fastcgi_find_request(const struct fastcgi *fastcgi, uint16_t id);

/* Begins one, and gives up whoever has its id. */
void fastcgi_begin(struct reading *reading, uint16_t id, uint16_t role);

/* The request has ended. */
void fastcgi_end(struct fastcgi *fastcgi, struct fastcgi_request *request);

/* What follows of the request, which has asked, is nobody's. */
void fastcgi_lose(struct reading *reading, struct fastcgi_request *request);

/* Forgets the request whose beginning goes on no more. */
void fastcgi_drop_beginning(struct reading *reading);

/* The parameters that have been read are no longer needed. */
void fastcgi_drop_params(struct reading *reading);

/* Notes that records of that side are missing. */
void fastcgi_lack(struct reading *reading, bool from_client);

#endif
