/* packet.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "packet.h"

#include <arpa/inet.h>

enum { PROTOCOL_ICMP = 1, PROTOCOL_TCP = 6, PROTOCOL_ICMPV6 = 58 };
enum { IPV4_HEADER_BYTES = 20, IPV6_HEADER_BYTES = 40, IPV6_MIN_MTU = 1280, TCP_HEADER_BYTES = 20 };

void put8(GByteArray *bytes, unsigned value)
{
    uint8_t byte = (uint8_t)value;
    g_byte_array_append(bytes, &byte, 1);
}

void put16(GByteArray *bytes, unsigned value)
{
    put8(bytes, value >> 8);
    put8(bytes, value & 0xff);
}

void put32(GByteArray *bytes, uint32_t value)
{
    put16(bytes, value >> 16);
    put16(bytes, value & 0xffff);
}

void put_bytes(GByteArray *bytes, const void *from, size_t length)
{
    if (length > 0)
        g_byte_array_append(bytes, from, (guint)length);
}

static unsigned address_bytes(const struct scenario_endpoint *endpoint)
{
    return endpoint->family == AF_INET6 ? 16 : 4;
}

/* RFC 1071 */
static uint16_t checksum(const GByteArray *bytes)
{
    uint32_t sum = 0;
    for (guint i = 0; i < bytes->len; i++)
        sum += (uint32_t)bytes->data[i] << (i % 2 == 0 ? 8 : 0);
    while (sum > 0xffff)
        sum = (sum & 0xffff) + (sum >> 16);
    return (uint16_t)~sum;
}

static void set_checksum(GByteArray *bytes, guint at, uint16_t sum)
{
    bytes->data[at] = (uint8_t)(sum >> 8);
    bytes->data[at + 1] = (uint8_t)(sum & 0xff);
}

/* The checksum over the pseudo-header too: RFC 9293 §3.1, RFC 8200 §8.1. */
static void set_transport_checksum(GByteArray *bytes, guint at, const struct packet_header *header)
{
    GByteArray *summed = g_byte_array_new();
    put_bytes(summed, header->source.address, address_bytes(&header->source));
    put_bytes(summed, header->destination.address, address_bytes(&header->destination));
    put32(summed, bytes->len);
    put32(summed, header->protocol);
    put_bytes(summed, bytes->data, bytes->len);
    set_checksum(bytes, at, checksum(summed));
    g_byte_array_free(summed, TRUE);
}

GByteArray *packet_new(const struct packet_header *header, const uint8_t *payload, size_t length)
{
    GByteArray *packet = g_byte_array_new();
    bool ipv6 = header->source.family == AF_INET6;
    if (ipv6) {
        put32(packet, 0x60000000);
        put16(packet, (unsigned)length);
        put8(packet, header->protocol);
        put8(packet, header->ttl);
    } else {
        put16(packet, 0x4500);
        put16(packet, (unsigned)length + IPV4_HEADER_BYTES);
        put16(packet, header->ip_id);
        put16(packet, header->fragment);
        put8(packet, header->ttl);
        put8(packet, header->protocol);
        put16(packet, 0);
    }
    put_bytes(packet, header->source.address, address_bytes(&header->source));
    put_bytes(packet, header->destination.address, address_bytes(&header->destination));
    if (!ipv6)
        set_checksum(packet, 10, checksum(packet));
    put_bytes(packet, payload, length);
    return packet;
}

static GByteArray *tcp_segment(const struct scenario_segment *segment, const struct packet_header *header)
{
    GByteArray *tcp = g_byte_array_new();
    put16(tcp, segment->source.port);
    put16(tcp, segment->destination.port);
    put32(tcp, segment->seq);
    put32(tcp, segment->ack);
    put8(tcp, (TCP_HEADER_BYTES + segment->options_bytes) / 4U << 4);
    put8(tcp, segment->flags);
    put16(tcp, segment->window);
    put16(tcp, 0);
    put16(tcp, (segment->flags & SCENARIO_URG) != 0 ? segment->payload_len : 0);
    put_bytes(tcp, segment->options, segment->options_bytes);
    put_bytes(tcp, segment->payload, segment->payload_len);
    set_transport_checksum(tcp, 16, header);
    return tcp;
}

static GByteArray *segment_packet(const struct packet_header *header, const struct scenario_segment *segment)
{
    GByteArray *tcp = tcp_segment(segment, header);
    GByteArray *packet = packet_new(header, tcp->data, tcp->len);
    g_byte_array_free(tcp, TRUE);
    return packet;
}

static void add_fragments(GPtrArray *packets, struct packet_header header, const struct scenario_segment *segment)
{
    GByteArray *tcp = tcp_segment(segment, &header);
    for (guint offset = 0; offset < tcp->len; offset += segment->fragment_bytes) {
        guint length = MIN(segment->fragment_bytes, tcp->len - offset);
        bool more = offset + length < tcp->len;
        header.fragment = (uint16_t)(offset / 8 | (more ? PACKET_MORE_FRAGMENTS : 0U));
        g_ptr_array_add(packets, packet_new(&header, tcp->data + offset, length));
    }
    g_byte_array_free(tcp, TRUE);
}

/* The error of a router on the way: host unreachable (RFC 792), address unreachable (RFC 4443 §3.1). */
static GByteArray *icmp_error(const struct packet_header *quoted_header, const GByteArray *quoted)
{
    enum { ICMP_HEADER_BYTES = 8, QUOTED_PAYLOAD_BYTES = 8 };
    struct packet_header header = {.destination = quoted_header->source, .ttl = 64};
    bool ipv6 = header.destination.family == AF_INET6;
    header.source.family = header.destination.family;
    inet_pton(header.source.family, ipv6 ? "2001:db8::fe" : "10.0.0.254", header.source.address);
    header.protocol = ipv6 ? PROTOCOL_ICMPV6 : PROTOCOL_ICMP;
    guint length = ipv6 ? IPV6_MIN_MTU - IPV6_HEADER_BYTES - ICMP_HEADER_BYTES
                        : IPV4_HEADER_BYTES + QUOTED_PAYLOAD_BYTES;

    GByteArray *icmp = g_byte_array_new();
    put16(icmp, ipv6 ? 0x0103 : 0x0301);
    put16(icmp, 0);
    put32(icmp, 0);
    put_bytes(icmp, quoted->data, MIN(length, quoted->len));
    if (ipv6)
        set_transport_checksum(icmp, 2, &header);
    else
        set_checksum(icmp, 2, checksum(icmp));
    GByteArray *packet = packet_new(&header, icmp->data, icmp->len);
    g_byte_array_free(icmp, TRUE);
    return packet;
}

void packet_build(const struct scenario_segment *segment, GPtrArray *packets)
{
    struct packet_header header = {.source = segment->source,
                                   .destination = segment->destination,
                                   .protocol = PROTOCOL_TCP,
                                   .ttl = segment->ttl,
                                   .ip_id = segment->ip_id,
                                   .fragment = segment->dont_fragment ? PACKET_DONT_FRAGMENT : 0};
    if (segment->kind == SCENARIO_ICMP_QUOTED) {
        GByteArray *quoted = segment_packet(&header, segment);
        g_ptr_array_add(packets, icmp_error(&header, quoted));
        g_byte_array_free(quoted, TRUE);
    } else if (segment->fragment_bytes > 0) {
        add_fragments(packets, header, segment);
    } else {
        g_ptr_array_add(packets, segment_packet(&header, segment));
    }
}
