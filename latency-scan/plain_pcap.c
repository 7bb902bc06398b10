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
#include <wiretap/wtap.h>

enum { FILE_HEADER_BYTES = 24, RECORD_HEADER_BYTES = 16, RECORD_MOST = 262144 };

/* Of pcapng: a block's type and length stand before its body, and its length once more behind it. */
enum { BLOCK_HEADER_BYTES = 8, BLOCK_LEAST = 12, BLOCK_MOST = RECORD_MOST + 64 };

/* Types of blocks. Some are passed over: statistics, and secrets, with which nothing is decrypted here. */
enum {
    BLOCK_SECTION = 0x0a0d0d0a,
    BLOCK_INTERFACE = 1,
    BLOCK_STATISTICS = 5,
    BLOCK_PACKET = 6, /* enhanced */
    BLOCK_SECRETS = 10
};

/* So much is read at a time: it stays in a cache until it has been looked at. */
enum { READ_BYTES = 64 * 1024 };

/* Times beyond that are wiretap's to read. */
#define TIME_MOST_NS (INT64_C(1) << 62)

struct plain_pcap {
    int file;
    bool is_broken; /* an error ended it; what that is, wiretap says */
    bool is_pcapng;
    bool is_swapped;
    bool has_interface; /* of pcapng: its description has been read */
    bool is_named;      /* by its name, not by its description */
    char *interface;    /* its name; NULL if it has none */
    uint32_t unit_ns;   /* of times */
    int encapsulation;
    uint64_t records;
    int64_t bytes_read;
    uint32_t at, end; /* of what has been read, and not been handed out, in: */
    uint8_t bytes[BLOCK_MOST + READ_BYTES];
};

/* Returns wiretap's number of a link layer without a pseudo-header; WTAP_ENCAP_UNKNOWN for others. */
static int
encapsulation_of(uint32_t link)
{
    static const struct {
        uint32_t link;
        int encapsulation;
    } links[] = {
        { 0, WTAP_ENCAP_NULL },   { 1, WTAP_ENCAP_ETHERNET }, { 101, WTAP_ENCAP_RAW_IP },
        { 108, WTAP_ENCAP_LOOP }, { 113, WTAP_ENCAP_SLL },    { 276, WTAP_ENCAP_SLL2 },
    };
    for (unsigned i = 0; i < G_N_ELEMENTS(links); i++)
        if (links[i].link == link)
            return links[i].encapsulation;
    return WTAP_ENCAP_UNKNOWN;
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
        if (got <= 0) {
            plain->is_broken = got < 0;
            return false;
        }
        plain->end += (uint32_t)got;
    }
    return true;
}

/* Earlier versions have a record's lengths in another order. */
static bool
read_file_header(struct plain_pcap *plain)
{
    enum { MAGIC_MICROSECONDS = 0xa1b2c3d4, MAGIC_NANOSECONDS = 0xa1b23c4d, LINK = 20 };
    static const uint8_t version[2][4] = { { 0, 2, 0, 4 }, { 2, 0, 4, 0 } };
    if (!has_bytes(plain, FILE_HEADER_BYTES))
        return false;
    uint32_t magic = number_at(plain, 0);
    plain->is_swapped =
        magic == GUINT32_SWAP_LE_BE(MAGIC_MICROSECONDS) || magic == GUINT32_SWAP_LE_BE(MAGIC_NANOSECONDS);
    magic = number_at(plain, 0);
    plain->unit_ns = magic == MAGIC_NANOSECONDS ? 1 : 1000;
    plain->encapsulation = encapsulation_of(number_at(plain, LINK));
    plain->at = FILE_HEADER_BYTES;
    plain->bytes_read = FILE_HEADER_BYTES;
    bool is_little_endian = plain->bytes[0] == (magic & 0xff);
    return (magic == MAGIC_MICROSECONDS || magic == MAGIC_NANOSECONDS) && plain->encapsulation != WTAP_ENCAP_UNKNOWN &&
           memcmp(plain->bytes + 4, version[is_little_endian], sizeof version[0]) == 0;
}

/* Makes sure that the next block is whole, and moves nothing. Returns its length; 0 if it is cut, or makes no sense. */
static uint32_t
block_length(struct plain_pcap *plain)
{
    if (!has_bytes(plain, BLOCK_LEAST))
        return 0;
    const uint32_t length = number_at(plain, plain->at + 4);
    if (length < BLOCK_LEAST || length > BLOCK_MOST || length % 4 != 0 || !has_bytes(plain, length) ||
        number_at(plain, plain->at + length - 4) != length)
        return 0;
    return length;
}

static void
pass_block(struct plain_pcap *plain, uint32_t length)
{
    plain->at += length;
    plain->bytes_read += length;
}

static uint16_t
short_at(const struct plain_pcap *plain, uint32_t at)
{
    uint16_t number;
    memcpy(&number, plain->bytes + at, sizeof number);
    return (uint16_t)(plain->is_swapped ? GUINT16_SWAP_LE_BE(number) : number);
}

