/* export_segment_line.h
 * Segments, and the messages in them, as rows of docs/json-internal.md.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_EXPORT_SEGMENT_LINE_H
#define LATENCY_EXPORT_SEGMENT_LINE_H

#include "../core/tcp/segment.h"
#include "../core/util/settings.h"
#include "export_line.h"

/* In `side`: not a segment but a message in the one before. */
enum { PACKED_MESSAGE = 2 };

/* A segment; its operation's text follows. */
struct packed {
    union {
        int64_t time_ns;
        uint64_t key;
    };
    union {
        struct {
            uint32_t frame, seq;
        };
        uint64_t bytes;
    };
    uint32_t ack, payload_bytes; /* of a message: the seq of the bytes with which it was told, and its rest */
    uint16_t flags;              /* of a message: its marks */
    uint16_t window, checksum, ip_id;
    uint8_t side;
    uint8_t kind; /* of a message */
    uint8_t operation_bytes;
};

/* A connection's segments being written, several to a line. */
struct segment_writing {
    struct line *line;
    const struct endpoint *endpoint; /* two */
    bool ipv6;
    uint32_t number; /* of the connection; 0 for none */
    uint64_t frames_before;
    const struct settings *settings;
    unsigned segments; /* in the line so far; 0: it has not begun */
    bool in_segment;   /* the last one is not finished */
    bool in_messages;
    bool has_operation;
};

/* Writes packed rows, each followed by its text. `data`: a struct segment_writing. */
void segment_writing_take(void *data, const uint8_t *bytes, size_t length);

/* Ends the line, if there is one. */
void segment_writing_end(struct segment_writing *writing);

#endif
