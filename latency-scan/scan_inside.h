/* scan_inside.h
 * What the files of a scan share.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef SCAN_SCAN_INSIDE_H
#define SCAN_SCAN_INSIDE_H

#include "core/analysis.h"
#include "frame/recorded_point.h"
#include "closing.h"
#include "decap.h"
#include "not_read.h"
#include "scan.h"

struct scan {
    struct table_source source;
    wmem_allocator_t *scope;
    struct point_reader points;
    struct listeners listeners;
    struct not_read *not_read;
    struct closing *closing;
    bool keeps_conversations; /* to the end */
    uint64_t frames;
    bool started; /* there was a frame with a time */
};

/* A frame's way: what it is, what it says, and that it has been taken. */
void scan_decap_frame(const struct frame *frame, struct decapped *decapped);
void scan_take_tcp(struct scan *scan, const struct frame *frame, const struct decapped *decapped);
void scan_take_quoted(struct scan *scan, const struct frame *frame, const struct decapped *decapped);
void scan_take_udp(struct scan *scan, const struct frame *frame, const struct decapped *decapped);
void scan_end_frame(struct scan *scan, const struct frame *frame, const struct decapped *decapped);
void scan_tell_frame(struct scan *scan);

#endif