/* Returns whether options fill the room between two offsets, as wiretap demands. */
static bool
options_fit(const struct plain_pcap *plain, uint32_t at, uint32_t end)
{
    while (at + 4 <= end) {
        const uint32_t code = short_at(plain, at), padded = (short_at(plain, at + 2) + 3U) & ~3U;
        if (code == 0)
            return true;
        if (padded > end - at - 4)
            return false;
        at += 4 + padded;
    }
    return at == end;
}

/* Returns whether a block of statistics, or of secrets, is one that wiretap takes. */
static bool
may_pass(const struct plain_pcap *plain, uint32_t type, uint32_t length)
{
    enum { STATISTICS_OPTIONS = 20, SECRETS_BYTES = 12, SECRETS = 16 };
    const uint32_t at = plain->at, end = at + length - 4;
    if (type == BLOCK_STATISTICS)
        return length >= STATISTICS_OPTIONS + 4 && options_fit(plain, at + STATISTICS_OPTIONS, end);
    if (length < SECRETS + 4)
        return false;
    const uint32_t bytes = number_at(plain, at + SECRETS_BYTES);
    return bytes <= length - SECRETS - 4 && options_fit(plain, at + SECRETS + ((bytes + 3) & ~3U), end);
}

static bool
read_section(struct plain_pcap *plain)
{
    enum { ORDER = 8, VERSION = 12, SECTION_OPTIONS = 24, SECTION_LEAST = 28, MAGIC = 0x1a2b3c4d };
    if (!has_bytes(plain, SECTION_LEAST) || number_at(plain, 0) != BLOCK_SECTION)
        return false;
    plain->is_swapped = number_at(plain, ORDER) == GUINT32_SWAP_LE_BE(MAGIC);
    if (number_at(plain, ORDER) != MAGIC)
        return false;
    const uint32_t length = block_length(plain);
    if (length < SECTION_LEAST || short_at(plain, VERSION) != 1 || short_at(plain, VERSION + 2) != 0 ||
        !options_fit(plain, SECTION_OPTIONS, length - 4))
        return false;
    pass_block(plain, length);
    return true;
}

/* Keeps an interface's first name, or else its first description. */
static void
keep_name(struct plain_pcap *plain, uint32_t at, uint16_t length, bool is_name)
{
    if (plain->interface && (plain->is_named || !is_name))
        return;
    g_free(plain->interface);
    plain->interface = g_strndup((const char *)plain->bytes + at, length);
    plain->is_named = is_name;
}

/* Reads the options between two offsets: names, and what a time's unit is. Returns false if one of them changes what a
 * packet is. */
static bool
read_interface_options(struct plain_pcap *plain, uint32_t at, uint32_t end)
{
    enum { END = 0, COMMENT = 1, NAME = 2, DESCRIPTION = 3, RESOLUTION = 9, FILTER = 11, SYSTEM = 12 };
    enum { MICROSECONDS = 6, NANOSECONDS = 9 };
    bool has_resolution = false;
    while (at + 4 <= end) {
        const uint16_t code = short_at(plain, at), length = short_at(plain, at + 2);
        const uint32_t padded = (length + 3U) & ~3U;
        if (code == END)
            return true;
        const bool is_harmless =
            code == COMMENT || code == NAME || code == DESCRIPTION || code == SYSTEM || (code == FILTER && length > 0);
        if (padded > end - at - 4 || (code != RESOLUTION && !is_harmless))
            return false;
        if (code == NAME || code == DESCRIPTION)
            keep_name(plain, at + 4, length, code == NAME);
        if (code == RESOLUTION) {
            const uint8_t exponent = length == 1 ? plain->bytes[at + 4] : 0;
            if (has_resolution || (exponent != MICROSECONDS && exponent != NANOSECONDS))
                return false;
            has_resolution = true;
            plain->unit_ns = exponent == NANOSECONDS ? 1 : 1000;
        }
        at += 4 + padded;
    }
    return at == end;
}

/* Reads an interface's description, which must be the only one. */
static bool
read_interface(struct plain_pcap *plain, uint32_t length)
{
    enum { LINK = 8, OPTIONS = 16, INTERFACE_LEAST = 20 };
    plain->unit_ns = 1000;
    if (plain->has_interface || length < INTERFACE_LEAST)
        return false;
    plain->encapsulation = encapsulation_of(short_at(plain, plain->at + LINK));
    if (plain->encapsulation == WTAP_ENCAP_UNKNOWN ||
        !read_interface_options(plain, plain->at + OPTIONS, plain->at + length - 4))
        return false;
    plain->has_interface = true;
    return true;
}

