/* export_head.h
 * The first object of -z latency,json: what was read, and how to understand the rest.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_EXPORT_HEAD_H
#define LATENCY_EXPORT_HEAD_H

#include "export_line.h"
#include "../table/omitted.h"
#include "../table/table_source.h"

/* What is written. */
enum json_content { JSON_ALL, JSON_ROWS, JSON_SUMMARY };

struct export_head {
    enum json_content content;
    char *filter; /* NULL if there is none */
    uint64_t frames;
    int64_t first_ns, last_ns; /* the first after the last if there was none */
    uint64_t requests, answered, no_handshake, attempts;
    uint64_t channels, orphan_channels; /* of Channel Access */
    struct omitted omitted;
};

void export_head_init(struct export_head *head, enum json_content content, const char *filter);
void export_head_clear(struct export_head *head);

/* Takes the times of a capture read. */
void export_head_take_times(struct export_head *head, int64_t first_ns, int64_t last_ns);

/* Takes a request once, when nothing more will come of it. */
void export_head_take_request(struct export_head *head, const struct request *request);

void export_head_write(const struct export_head *head, const struct table_source *source, struct line *line);

#endif
