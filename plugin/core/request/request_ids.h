/* request_ids.h
 * The ids that a capture's requests carry, by which a call shows which request caused it (docs/calls.md). They are kept
 * beside the requests' records, also of those that are forgotten, and only where somebody wants them.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_REQUEST_IDS_H
#define LATENCY_REQUEST_IDS_H

#include "id_texts.h"
#include "../util/seldom.h"

struct connection;
struct request;
struct requests;

/* Bounds how many ids of a capture are kept: they take 128 MiB. */
enum { REQUEST_IDS_MOST = 1 << 23 };

/* An id that becomes known when so many of later requests are known already is not kept. */
enum { REQUEST_IDS_LATE = 4096 };

struct request_id {
    uint64_t hash;   /* see struct found_id */
    uint32_t number; /* the request's */
    uint8_t kind;    /* enum id_kind */
};

/* Bounds for how many requests of a capture the trace is kept: they take 128 MiB. */
enum { REQUEST_TRACES_MOST = 1 << 22 };

/* In what trace a request stands. */
struct request_trace {
    uint32_t number; /* the request's */
    struct trace_context context;
};

/* Per capture; zero at first. */
struct request_ids {
    struct request_id *all; /* in the order of the requests' numbers */
    uint32_t count, room;
    struct request_trace *traces; /* likewise; only where somebody wants them (request.h) */
    uint32_t n_traces, traces_room;
    /* Of a message that has not been told yet, of this connection, with this key, in this frame: */
    struct found_ids found;
    const struct connection *connection;
    uint64_t key;
    uint32_t frame;
};

/* Notes the ids of a message that will be told (exchanges.h) in this frame, and asks. */
void request_ids_note(struct requests *requests, const struct connection *connection, uint64_t key,
                      const struct found_ids *found);

/* Adds the ids that have been noted, if a message of this request has just been told, and forgets them. */
SELDOM void request_ids_settle(struct requests *requests, const struct request *request);

/* Adds an id of the request. */
void request_ids_add(struct requests *requests, const struct request *request, enum id_kind kind, uint64_t hash);

/* Adds in what trace the request stands to what is known of that. */
void request_ids_add_trace(struct requests *requests, uint32_t number, const struct trace_context *context);

/* Returns in what trace the request with this number stands; NULL if that is not known, or nobody wants to know. */
const struct trace_context *request_ids_trace(const struct requests *requests, uint32_t number);

/* Returns the ids of the request with this number, `count` of them, in a row; valid until another is added. */
const struct request_id *request_ids_of(const struct requests *requests, uint32_t number, unsigned *count);

#endif
