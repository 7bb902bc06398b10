/* told.h
 * Events of docs/json-internal.md's `messages`, until the bytes come with which they became known.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_TOLD_H
#define LATENCY_TOLD_H

#include "core/request/event.h"
#include "json/record.h"

/* An event, and what it points to. */
struct told {
    struct event event;
    uint32_t seq;
    char *text; /* "" for none */
};

/* Of a pair of endpoints. */
struct told_queue {
    GQueue events;     /* of struct told */
    GHashTable *count; /* by seq: how many are in the queue */
};

void told_init(struct told_queue *queue);
void told_clear(struct told_queue *queue);

/* Adds a segment's events, but for EVENT_HELD; says in the record what is wrong with them. `messages`: NULL is wrong,
 * too. */
void told_read(struct told_queue *queue, struct record *record, struct elements messages);

/* Notes the sequence numbers of the bytes from which on, as a segment's events say, pieces were held until it, or
 * until the end (EVENT_HELD); says in the record what is wrong with them. `messages`: NULL for none. */
void told_note_held(struct record *record, struct elements messages, GHashTable *until_it, GHashTable *until_end);

/* Takes the queue's first event and returns it, for told_free(). Returns NULL if no event that is left was told with
 * bytes at `seq`, or if `arrives`, and the first event was not told before its bytes were taken. */
struct told *told_next(struct told_queue *queue, uint32_t seq, bool arrives);
void told_free(void *told);

/* Takes the queue's first event, if it says that the bytes at `seq` are a prelude, and returns how many; 0 if not. */
uint32_t told_prelude(struct told_queue *queue, uint32_t seq);

/* Whether there are events whose bytes have not come. */
bool told_waits(const struct told_queue *queue);

#endif
