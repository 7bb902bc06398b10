/* plain_pcapng.c
 * The format: draft-ietf-opsawg-pcapng. What wiretap refuses, or understands in another way than is written here, is
 * not taken.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "plain_inside.h"

#include <wiretap/wtap.h>

#include "compat.h"
#include "core/util/seldom.h"

/* A block's type and length stand before its body, and its length once more behind it. */
enum { BLOCK_BODY = 8, BLOCK_TAIL = 4, BLOCK_LEAST = 12 };

/* Types of blocks. Some are passed over: names and statistics, and secrets, with which nothing is decrypted here. */
enum {
    BLOCK_SECTION = 0x0a0d0d0a,
    BLOCK_INTERFACE = 1,
    BLOCK_SIMPLE_PACKET = 3,
    BLOCK_NAMES = 4,
    BLOCK_STATISTICS = 5,
    BLOCK_PACKET = 6, /* enhanced */
    BLOCK_SECRETS = 10,
    BLOCK_CUSTOM = 0x0bad,          /* of whoever has its number; may be copied into another file, */
    BLOCK_CUSTOM_HERE = 0x40000bad, /* or not */
};

/* Apple's, of a process: a type that no enum of ISO C holds. */
#define BLOCK_APPLES_PROCESS UINT32_C(0x80000001)

/* An option, or a record of names: a code, a length, a value padded to four bytes. This code ends them. */
enum { ENTRY_HEADER = 4, ENTRY_END = 0 };

/* Process and thread of a packet, for which wiretap has no name; the first of Apple's, which has a process' number. */
enum { OPTION_PROCESS = 8, OPTION_APPLES_FIRST = 0x8001 };

/* Times beyond that are wiretap's to read. */
#define TIME_MOST_NS (INT64_C(1) << 62)

struct plain_interface {
    int encapsulation;
    uint32_t unit_ns; /* of times */
    uint32_t most;    /* bytes of a simple packet that are there; 0: all */
    bool is_named;    /* by its name, not by its description */
    char *name;       /* NULL if it has none */
};

struct entry {
    uint32_t at; /* of its value */
    uint16_t code, length;
};

enum entry_next { ENTRY_IS, ENTRY_NONE, ENTRY_IS_CUT };

/* Reads what stands at `*at`, before `end`, and moves on. */
static inline enum entry_next
next_entry(const struct plain_pcap *plain, uint32_t *at, uint32_t end, struct entry *entry)
{
    if (*at == end)
        return ENTRY_NONE;
    if (end - *at < ENTRY_HEADER)
        return ENTRY_IS_CUT;
    *entry = (struct entry){ *at + ENTRY_HEADER, plain_16(plain, *at), plain_16(plain, *at + 2) };
    const uint32_t padded = (entry->length + 3U) & ~3U;
    if (padded > end - entry->at)
        return ENTRY_IS_CUT;
    *at = entry->at + padded;
    return entry->code == ENTRY_END ? ENTRY_NONE : ENTRY_IS;
}

/* Makes sure that the next block is whole, and moves nothing. Returns its length; 0 if it is cut, or makes no sense. */
static inline uint32_t
block_length(struct plain_pcap *plain)
{
    if (!plain_has(plain, BLOCK_LEAST))
        return 0;
    const uint32_t length = plain_32(plain, plain->at + 4);
    if (length < BLOCK_LEAST || length > BLOCK_MOST || length % 4 != 0 || !plain_has(plain, length) ||
        plain_32(plain, plain->at + length - BLOCK_TAIL) != length)
        return 0;
    return length;
}

/* Returns whether options fill the room between two offsets. Custom ones are wiretap's to read. */
static bool
options_fit(const struct plain_pcap *plain, uint32_t at, uint32_t end)
{
    struct entry entry;
    enum entry_next next;
    while ((next = next_entry(plain, &at, end, &entry)) == ENTRY_IS)
        if (entry.code >= OPT_CUSTOM_STR_COPY)
            return false;
    return next == ENTRY_NONE;
}

