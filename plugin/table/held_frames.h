/* held_frames.h
 * What becomes known of held payload with the capture's end, for listeners who are told of each frame once.
 *
 * It has no frame of its own that a listener's filter could pass: a listener takes what becomes of the frames of which
 * it was told that their payload is held.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_HELD_FRAMES_H
#define LATENCY_HELD_FRAMES_H

#include "../core/ca/ca_event.h"
#include "../core/tcp/item.h"
#include "table_source.h"

struct held_frames {
    void (*take)(void *data, const struct item *item, uint32_t frame);
    void *data;
    struct table_source *source;
    GHashTable *numbers;
    bool takes_all;  /* it is told of every frame: where frames are visited once, none need be noted */
    bool takes_ever; /* also where they are visited again */
};

/* From now on `take` is called with what the end of the capture, or of a connection, says of the frames noted, and the
 * frame with which that shows. Borrowed until held_frames_close(). */
void held_frames_open(struct held_frames *held, struct table_source *source,
                      void (*take)(void *data, const struct item *item, uint32_t frame), void *data);
void held_frames_close(struct held_frames *held);

/* The listener has been told of an item in a frame. */
void held_frames_note(struct held_frames *held, const struct item *item, uint32_t frame);

/* The same for a listener of Channel Access. */
void held_frames_note_event(struct held_frames *held, const struct ca_event *event, uint32_t frame);

/* The listener begins anew, or the capture has ended. */
void held_frames_clear(struct held_frames *held);

/* For whoever reads the capture: tells all listeners. */
void held_frames_tell(const struct table_source *source, const struct late_item *late, unsigned count);

#endif
