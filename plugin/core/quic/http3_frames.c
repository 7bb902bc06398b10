/* http3_frames.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "http3_frames.h"

#include "quic_packet.h"

/* A frame of more bytes of fields, or settings, is passed over. */
enum { BLOCK_MOST = 65536 };

/* Reads a frame's type and length, byte by byte. Returns how many bytes are theirs. */
static size_t
read_head(struct http3_frames *frames, const uint8_t *bytes, size_t length)
{
    for (size_t taken = 0; taken < length;) {
        size_t at = 0;
        frames->head[frames->n_head++] = bytes[taken++];
        if (!quic_varint(frames->head, frames->n_head, &at, &frames->type) ||
            !quic_varint(frames->head, frames->n_head, &at, &frames->left))
            continue;
        frames->n_head = 0;
        frames->is_in_frame = true;
        return taken;
    }
    return length;
}

/* Takes as much of the frame's content as there is. */
static size_t
read_content(struct http3_frames *frames, const uint8_t *bytes, size_t length)
{
    const size_t taken = (size_t)MIN(frames->left, length);
    if (frames->block)
        g_byte_array_append(frames->block, bytes, (unsigned)taken);
    frames->left -= taken;
    return taken;
}

size_t
http3_frames_read(struct http3_frames *frames, enum http3_frame_type kept, enum http3_frame_type kept_too,
                  const uint8_t *bytes, size_t length)
{
    size_t taken = 0;
    if (!frames->is_in_frame) {
        taken = read_head(frames, bytes, length);
        if (frames->is_in_frame && (frames->type == kept || frames->type == kept_too))
            frames->block = frames->left <= BLOCK_MOST ? g_byte_array_sized_new((unsigned)frames->left) : NULL;
    }
    return frames->is_in_frame ? taken + read_content(frames, bytes + taken, length - taken) : taken;
}

void
http3_frames_pass(struct http3_frames *frames, uint64_t gap)
{
    if (frames->is_in_frame && frames->type == HTTP3_DATA && frames->left > gap)
        frames->left -= gap;
    else
        frames->is_lost = true;
}

GByteArray *
http3_frames_leave(struct http3_frames *frames)
{
    GByteArray *block = frames->block;
    frames->block = NULL;
    frames->is_in_frame = false;
    return block;
}

void
http3_frames_clear(struct http3_frames *frames)
{
    if (frames->block)
        g_byte_array_unref(frames->block);
    if (frames->blocked)
        g_byte_array_unref(frames->blocked);
    frames->block = frames->blocked = NULL;
}
