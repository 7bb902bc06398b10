/* overtaking.h
 * Response frames that the capture has before their request.
 *
 * A server's frame that acknowledges client payload not seen yet is watched. If that payload turns up, the capture has
 * the frames in the wrong order, and they become its response. If it does not, it was not captured, and nothing
 * changes.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_OVERTAKING_H
#define LATENCY_OVERTAKING_H

#include "request.h"

/* Frees what was allocated for the connection. */
void overtaking_clear(struct requests *requests, struct connection *connection);

/* A watched frame, and what it is in the row it counts to. */
struct overtaken {
    struct item item;
    int64_t start; /* of its payload in the server's sequence */
    uint32_t frame;
    uint32_t position; /* of its item among the capture's, where they are kept */
};

/* To be called for new server payload that answers no waiting request. `before`: the request whose response it
 * continues; NULL if it is unsolicited. Returns what is then to be noted, or NULL. */
struct overtaken *overtaking_watch(struct requests *requests, struct connection *connection,
                                   const struct segment *segment, const struct place *place, struct request *before);

/* The last item added is the watched frame's. */
void overtaking_note(struct overtaken *watched, struct items *items);

/* Where items are kept, writes those of the frames anew. */
void overtaken_write(const struct overtaken *frames, unsigned count, struct items *items);

/* `request` begins with `segment`: gives it the frames that overtook it, if any did. */
void overtaking_settle(struct requests *requests, struct connection *connection, const struct segment *segment,
                       struct request *request);

/* The frames that overtook the request, which is the connection's last to begin, in order; NULL if none did. Borrowed
 * until the next frame is taken. */
const struct overtaken *overtaking_frames(const struct connection *connection, const struct request *request,
                                          unsigned *count);

#endif
