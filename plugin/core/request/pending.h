/* pending.h
 * Requests on their way to a row: with their frames, until so many more have begun on their connection that the core
 * may have forgotten them (request.h).
 *
 * Rows are the same in one pass and in two.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_PENDING_H
#define LATENCY_PENDING_H

#include "request.h"
#include "../util/spill_buffer.h"

enum { PENDING_REQUESTS = REQUESTS_RECENT };

/* A frame of a request or of its response. */
struct pending_packet {
    int64_t spacing_ns;
    uint64_t byte_offset;
    uint32_t frame;
    int16_t ipid_delta;
    uint16_t flags;
    bool of_response;
};

struct pending_request {
    struct request request; /* as it was when last looked at */
    char *operation;        /* its own, and the one of `request` */
    uint32_t retransmissions;
    uint32_t last_frame;    /* the highest of those taken */
    uint32_t updated_frame; /* of the last update taken */
    bool is_unsorted;       /* the packets are not in the order of the capture */
    struct chain packets;   /* of struct pending_packet */
    struct request_reference live;
    GList link;
};

struct pending_requests;

/* `write` is told of each request once, when nothing more will come of it. `spill_buffer`: for the packets; NULL if
 * nobody wants them. */
struct pending_requests *pending_requests_new(struct spill_buffer *spill_buffer,
                                              void (*write)(void *data, const struct pending_request *pending),
                                              void *data);
void pending_requests_free(struct pending_requests *requests);

/* Takes an item of kind ITEM_REQUEST, ITEM_RESPONSE or ITEM_UPDATED with the frame `now`, be it of an earlier one. True
 * if a request is new with it. */
bool pending_requests_take(struct pending_requests *requests, const struct item *item, uint32_t now);

/* Nothing more will come of the connection: writes its requests. To be called before it is forgotten. */
void pending_requests_end(struct pending_requests *requests, const struct connection *connection);

/* Writes all, in the order of their numbers. */
void pending_requests_flush(struct pending_requests *requests);

#endif
