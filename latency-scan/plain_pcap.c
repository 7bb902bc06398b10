/* plain_pcap.c
 * The format: draft-ietf-opsawg-pcap. A file is in the byte order of whoever wrote it.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "plain_inside.h"

#include <fcntl.h>

#include <wiretap/wtap.h>

enum { FILE_HEADER_BYTES = 24, RECORD_HEADER_BYTES = 16 };

int
plain_encapsulation(uint32_t link)
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

/* Earlier versions have a record's lengths in another order. */
static bool
read_file_header(struct plain_pcap *plain)
{
    enum { MAGIC_MICROSECONDS = 0xa1b2c3d4, MAGIC_NANOSECONDS = 0xa1b23c4d, LINK = 20 };
    static const uint8_t version[2][4] = { { 0, 2, 0, 4 }, { 2, 0, 4, 0 } };
    if (!plain_has(plain, FILE_HEADER_BYTES))
        return false;
    uint32_t magic = plain_32(plain, 0);
    plain->is_swapped =
        magic == GUINT32_SWAP_LE_BE(MAGIC_MICROSECONDS) || magic == GUINT32_SWAP_LE_BE(MAGIC_NANOSECONDS);
    magic = plain_32(plain, 0);
    plain->unit_ns = magic == MAGIC_NANOSECONDS ? 1 : 1000;
    plain->encapsulation = plain_encapsulation(plain_32(plain, LINK));
    plain_pass(plain, FILE_HEADER_BYTES);
    bool is_little_endian = plain->bytes[0] == (magic & 0xff);
    return (magic == MAGIC_MICROSECONDS || magic == MAGIC_NANOSECONDS) && plain->encapsulation != WTAP_ENCAP_UNKNOWN &&
           memcmp(plain->bytes + 4, version[is_little_endian], sizeof version[0]) == 0;
}

/* Some programs wrote other records behind the same magic number, which wiretap knows by the first ones. */
static bool
begins_plainly(struct plain_pcap *plain)
{
    enum { LOOKED_AT = 4 };
    struct plain_record record;
    enum plain_next next = PLAIN_RECORD;
    for (unsigned i = 0; i < LOOKED_AT && (next == PLAIN_RECORD || next == PLAIN_CUSTOM); i++) {
        next = plain_pcap_next(plain, &record);
        if (next == PLAIN_RECORD && (record.captured > record.reported || record.reported > RECORD_MOST))
            next = PLAIN_ODD;
    }
    return next != PLAIN_ODD;
}

/* Reads what comes before the first record. False if it is not plain. */
static bool
begin(struct plain_pcap *plain)
{
    plain->is_pcapng = plain_pcapng_is_it(plain);
    return plain->is_pcapng ? plain_pcapng_begin(plain) : read_file_header(plain);
}

/* Forgets what has been read. */
static void
forget(struct plain_pcap *plain)
{
    plain_pcapng_end(plain);
    described_free(plain->described);
    plain->described = NULL;
    plain->is_swapped = false;
    plain->records = 0;
    plain->bytes_read = 0;
    plain->at = plain->end = 0;
}

struct plain_pcap *
plain_pcap_open(const char *path)
{
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return NULL;
    struct plain_pcap *plain = g_new0(struct plain_pcap, 1);
    plain->file = file;
    if (begin(plain) && begins_plainly(plain) && lseek(file, 0, SEEK_SET) == 0) {
        forget(plain);
        if (begin(plain))
            return plain;
    }
    plain_pcap_close(plain);
    return NULL;
}

void
plain_pcap_close(struct plain_pcap *plain)
{
    if (!plain)
        return;
    close(plain->file);
    forget(plain);
    g_free(plain);
}

const char *
plain_pcap_interface(const struct plain_pcap *plain, uint32_t interface)
{
    return plain->is_pcapng ? plain_pcapng_interface(plain, interface) : NULL;
}

const struct described *
plain_pcap_described(const struct plain_pcap *plain)
{
    return plain->described;
}

bool
plain_pcap_has_interfaces(const struct plain_pcap *plain)
{
    return plain->is_pcapng;
}

static inline enum plain_next
next_of_pcap(struct plain_pcap *plain, struct plain_record *record)
{
    enum { SECONDS = 0, PART_OF_SECOND = 4, CAPTURED = 8, REPORTED = 12, NS_PER_S = 1000000000 };
    if (!plain_has(plain, RECORD_HEADER_BYTES))
        return plain_ended(plain);
    const uint64_t nanoseconds = (uint64_t)plain_32(plain, plain->at + PART_OF_SECOND) * plain->unit_ns;
    const uint32_t captured = plain_32(plain, plain->at + CAPTURED);
    if (nanoseconds >= NS_PER_S || captured > RECORD_MOST || !plain_has(plain, RECORD_HEADER_BYTES + captured))
        return PLAIN_ODD;
    record->bytes = plain->bytes + plain->at + RECORD_HEADER_BYTES;
    record->captured = captured;
    record->reported = plain_32(plain, plain->at + REPORTED);
    record->encapsulation = plain->encapsulation;
    record->interface = 0;
    record->has_time = true;
    record->tells = false;
    record->time_ns = (int64_t)plain_32(plain, plain->at + SECONDS) * NS_PER_S + (int64_t)nanoseconds;
    record->options.bytes = 0;
    plain_pass(plain, RECORD_HEADER_BYTES + captured);
    plain->records++;
    return PLAIN_RECORD;
}

inline enum plain_next
plain_pcap_next(struct plain_pcap *plain, struct plain_record *record)
{
    return plain->is_pcapng ? plain_pcapng_next(plain, record) : next_of_pcap(plain, record);
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