bool
plain_pcapng_is_it(struct plain_pcap *plain)
{
    return plain_has(plain, BLOCK_LEAST) && plain_32(plain, 0) == BLOCK_SECTION;
}

bool
plain_pcapng_begin(struct plain_pcap *plain)
{
    enum { ORDER = 8, VERSION = 12, OPTIONS = 24, LEAST = 28, MAGIC = 0x1a2b3c4d };
    plain->interfaces = g_array_new(FALSE, FALSE, sizeof(struct plain_interface));
    if (!plain_has(plain, LEAST))
        return false;
    plain->is_swapped = plain_32(plain, ORDER) == GUINT32_SWAP_LE_BE(MAGIC);
    if (plain_32(plain, ORDER) != MAGIC)
        return false;
    const uint32_t length = block_length(plain);
    if (length < LEAST || plain_16(plain, VERSION) != 1 || plain_16(plain, VERSION + 2) != 0 ||
        !options_fit(plain, OPTIONS, length - BLOCK_TAIL))
        return false;
    plain_pass(plain, length);
    return true;
}

static const struct plain_interface *
interface_at(const struct plain_pcap *plain, uint32_t number)
{
    return number < plain->interfaces->len ? &g_array_index(plain->interfaces, struct plain_interface, number) : NULL;
}

const char *
plain_pcapng_interface(const struct plain_pcap *plain, uint32_t interface)
{
    const struct plain_interface *found = interface_at(plain, interface);
    return found ? found->name : NULL;
}

void
plain_pcapng_end(struct plain_pcap *plain)
{
    if (!plain->interfaces)
        return;
    for (unsigned i = 0; i < plain->interfaces->len; i++)
        g_free(interface_at(plain, i)->name);
    g_array_free(plain->interfaces, TRUE);
    plain->interfaces = NULL;
}

/* Keeps an interface's first name, or else its first description. */
static void
keep_name(const struct plain_pcap *plain, const struct entry *entry, struct plain_interface *interface)
{
    const bool is_name = entry->code == OPT_IDB_NAME;
    if (interface->name && (interface->is_named || !is_name))
        return;
    g_free(interface->name);
    interface->name = g_strndup((const char *)plain->bytes + entry->at, entry->length);
    interface->is_named = is_name;
}

/* A power of ten, up to nanoseconds. */
static bool
read_resolution(const struct plain_pcap *plain, const struct entry *entry, struct plain_interface *interface)
{
    static const uint32_t units_ns[] = { 1000000000, 100000000, 10000000, 1000000, 100000, 10000, 1000, 100, 10, 1 };
    const uint8_t exponent = entry->length == 1 ? plain->bytes[entry->at] : UINT8_MAX;
    if (exponent >= G_N_ELEMENTS(units_ns))
        return false;
    interface->unit_ns = units_ns[exponent];
    return true;
}

/* Returns false if the option may change what a packet is, or is none. */
static bool
read_interface_option(const struct plain_pcap *plain, const struct entry *entry, struct plain_interface *interface)
{
    enum { SPEED_BYTES = 8 };
    switch (entry->code) {
    case OPT_IDB_NAME:
    case OPT_IDB_DESCRIPTION:
        keep_name(plain, entry, interface);
        return true;
    case OPT_IDB_TSRESOL:
        return read_resolution(plain, entry, interface);
    case OPT_IDB_SPEED:
        return entry->length == SPEED_BYTES;
    case OPT_IDB_FILTER:
    case OPT_IDB_FCSLEN:
        return entry->length > 0;
    case OPT_COMMENT:
    case OPT_IDB_OS:
    case OPT_IDB_HARDWARE:
        return true;
    default:
        return false;
    }
}

/* Of more than one resolution the first counts. */
static bool
read_interface_options(const struct plain_pcap *plain, uint32_t at, uint32_t end, struct plain_interface *interface)
{
    struct entry entry;
    enum entry_next next;
    unsigned resolutions = 0;
    while ((next = next_entry(plain, &at, end, &entry)) == ENTRY_IS) {
        resolutions += entry.code == OPT_IDB_TSRESOL;
        if (resolutions > 1 || !read_interface_option(plain, &entry, interface))
            return false;
    }
    return next == ENTRY_NONE;
}

