/* mutate.h
 * What inputs of targets that are sequences of segments look like, for libFuzzer to change them (mutate.c).
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef FUZZ_MUTATE_H
#define FUZZ_MUTATE_H

#include <stddef.h>

/* `begin` bytes, then segments: a head of `head` bytes, in which the segment's length stands at `length_at`, of two
 * bytes, the higher one first; and its bytes. */
struct input_shape {
    size_t begin, head, length_at;
};

/* The target's. */
extern const struct input_shape input_shape;

#endif
