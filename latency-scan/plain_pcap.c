/* plain_pcap.c
 * The format: draft-ietf-opsawg-pcap. A file is in the byte order of whoever wrote it.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "plain_pcap.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include <glib.h>

enum { FILE_HEADER_BYTES = 24, RECORD_HEADER_BYTES = 16, RECORD_MOST = 262144 };

/* So much is read at a time: it stays in a cache until it has been looked at. */
enum { READ_BYTES = 64 * 1024 };

struct plain_pcap {
    int file;
    bool is_swapped;
    uint32_t unit_ns;
    uint64_t records;
    int64_t bytes_read;
    uint32_t at, end; /* of what has been read, and not been handed out, in: */
    uint8_t bytes[RECORD_HEADER_BYTES + RECORD_MOST + READ_BYTES];
};

static bool
is_without_pseudo_header(int encapsulation)
{
    return encapsulation == WTAP_ENCAP_ETHERNET || encapsulation == WTAP_ENCAP_RAW_IP ||
           encapsulation == WTAP_ENCAP_NULL || encapsulation == WTAP_ENCAP_LOOP || encapsulation == WTAP_ENCAP_SLL ||
           encapsulation == WTAP_ENCAP_SLL2;
}

static uint32_t
number_at(const struct plain_pcap *plain, uint32_t at)
{
    uint32_t number;
    memcpy(&number, plain->bytes + at, sizeof number);
    return plain->is_swapped ? GUINT32_SWAP_LE_BE(number) : number;
}

/* Reads until `bytes` bytes stand in the buffer, and moves those that do to its beginning if they need the room. False
 * if the file ends before. */
static inline bool
has_bytes(struct plain_pcap *plain, uint32_t bytes)
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
        if (got <= 0)
            return false;
        plain->end += (uint32_t)got;
    }
    return true;
}

/* Earlier versions have a record's lengths in another order. */
static bool
read_file_header(struct plain_pcap *plain)
{
    enum { MAGIC_MICROSECONDS = 0xa1b2c3d4, MAGIC_NANOSECONDS = 0xa1b23c4d };
    static const uint8_t version[2][4] = { { 0, 2, 0, 4 }, { 2, 0, 4, 0 } };
    if (!has_bytes(plain, FILE_HEADER_BYTES))
        return false;
    uint32_t magic = number_at(plain, 0);
    plain->is_swapped =
        magic == GUINT32_SWAP_LE_BE(MAGIC_MICROSECONDS) || magic == GUINT32_SWAP_LE_BE(MAGIC_NANOSECONDS);
    magic = number_at(plain, 0);
    plain->unit_ns = magic == MAGIC_NANOSECONDS ? 1 : 1000;
    plain->at = FILE_HEADER_BYTES;
    plain->bytes_read = FILE_HEADER_BYTES;
    bool is_little_endian = plain->bytes[0] == (magic & 0xff);
    return (magic == MAGIC_MICROSECONDS || magic == MAGIC_NANOSECONDS) &&
           memcmp(plain->bytes + 4, version[is_little_endian], sizeof version[0]) == 0;
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

inline enum plain_next
plain_pcap_next(struct plain_pcap *plain, struct plain_record *record)
{
    enum { SECONDS = 0, PART_OF_SECOND = 4, CAPTURED = 8, REPORTED = 12, NS_PER_S = 1000000000 };
    if (!has_bytes(plain, RECORD_HEADER_BYTES))
        return plain->end == plain->at ? PLAIN_END : PLAIN_ODD;
    const uint64_t nanoseconds = (uint64_t)number_at(plain, plain->at + PART_OF_SECOND) * plain->unit_ns;
    const uint32_t captured = number_at(plain, plain->at + CAPTURED);
    if (nanoseconds >= NS_PER_S || captured > RECORD_MOST || !has_bytes(plain, RECORD_HEADER_BYTES + captured))
        return PLAIN_ODD;
    *record = (struct plain_record){
        .bytes = plain->bytes + plain->at + RECORD_HEADER_BYTES,
        .captured = captured,
        .reported = number_at(plain, plain->at + REPORTED),
        .seconds = number_at(plain, plain->at + SECONDS),
        .nanoseconds = (uint32_t)nanoseconds,
    };
    plain->at += RECORD_HEADER_BYTES + captured;
    plain->bytes_read += RECORD_HEADER_BYTES + captured;
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
