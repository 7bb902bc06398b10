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

#include "../util/vocabulary.h"

struct ca_circuit;
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
    ITEM_UNREQUESTED, /* payload of no request: the client's, a retransmission of what no known request has, a part of a
                       * TLS record in whose end a message begins, or what HTTP/2 sends for its connection */
    ITEM_DUPLICATE,   /* captured just before; not traffic */
    ITEM_UNREAD,      /* a segment of which nothing can be said: its header is cut, or it has no time */
    ITEM_UPDATED,     /* something else has become known of the request; nothing to show */
    ITEM_HELD, /* payload behind a hole in its stream, or the beginning of a message that does not show yet whose it
                * is; nothing to show */
    ITEM_UNDECIDED, /* server payload that answers a request, but not yet known which; nothing to show */
    ITEM_SIGHTING,  /* of a packet, in a capture with several points */
    ITEM_CIRCUIT,   /* messages of a circuit of Channel Access that end in the frame; nothing to show */
    ITEM_TLS,       /* payload with a step of its connection's handshake of TLS */
    ITEM_DATAGRAM,  /* of QUIC, with nothing else; nothing to show */
    ITEM_SPIN,      /* a datagram of QUIC whose spin bit gives an RTT */
    ITEM_NONE       /* the kind of no item */
};

#define PACKET_FLAG(name, word, bit) ITEM_##name = (bit),
enum {
    ITEM_FIRST = 0x0001, /* of its request or response: the fields between packets do not apply */
    ITEM_IPID = 0x0002,  /* ipid_delta holds something */
    PACKET_FLAG_LIST(PACKET_FLAG) ITEM_SHOWN =
        0x00fc,                  /* the flags above that a frame carries, but the first of its request or response */
    ITEM_IPID_CONSTANT = 0x0100, /* what the step to its IP ID looks like; none of these: a counter's */
    ITEM_IPID_SWAPPED = 0x0200,
    ITEM_IPID_RANDOM = 0x0400,
    ITEM_MESSAGE = 0x0800, /* one more message in a frame of payload that has an item */
    ITEM_LATE = 0x1000,    /* of an earlier frame, and only now known: see items_late() */
    ITEM_DEMOTED = 0x2000, /* in ITEM_UPDATED: see items_demote() */
    ITEM_LAST = 0x8000     /* of its frame */
};
#undef PACKET_FLAG

struct item {
    union {
        struct connection *connection; /* NULL in ITEM_UNREAD */
        struct request *request;       /* in ITEM_REQUEST, ITEM_RESPONSE, ITEM_UPDATED */
        struct sighting *sighting;     /* in ITEM_SIGHTING */
        struct ca_circuit *circuit;    /* in ITEM_CIRCUIT */
    };
    union {
        uint64_t byte_offset;
        struct {
            uint32_t first_message, n_messages; /* in ITEM_CIRCUIT: in what its flow has noted */
        };
        struct {
            uint32_t n_believed, n_rounds; /* in ITEM_SPIN: see quic_spin.h */
        };
    };
    int64_t spacing_ns; /* in ITEM_SPIN: the RTT; in ITEM_UNSOLICITED: since the connection's latest, -1 for none, nor
                         * from a greeting to what follows its first request */
    int16_t ipid_delta;
    uint16_t flags;
    uint8_t kind;
    union {
        uint8_t sender;   /* of payload: the index of its endpoint in the connection */
        bool from_client; /* in ITEM_CIRCUIT */
    };
};

/* How many flags it shows. */
unsigned item_flags(const struct item *item);

/* The request that an item changes, begins or goes on with; NULL for other items. */
const struct request *item_request(const struct item *item);

struct items;

/* `keep`: false if no frame is ever visited again; then items live until the next frame's. */
struct items *items_new(bool keep);
void items_free(struct items *items);

/* From now on frames are visited again, or not. */
void items_set_keep(struct items *items, bool keep);
bool items_are_kept(const struct items *items);

/* A zeroed item at the end of those of `frame`, which is not lower than in any call before but for late ones. The
 * pointer stays valid until the frame gets a late item; that of a late one until items_end_late(). */
struct item *items_add(struct items *items, uint32_t frame, enum item_kind kind);

/* From now on `frame`, which is not lower than in any call before, is the one being taken: earlier ones are late. */
void items_enter(struct items *items, uint32_t frame);

/* Until items_end_late(), items that are added to `frame`, an earlier one, are late: they are in items_late(). Where
 * items are kept they stand in their frame from then on, the first instead of its ITEM_HELD. */
void items_begin_late(struct items *items, uint32_t frame);
void items_end_late(struct items *items);

/* What was of kind `was` in a frame, ITEM_HELD or ITEM_UNDECIDED, is this; if nothing was (ITEM_NONE), it is one more.
 */
void items_settle(struct items *items, uint32_t frame, const struct item *item, enum item_kind was);

/* A packet of that frame is not the first of its request or response, after all: it has these flags, wherever its item
 * is. If the item has been told already, a late ITEM_UPDATED of that frame has ITEM_DEMOTED and the flags. */
void items_demote(struct items *items, uint32_t frame, struct request *request, enum item_kind kind, uint16_t flags);

/* An item that has become known with a later frame than its own. */
struct late_item {
    struct item item; /* with ITEM_LATE */
    uint32_t frame;
};

/* Those that became known with the last frame that has items; NULL if there are none. Whoever saw the earlier frames
 * when they were new has not seen them. */
const struct late_item *items_late(const struct items *items, unsigned *count);

/* They have been told: there are none, until more become known. */
void items_told(struct items *items);

/* The frame of an item that a tap listener is given with `frame`. */
uint32_t item_frame(const struct item *item, uint32_t frame);

/* Where items are not kept: there are none, and frames may be numbered anew. */
void items_forget(struct items *items);

/* Drops the items of the last frame with items, if that is `frame`: another frame has got its number. */
void items_drop(struct items *items, uint32_t frame);

/* The items of a frame in the order they were added: NULL after the last. `position` is the caller's to keep. */
struct item *items_first(struct items *items, uint32_t frame, uint32_t *position);
struct item *items_next(struct items *items, uint32_t *position);

#endif
