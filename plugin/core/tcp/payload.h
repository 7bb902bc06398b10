/* payload.h
 * A segment with payload on its way to the request that it belongs to.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_PAYLOAD_H
#define LATENCY_PAYLOAD_H

#include <wsutil/wmem/wmem.h>

#include "run.h"

struct connection;

/* As it was captured. */
struct payload {
    struct connection *connection;
    const struct segment *segment; /* borrowed */
    struct packet packet;
    uint8_t sender;      /* index of its endpoint */
    bool after_fragment; /* the rest of what its sender sent before cannot come: it is an IP fragment */
};

/* What was known of a client's piece when it came. */
struct standing {
    bool is_alone;       /* the server had all that the client had said before, and the client all answers */
    int64_t server_read; /* the offset behind what had been read of the server; -1 if nothing was known of it */
};

/* What of it follows in its sender's stream. */
struct piece {
    const struct payload *payload;
    const struct standing *standing; /* of a client's piece that is delivered later than it came; else NULL */
    struct segment segment; /* the part: `seq`, `payload` and lengths are its own; no bytes if it was only sent again */
    uint32_t known_bytes;   /* from `segment.payload` on, also of the pieces that follow; 0 if only the part's are */
    int64_t start;          /* of the part in its sender's sequence */
    uint32_t fresh;         /* new bytes of it: all, or none if it was only sent again */
    bool again;             /* an earlier part of the same segment has been delivered */
    bool after_gap;         /* the capture does not have the bytes before it */
    bool ends;              /* none: its sender's stream ends here, by its FIN or a RST */
};

/* Reads what a segment is to what its sender has sent so far. False if it has no payload, or only probes whether its
 * peer is there. `ipid_step`: from continuity_take(); NULL if there is none. */
bool payload_take(struct payload *payload, struct connection *connection, const struct segment *segment,
                  const struct ipid_step *ipid_step, const struct settings *settings, wmem_allocator_t *scope);

#endif