static bool
read_interface(struct plain_pcap *plain, uint32_t length)
{
    enum { LINK = 8, MOST = 12, OPTIONS = 16, LEAST = 20, INTERFACES_MOST = 4096 };
    if (length < LEAST || plain->interfaces->len == INTERFACES_MOST)
        return false;
    struct plain_interface interface = {
        .encapsulation = plain_encapsulation(plain_16(plain, plain->at + LINK)),
        .unit_ns = 1000,
        .most = plain_32(plain, plain->at + MOST),
    };
    const bool is_read =
        interface.encapsulation != WTAP_ENCAP_UNKNOWN &&
        read_interface_options(plain, plain->at + OPTIONS, plain->at + length - BLOCK_TAIL, &interface);
    g_array_append_val(plain->interfaces, interface);
    return is_read;
}

/* Takes an option of Apple's, if it has the length that it has there. */
static SELDOM bool
take_apples_option(const struct entry *entry, struct plain_record *record)
{
    enum { FUNCTION = 8 };
    static const uint8_t lengths[] = { 4, 4, 4, 4, 4, 2, 4, 2, 0, 4 };
    const unsigned index = entry->code - OPTION_APPLES_FIRST;
    record->tells = true;
    return entry->code >= OPTION_APPLES_FIRST && index < G_N_ELEMENTS(lengths) &&
           (index == FUNCTION || entry->length == lengths[index]);
}

/* Returns whether a verdict is one that wiretap takes: Linux' two have a number. */
static bool
is_verdict(const struct plain_pcap *plain, const struct entry *entry)
{
    enum { OF_HARDWARE = 0, OF_NUMBER_MOST = 2, NUMBER_BYTES = 9 };
    if (entry->length == 0)
        return false;
    const uint8_t type = plain->bytes[entry->at];
    return type == OF_HARDWARE || type > OF_NUMBER_MOST || entry->length == NUMBER_BYTES;
}

/* Returns whether it is a custom text, whose first four bytes are the number of whose it is. Of one, wiretap reads
 * more. */
static bool
is_custom_text(const struct plain_pcap *plain, const struct entry *entry)
{
    enum { OWNER_BYTES = 4, NETFLIX = 10949 };
    return entry->length >= OWNER_BYTES && plain_32(plain, entry->at) != NETFLIX;
}

/* `seen`: a bit for the code of each option before it, for of most there is one. */
static bool
is_packet_option(const struct plain_pcap *plain, const struct entry *entry, uint32_t *seen, struct plain_record *record)
{
    enum { HASH = 3, FLAGS_BYTES = 4, COUNT_BYTES = 8, CODES = 32 };
    const uint32_t bit = entry->code < CODES ? UINT32_C(1) << entry->code : 0;
    const bool is_first = !(*seen & bit);
    *seen |= bit;
    switch (entry->code) {
    case OPT_COMMENT:
        record->tells = true;
        return true;
    case HASH:
        return true;
    case OPT_PKT_FLAGS:
    case OPT_PKT_QUEUE:
        return is_first && entry->length == FLAGS_BYTES;
    case OPT_PKT_DROPCOUNT:
        return is_first && entry->length == COUNT_BYTES;
    case OPT_PKT_PACKETID:
    case OPTION_PROCESS:
        record->tells = true;
        return is_first && entry->length == COUNT_BYTES;
    case OPT_PKT_VERDICT:
        return is_verdict(plain, entry);
    case OPT_CUSTOM_STR_COPY:
    case OPT_CUSTOM_STR_NO_COPY:
        return is_custom_text(plain, entry);
    default:
        return take_apples_option(entry, record);
    }
}

