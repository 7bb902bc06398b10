/* scan.h
 * A capture as it is read: its frames go through decap to the core, and what they mean to tables and JSON lines.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef SCAN_SCAN_H
#define SCAN_SCAN_H

#include "core/ca/ca_event.h"
#include "core/tcp/item.h"
#include "reading.h"
#include "table/table_source.h"

struct scan;

/* Who is told what frames mean: tables and JSON lines, as by Wireshark's taps. */
struct listener {
    void *data;                                                        /* borrowed */
    void (*item)(void *data, const struct item *item, uint32_t frame); /* NULL: it does not want them; as the next */
    void (*event)(void *data, const struct ca_event *event);
    bool notes_held; /* it has opened held_frames.h, which tells it of the end */
};

struct scan *scan_new(const struct settings *settings, const struct source_texts *texts);
void scan_free(struct scan *scan);

/* What tables are made of, for whoever opens them. */
struct table_source *scan_source(struct scan *scan);

/* From now on the listener is told of what frames mean. */
void scan_listen(struct scan *scan, const struct listener *listener);

/* From now on no conversation of UDP is forgotten: JSON lines number them as tshark does, where they go on. */
void scan_keep_conversations(struct scan *scan);

/* Numbers the frame, and takes it. */
void scan_take(struct scan *scan, struct frame *frame);

/* When the capture starts, and the latest of its frames so far, where a frame of it stands. */
struct frame_place {
    int64_t start_ns, last_ns;
};

/* Takes a frame as scan_take() does, which another scan has decapped already: it has TCP, or what an ICMP error quotes
 * of it. The frame has a number and no record. */
struct decapped;
void scan_take_decapped(struct scan *scan, const struct frame_place *place, const struct frame *frame,
                        const struct decapped *decapped);

/* The frame goes to another scan as far as it is TCP or DNS: it is counted here, and its time. False if that cannot be,
 * for one scan must see all of the capture: it has several points, or channels' datagrams. */
bool scan_pass(struct scan *scan, struct frame *frame, struct decapped *decapped);

/* Whether such a scan has something to do with it; of datagrams with all, once a connection of QUIC may have begun. */
bool scan_wants(struct scan *scan, const struct decapped *decapped);

/* Whether another scan has found so far what one alone must see all of: circuits. */
bool scan_is_alone(const struct scan *scan);

/* The scans, which have ended, had parts of this one's capture. */
void scan_join(struct scan *scan, struct scan *const *others, unsigned n);

/* The capture has been read: tells what waited. */
void scan_end(struct scan *scan);

uint64_t scan_frames(const struct scan *scan);

/* Lines about what was not understood, or not decrypted; nothing where there was nothing of the kind. */
void scan_describe(const struct scan *scan, GString *text);

#endif
