/* frame.h
 * A frame of a capture, as whoever reads the capture has it.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_FRAME_H
#define LATENCY_FRAME_H

#include <string.h>

#include <wiretap/wtap.h>

/* The options of a frame's record as they stand in a file of pcapng, whole. */
struct raw_options {
    const uint8_t *at;
    uint32_t bytes;
    bool is_swapped; /* of the other byte order */
};

/* Return the number that begins with this byte; `is_swapped`: its byte order is not this processor's. */
static inline uint16_t
recorded_16(const uint8_t *bytes, bool is_swapped)
{
    uint16_t number;
    memcpy(&number, bytes, sizeof number);
    return (uint16_t)(is_swapped ? GUINT16_SWAP_LE_BE(number) : number);
}

static inline uint32_t
recorded_32(const uint8_t *bytes, bool is_swapped)
{
    uint32_t number;
    memcpy(&number, bytes, sizeof number);
    return is_swapped ? GUINT32_SWAP_LE_BE(number) : number;
}

/* Return the number that stands at a place in the options, which must have all of it. */
static inline uint16_t
raw_16(const struct raw_options *options, uint32_t at)
{
    return recorded_16(options->at + at, options->is_swapped);
}

static inline uint32_t
raw_32(const struct raw_options *options, uint32_t at)
{
    return recorded_32(options->at + at, options->is_swapped);
}

static inline uint64_t
raw_64(const struct raw_options *options, uint32_t at)
{
    uint64_t number;
    memcpy(&number, options->at + at, sizeof number);
    return options->is_swapped ? GUINT64_SWAP_LE_BE(number) : number;
}

/* `captured` and `reported` are apart, for gcc reads neighbours at once, and a processor cannot do that right after
 * they were written one by one: each frame would wait for it. */
struct frame {
    const wtap_rec *rec;               /* NULL: where the frame was seen is known, or of no interest */
    const uint8_t *bytes;              /* `captured` of them, from the link layer on */
    const struct raw_options *options; /* NULL: those are the record's, by wiretap */
    uint32_t captured;
    int encapsulation; /* one of wiretap's; that of the record may have been changed by a dissector */
    uint32_t reported;
    bool has_time;
    bool is_plain; /* its record says nothing that a capture of one point has not */
    int64_t time_ns;
    uint32_t number; /* in the capture, from 1 */
    /* The reader's, for struct point_calls: where the frame comes from, and what packet is in it. */
    void *origin;
    const void *packet;
};

#endif
