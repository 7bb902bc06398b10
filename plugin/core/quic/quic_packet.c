/* quic_packet.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "quic_packet.h"

#include <string.h>

#include <glib.h>

/* Masks of a packet's first byte. */
enum { LONG_HEADER = 0x80, FIXED_BIT = 0x40, SPIN_BIT = 0x20, TYPE_SHIFT = 4, TYPE_MASK = 3 };

/* RFC 9000 §14.1: a client pads its datagrams with Initial packets to this many bytes. */
enum { CLIENT_INITIAL_LEAST = 1200 };

bool
quic_varint(const uint8_t *bytes, size_t n, size_t *at, uint64_t *value)
{
    if (*at >= n)
        return false;
    const size_t length = (size_t)1 << (bytes[*at] >> 6);
    if (length > n - *at)
        return false;
    *value = bytes[*at] & 0x3f;
    for (size_t i = 1; i < length; i++)
        *value = *value << 8 | bytes[*at + i];
    *at += length;
    return true;
}

static bool
read_id(const uint8_t *bytes, size_t n, size_t *at, struct quic_id *id)
{
    if (*at >= n || bytes[*at] > QUIC_ID_BYTES || bytes[*at] >= n - *at)
        return false;
    id->length = bytes[(*at)++];
    memcpy(id->bytes, bytes + *at, id->length);
    *at += id->length;
    return true;
}

static uint32_t
version_at(const uint8_t *at)
{
    return (uint32_t)at[1] << 24 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 8 | at[4];
}

static enum quic_type
type_of(uint32_t version, uint8_t first)
{
    static const enum quic_type types[] = { QUIC_INITIAL, QUIC_ZERO_RTT, QUIC_HANDSHAKE, QUIC_RETRY };
    const unsigned number = first >> TYPE_SHIFT & TYPE_MASK;
    switch (version) {
    case 0:
        return QUIC_NEGOTIATION;
    case QUIC_VERSION_1:
    case QUIC_DRAFT_29:
        return types[number];
    case QUIC_VERSION_2: /* RFC 9369 §3.2: each number is one higher. */
        return types[(number + TYPE_MASK) & TYPE_MASK];
    default:
        return QUIC_UNKNOWN;
    }
}

/* Reads what stands behind the ids of a packet with a length: an Initial's token, the length. */
static bool
read_length(size_t captured, size_t at, struct quic_packet *packet)
{
    uint64_t length;
    if (packet->type == QUIC_INITIAL) {
        if (!quic_varint(packet->at, captured, &at, &length) || length > captured - at)
            return false;
        at += (size_t)length;
    }
    if (!quic_varint(packet->at, captured, &at, &length) || length > UINT16_MAX)
        return false;
    packet->number_at = at;
    packet->bytes = at + (size_t)length;
    packet->is_cut = packet->bytes > captured;
    return true;
}

bool
quic_packet_read(const uint8_t *at, size_t captured, struct quic_packet *packet)
{
    *packet = (struct quic_packet){ .type = QUIC_SHORT, .at = at, .bytes = captured };
    if (captured == 0)
        return false;
    packet->has_fixed_bit = at[0] & FIXED_BIT;
    packet->spins = !(at[0] & LONG_HEADER) && at[0] & SPIN_BIT;
    if (!(at[0] & LONG_HEADER))
        return true;
    size_t behind = 1 + sizeof packet->version;
    if (captured < behind)
        return false;
    packet->version = version_at(at);
    packet->type = type_of(packet->version, at[0]);
    if (!read_id(at, captured, &behind, &packet->destination) || !read_id(at, captured, &behind, &packet->source))
        return false;
    switch (packet->type) {
    case QUIC_INITIAL:
    case QUIC_ZERO_RTT:
    case QUIC_HANDSHAKE:
        return read_length(captured, behind, packet);
    default:
        return true;
    }
}

bool
quic_may_be(const uint8_t *at, size_t captured)
{
    if (captured == 0)
        return false;
    /* A negotiation need not have the fixed bit (RFC 9000 §17.2.1), nor need another packet (RFC 9287 §3). */
    return at[0] & FIXED_BIT ||
           (at[0] & LONG_HEADER && captured > sizeof(uint32_t) && type_of(version_at(at), at[0]) != QUIC_UNKNOWN);
}

bool
quic_may_begin(const uint8_t *at, size_t captured, size_t reported)
{
    /* Looks at the length and one byte first, for it is asked of all datagrams of UDP. */
    if (reported < CLIENT_INITIAL_LEAST || captured == 0 || !(at[0] & LONG_HEADER))
        return false;
    struct quic_packet packet;
    return quic_packet_read(at, captured, &packet) && packet.type == QUIC_INITIAL && !packet.is_cut;
}

bool
quic_id_equal(const struct quic_id *a, const struct quic_id *b)
{
    return a->length == b->length && memcmp(a->bytes, b->bytes, a->length) == 0;
}

bool
quic_packet_is_to(const struct quic_packet *packet, const struct quic_id *id)
{
    if (packet->type != QUIC_SHORT)
        return quic_id_equal(&packet->destination, id);
    return packet->bytes > id->length && memcmp(packet->at + 1, id->bytes, id->length) == 0;
}

const char *
quic_version_name(uint32_t version)
{
    switch (version) {
    case QUIC_VERSION_1:
        return "QUIC 1";
    case QUIC_VERSION_2:
        return "QUIC 2";
    case QUIC_DRAFT_29:
        return "QUIC draft-29";
    default:
        return "";
    }
}
