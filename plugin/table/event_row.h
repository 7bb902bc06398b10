/* event_row.h
 * How the rows of docs/json-internal.md are written and read: the columns of a segment and of its messages, what is
 * added up in their `flags` and `marks`, and events as rows of `messages`.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_EVENT_ROW_H
#define LATENCY_EVENT_ROW_H

#include "../core/request/event.h"

enum {
    COLUMN_FRAME,
    COLUMN_TIME,
    COLUMN_SIDE,
    COLUMN_SEQ,
    COLUMN_ACK,
    COLUMN_FLAGS,
    COLUMN_PAYLOAD_BYTES,
    COLUMN_WINDOW,
    COLUMN_CHECKSUM,
    COLUMN_IP_ID,
    COLUMN_OPERATION,
    COLUMN_MESSAGES,
    SEGMENT_COLUMNS
};
enum {
    MESSAGE_KIND,
    MESSAGE_MARKS,
    MESSAGE_KEY,
    MESSAGE_BYTES,
    MESSAGE_REST,
    MESSAGE_SEQ,
    MESSAGE_OPERATION,
    MESSAGE_COLUMNS
};

/* Their names, in this order. */
extern const char *const segment_columns[SEGMENT_COLUMNS];
extern const char *const message_columns[MESSAGE_COLUMNS];

/* What a message's row says: its `kind`. The numbers stay. */
enum row_kind {
    ROW_CLAIM,
    ROW_ASKS,
    ROW_ANSWERS,
    ROW_BREAKS,
    ROW_LOSE,
    ROW_RELEASE,
    ROW_UNDECIDED,
    ROW_ASSIGN,
    ROW_DROP,
    ROW_BEGINS,
    ROW_TLS,
    ROW_PROMISES,
    ROW_STOPS,
    ROW_UPGRADE,
    ROW_ROLES,
    ROW_MISS,
    ROW_ORDER,
    ROW_HELD,
    ROW_COUNTS,
    ROW_PRELUDE,
    ROW_KINDS
};

/* In the key of ROW_RELEASE. */
enum { RELEASE_LOSES = 1, RELEASE_TURN = 2 };

/* In a segment's flags, beside TCP's. */
enum { FLAG_FRAGMENT = 0x100, FLAG_QUOTED = 0x200, FLAG_HAS_IP_ID = 0x400, FLAG_DATAGRAM = 0x800, FLAGS_MOST = 0xfff };

enum {
    MARK_JOINS = 1,
    MARK_ENDS = 2,
    MARK_FROM_CLIENT = 4,
    MARK_FAILED = 8,
    MARK_CUT = 16,
    MARK_ARRIVES = 32,
    MARK_GOES_ON = 64,
    MARK_LAST = 128,
    MARK_CLOSES = 256,
    MARK_DATA = 512,
    MARK_STREAM = 1024,
    MARK_AWAITS_EVENT = 2048,
    MARKS_MOST = 4095
};

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
