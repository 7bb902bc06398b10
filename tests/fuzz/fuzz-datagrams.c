/* fuzz-datagrams.c
 * Datagrams of UDP made of the fuzzer's bytes: DNS and mDNS between clients and servers, also of groups, cut, late,
 * and quoted by ICMP errors.
 *
 * Input: for each datagram a byte of marks, a byte of time, two of length, and its payload.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <string.h>

#include <glib.h>
#include <wsutil/wmem/wmem.h>

#include "check_request.h"
#include "core/analysis.h"
#include "core/protocol/dns/dns_datagram.h"
#include "mutate.h"

enum {
    FROM_CLIENT = 0x01,
    SECOND_CLIENT = 0x02,
    OTHER_PORT = 0x04, /* of the client */
    GROUP = 0x08,      /* of mDNS, to which is asked */
    CUT = 0x10,        /* the capture has half of the payload */
    QUOTED = 0x20,
    IPV6 = 0x40,
    KEEP = 0x80, /* of the first datagram: frames are visited again */
    HEAD_BYTES = 4,
    PORT_DNS = 53,
    PORT_MDNS = 5353,
    NS_A_TICK = 270000000 /* so that a byte is up to 34 s, also back */
};

const struct input_shape input_shape = { 0, HEAD_BYTES, 2 };

static enum port_kind
port_kind(uint16_t port)
{
    return port == PORT_DNS ? PORT_REGISTERED : PORT_PLAIN;
}

static struct segment
segment_of(unsigned marks, uint32_t frame, int64_t time_ns, const uint8_t *bytes, uint32_t n)
{
    const bool group = marks & GROUP, from_client = marks & FROM_CLIENT;
    const struct endpoint client = { { 10, 0, 0, marks & SECOND_CLIENT ? 3 : 1 },
                                     (uint16_t)(40000 + ((marks & OTHER_PORT) != 0)),
                                     TRANSPORT_TCP };
    const struct endpoint server = { { 10, 0, 0, 2 }, group ? PORT_MDNS : PORT_DNS, TRANSPORT_TCP };
    const struct endpoint everybody = { { 224, 0, 0, 251 }, PORT_MDNS, TRANSPORT_TCP };
    return (struct segment){
        .frame = frame,
        .time_ns = time_ns,
        .source = from_client ? client : server,
        .destination = from_client ? (group ? everybody : server) : client,
        .ipv6 = marks & IPV6,
        .payload_bytes = n,
        .captured_bytes = marks & CUT ? n / 2 : n,
        .payload = bytes,
        .operation = "",
    };
}

static void
take(struct analysis *analysis, unsigned marks, const struct segment *segment)
{
    struct datagram datagram;
    if (!dns_datagram_is_between(segment->source.port, segment->destination.port) ||
        !dns_datagram_read(segment, &datagram))
        return;
    if (!(marks & QUOTED)) {
        analysis_take_datagram(analysis, &datagram);
        analysis_read_datagram(analysis, &datagram);
    } else if (datagram.message.kind == MESSAGE_ASKS && analysis_take_quoted_datagram(analysis, &datagram)) {
        analysis_read_quoted_datagram(analysis, &datagram);
    }
    check_requests(analysis, segment->frame, PROTOCOL_DNS);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct settings settings = { .port_kind = port_kind };
    static wmem_allocator_t *scope;
    if (!scope) {
        wmem_init();
        scope = wmem_allocator_new(WMEM_ALLOCATOR_SIMPLE); /* malloc, so that AddressSanitizer sees each record */
    }
    struct analysis *analysis = analysis_new(scope, &settings);
    int64_t now_ns = 0;
    items_set_keep(analysis->items, size > 0 && data[0] & KEEP);
    for (uint32_t frame = 1; size > HEAD_BYTES; frame++) {
        uint32_t n = (uint32_t)MIN((size_t)(data[2] << 8 | data[3]), size - HEAD_BYTES);
        uint8_t *payload = g_memdup2(data + HEAD_BYTES, n); /* of its own length, for AddressSanitizer */
        now_ns += (int64_t)(int8_t)data[1] * NS_A_TICK;
        const struct segment segment = segment_of(data[0], frame, now_ns, payload, n);
        take(analysis, data[0], &segment);
        g_free(payload);
        data += HEAD_BYTES + n;
        size -= HEAD_BYTES + n;
    }
    analysis_end(analysis);
    analysis_free(analysis);
    wmem_free_all(scope);
    return 0;
}
