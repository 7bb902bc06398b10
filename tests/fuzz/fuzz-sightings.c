/* fuzz-sightings.c
 * Packets seen at several points, with comments made of the fuzzer's bytes: what recorders write of processes, ids,
 * samples and losses, through latency-scan into every table.
 *
 * Input: for each sighting a byte that chooses one of a few packets, one of the interface, one of marks, one of time,
 * one of the packet id, two of the comments' length, and the comments, with a byte 0 between two.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <string.h>

#include <glib.h>
#include <wiretap/wtap_opttypes.h>
#include <wsutil/wmem/wmem.h>

#include "every_table.h"
#include "mutate.h"
#include "preferences.h"

enum { HEAD_BYTES = 7, NS_A_TICK = 1000000, PACKET_BYTES = 60, IP_BYTES = 20, TCP_BYTES = 20, COMMENTS_MOST = 4 };
enum { HAS_PACKET_ID = 0x01, HAS_FLAGS = 0x02, OUTBOUND = 0x04, HAS_DROPS = 0x08, OTHER_IP_ID = 0x10, SECTION = 0x20 };

const struct input_shape input_shape = { 0, HEAD_BYTES, 5 };

/* Of kernel-stages, retis, tcpdump and others. */
static const char *const interfaces[] = { "eth0",   "rx:ip",    "rx:tcp",    "app:recv", "app:send",
                                          "tx:tcp", "tx:qdisc", "tx:driver", "any",      "veth1" };

const char *
reading_interface_name(const struct frame *frame G_GNUC_UNUSED, uint32_t interface, uint32_t section G_GNUC_UNUSED)
{
    return interface < G_N_ELEMENTS(interfaces) ? interfaces[interface] : NULL;
}

void
reading_process_block(const struct frame *frame G_GNUC_UNUSED, uint32_t block G_GNUC_UNUSED,
                      uint32_t section G_GNUC_UNUSED, struct process *process G_GNUC_UNUSED)
{
}

bool
reading_process_of_pid(const struct frame *frame G_GNUC_UNUSED, uint32_t pid G_GNUC_UNUSED,
                       struct process *process G_GNUC_UNUSED)
{
    return false;
}

/* One of sixteen of a conversation of two requests: an IPv4 packet. */
static void
make_packet(uint8_t *packet, unsigned number, bool other_ip_id)
{
    static const char question[] = "GET / HTTP/1.1\r\n\r\n", answer[] = "HTTP/1.1 204 \r\n\r\n\r\n";
    bool from_client = number % 2 == 0;
    unsigned turn = number / 2 % 4;
    memset(packet, 0, PACKET_BYTES);
    packet[0] = 0x45;
    packet[3] = PACKET_BYTES;
    packet[5] = (uint8_t)(number + 1 + 64 * other_ip_id);
    packet[8] = 64;
    packet[9] = 6;
    memcpy(packet + 12, from_client ? "\12\0\0\1\12\0\0\2" : "\12\0\0\2\12\0\0\1", 8);
    uint8_t *segment = packet + IP_BYTES;
    memcpy(segment, from_client ? "\234\100\0\120" : "\0\120\234\100", 4);
    segment[7] = (uint8_t)(1 + turn * 20);                   /* sequence number */
    segment[11] = (uint8_t)(1 + (turn + !from_client) * 20); /* acknowledgement */
    segment[12] = 0x50;
    segment[13] = 0x18; /* PSH, ACK */
    segment[16] = (uint8_t)number;
    memcpy(segment + TCP_BYTES, from_client ? question : answer, PACKET_BYTES - IP_BYTES - TCP_BYTES - 2);
}

static void
add_comments(wtap_block_t block, const uint8_t *bytes, size_t n)
{
    for (unsigned i = 0; i < COMMENTS_MOST && n > 0; i++) {
        const uint8_t *end = memchr(bytes, '\0', n);
        size_t length = end ? (size_t)(end - bytes) : n;
        wtap_block_add_string_option(block, OPT_COMMENT, (const char *)bytes, length);
        bytes += length + (end != NULL);
        n -= length + (end != NULL);
    }
}

/* To be unreferenced. */
static wtap_block_t
block_of(const uint8_t *head, const uint8_t *comments, size_t n)
{
    wtap_block_t block = wtap_block_create(WTAP_BLOCK_PACKET);
    if (head[2] & HAS_PACKET_ID)
        wtap_block_add_uint64_option(block, OPT_PKT_PACKETID, head[4]);
    if (head[2] & HAS_FLAGS)
        wtap_block_add_uint32_option(block, OPT_PKT_FLAGS, head[2] & OUTBOUND ? 2 : 1);
    if (head[2] & HAS_DROPS)
        wtap_block_add_uint64_option(block, OPT_PKT_DROPCOUNT, head[4]);
    add_comments(block, comments, n);
    return block;
}

static void
take_sighting(struct scan *scan, const uint8_t *head, int64_t now_ns, size_t n)
{
    uint8_t packet[PACKET_BYTES];
    wtap_rec rec = { .rec_type = REC_TYPE_PACKET,
                     .presence_flags = WTAP_HAS_TS | WTAP_HAS_INTERFACE_ID | WTAP_HAS_SECTION_NUMBER };
    rec.section_number = (head[2] & SECTION) != 0;
    rec.rec_header.packet_header.pkt_encap = WTAP_ENCAP_RAW_IP;
    rec.rec_header.packet_header.interface_id = head[1] % (G_N_ELEMENTS(interfaces) + 1);
    rec.block = block_of(head, head + HEAD_BYTES, n);
    make_packet(packet, head[0], head[2] & OTHER_IP_ID);
    struct frame frame = {
        .rec = &rec,
        .bytes = packet,
        .captured = PACKET_BYTES,
        .reported = PACKET_BYTES,
        .encapsulation = WTAP_ENCAP_RAW_IP,
        .has_time = true,
        .time_ns = now_ns,
    };
    scan_take(scan, &frame);
    wtap_block_unref(rec.block);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct settings *settings = every_table_settings();
    struct scan *scan = scan_new(settings, preferences_texts());
    GArray *tables = every_table_open(scan);
    int64_t now_ns = 0;
    while (size >= HEAD_BYTES) {
        size_t n = MIN((size_t)(data[5] << 8 | data[6]), size - HEAD_BYTES);
        now_ns += (int64_t)(int8_t)data[3] * NS_A_TICK;
        take_sighting(scan, data, now_ns, n);
        data += HEAD_BYTES + n;
        size -= HEAD_BYTES + n;
    }
    scan_end(scan);
    every_table_close(tables, scan);
    scan_free(scan);
    return 0;
}
