/* item.h
 * What a frame means to the connections and requests in it, kept for whoever visits the frame again.
 *
 * One item per meaning: a payload segment, a step of the handshake. 32 bytes each, and 4 per frame.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_ITEM_H
#define LATENCY_ITEM_H

#include <stdbool.h>
#include <stdint.h>

#include <glib.h>

struct connection;
struct request;
struct sighting;

enum item_kind {
    ITEM_SYN,         /* the first SYN of an attempt to connect */
    ITEM_SYN_AGAIN,   /* the same, sent again; nothing to show */
    ITEM_ANSWER,      /* what answers it */
    ITEM_ACK,         /* what completes the handshake */
    ITEM_REQUEST,     /* client payload */
    ITEM_RESPONSE,    /* server payload */
    ITEM_UNSOLICITED, /* server payload without a request */
    ITEM_STRAY,       /* client payload without a request, a retransmission of what no known request has, or a part of a
                       * TLS record in whose end a message begins */
    ITEM_DUPLICATE,   /* captured just before; not traffic */
    ITEM_UNREAD,      /* a segment of which nothing can be said: its header is cut, or it has no time */
    ITEM_AMENDED,     /* something else has become known of the request; nothing to show */
    ITEM_UNPLACED,    /* server payload that answers a request, but not yet known which; nothing to show */
    ITEM_SIGHTING     /* of a packet, in a capture with several points */
};

enum {
    ITEM_FIRST = 0x0001, /* of its request or response: the fields between packets do not apply */
    ITEM_IPID = 0x0002,  /* ipid_delta holds something */
    ITEM_IPID_GAP = 0x0004,
    ITEM_OUT_OF_ORDER = 0x0008,
    ITEM_RETRANSMISSION = 0x0010,
    ITEM_SHORT = 0x0020,
    ITEM_AFTER_SHORT = 0x0040,
    ITEM_CHUNK_BOUNDARY = 0x0080,
    ITEM_SHOWN = 0x00fc,         /* the flags above that a frame carries, but the first of its request or response */
    ITEM_IPID_CONSTANT = 0x0100, /* what the step to its IP ID looks like; none of these: a counter's */
    ITEM_IPID_SWAPPED = 0x0200,
    ITEM_IPID_RANDOM = 0x0400,
    ITEM_MESSAGE = 0x0800, /* one more message in a frame of payload that has an item */
    ITEM_LAST = 0x8000     /* of its frame */
};

struct item {
    union {
        struct connection *connection; /* NULL in ITEM_UNREAD */
        struct request *request;       /* in ITEM_REQUEST, ITEM_RESPONSE, ITEM_AMENDED */
        struct sighting *sighting;     /* in ITEM_SIGHTING */
    };
    uint64_t byte_offset;
    int64_t spacing_ns;
    int16_t ipid_delta;
    uint16_t flags;
    uint8_t kind;
    uint8_t sender; /* of payload: the index of its endpoint in the connection */
};

/* How many flags it shows. */
unsigned item_flags(const struct item *item);

/* The connection whose attempt to connect an item begins or goes on with; NULL for other items. */
const struct connection *item_attempt(const struct item *item);

/* The connection whose payload an item is; NULL for other items. */
const struct connection *item_payload(const struct item *item);

/* The request that an item changes, begins or goes on with; NULL for other items. */
const struct request *item_request(const struct item *item);

struct items;

/* `keep`: false if no frame is ever visited again; then items live until the next frame's. */
struct items *items_new(bool keep);
void items_free(struct items *items);

/* From now on frames are visited again, or not. */
void items_set_keep(struct items *items, bool keep);
bool items_are_kept(const struct items *items);

/* A zeroed item at the end of those of `frame`, which is not lower than in any call before. The pointer stays valid. */
struct item *items_add(struct items *items, uint32_t frame, enum item_kind kind);

/* Drops the items of the last frame with items, if that is `frame`: another frame has got its number. */
void items_drop(struct items *items, uint32_t frame);

/* Position of the last item added, for items_at(); -1 before the first. */
uint32_t items_last(const struct items *items);
struct item *items_at(struct items *items, uint32_t position);

/* The items of a frame in the order they were added: NULL after the last. `position` is the caller's to keep. */
struct item *items_first(struct items *items, uint32_t frame, uint32_t *position);
struct item *items_next(struct items *items, uint32_t *position);

#endif