/* Looks at what the options are. False if one may be of a kind that only wiretap knows. */
static bool
read_packet_options(const struct plain_pcap *plain, uint32_t at, uint32_t end, struct plain_record *record)
{
    struct entry entry;
    enum entry_next next;
    uint32_t seen = 0;
    record->options = (struct raw_options){ plain->bytes + at, end - at, plain->is_swapped };
    while ((next = next_entry(plain, &at, end, &entry)) == ENTRY_IS)
        if (!is_packet_option(plain, &entry, &seen, record))
            return false;
    return next == ENTRY_NONE;
}

static inline bool
read_packet(const struct plain_pcap *plain, uint32_t length, struct plain_record *record)
{
    enum { INTERFACE = 8, TIME_HIGH = 12, TIME_LOW = 16, CAPTURED = 20, REPORTED = 24, DATA = 28, LEAST = 32 };
    const uint32_t at = plain->at;
    const uint32_t captured = length >= LEAST ? plain_32(plain, at + CAPTURED) : UINT32_MAX;
    const uint32_t number = plain_32(plain, at + INTERFACE), padded = (captured + 3) & ~3U;
    const struct plain_interface *interface = interface_at(plain, number);
    if (!interface || captured > RECORD_MOST || length < LEAST + padded)
        return false;
    const uint64_t time = (uint64_t)plain_32(plain, at + TIME_HIGH) << 32 | plain_32(plain, at + TIME_LOW);
    if (time > (uint64_t)TIME_MOST_NS / interface->unit_ns)
        return false;
    record->bytes = plain->bytes + at + DATA;
    record->captured = captured;
    record->reported = plain_32(plain, at + REPORTED);
    record->encapsulation = interface->encapsulation;
    record->interface = number;
    record->has_time = true;
    record->tells = false;
    record->time_ns = (int64_t)(time * interface->unit_ns);
    record->options.bytes = 0;
    return length == LEAST + padded || read_packet_options(plain, at + DATA + padded, at + length - BLOCK_TAIL, record);
}

/* It has no time. */
static bool
read_simple_packet(const struct plain_pcap *plain, uint32_t length, struct plain_record *record)
{
    enum { REPORTED = 8, DATA = 12, LEAST = 16 };
    const struct plain_interface *interface = interface_at(plain, 0);
    if (!interface || length < LEAST)
        return false;
    const uint32_t reported = plain_32(plain, plain->at + REPORTED);
    const uint32_t captured = interface->most ? MIN(reported, interface->most) : reported;
    *record = (struct plain_record){
        .bytes = plain->bytes + plain->at + DATA,
        .captured = captured,
        .reported = reported,
        .encapsulation = interface->encapsulation,
    };
    return captured <= RECORD_MOST && length >= LEAST + ((captured + 3) & ~3U);
}

/* Names of addresses, and no options of their own. */
static bool
are_names(const struct plain_pcap *plain, uint32_t length)
{
    enum { LEAST = 16, IPV4 = 1, IPV6 = 2, IPV4_BYTES = 4, IPV6_BYTES = 16 };
    struct entry entry = { 0 };
    enum entry_next next;
    uint32_t at = plain->at + BLOCK_BODY;
    const uint32_t end = plain->at + length - BLOCK_TAIL;
    while ((next = next_entry(plain, &at, end, &entry)) == ENTRY_IS)
        if ((entry.code != IPV4 || entry.length < IPV4_BYTES) && (entry.code != IPV6 || entry.length < IPV6_BYTES))
            return false;
    return length >= LEAST && next == ENTRY_NONE && at == end && (entry.code != ENTRY_END || entry.length == 0);
}

/* Counts and times of an interface, each a number. */
static bool
are_statistics(const struct plain_pcap *plain, uint32_t length)
{
    enum { OPTIONS = 20, NUMBER_BYTES = 8 };
    struct entry entry;
    enum entry_next next;
    uint32_t at = plain->at + OPTIONS;
    const uint32_t end = plain->at + length - BLOCK_TAIL;
    if (length < OPTIONS + BLOCK_TAIL)
        return false;
    while ((next = next_entry(plain, &at, end, &entry)) == ENTRY_IS)
        if (entry.code != OPT_COMMENT && entry.length != NUMBER_BYTES)
            return false;
    return next == ENTRY_NONE;
}

