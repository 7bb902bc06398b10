/* observer.h
 * Who wants to see what is given to the core: each call on the first visit of a frame only, in capture order.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_OBSERVER_H
#define LATENCY_OBSERVER_H

#include "../core/request/event.h"
#include "table_source.h"

/* Functions are NULL where nobody wants to know. */
struct observer {
    void *data;
    /* After each frame, of whatever protocol; `time_ns` NULL if it has no time. */
    void (*frame)(void *data, const int64_t *time_ns);
    /* A segment that has been taken. */
    void (*segment)(void *data, const struct segment *segment, const struct connection *connection);
    /* What became known of the connection's messages with the segment. */
    void (*event)(void *data, const struct connection *connection, const struct event *event,
                  const struct segment *segment);
    /* A segment that an ICMP error quotes; its connection is NULL if the capture has none. */
    void (*quoted)(void *data, const struct segment *quoted, const struct connection *connection);
    /* A connection's records are about to vanish, of which nothing more will come. */
    void (*forget)(void *data, const struct connection *connection);
    /* The capture's records are about to vanish. */
    void (*end)(void *data);
};

/* Borrowed until observer_remove(). */
void observer_add(struct table_source *source, const struct observer *observer);
void observer_remove(struct table_source *source, const struct observer *observer);

/* For whoever reads the capture: tell all. */
void observers_frame(struct table_source *source, const int64_t *time_ns);
void observers_segment(struct table_source *source, const struct segment *segment, const struct connection *connection);
void observers_event(const struct table_source *source, const struct connection *connection, const struct event *event,
                     const struct segment *segment);
void observers_quoted(const struct table_source *source, const struct segment *quoted,
                      const struct connection *connection);
void observers_forget(const struct table_source *source, const struct connection *connection);
void observers_end(const struct table_source *source);

#endif
