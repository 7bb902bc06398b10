/* exchanges.h
 * Dialogues of protocols whose messages are told apart, and the requests that are in them.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_EXCHANGES_H
#define LATENCY_EXCHANGES_H

#include <stddef.h>

struct exchange {
    const char *name;
    struct text {
        const char *bytes;
        size_t length;
    } first, first_answer, asked, answered;
    /* Each request: its operation, bytes, those of the answer, its status, ! if that is an error, and what
     * scene_check() says of streams. */
    const char *expected;
};

/* The last has no name. */
extern const struct exchange exchanges[];

/* A message of memcached's binary protocol (docs.memcached.org/protocols/binary) without its body: a key, if any. */
#define PACKET(magic, opcode, key_bytes, status, opaque)                                                               \
    magic opcode "\0" key_bytes "\0\0\0" status "\0\0\0" key_bytes "\0\0\0" opaque "\0\0\0\0\0\0\0\0"

#endif
