/* plain_pcap.c
 * The formats: draft-ietf-opsawg-pcap, draft-ietf-opsawg-pcapng. A file is in the byte order of whoever wrote it.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "plain_pcap.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include <glib.h>

#include "compat.h"

enum { FILE_HEADER_BYTES = 24, RECORD_HEADER_BYTES = 16, RECORD_MOST = 262144, NS_PER_S = 1000000000 };

/* Of a pcapng file. A block ends with its length, once more. */
enum { BLOCK_LEAST = 12, SECTION_LEAST = 28, PACKET_HEADER_BYTES = 28, PACKET_LEAST = PACKET_HEADER_BYTES + 4 };
enum { BLOCK_MOST = PACKET_LEAST + RECORD_MOST };

enum block_type {
    BLOCK_SECTION = 0x0a0d0d0a,
    BLOCK_INTERFACE = 1,
    BLOCK_NAMES = 4,
    BLOCK_STATISTICS = 5,
    BLOCK_PACKET = 6,
    BLOCK_SECRETS = 10,
};

/* So much is read at a time: it stays in a cache until it has been looked at. */
enum { READ_BYTES = 64 * 1024 };

struct plain_pcap {
    int file;
    bool is_swapped;
    bool has_blocks; /* pcapng */
    uint32_t unit_ns;
    uint64_t records;
    int64_t bytes_read;
    uint32_t at, end; /* of what has been read, and not been handed out, in: */
    uint8_t bytes[BLOCK_MOST + READ_BYTES];
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

static uint32_t
half_at(const struct plain_pcap *plain, uint32_t at)
{
    uint16_t half;
    memcpy(&half, plain->bytes + at, sizeof half);
    return plain->is_swapped ? GUINT16_SWAP_LE_BE(half) : half;
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

/* The section's block: wiretap has opened the file, and found the version to be one that it reads. */
static bool
read_section(struct plain_pcap *plain)
{
    enum { LENGTH = 4, ORDER = 8, ORDER_MAGIC = 0x1a2b3c4d };
    if (!has_bytes(plain, SECTION_LEAST) || number_at(plain, 0) != BLOCK_SECTION)
        return false;
    plain->is_swapped = number_at(plain, ORDER) == GUINT32_SWAP_LE_BE(ORDER_MAGIC);
    const uint32_t length = number_at(plain, LENGTH);
    if (number_at(plain, ORDER) != ORDER_MAGIC || length % 4 || length > BLOCK_MOST || !has_bytes(plain, length))
        return false;
    plain->at = length;
    plain->bytes_read = length;
    return true;
}

static wireshark_bool
note_offset(wtap_block_t block _U_, guint id, wtap_opttype_e type _U_, wtap_optval_t *option _U_, void *data)
{
    bool *has_offset = data;
    *has_offset |= id == OPT_IDB_TSOFFSET;
    return true;
}

/* Of the first interface, whose description wiretap has read; 0 if its times are not plain numbers of microseconds or
 * nanoseconds. */
static uint32_t
unit_of(wtap *wth)
{
    wtapng_iface_descriptions_t *interfaces = wtap_file_get_idb_info(wth);
    uint64_t units = 0;
    if (interfaces->interface_data->len > 0) {
        wtap_block_t block = g_array_index(interfaces->interface_data, wtap_block_t, 0);
        bool has_offset = false;
        wtap_block_foreach_option(block, note_offset, &has_offset);
        if (!has_offset)
            units = ((const wtapng_if_descr_mandatory_t *)wtap_block_get_mandatory_data(block))->time_units_per_second;
    }
    g_free(interfaces);
    return units == NS_PER_S / 1000 ? 1000 : units == NS_PER_S ? 1 : 0;
}

static bool
begin(struct plain_pcap *plain, wtap *wth)
{
    if (!plain->has_blocks)
        return read_file_header(plain);
    plain->unit_ns = unit_of(wth);
    return plain->unit_ns > 0 && read_section(plain);
}

struct plain_pcap *
plain_pcap_open(const char *path, wtap *wth)
{
    int type = wtap_file_type_subtype(wth);
    bool has_blocks = type == wtap_pcapng_file_type_subtype();
    if ((!has_blocks && type != wtap_pcap_file_type_subtype() && type != wtap_pcap_nsec_file_type_subtype()) ||
        !is_without_pseudo_header(wtap_file_encap(wth)))
        return NULL;
    struct plain_pcap *plain = g_new0(struct plain_pcap, 1);
    plain->has_blocks = has_blocks;
    plain->file = open(path, O_RDONLY | O_CLOEXEC);
    if (plain->file >= 0 && begin(plain, wth))
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

static inline enum plain_next
next_record(struct plain_pcap *plain, struct plain_record *record)
{
    enum { SECONDS = 0, PART_OF_SECOND = 4, CAPTURED = 8, REPORTED = 12 };
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

/* What every block has: the lengths at its ends agree, and all of it is there. 0 if not. */
static uint32_t
block_length(struct plain_pcap *plain)
{
    enum { LENGTH = 4 };
    if (!has_bytes(plain, BLOCK_LEAST))
        return 0;
    const uint32_t length = number_at(plain, plain->at + LENGTH);
    if (length < BLOCK_LEAST || length > BLOCK_MOST || length % 4 || !has_bytes(plain, length) ||
        number_at(plain, plain->at + length - 4) != length)
        return 0;
    return length;
}

/* A packet of the first interface without options. */
static enum plain_next
take_packet(const struct plain_pcap *plain, uint32_t length, struct plain_record *record)
{
    enum { INTERFACE = 8, TIME_HIGH = 12, TIME_LOW = 16, CAPTURED = 20, REPORTED = 24 };
    const uint32_t at = plain->at;
    if (length < PACKET_LEAST || number_at(plain, at + INTERFACE) != 0)
        return PLAIN_ODD;
    const uint32_t captured = number_at(plain, at + CAPTURED);
    if (captured > RECORD_MOST || length != PACKET_LEAST + (captured + 3) / 4 * 4)
        return PLAIN_ODD;
    const uint64_t time = (uint64_t)number_at(plain, at + TIME_HIGH) << 32 | number_at(plain, at + TIME_LOW);
    const uint64_t seconds = plain->unit_ns == 1 ? time / NS_PER_S : time / (NS_PER_S / 1000);
    if (seconds > UINT32_MAX)
        return PLAIN_ODD;
    *record = (struct plain_record){
        .bytes = plain->bytes + at + PACKET_HEADER_BYTES,
        .captured = captured,
        .reported = number_at(plain, at + REPORTED),
        .seconds = (uint32_t)seconds,
        .nanoseconds = (uint32_t)((time - seconds * (NS_PER_S / plain->unit_ns)) * plain->unit_ns),
    };
    return PLAIN_RECORD;
}

/* Whether wiretap would pass over a block, too: before the first packet it has done so. Behind it stand the statistics
 * that whoever captures writes last: some numbers of 8 bytes. */
static bool
is_passed(const struct plain_pcap *plain, uint32_t type, uint32_t length)
{
    enum { INTERFACE = 8, OPTIONS = 20, OPTION_BYTES = 12, FIRST_NUMBER = 2, LAST_NUMBER = 8 };
    if (plain->records == 0 && (type == BLOCK_INTERFACE || type == BLOCK_NAMES || type == BLOCK_SECRETS))
        return true;
    if (type != BLOCK_STATISTICS || length < OPTIONS + 4 || number_at(plain, plain->at + INTERFACE) != 0)
        return false;
    const uint32_t end = plain->at + length - 4;
    for (uint32_t at = plain->at + OPTIONS; at < end; at += OPTION_BYTES) {
        const uint32_t code = half_at(plain, at);
        const uint32_t bytes = half_at(plain, at + 2);
        if (code == 0 && bytes == 0)
            return at + 4 == end;
        if (at + OPTION_BYTES > end || code < FIRST_NUMBER || code > LAST_NUMBER || bytes != 8)
            return false;
    }
    return true;
}

static enum plain_next
next_block(struct plain_pcap *plain, struct plain_record *record)
{
    for (;;) {
        const uint32_t length = block_length(plain);
        if (length == 0)
            return plain->end == plain->at ? PLAIN_END : PLAIN_ODD;
        const uint32_t type = number_at(plain, plain->at);
        if (type == BLOCK_PACKET && take_packet(plain, length, record) != PLAIN_RECORD)
            return PLAIN_ODD;
        if (type != BLOCK_PACKET && !is_passed(plain, type, length))
            return PLAIN_ODD;
        plain->at += length;
        plain->bytes_read += length;
        if (type == BLOCK_PACKET) {
            plain->records++;
            return PLAIN_RECORD;
        }
    }
}

inline enum plain_next
plain_pcap_next(struct plain_pcap *plain, struct plain_record *record)
{
    return plain->has_blocks ? next_block(plain, record) : next_record(plain, record);
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
