/* tds_packet.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "tds_packet.h"

#include <glib.h>
#include <wsutil/pint.h>

#include "../../../compat.h"

/* A header: type, status, length with the header, process, number, window. */
enum { STATUS_AT = 1, LENGTH_AT = 2, NUMBER_AT = 6, WINDOW_AT = 7, LAST = 1, STATUS_BITS = 0x1f, LONGEST = 32768 };

/* SMP's: its mark, flags, session, length with the header, number, window. */
enum { SMP = 0x53, SMP_FLAGS_AT = 1, SMP_SESSION_AT = 2, SMP_LENGTH_AT = 4 };
enum { SMP_SYN = 1, SMP_ACK = 2, SMP_FIN = 4, SMP_DATA = 8 };

/* A record of TLS: type, version, length. */
enum { TLS_FIRST = 0x14, TLS_HANDSHAKE = 0x16, TLS_LAST = 0x17, TLS_HEADER = 5, TLS_LENGTH_AT = 3, TLS_MOST = 18432 };
enum { TLS_CLIENT_HELLO = 1 };

static bool
is_tls(const uint8_t *bytes, size_t length)
{
    return length >= TLS_HEADER && bytes[0] >= TLS_FIRST && bytes[0] <= TLS_LAST && bytes[1] == 3 && bytes[2] <= 4 &&
           pntohu16(bytes + TLS_LENGTH_AT) > 0 && pntohu16(bytes + TLS_LENGTH_AT) <= TLS_MOST;
}

static bool
is_type(uint8_t type, bool from_client)
{
    if (type == TDS_PRELOGIN)
        return true;
    return from_client ? (type >= TDS_BATCH && type <= TDS_TOKEN && type != TDS_ANSWER && type != 5) ||
                             (type >= TDS_TRANSACTION && type <= TDS_PRELOGIN)
                       : type == TDS_ANSWER;
}

size_t
tds_packet_needs(const uint8_t *bytes, size_t length)
{
    if (length < TDS_HEADER || bytes[0] != SMP)
        return TDS_HEADER;
    return bytes[SMP_FLAGS_AT] == SMP_DATA && pletohu32(bytes + SMP_LENGTH_AT) > TDS_SMP_HEADER ? TDS_HEADERS
                                                                                                : TDS_SMP_HEADER;
}

static bool
read_packet(const uint8_t *bytes, size_t length, bool from_client, struct tds_packet *packet)
{
    const uint32_t whole = pntohu16(bytes + LENGTH_AT);
    if (!is_type(bytes[0], from_client) || bytes[STATUS_AT] & ~(unsigned)STATUS_BITS || bytes[WINDOW_AT] != 0 ||
        whole < TDS_HEADER || whole > LONGEST)
        return false;
    packet->type = bytes[0];
    packet->is_last = bytes[STATUS_AT] & LAST;
    packet->number = bytes[NUMBER_AT];
    packet->whole = whole;
    packet->body = bytes + TDS_HEADER;
    packet->body_bytes = whole - TDS_HEADER;
    packet->length = MIN(length - TDS_HEADER, packet->body_bytes);
    return true;
}

/* Reads what stands in a packet of SMP: one of TDS, or nothing. */
static bool
read_smp(const uint8_t *bytes, size_t length, bool from_client, struct tds_packet *packet)
{
    const uint8_t flags = bytes[SMP_FLAGS_AT];
    const uint32_t whole = pletohu32(bytes + SMP_LENGTH_AT);
    packet->kind = TDS_IS_SMP;
    packet->session = pletohu16(bytes + SMP_SESSION_AT);
    packet->whole = whole;
    if (flags != SMP_DATA)
        return (flags == SMP_SYN || flags == SMP_ACK || flags == SMP_FIN) && whole == TDS_SMP_HEADER;
    if (length < TDS_HEADERS || !read_packet(bytes + TDS_SMP_HEADER, length - TDS_SMP_HEADER, from_client, packet))
        return false;
    packet->kind = TDS_IS_PACKET;
    packet->whole += TDS_SMP_HEADER;
    return packet->whole == whole;
}

bool
tds_packet_read(const uint8_t *bytes, size_t length, bool from_client, struct tds_packet *packet)
{
    *packet = (struct tds_packet){ .kind = TDS_IS_PACKET, .session = TDS_NO_SESSION };
    if (length < tds_packet_needs(bytes, length))
        return false;
    if (bytes[0] == SMP)
        return read_smp(bytes, length, from_client, packet);
    if (!is_tls(bytes, length))
        return read_packet(bytes, length, from_client, packet);
    packet->kind = TDS_IS_TLS;
    packet->is_last = true;
    packet->whole = TLS_HEADER + (uint32_t)pntohu16(bytes + TLS_LENGTH_AT);
    return true;
}

bool
tds_begins_session(const uint8_t *bytes, size_t length)
{
    struct tds_packet packet;
    if (length < SMP_SESSION_AT || length > TDS_SMP_HEADER || bytes[0] != SMP)
        return false;
    if (length == TDS_SMP_HEADER)
        return tds_packet_read(bytes, length, true, &packet) && packet.kind == TDS_IS_SMP;
    return bytes[SMP_FLAGS_AT] == SMP_SYN || bytes[SMP_FLAGS_AT] == SMP_ACK || bytes[SMP_FLAGS_AT] == SMP_DATA;
}

bool
tds_is_row(const uint8_t *bytes, size_t length, bool from_client)
{
    struct tds_packet packet;
    size_t at = 0;
    while (at < length && tds_packet_read(bytes + at, length - at, from_client, &packet))
        at += packet.whole;
    return at > 0 && (at >= length || length - at < tds_packet_needs(bytes + at, length - at));
}

bool
tds_has_tls(const struct tds_packet *packet)
{
    return packet->type == TDS_PRELOGIN && is_tls(packet->body, packet->length);
}

bool
tds_has_hello(const struct tds_packet *packet)
{
    return tds_has_tls(packet) && packet->length > TLS_HEADER && packet->body[0] == TLS_HANDSHAKE &&
           packet->body[TLS_HEADER] == TLS_CLIENT_HELLO;
}

bool
tds_has_options(const struct tds_packet *packet)
{
    enum { OPTION = 5, OFFSET_AT = 1, BYTES_AT = 3, VERSION_BYTES = 6, END = 0xff, OPTIONS_MOST = 9 };
    if (packet->length < OPTION + 1 || packet->body[0] != 0 || pntohu16(packet->body + BYTES_AT) != VERSION_BYTES)
        return false;
    size_t at = 0;
    while (at + OPTION < packet->length && packet->body[at] != END) {
        const uint32_t begin = pntohu16(packet->body + at + OFFSET_AT), bytes = pntohu16(packet->body + at + BYTES_AT);
        if (packet->body[at] > OPTIONS_MOST || begin <= OPTION || begin + bytes > packet->body_bytes)
            return false;
        at += OPTION;
    }
    return at + OPTION >= packet->length || packet->body[at] == END;
}
