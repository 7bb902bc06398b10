/* event_row.h
 * Events as rows of docs/json-internal.md's `messages`, written and read.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_EVENT_ROW_H
#define LATENCY_EVENT_ROW_H

#include "../core/request/event.h"
#include "segment_columns.h"

/* A row's columns, but for `seq`. */
struct event_row {
    enum row_kind kind;
    uint16_t marks;
    uint64_t key, bytes;
    uint32_t rest;
    const char *text; /* the column `operation`; NULL for none */
};

/* Returns the row of an event, whose text it borrows. */
struct event_row event_row_write(const struct event *event);

/* Returns the event of a row, whose text, not NULL, it borrows. */
struct event event_row_read(const struct event_row *row);

#endif
