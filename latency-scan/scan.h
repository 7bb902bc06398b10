/* scan.h
 * A capture as it is read: its frames go through decap to the core, and what they mean to tables and JSON lines.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef SCAN_SCAN_H
#define SCAN_SCAN_H

#include "listeners.h"
#include "reading.h"

struct scan;

struct scan *scan_new(const struct settings *settings, const struct source_texts *texts);
void scan_free(struct scan *scan);

/* What tables are made of, for whoever opens them. */
struct table_source *scan_source(struct scan *scan);

/* From now on the listener is told of what frames mean. */
void scan_listen(struct scan *scan, const struct listener *listener);

/* From now on no connection is forgotten when it has ended: JSON lines stand in the order of tshark's, which are
 * written at the end. */
void scan_remember_all(struct scan *scan);

void scan_take(struct scan *scan, const struct frame *frame);

/* The same of what another scan has gone through: of a frame with this number, and without a record, it has decapped
 * TCP, or what is quoted of it. `start_ns`: when the capture starts. */
struct decapped;
void scan_take_decapped(struct scan *scan, uint32_t number, const struct frame *frame, const struct decapped *decapped,
                        int64_t start_ns);

/* The frame goes to another scan as far as it is TCP: it is counted here, and its time. False if that cannot be, for
 * one scan must see all of the capture: it has several points, or Channel Access. */
bool scan_pass(struct scan *scan, const struct frame *frame, struct decapped *decapped);

/* The same, when all has been read: of what other scans found. */
bool scan_is_alone(const struct scan *scan);

/* The scans, which have ended, had parts of this one's capture. */
void scan_join(struct scan *scan, struct scan *const *others, unsigned n);

/* The capture has been read: tells what waited. */
void scan_end(struct scan *scan);

uint64_t scan_frames(const struct scan *scan);

/* Lines about what was not understood, or not decrypted; nothing where there was nothing of the kind. */
void scan_describe(const struct scan *scan, GString *text);

#endif
