/* listeners.h
 * Who is told what the frames of a capture mean: tables and JSON lines, as by Wireshark's taps.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef SCAN_LISTENERS_H
#define SCAN_LISTENERS_H

#include "core/ca/ca_event.h"
#include "core/tcp/item.h"
#include "table/table_source.h"

struct listener {
    void *data;                                                        /* borrowed */
    void (*item)(void *data, const struct item *item, uint32_t frame); /* NULL: it does not want them; as the next */
    void (*event)(void *data, const struct ca_event *event);
    bool notes_held; /* it has opened held_frames.h, which tells it of the end */
};

struct listeners {
    struct table_source *source;
    GArray *all; /* of struct listener */
};

/* Borrows the source. */
void listeners_init(struct listeners *listeners, struct table_source *source);
void listeners_clear(struct listeners *listeners);

void listeners_add(struct listeners *listeners, const struct listener *listener);

/* Tells all of an event; `data` is a struct listeners. */
void listeners_tell_event(void *data, const struct ca_event *event);

/* Tells all what has become known of earlier frames. */
void listeners_tell_late(const struct listeners *listeners);

/* Tells all what a frame means. */
void listeners_tell_frame(const struct listeners *listeners, uint32_t frame);

/* Tells all what has become known with the end of the capture, or of a connection. */
void listeners_tell_end(const struct listeners *listeners);

#endif