/* Reads a packet that has no options. */
static inline bool
read_packet(struct plain_pcap *plain, uint32_t length, struct plain_record *record)
{
    enum { INTERFACE = 8, TIME_HIGH = 12, TIME_LOW = 16, CAPTURED = 20, REPORTED = 24, DATA = 28, PACKET_LEAST = 32 };
    const uint32_t at = plain->at;
    const uint32_t captured = length >= PACKET_LEAST ? number_at(plain, at + CAPTURED) : UINT32_MAX;
    if (!plain->has_interface || captured > RECORD_MOST || length != PACKET_LEAST + ((captured + 3) & ~3U) ||
        number_at(plain, at + INTERFACE) != 0)
        return false;
    const uint64_t time = (uint64_t)number_at(plain, at + TIME_HIGH) << 32 | number_at(plain, at + TIME_LOW);
    if (time > (uint64_t)TIME_MOST_NS / plain->unit_ns)
        return false;
    record->bytes = plain->bytes + at + DATA;
    record->captured = captured;
    record->reported = number_at(plain, at + REPORTED);
    record->time_ns = (int64_t)(time * plain->unit_ns);
    return true;
}

static enum plain_next
next_of_pcapng(struct plain_pcap *plain, struct plain_record *record)
{
    for (;;) {
        const uint32_t length = block_length(plain);
        if (length == 0)
            return plain->end == plain->at && !plain->is_broken ? PLAIN_END : PLAIN_ODD;
        switch (number_at(plain, plain->at)) {
        case BLOCK_PACKET:
            if (!read_packet(plain, length, record))
                return PLAIN_ODD;
            pass_block(plain, length);
            plain->records++;
            return PLAIN_RECORD;
        case BLOCK_INTERFACE:
            if (!read_interface(plain, length))
                return PLAIN_ODD;
            break;
        case BLOCK_STATISTICS:
        case BLOCK_SECRETS:
            if (!may_pass(plain, number_at(plain, plain->at), length))
                return PLAIN_ODD;
            break;
        default:
            return PLAIN_ODD;
        }
        pass_block(plain, length);
    }
}

/* Some programs wrote other records behind the same magic number, which wiretap knows by the first ones. */
static bool
begins_plainly(struct plain_pcap *plain)
{
    enum { LOOKED_AT = 4 };
    struct plain_record record;
    enum plain_next next = PLAIN_RECORD;
    for (unsigned i = 0; i < LOOKED_AT && next == PLAIN_RECORD; i++) {
        next = plain_pcap_next(plain, &record);
        if (next == PLAIN_RECORD && (record.captured > record.reported || record.reported > RECORD_MOST))
            next = PLAIN_ODD;
    }
    return next != PLAIN_ODD;
}

/* Reads what a file of either format begins with. */
static bool
read_beginning(struct plain_pcap *plain)
{
    plain->is_pcapng = has_bytes(plain, BLOCK_LEAST) && number_at(plain, 0) == BLOCK_SECTION;
    return plain->is_pcapng ? read_section(plain) : read_file_header(plain);
}

/* NULL if it does not begin with a header. */
static struct plain_pcap *
open_file(const char *path)
{
    struct plain_pcap *plain = g_new0(struct plain_pcap, 1);
    plain->file = open(path, O_RDONLY | O_CLOEXEC);
    if (plain->file >= 0 && read_beginning(plain))
        return plain;
    plain_pcap_close(plain);
    return NULL;
}

struct plain_pcap *
plain_pcap_open(const char *path)
{
    struct plain_pcap *plain = open_file(path);
    const bool is_plain = plain && begins_plainly(plain);
    plain_pcap_close(plain);
    return is_plain ? open_file(path) : NULL;
}

void
plain_pcap_close(struct plain_pcap *plain)
{
    if (plain && plain->file >= 0)
        close(plain->file);
    if (plain)
        g_free(plain->interface);
    g_free(plain);
}

const char *
plain_pcap_interface(const struct plain_pcap *plain)
{
    return plain->interface;
}

static inline enum plain_next
next_of_pcap(struct plain_pcap *plain, struct plain_record *record)
{
    enum { SECONDS = 0, PART_OF_SECOND = 4, CAPTURED = 8, REPORTED = 12, NS_PER_S = 1000000000 };
    if (!has_bytes(plain, RECORD_HEADER_BYTES))
        return plain->end == plain->at && !plain->is_broken ? PLAIN_END : PLAIN_ODD;
    const uint64_t nanoseconds = (uint64_t)number_at(plain, plain->at + PART_OF_SECOND) * plain->unit_ns;
    const uint32_t captured = number_at(plain, plain->at + CAPTURED);
    if (nanoseconds >= NS_PER_S || captured > RECORD_MOST || !has_bytes(plain, RECORD_HEADER_BYTES + captured))
        return PLAIN_ODD;
    record->bytes = plain->bytes + plain->at + RECORD_HEADER_BYTES;
    record->captured = captured;
    record->reported = number_at(plain, plain->at + REPORTED);
    record->time_ns = (int64_t)number_at(plain, plain->at + SECONDS) * NS_PER_S + (int64_t)nanoseconds;
    plain->at += RECORD_HEADER_BYTES + captured;
    plain->bytes_read += RECORD_HEADER_BYTES + captured;
    plain->records++;
    return PLAIN_RECORD;
}

inline enum plain_next
plain_pcap_next(struct plain_pcap *plain, struct plain_record *record)
{
    return plain->is_pcapng ? next_of_pcapng(plain, record) : next_of_pcap(plain, record);
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

int
plain_pcap_encapsulation(const struct plain_pcap *plain)
{
    return plain->encapsulation;
}