static bool
are_secrets(const struct plain_pcap *plain, uint32_t length)
{
    enum { BYTES = 12, SECRETS = 16 };
    if (length < SECRETS + BLOCK_TAIL)
        return false;
    const uint32_t bytes = plain_32(plain, plain->at + BYTES);
    return bytes <= length - SECRETS - BLOCK_TAIL &&
           options_fit(plain, plain->at + SECRETS + ((bytes + 3) & ~3U), plain->at + length - BLOCK_TAIL);
}

static struct described *
described_of(struct plain_pcap *plain)
{
    if (!plain->described)
        plain->described = described_new();
    return plain->described;
}

static SELDOM bool
take_apples_process(struct plain_pcap *plain, uint32_t length)
{
    const struct raw_options body = { plain->bytes + plain->at + BLOCK_BODY, length - BLOCK_LEAST, plain->is_swapped };
    return described_take_apples(described_of(plain), &body);
}

/* Takes a custom block, if it is Wireshark's and has a process. What is in it is little-endian, except for its owner
 * and the options behind the process. */
static SELDOM bool
take_custom(struct plain_pcap *plain, uint32_t length)
{
    enum { OWNER = 8, ENTRY = 12, PROCESS = 20, LEAST = 24, WIRESHARK = 32622, PROCESS_ENTRY = 3 };
    const uint32_t end = length - BLOCK_TAIL;
    uint32_t numbers[2];
    if (length < LEAST || plain_32(plain, plain->at + OWNER) != WIRESHARK)
        return false;
    memcpy(numbers, plain->bytes + plain->at + ENTRY, sizeof numbers);
    const uint32_t bytes = GUINT32_FROM_LE(numbers[1]);
    if (GUINT32_FROM_LE(numbers[0]) != PROCESS_ENTRY || bytes > end - PROCESS)
        return false;
    const struct raw_options body = { plain->bytes + plain->at + PROCESS, bytes, G_BYTE_ORDER == G_BIG_ENDIAN };
    return options_fit(plain, plain->at + PROCESS + ((bytes + 3) & ~3U), plain->at + end) &&
           described_take_wiresharks(described_of(plain), &body);
}

/* Takes a block that is no packet. False if it is not known. */
static bool
take_other(struct plain_pcap *plain, uint32_t type, uint32_t length)
{
    switch (type) {
    case BLOCK_INTERFACE:
        return read_interface(plain, length);
    case BLOCK_NAMES:
        return are_names(plain, length);
    case BLOCK_STATISTICS:
        return are_statistics(plain, length);
    case BLOCK_SECRETS:
        return are_secrets(plain, length);
    case BLOCK_APPLES_PROCESS:
        return take_apples_process(plain, length);
    case BLOCK_CUSTOM:
    case BLOCK_CUSTOM_HERE:
        return take_custom(plain, length);
    default:
        return false;
    }
}

inline enum plain_next
plain_pcapng_next(struct plain_pcap *plain, struct plain_record *record)
{
    for (;;) {
        const uint32_t length = block_length(plain);
        if (length == 0)
            return plain_ended(plain);
        const uint32_t type = plain_32(plain, plain->at);
        const bool is_packet = type == BLOCK_PACKET || type == BLOCK_SIMPLE_PACKET;
        if (type == BLOCK_PACKET ? !read_packet(plain, length, record)
            : is_packet          ? !read_simple_packet(plain, length, record)
                                 : !take_other(plain, type, length))
            return PLAIN_ODD;
        plain_pass(plain, length);
        if (is_packet) {
            plain->records++;
            return PLAIN_RECORD;
        }
        if (COMPAT_SHOWS_PROCESS_BLOCKS && (type == BLOCK_CUSTOM || type == BLOCK_CUSTOM_HERE)) {
            plain->records++;
            return PLAIN_CUSTOM;
        }
    }
}
