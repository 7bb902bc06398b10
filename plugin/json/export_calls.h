/* export_calls.h
 * The lines about which request caused which.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_EXPORT_CALLS_H
#define LATENCY_EXPORT_CALLS_H

#include "../core/tcp/item.h"
#include "../table/table_source.h"
#include "export_line.h"

struct call_rows;

/* From now on it is found out which request caused which; the source is borrowed. */
struct call_rows *call_rows_new(struct table_source *source);
void call_rows_free(struct call_rows *rows);

/* The item's request is one of those that are written. */
void call_rows_take(struct call_rows *rows, const struct item *item);

/* Writes a line for each of them that has a cause, may have one of several, or has calls, and for each call of a joined
 * address; and adds to `joined` which
 * addresses count as one host's, of char *: to be called when the capture has been read, before its records vanish. */
void call_rows_write(struct call_rows *rows, struct line *line, GPtrArray *joined);

#endif
