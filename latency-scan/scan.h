/* scan.h
 * A capture as it is read: its frames go through decap to the core, and what they mean to tables and JSON lines.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef SCAN_SCAN_H
#define SCAN_SCAN_H

#include "json/export.h"
#include "reading.h"
#include "table/table.h"

struct scan;

struct scan *scan_new(const struct settings *settings, const struct source_texts *texts);
void scan_free(struct scan *scan);

/* What tables are made of, for whoever opens them. */
struct table_source *scan_source(struct scan *scan);

/* From now on items, or events of Channel Access, go to `take`, which owns nothing. */
struct listener {
    void *data;
    void (*item)(void *data, const struct item *item, uint32_t frame); /* NULL: it does not want them; as the next */
    void (*event)(void *data, const struct ca_event *event);
    bool notes_held; /* it has opened held_frames.h */
};

void scan_listen(struct scan *scan, const struct listener *listener);

/* From now on no connection is forgotten when it has ended: JSON lines stand in the order of tshark's, which are
 * written at the end. */
void scan_remember_all(struct scan *scan);

void scan_take(struct scan *scan, const struct frame *frame);

/* The capture has been read: tells what waited. */
void scan_end(struct scan *scan);

uint64_t scan_frames(const struct scan *scan);

/* Lines about what was not understood, or not decrypted; nothing where there was nothing of the kind. */
void scan_describe(const struct scan *scan, GString *text);

#endif
