/* fuzz-frames.c
 * Whole captures made of the fuzzer's bytes: frames of any link layer go through decap to the core and into every
 * table.
 *
 * Input: a byte that chooses the link layer, and whether frames are of two interfaces and seconds apart; then for each
 * frame a byte of time, whose last bit is its interface then, two of its captured length, two of what it had more on
 * the wire, and its bytes.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <glib.h>
#include <wsutil/wmem/wmem.h>

#include "every_table.h"
#include "mutate.h"
#include "preferences.h"

enum { HEAD_BYTES = 5, NS_A_TICK = 1000000, TICKS_A_SECOND = 1000 };

const struct input_shape input_shape = { 1, HEAD_BYTES, 1 };

static const int links[] = {
    WTAP_ENCAP_ETHERNET, WTAP_ENCAP_RAW_IP, WTAP_ENCAP_NULL,      WTAP_ENCAP_LOOP,  WTAP_ENCAP_SLL,
    WTAP_ENCAP_SLL2,     WTAP_ENCAP_PPP,    WTAP_ENCAP_PPP_ETHER, WTAP_ENCAP_CHDLC, WTAP_ENCAP_PKTAP,
};

static void
take_frames(struct scan *scan, const uint8_t *data, size_t size, int encapsulation, bool has_points)
{
    const int64_t ns_a_tick = (int64_t)NS_A_TICK * (has_points ? TICKS_A_SECOND : 1);
    int64_t now_ns = 0;
    while (size >= HEAD_BYTES) {
        uint32_t captured = (uint32_t)MIN((size_t)(data[1] << 8 | data[2]), size - HEAD_BYTES);
        wtap_rec rec = { .rec_type = REC_TYPE_PACKET, .presence_flags = WTAP_HAS_TS };
        rec.rec_header.packet_header.pkt_encap = encapsulation;
        if (has_points) {
            rec.presence_flags |= WTAP_HAS_INTERFACE_ID;
            rec.rec_header.packet_header.interface_id = data[0] & 1u;
        }
        now_ns += (int64_t)(int8_t)data[0] * ns_a_tick;
        uint8_t *bytes = g_memdup2(data + HEAD_BYTES, captured); /* of its own length, for AddressSanitizer */
        struct frame frame = {
            .rec = &rec,
            .bytes = bytes,
            .captured = captured,
            .reported = captured + (uint32_t)(data[3] << 8 | data[4]),
            .encapsulation = encapsulation,
            .has_time = true,
            .time_ns = now_ns,
        };
        scan_take(scan, &frame);
        g_free(bytes);
        data += HEAD_BYTES + captured;
        size -= HEAD_BYTES + captured;
    }
}

const char *
reading_interface_name(const struct frame *frame G_GNUC_UNUSED, uint32_t interface G_GNUC_UNUSED,
                       uint32_t section G_GNUC_UNUSED)
{
    return NULL;
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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct settings *settings = every_table_settings();
    if (size == 0)
        return 0;
    struct scan *scan = scan_new(settings, preferences_texts());
    GArray *tables = every_table_open(scan);
    take_frames(scan, data + 1, size - 1, links[data[0] % G_N_ELEMENTS(links)], data[0] / G_N_ELEMENTS(links) % 2);
    scan_end(scan);
    every_table_close(tables, scan);
    scan_free(scan);
    return 0;
}
