/* fuzz-quic.c
 * Datagrams of QUIC made of the fuzzer's bytes: as they stand, as frames of Initials that are encrypted as both sides
 * do, and as frames of packets that Wireshark has decrypted, which HTTP/3 is in.
 *
 * Input: for each datagram a byte of marks, a byte of time, two of length, and its payload. With FUZZ_ONLY=http3 all
 * are frames that Wireshark has decrypted, behind a handshake.
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
    DECRYPTED =
        0x08, /* the payload is the frames of a packet of 1-RTT; with INITIAL, of another connection's Initial */
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
static const struct quic_id other_original = { 8, { 8, 7, 6, 5, 4, 3, 2, 1 } }, other_server = { 4, { 3, 3, 3, 3 } };
static const struct quic_id other_client = { 2, { 5, 5 } };

static enum port_kind
port_kind(uint16_t port G_GNUC_UNUSED)
{
    return PORT_PLAIN;
}

static void
write_initial(GByteArray *datagram, unsigned marks, uint32_t version, const GByteArray *frames)
{
    const bool is_other = marks & DECRYPTED, from_client = marks & FROM_CLIENT;
    const struct quic_id *id = is_other ? &other_original : &original;
    const struct quic_id *client = is_other ? &other_client : &of_client;
    const struct quic_id *server = is_other ? &other_server : &of_server;
    quic_write_initial(datagram, version, id, from_client ? QUIC_CLIENT : QUIC_SERVER, from_client ? id : client,
                       from_client ? client : server, 0, frames, 1200);
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
        write_initial(datagram, marks, version, frames);
    }
    if ((marks & (INITIAL | DECRYPTED)) == DECRYPTED)
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
        if ((marks & (INITIAL | DECRYPTED)) == DECRYPTED)
            analysis_read_quic_frames(analysis, bytes, n);
    }
    check_requests(analysis, segment->frame, PROTOCOL_HTTP3);
}

/* Takes a datagram of these marks with this payload. */
static void
take_next(struct analysis *analysis, uint32_t frame, int64_t time_ns, unsigned marks, const uint8_t *bytes, uint32_t n)
{
    const uint16_t client_port = (uint16_t)(40000 + ((marks & OTHER_PORT) != 0));
    const struct endpoint client = { { 10, 0, 0, 1 }, client_port, TRANSPORT_TCP };
    const struct endpoint server = { { 10, 0, 0, 2 }, 443, TRANSPORT_TCP };
    uint8_t *payload = g_memdup2(bytes, n); /* of its own length, for AddressSanitizer */
    GByteArray *datagram = g_byte_array_new();
    write_datagram(datagram, marks, payload, n);
    struct segment segment = {
        .frame = frame,
        .time_ns = time_ns,
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
}

static void
shake_hands(struct analysis *analysis)
{
    static const uint8_t nothing[30];
    GByteArray *hello = g_byte_array_new(), *frames = g_byte_array_new();
    quic_write_client_hello(hello, "a.example");
    quic_write_crypto(frames, 0, hello->data, hello->len);
    take_next(analysis, 1, 0, FROM_CLIENT | INITIAL, frames->data, frames->len);
    g_byte_array_set_size(hello, 0);
    g_byte_array_set_size(frames, 0);
    quic_write_server_hello(hello);
    quic_write_crypto(frames, 0, hello->data, hello->len);
    take_next(analysis, 2, 0, INITIAL, frames->data, frames->len);
    take_next(analysis, 3, 0, FROM_CLIENT | DECRYPTED, nothing, sizeof nothing);
    g_byte_array_free(hello, TRUE);
    g_byte_array_free(frames, TRUE);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct settings settings = { .port_kind = port_kind, .id_headers = "x-id" };
    static wmem_allocator_t *scope;
    static bool is_http3;
    if (!scope) {
        wmem_init();
        scope = wmem_allocator_new(WMEM_ALLOCATOR_SIMPLE); /* malloc, so that AddressSanitizer sees each record */
        is_http3 = g_strcmp0(g_getenv("FUZZ_ONLY"), "http3") == 0;
    }
    struct analysis *analysis = analysis_new(scope, &settings);
    int64_t now_ns = 0;
    items_set_keep(analysis->items, size > 0 && data[0] & KEEP);
    analysis->requests.wants_ids = true;
    analysis->quic.follows_spin = true;
    if (is_http3)
        shake_hands(analysis);
    for (uint32_t frame = is_http3 ? 4 : 1; size > HEAD_BYTES; frame++) {
        const unsigned marks = is_http3 ? (data[0] & FROM_CLIENT) | DECRYPTED : data[0];
        const uint32_t n = (uint32_t)MIN((size_t)(data[2] << 8 | data[3]), size - HEAD_BYTES);
        now_ns += (int64_t)(int8_t)data[1] * NS_A_TICK;
        take_next(analysis, frame, now_ns, marks, data + HEAD_BYTES, n);
        data += HEAD_BYTES + n;
        size -= HEAD_BYTES + n;
    }
    analysis_end(analysis);
    analysis_free(analysis);
    wmem_free_all(scope);
    return 0;
}
