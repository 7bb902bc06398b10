/* looks.h
 * What an answer looks like, where that tells whose it is: some of 16 kinds, and a number that the request and its
 * answer have in common. 0 stands for any. They stand in bits 16 to 63 of a request's note; the others are its
 * parser's.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_LOOKS_H
#define LATENCY_LOOKS_H

#include <stdbool.h>
#include <stdint.h>

static inline uint64_t
looks_of(uint16_t kinds, uint32_t number)
{
    return (uint64_t)kinds << 16 | (uint64_t)number << 32;
}

static inline uint16_t
looks_kinds(uint64_t looks)
{
    return (uint16_t)(looks >> 16);
}

static inline uint32_t
looks_number(uint64_t looks)
{
    return (uint32_t)(looks >> 32);
}

static inline bool
looks_are_alike(uint64_t a, uint64_t b)
{
    bool is_kind = !looks_kinds(a) || !looks_kinds(b) || looks_kinds(a) & looks_kinds(b);
    return is_kind && (!looks_number(a) || !looks_number(b) || looks_number(a) == looks_number(b));
}

#endif
