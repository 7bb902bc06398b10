/* plain_inside.h
 * A plain capture file being read: what pcap and pcapng have in common.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef SCAN_PLAIN_INSIDE_H
#define SCAN_PLAIN_INSIDE_H

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <glib.h>

#include "plain_pcap.h"

/* Of one record, as of wiretap's WTAP_MAX_PACKET_SIZE_STANDARD. */
enum { RECORD_MOST = 262144 };

/* A block of pcapng may have so many more bytes, of options. */
enum { BLOCK_MOST = RECORD_MOST + 64 * 1024 };

/* So much is read at a time: it stays in a cache until it has been looked at. */
enum { READ_BYTES = 64 * 1024 };

struct plain_pcap {
    int file;
    bool is_broken; /* an error ended it; what that is, wiretap says */
    bool is_pcapng;
    bool is_swapped;
    uint32_t unit_ns;            /* of pcap's times */
    int encapsulation;           /* of pcap's packets */
    GArray *interfaces;          /* of pcapng, of struct plain_interface */
    struct described *described; /* by blocks of pcapng; NULL: no process is */
    uint64_t records;
    int64_t bytes_read;
    uint32_t at, end; /* of what has been read, and not been handed out, in: */
    uint8_t bytes[BLOCK_MOST + READ_BYTES];
};

/* Returns wiretap's number of a link layer without a pseudo-header; WTAP_ENCAP_UNKNOWN for others. */
int plain_encapsulation(uint32_t link);

static inline uint32_t
plain_32(const struct plain_pcap *plain, uint32_t at)
{
    return recorded_32(plain->bytes + at, plain->is_swapped);
}

static inline uint16_t
plain_16(const struct plain_pcap *plain, uint32_t at)
{
    return recorded_16(plain->bytes + at, plain->is_swapped);
}

/* Reads until `bytes` bytes stand in the buffer, and moves those that do to its beginning if they need the room. False
 * if the file ends before. */
static inline bool
plain_has(struct plain_pcap *plain, uint32_t bytes)
{
    if (plain->end - plain->at >= bytes)
        return true;
    memmove(plain->bytes, plain->bytes + plain->at, plain->end - plain->at);
    plain->end -= plain->at;
    plain->at = 0;
    while (plain->end < bytes) {
        ssize_t got = read(plain->file, plain->bytes + plain->end, READ_BYTES);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0) {
            plain->is_broken = got < 0;
            return false;
        }
        plain->end += (uint32_t)got;
    }
    return true;
}

/* What to do where there are not enough bytes for a record any more. */
static inline enum plain_next
plain_ended(const struct plain_pcap *plain)
{
    return plain->end == plain->at && !plain->is_broken ? PLAIN_END : PLAIN_ODD;
}

static inline void
plain_pass(struct plain_pcap *plain, uint32_t bytes)
{
    plain->at += bytes;
    plain->bytes_read += bytes;
}

/* Whether the file, of which nothing has been read, begins as pcapng does. */
bool plain_pcapng_is_it(struct plain_pcap *plain);

/* Reads the section's header. False if it is another one. */
bool plain_pcapng_begin(struct plain_pcap *plain);

enum plain_next plain_pcapng_next(struct plain_pcap *plain, struct plain_record *record);
const char *plain_pcapng_interface(const struct plain_pcap *plain, uint32_t interface);
void plain_pcapng_end(struct plain_pcap *plain);

#endif
