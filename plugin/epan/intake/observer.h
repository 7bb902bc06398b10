/* observer.h
 * Who wants to see what the intake gives to the core: each call on the first visit of a frame only, in capture order.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_OBSERVER_H
#define LATENCY_OBSERVER_H

#include <epan/packet.h>

#include "../../core/request/framing.h"

/* Functions are NULL where nobody wants to know. */
struct observer {
    void *data;
    /* After each frame, of whatever protocol. */
    void (*frame)(void *data, const packet_info *pinfo);
    /* A segment that has been taken. */
    void (*segment)(void *data, const struct segment *segment, const struct connection *connection);
    /* A message in the connection's last segment; see framing.h. */
    void (*message)(void *data, const struct connection *connection, const struct message *message);
    /* A segment that an ICMP error quotes; its connection is NULL if the capture has none. */
    void (*quoted)(void *data, const struct segment *quoted, const struct connection *connection);
    /* The capture's records are about to vanish. */
    void (*end)(void *data);
};

/* Borrowed until observer_remove(). */
void observer_add(const struct observer *observer);
void observer_remove(const struct observer *observer);

/* For the intake: tell all. */
void observers_frame(const packet_info *pinfo);
void observers_segment(const struct segment *segment, const struct connection *connection);
void observers_message(const struct connection *connection, const struct message *message);
void observers_quoted(const struct segment *quoted, const struct connection *connection);
void observers_end(void);

#endif
