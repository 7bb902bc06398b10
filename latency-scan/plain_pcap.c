/* plain_pcap.c
 * The format: draft-ietf-opsawg-pcap.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "plain_pcap.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include <glib.h>

/* RECORD_MOST: beyond it wiretap takes a file for damaged. */
enum { FILE_HEADER_BYTES = 24, RECORD_HEADER_BYTES = 16, RECORD_MOST = 1 << 18 };

/* Few enough at a time that they are still in the processor's cache when they are looked at. */
enum { READ_BYTES = 1 << 16, ROOM = RECORD_HEADER_BYTES + RECORD_MOST + READ_BYTES };

struct plain_pcap {
    int file;
    bool is_swapped;
    uint32_t fraction_ns; /* what a time's fraction of a second is in */
    uint64_t records;
    int64_t bytes_read;
    uint32_t at, end; /* what is in the room and has not been read */
    uint8_t room[ROOM];
};

static uint32_t
word(const struct plain_pcap *plain, const uint8_t *at)
{
    uint32_t value;
    memcpy(&value, at, sizeof value);
    return plain->is_swapped ? GUINT32_SWAP_LE_BE(value) : value;
}

static bool
is_without_pseudo_header(int encapsulation)
{
    return encapsulation == WTAP_ENCAP_ETHERNET || encapsulation == WTAP_ENCAP_RAW_IP ||
           encapsulation == WTAP_ENCAP_NULL || encapsulation == WTAP_ENCAP_LOOP || encapsulation == WTAP_ENCAP_SLL ||
           encapsulation == WTAP_ENCAP_SLL2;
}

/* Whether there are so many bytes. */
static bool
fill(struct plain_pcap *plain, uint32_t bytes)
{
    if (plain->end - plain->at >= bytes)
        return true;
    memmove(plain->room, plain->room + plain->at, plain->end - plain->at);
    plain->end -= plain->at;
    plain->at = 0;
    while (plain->end < bytes) {
        ssize_t more = read(plain->file, plain->room + plain->end, READ_BYTES);
        if (more <= 0)
            return false;
        plain->end += (uint32_t)more;
    }
    return true;
}

static void
pass(struct plain_pcap *plain, uint32_t bytes)
{
    plain->at += bytes;
    plain->bytes_read += bytes;
}

/* False if it is none that is read here. */
static bool
read_file_header(struct plain_pcap *plain)
{
    const uint32_t microseconds = 0xa1b2c3d4, nanoseconds = 0xa1b23c4d;
    const uint16_t major = 2, minor = 4;
    if (!fill(plain, FILE_HEADER_BYTES))
        return false;
    uint32_t magic = word(plain, plain->room);
    plain->is_swapped = magic == GUINT32_SWAP_LE_BE(microseconds) || magic == GUINT32_SWAP_LE_BE(nanoseconds);
    magic = word(plain, plain->room);
    plain->fraction_ns = magic == nanoseconds ? 1 : 1000;
    uint16_t version[2];
    memcpy(version, plain->room + 4, sizeof version);
    pass(plain, FILE_HEADER_BYTES);
    return (magic == microseconds || magic == nanoseconds) &&
           version[0] == (plain->is_swapped ? GUINT16_SWAP_LE_BE(major) : major) &&
           version[1] == (plain->is_swapped ? GUINT16_SWAP_LE_BE(minor) : minor);
}

struct plain_pcap *
plain_pcap_open(const char *path, wtap *wth)
{
    int type = wtap_file_type_subtype(wth);
    if ((type != wtap_pcap_file_type_subtype() && type != wtap_pcap_nsec_file_type_subtype()) ||
        !is_without_pseudo_header(wtap_file_encap(wth)))
        return NULL;
    struct plain_pcap *plain = g_new0(struct plain_pcap, 1);
    plain->file = open(path, O_RDONLY | O_CLOEXEC);
    if (plain->file >= 0 && read_file_header(plain))
        return plain;
    plain_pcap_close(plain);
    return NULL;
}

void
plain_pcap_close(struct plain_pcap *plain)
{
    if (plain && plain->file >= 0)
        close(plain->file);
    g_free(plain);
}

enum plain_next
plain_pcap_next(struct plain_pcap *plain, struct plain_record *record)
{
    enum { FRACTION = 4, CAPTURED = 8, REPORTED = 12, NS_PER_S = 1000000000 };
    if (!fill(plain, RECORD_HEADER_BYTES))
        return plain->end == plain->at ? PLAIN_END : PLAIN_ODD;
    const uint8_t *header = plain->room + plain->at;
    uint32_t fraction = word(plain, header + FRACTION), captured = word(plain, header + CAPTURED);
    if (fraction >= NS_PER_S / plain->fraction_ns || captured > RECORD_MOST ||
        !fill(plain, RECORD_HEADER_BYTES + captured))
        return PLAIN_ODD;
    header = plain->room + plain->at;
    *record = (struct plain_record){
        .bytes = header + RECORD_HEADER_BYTES,
        .captured = captured,
        .reported = word(plain, header + REPORTED),
        .seconds = word(plain, header),
        .nanoseconds = fraction * plain->fraction_ns,
    };
    pass(plain, RECORD_HEADER_BYTES + captured);
    plain->records++;
    return PLAIN_RECORD;
}

uint64_t
plain_pcap_records(const struct plain_pcap *plain)
{
    return plain->records;
}

int64_t
plain_pcap_bytes(const struct plain_pcap *plain)
{
    return plain->bytes_read;
}
