/* export.h
 * What -z latency,json gathers from a run of tshark or latency-scan, and its file.
 *
 * tshark can go on to another capture (-b, -M): requests, attempts and frames are then numbered anew, connections are
 * not.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_EXPORT_H
#define LATENCY_EXPORT_H

#include "../core/ca/ca_event.h"
#include "../core/tcp/item.h"
#include "export_file.h"
#include "export_head.h"
#include "../table/table_source.h"

struct json_export;

/* The source is borrowed; `path` as in export_file_new(); `filter` NULL if there is none. `has_calls`: with lines
 * about which request caused which. NULL, having said why, if nothing can be written. */
struct json_export *export_new(struct table_source *source, const char *path, const char *filter,
                               enum json_content content, bool has_calls);
void export_free(struct json_export *export);

/* Takes an item that is told with a frame, be it of an earlier one, or an event. `data`: the struct json_export, so
 * that whoever tells of them can call these. */
void export_take(void *data, const struct item *item, uint32_t frame);
void export_take_ca(void *data, const struct ca_event *event);

/* Nothing more will come, and what waited in the core has been told: makes the file. False, having said why, if it
 * could not. */
bool export_finish(struct json_export *export);

#endif
