/* fuzz-quic.c
 * Datagrams of QUIC made of the fuzzer's bytes: as they stand, as frames of Initials that are encrypted as both sides
 * do, and as frames of packets that Wireshark has decrypted, which HTTP/3 is in.
 *
 * Input: for each datagram a byte of marks, a byte of time, two of length, and its payload.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <string.h>

#include <glib.h>
#include <wsutil/wmem/wmem.h>

#include "../unit/quic-written.h"
#include "check_request.h"
#include "core/analysis.h"
#include "mutate.h"

enum {
    FROM_CLIENT = 0x01,
    OTHER_PORT = 0x02, /* of the client */
    INITIAL = 0x04,    /* the payload is the frames of one */
    DECRYPTED = 0x08,  /* the payload is the frames of a packet of 1-RTT */
    VERSION_2 = 0x10,
    QUOTED = 0x20,
    CUT = 0x40,  /* the capture has half of the payload */
    KEEP = 0x80, /* of the first datagram: frames are visited again */
    HEAD_BYTES = 4,
    NS_A_TICK = 20000000 /* so that a byte is up to 2.5 s, also back */
};

const struct input_shape input_shape = { 0, HEAD_BYTES, 2 };

static const struct quic_id original = { 8, { 1, 2, 3, 4, 5, 6, 7, 8 } }, of_server = { 4, { 9, 9, 9, 9 } };
static const struct quic_id of_client = { 0, { 0 } };

static enum port_kind
port_kind(uint16_t port G_GNUC_UNUSED)
{
    return PORT_PLAIN;
}

static void
write_datagram(GByteArray *datagram, unsigned marks, const uint8_t *bytes, uint32_t n)
{
    const uint32_t version = marks & VERSION_2 ? QUIC_VERSION_2 : QUIC_VERSION_1;
    GByteArray *frames = g_byte_array_new();
    if (!(marks & (INITIAL | DECRYPTED)))
        g_byte_array_append(datagram, bytes, n);
    if (marks & INITIAL) {
        g_byte_array_append(frames, bytes, n);
        quic_write_initial(datagram, version, &original, marks & FROM_CLIENT ? QUIC_CLIENT : QUIC_SERVER,
                           marks & FROM_CLIENT ? &original : &of_client, marks & FROM_CLIENT ? &of_client : &of_server,
                           0, frames, 1200);
    }
    if (marks & DECRYPTED)
        quic_write_short(datagram, marks & FROM_CLIENT ? &of_server : &of_client, n);
    g_byte_array_free(frames, TRUE);
}

static void
take(struct analysis *analysis, unsigned marks, struct segment *segment, const uint8_t *bytes, uint32_t n)
{
    if (marks & QUOTED) {
        analysis_take_quoted_quic(analysis, segment);
    } else if (analysis_take_quic(analysis, segment)) {
        analysis_read_quic(analysis, segment);
        if (marks & DECRYPTED)
            analysis_read_quic_frames(analysis, bytes, n);
    }
    check_requests(analysis, segment->frame, FRAMING_HTTP3);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct settings settings = { .port_kind = port_kind, .id_headers = "x-id" };
    static wmem_allocator_t *scope;
    if (!scope) {
        wmem_init();
        scope = wmem_allocator_new(WMEM_ALLOCATOR_SIMPLE); /* malloc, so that AddressSanitizer sees each record */
    }
    struct analysis *analysis = analysis_new(scope, &settings);
    int64_t now_ns = 0;
    items_set_keep(analysis->items, size > 0 && data[0] & KEEP);
    analysis->requests.wants_ids = true;
    for (uint32_t frame = 1; size > HEAD_BYTES; frame++) {
        const unsigned marks = data[0];
        const uint32_t n = (uint32_t)MIN((size_t)(data[2] << 8 | data[3]), size - HEAD_BYTES);
        uint8_t *payload = g_memdup2(data + HEAD_BYTES, n); /* of its own length, for AddressSanitizer */
        GByteArray *datagram = g_byte_array_new();
        write_datagram(datagram, marks, payload, n);
        now_ns += (int64_t)(int8_t)data[1] * NS_A_TICK;
        const struct endpoint client = { { 10, 0, 0, 1 },
                                         (uint16_t)(40000 + ((marks & OTHER_PORT) != 0)),
                                         TRANSPORT_TCP };
        const struct endpoint server = { { 10, 0, 0, 2 }, 443, TRANSPORT_TCP };
        struct segment segment = {
            .frame = frame,
            .time_ns = now_ns,
            .source = marks & FROM_CLIENT ? client : server,
            .destination = marks & FROM_CLIENT ? server : client,
            .payload_bytes = datagram->len,
            .captured_bytes = marks & CUT ? datagram->len / 2 : datagram->len,
            .payload = datagram->data,
            .operation = "",
        };
        take(analysis, marks, &segment, payload, n);
        g_byte_array_free(datagram, TRUE);
        g_free(payload);
        data += HEAD_BYTES + n;
        size -= HEAD_BYTES + n;
    }
    analysis_end(analysis);
    analysis_free(analysis);
    wmem_free_all(scope);
    return 0;
}
