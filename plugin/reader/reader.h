/* reader.h
 * Takes a capture's frames, in their order, to the core and to those who want to see what it is given. In which order
 * that is done with a frame, stands here once, for Wireshark's intake and for latency-scan.
 *
 * Of each frame what is in it comes first: a segment, a datagram, or what an ICMP error quotes; then its end.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_READER_H
#define LATENCY_READER_H

#include "../core/analysis.h"
#include "../table/table_source.h"
#include "recorded_point.h"

struct reader {
    struct table_source source;
    struct point_reader points;
    /* Is called with what the end of the capture, or of a connection, makes known, after held_frames.h's listeners.
     * NULL if all listen there. */
    void (*tell_end)(void *data, const struct late_item *late);
    void *data;
    bool forgets;             /* what nothing more is awaited of: set by who visits no frame again */
    bool keeps_conversations; /* nevertheless, of UDP */

    bool started;   /* there was a frame with a time */
    bool has_ended; /* the capture */
    /* The frame whose sighting was taken last, be there several segments in it. */
    uint32_t sighted_number;
    bool sighted_counts; /* it is to be analysed */
    /* The segment taken last, if what is decrypted of it must be known before it is read. */
    struct segment segment;
    bool is_postponed;
    GPtrArray *over; /* connections to forget, of struct connection; NULL: there were none */
    struct lingering conversations;
};

/* A capture begins: its records live in `scope`, and until reader_close(). The source's settings and texts, the calls
 * of the points and what is said above to be the caller's are set, all else is zero at first or left by the capture
 * before. */
void reader_begin(struct reader *reader, wmem_allocator_t *scope);
void reader_close(struct reader *reader);

/* Takes a segment (headers.h), which is read at once, or else by reader_read(). Returns its connection; NULL if the
 * packet is analysed at another capture point. */
struct connection *reader_take_segment(struct reader *reader, const struct frame *frame, struct segment *segment);

/* The segment's packet has been dissected: reads it with what is decrypted of it (NULL for nothing), if it has not
 * been.
 */
void reader_read(struct reader *reader, const struct decrypted *decrypted);

/* Takes TCP without a whole header, or a time. */
void reader_take_unread(struct reader *reader, const struct frame *frame);

/* Takes what an ICMP error quotes of a segment that did not arrive (headers.h). */
void reader_take_quoted(struct reader *reader, const struct segment *quoted);

/* Whether a datagram between these ports, which begins with `payload`, may be one that is taken: it is worth a call of
 * reader_take_datagram(). */
bool reader_may_take_datagram(const struct reader *reader, uint16_t source_port, uint16_t destination_port,
                              const uint8_t *payload, uint32_t captured);

/* Takes a datagram, or what such an error quotes of one. Returns its conversation, or its connection of QUIC; NULL if
 * it is neither of DNS nor of QUIC. */
struct connection *reader_take_datagram(struct reader *reader, const struct frame *frame, const struct segment *segment,
                                        bool is_quoted);

/* Takes a packet's frames, decrypted, of the datagram of QUIC that was taken last. */
void reader_read_quic_frames(struct reader *reader, const uint8_t *frames, size_t length);

/* The frame is done. `is_rest_of_tcp`: it has a later part of an IP packet with TCP. */
void reader_end_frame(struct reader *reader, const struct frame *frame, bool is_rest_of_tcp);

/* Once whoever listens has been told of the frame: forgets what may be by now, so that memory is what is open, and what
 * was to know whose late segments are. */
void reader_forget(struct reader *reader);

/* All frames have been read once. Does nothing the second time. */
void reader_end(struct reader *reader);

#endif
