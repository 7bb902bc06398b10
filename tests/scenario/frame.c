/* frame.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "frame.h"

#include <string.h>
#include <sys/socket.h>

#include "packet.h"

enum { ETHERTYPE_IPV4 = 0x0800, ETHERTYPE_IPV6 = 0x86dd, ETHERTYPE_VLAN = 0x8100, ETHERTYPE_QINQ = 0x88a8 };

static unsigned ethertype(bool ipv6)
{
    return ipv6 ? ETHERTYPE_IPV6 : ETHERTYPE_IPV4;
}

/* Locally administered, as the captures in the wild that have them are virtual machines: client ...01, server ...02. */
static void put_mac_addresses(GByteArray *frame, bool from_client)
{
    uint8_t address[6] = {0x02, 0, 0, 0, 0, from_client ? 2 : 1};
    put_bytes(frame, address, sizeof address);
    address[5] = from_client ? 1 : 2;
    put_bytes(frame, address, sizeof address);
}

static void put_gre(GByteArray *outer, bool ipv6)
{
    put16(outer, 0); /* RFC 2784: no checksum, version 0 */
    put16(outer, ethertype(ipv6));
}

/* RFC 7348 */
static void put_vxlan(GByteArray *outer, bool ipv6, bool from_client, guint inner_bytes)
{
    enum { UDP_BYTES = 8, VXLAN_BYTES = 8, ETHERNET_BYTES = 14, PORT = 4789, SOURCE_PORT = 50000, NETWORK_ID = 100 };
    put16(outer, SOURCE_PORT);
    put16(outer, PORT);
    put16(outer, UDP_BYTES + VXLAN_BYTES + ETHERNET_BYTES + inner_bytes);
    put16(outer, 0); /* no checksum, as section 5 recommends */
    put32(outer, 0x08000000);
    put32(outer, NETWORK_ID << 8);
    put_mac_addresses(outer, from_client);
    put16(outer, ethertype(ipv6));
}

/* The packet inside another one between two tunnel ends. */
static GByteArray *tunnel_packet(enum scenario_tunnel tunnel, const GByteArray *inner, bool from_client, bool ipv6)
{
    enum { PROTOCOL_UDP = 17, PROTOCOL_GRE = 47 };
    const struct scenario_endpoint near = {.family = AF_INET, .address = {192, 0, 2, 1}};
    const struct scenario_endpoint far = {.family = AF_INET, .address = {192, 0, 2, 2}};
    struct packet_header header = {.source = from_client ? near : far,
                                   .destination = from_client ? far : near,
                                   .protocol = tunnel == SCENARIO_GRE ? PROTOCOL_GRE : PROTOCOL_UDP,
                                   .ttl = 64,
                                   .fragment = PACKET_DONT_FRAGMENT};
    GByteArray *payload = g_byte_array_new();
    if (tunnel == SCENARIO_GRE)
        put_gre(payload, ipv6);
    else
        put_vxlan(payload, ipv6, from_client, inner->len);
    put_bytes(payload, inner->data, inner->len);
    GByteArray *packet = packet_new(&header, payload->data, payload->len);
    g_byte_array_free(payload, TRUE);
    return packet;
}

static void put_link(GByteArray *frame, const struct scenario *scenario, bool from_client, bool ipv6)
{
    /* DLT_NULL has the address family of the system that captured, in its byte order: here a little-endian BSD. */
    static const uint8_t bsd_inet[4] = {2}, bsd_inet6[4] = {30};
    static const uint8_t sll2_address[8] = {0x02, 0, 0, 0, 0, 1};
    enum { SLL2_TO_US = 0, SLL2_FROM_US = 4, ARPHRD_ETHERNET = 1 };
    const GArray *vlans = scenario->vlans;
    switch (scenario->link) {
    case SCENARIO_ETHERNET:
        put_mac_addresses(frame, from_client);
        for (guint i = 0; i < vlans->len; i++) {
            put16(frame, i + 1 < vlans->len ? ETHERTYPE_QINQ : ETHERTYPE_VLAN);
            put16(frame, g_array_index(vlans, uint16_t, i));
        }
        put16(frame, ethertype(ipv6));
        break;
    case SCENARIO_RAW:
        break;
    case SCENARIO_NULL:
        put_bytes(frame, ipv6 ? bsd_inet6 : bsd_inet, sizeof bsd_inet);
        break;
    case SCENARIO_SLL2:
        put16(frame, ethertype(ipv6));
        put16(frame, 0);
        put32(frame, 2); /* interface index */
        put16(frame, ARPHRD_ETHERNET);
        put8(frame, from_client ? SLL2_FROM_US : SLL2_TO_US);
        put8(frame, 6);
        put_bytes(frame, sll2_address, sizeof sll2_address);
        break;
    }
}

void frame_build(const struct scenario *scenario, const struct scenario_segment *segment, GPtrArray *frames)
{
    bool from_client = segment->from_client != (segment->kind == SCENARIO_ICMP_QUOTED); /* an error goes back */
    bool inner_ipv6 = segment->source.family == AF_INET6;
    bool ipv6 = inner_ipv6 && scenario->tunnel == SCENARIO_NO_TUNNEL;
    GPtrArray *packets = g_ptr_array_new();
    packet_build(segment, packets);
    for (guint i = 0; i < packets->len; i++) {
        GByteArray *packet = g_ptr_array_index(packets, i);
        if (scenario->tunnel != SCENARIO_NO_TUNNEL) {
            GByteArray *inner = packet;
            packet = tunnel_packet(scenario->tunnel, inner, from_client, inner_ipv6);
            g_byte_array_free(inner, TRUE);
        }
        GByteArray *frame = g_byte_array_new();
        put_link(frame, scenario, from_client, ipv6);
        put_bytes(frame, packet->data, packet->len);
        g_ptr_array_add(frames, frame);
        g_byte_array_free(packet, TRUE);
    }
    g_ptr_array_free(packets, TRUE);
}
