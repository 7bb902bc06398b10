/* frame_fields.h
 * Shows the one request of a frame that its columns are about: what went wrong, else the slowest, with values that all
 * belong to it.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_FRAME_FIELDS_H
#define LATENCY_FRAME_FIELDS_H

#include "../../core/request/request.h"
#include "../view.h"

/* What columns say of a request, or of an attempt to connect. */
struct frame_facts {
    const struct request *request; /* NULL of an attempt to connect */
    const char *operation;
    const char *status;                                             /* "" if it says none */
    int64_t duration_ns, first_byte_ns, server_time_ns, elapsed_ns; /* -1 where it has none */
    bool is_wrong;
};

/* Zero before the frame's first item. */
struct frame_choice {
    struct frame_facts facts;
    bool is_made;
    unsigned requests;  /* requests and responses noted so far */
    int64_t longest_ns; /* of their times to first byte, where has_longest */
    bool has_longest;
};

void frame_fields_register(int proto);

/* Notes an item of the frame. */
void frame_fields_note(struct frame_choice *choice, const struct view *view, const struct item *item);

/* Adds the fields of the request that was chosen, if there is one. The requests' own trees show the same: these are for
 * columns and filters alone. */
void frame_fields_show(const struct frame_choice *choice, const struct view *view);

#endif
