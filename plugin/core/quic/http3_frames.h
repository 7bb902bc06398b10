/* http3_frames.h
 * The frames of one direction of one of HTTP/3's streams: RFC 9114 §7.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_HTTP3_FRAMES_H
#define LATENCY_HTTP3_FRAMES_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/* RFC 9114 §7.2. */
enum http3_frame_type {
    HTTP3_DATA = 0x0,
    HTTP3_HEADERS = 0x1,
    HTTP3_SETTINGS = 0x4,
    HTTP3_PUSH_PROMISE = 0x5,
    HTTP3_GOAWAY = 0x7
};

/* Holds what is known of a direction's frames, as far as they have been read; zeroed at first. */
struct http3_frames {
    uint8_t head[16]; /* of the next frame: its type and length */
    uint8_t n_head;
    bool is_in_frame;
    bool is_lost; /* where the next frame begins */
    uint64_t type, left;
    GByteArray *block;   /* of fields or settings; NULL: the frame has none, or too many */
    GByteArray *blocked; /* a block of fields that cannot be read yet; NULL: none */
};

/* Reads the next frame's head, or begins to, and as much of its content as there is: that of the two types given is
 * kept. Returns how many bytes that were. The frame has ended if it was in one, and nothing is left of it. */
size_t http3_frames_read(struct http3_frames *frames, enum http3_frame_type kept, enum http3_frame_type kept_too,
                         const uint8_t *bytes, size_t length);

/* Passes over bytes that are missing: if the frame's content has more than these, they are a part of it; else it is not
 * known where the next frame begins. */
void http3_frames_pass(struct http3_frames *frames, uint64_t gap);

/* Leaves the frame that has ended. Returns its content, which the caller frees; NULL: none was kept. */
GByteArray *http3_frames_leave(struct http3_frames *frames);

/* Frees what is kept. */
void http3_frames_clear(struct http3_frames *frames);

#endif
