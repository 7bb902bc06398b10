/* mutate.c
 * Changes of inputs that leave their segments whole: libFuzzer's own changes of bytes within one segment, whose length
 * follows, and segments that are repeated, left out, swapped or cut in two. Plain bytes changed anywhere make what
 * follows a length that was hit another input.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "mutate.h"

#include <stdint.h>
#include <string.h>

#include <glib.h>

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);

enum { SEGMENTS_MOST = 512, LONGEST = 65535 };
enum change { PLAIN, PAYLOAD, PAYLOAD_AGAIN, HEAD, REPEAT, LEAVE_OUT, SWAP, CUT, CHANGES };

struct part {
    const uint8_t *bytes;
    size_t size;
};

struct input {
    struct part begin, segments[SEGMENTS_MOST];
    unsigned count;
};

/* minstd */
static unsigned
draw(unsigned *state, unsigned below)
{
    *state = (unsigned)(*state * UINT64_C(48271) % 2147483647);
    return *state % below;
}

static size_t
segment_bytes(const uint8_t *head, size_t left)
{
    size_t length = (size_t)head[input_shape.length_at] << 8 | head[input_shape.length_at + 1];
    return input_shape.head + MIN(length, left - input_shape.head);
}

static struct input
parse(const uint8_t *data, size_t size)
{
    struct input input = { .begin = { data, MIN(size, input_shape.begin) } };
    for (size_t at = input.begin.size; size - at >= input_shape.head && input.count < SEGMENTS_MOST - 1;) {
        struct part *segment = &input.segments[input.count++];
        *segment = (struct part){ data + at, segment_bytes(data + at, size - at) };
        at += segment->size;
    }
    return input;
}

/* Puts it together; what does not fit is left out. */
static size_t
write_input(const struct input *input, uint8_t *data, size_t most)
{
    GByteArray *whole = g_byte_array_new();
    g_byte_array_append(whole, input->begin.bytes, (unsigned)input->begin.size);
    for (unsigned i = 0; i < input->count && whole->len + input->segments[i].size <= most; i++)
        g_byte_array_append(whole, input->segments[i].bytes, (unsigned)input->segments[i].size);
    size_t size = MIN(whole->len, most);
    if (size > 0)
        memcpy(data, whole->data, size);
    g_byte_array_free(whole, TRUE);
    return size;
}

static void
set_length(uint8_t *segment, size_t length)
{
    segment[input_shape.length_at] = (uint8_t)(length >> 8);
    segment[input_shape.length_at + 1] = (uint8_t)length;
}

/* In `room`, which has `most` bytes. */
static void
change_payload(struct part *segment, uint8_t *room, size_t most)
{
    size_t head = input_shape.head, length = segment->size - head;
    memcpy(room, segment->bytes, segment->size);
    length = LLVMFuzzerMutate(room + head, length, MIN(most - head, LONGEST));
    set_length(room, length);
    *segment = (struct part){ room, head + length };
}

static void
change_head(struct part *segment, uint8_t *room, unsigned *random)
{
    memcpy(room, segment->bytes, segment->size);
    unsigned at = draw(random, (unsigned)input_shape.head);
    if (at < input_shape.length_at || at > input_shape.length_at + 1)
        room[at] = (uint8_t)(draw(random, 2) ? draw(random, 256) : room[at] ^ 1u << draw(random, 8));
    segment->bytes = room;
}

/* Between two segments of the same head. */
static void
cut(struct input *input, unsigned at, uint8_t *room, unsigned *random)
{
    struct part *segment = &input->segments[at];
    size_t head = input_shape.head, length = segment->size - head;
    size_t first = length ? draw(random, (unsigned)length) : 0;
    memcpy(room, segment->bytes, head + first);
    set_length(room, first);
    uint8_t *second = room + head + first;
    memcpy(second, segment->bytes, head);
    memcpy(second + head, segment->bytes + head + first, length - first);
    set_length(second, length - first);
    memmove(segment + 1, segment, (input->count++ - at) * sizeof *segment);
    segment[0] = (struct part){ room, head + first };
    segment[1] = (struct part){ second, head + length - first };
}

static void
repeat(struct input *input, unsigned from, unsigned to)
{
    struct part *segment = &input->segments[to], again = input->segments[from];
    memmove(segment + 1, segment, (input->count++ - to) * sizeof *segment);
    *segment = again;
}

static void
change_segments(struct input *input, enum change how, uint8_t *room, size_t most, unsigned *random)
{
    unsigned at = draw(random, input->count), other = draw(random, input->count);
    struct part *segment = &input->segments[at], first = *segment;
    switch (how) {
    case HEAD:
        change_head(segment, room, random);
        break;
    case REPEAT:
        repeat(input, at, other);
        break;
    case LEAVE_OUT:
        memmove(segment, segment + 1, (--input->count - at) * sizeof *segment);
        break;
    case SWAP:
        *segment = input->segments[other];
        input->segments[other] = first;
        break;
    case CUT:
        cut(input, at, room, random);
        break;
    default:
        change_payload(segment, room, most);
        break;
    }
}

size_t
LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
    unsigned random = seed % 2147483646 + 1;
    enum change how = (enum change)draw(&random, CHANGES);
    struct input input = parse(data, size);
    if (how == PLAIN || input.count == 0)
        return LLVMFuzzerMutate(data, size, most);
    uint8_t *room = g_malloc(MAX(size, most) + 2 * input_shape.head);
    change_segments(&input, how, room, MAX(size, most), &random);
    size = write_input(&input, data, most);
    g_free(room);
    return size;
}
