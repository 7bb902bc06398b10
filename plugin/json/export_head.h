/* export_head.h
 * The first object of -z latency,json: what was read, and how to understand the rest. And the last one: what lines
 * there are.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_EXPORT_HEAD_H
#define LATENCY_EXPORT_HEAD_H

#include "../core/points/point.h"
#include "../core/util/vocabulary.h"
#include "export_line.h"
#include "../table/notes.h"
#include "../table/sighting_tally.h"
#include "../table/table_source.h"

struct export_head {
    enum json_content content;
    char *filter; /* NULL if there is none */
    uint64_t frames;
    int64_t first_ns, last_ns; /* the first after the last if there was none */
    uint64_t requests, answered, no_handshake, attempts;
    uint64_t handshakes;                /* of TLS, with keys or without */
    uint64_t channels, orphan_channels; /* of Channel Access */
    uint64_t pva_channels, orphan_pva_channels;
    uint64_t fragments; /* frames with a part of an IP datagram with TCP */
    int64_t calls;      /* lines that say which request caused which; -1 if they are not asked for */
    GPtrArray *joined;  /* of char *: addresses that count as one host's */
    struct omitted omitted;
    struct sighting_tally sightings;
    wmem_allocator_t *scope;
    struct points *points; /* capture points, where there can be several */
};

void export_head_init(struct export_head *head, enum json_content content, const char *filter);
void export_head_clear(struct export_head *head);

/* Takes the times of a capture read. */
void export_head_take_times(struct export_head *head, int64_t first_ns, int64_t last_ns);

/* Takes the capture points of a capture read, if it says where its packets were seen. */
void export_head_take_points(struct export_head *head, const struct points *points);

/* Takes a request once, when nothing more will come of it. */
void export_head_take_request(struct export_head *head, const struct request *request);

void export_head_write(const struct export_head *head, const struct table_source *source, struct line *line);

/* `counts`: of the lines before, by line_types; `digest`: their SHA-256 in hexadecimal digits. */
void export_end_write(const uint64_t *counts, const char *digest, struct line *line);

#endif
