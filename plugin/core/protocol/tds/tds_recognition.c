/* tds_recognition.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "tds_recognition.h"

#include "tds_answer.h"
#include "tds_packet.h"
#include "tds_request.h"

/* Reads the first packet that says something, behind those of SMP in which sessions begin, go on or end. */
static bool
read_first(const uint8_t *bytes, size_t length, bool from_client, struct tds_packet *packet)
{
    for (size_t at = 0; at < length && tds_packet_read(bytes + at, length - at, from_client, packet);
         at += packet->whole)
        if (packet->kind != TDS_IS_SMP)
            return true;
    return false;
}

/* Returns whether a message of that side begins with these bytes; a continuation of one is none. */
static bool
begins(const uint8_t *bytes, size_t length, bool from_client, struct tds_packet *packet)
{
    return read_first(bytes, length, from_client, packet) && packet->kind == TDS_IS_PACKET && packet->length > 0 &&
           tds_is_row(bytes, length, from_client);
}

static bool
begins_request(const uint8_t *bytes, size_t length, struct tds_packet *packet)
{
    return begins(bytes, length, true, packet) && packet->type != TDS_BULK && packet->type != TDS_TOKEN &&
           packet->type != TDS_SSPI && packet->type != TDS_OLD_LOGIN && packet->number <= 1 && tds_can_ask(packet);
}

bool
tds_recognise(const uint8_t *bytes, size_t length)
{
    struct tds_packet packet;
    return begins_request(bytes, length, &packet);
}

bool
tds_recognise_answer(const uint8_t *bytes, size_t length)
{
    struct tds_packet packet;
    return begins(bytes, length, false, &packet) && tds_can_answer(&packet);
}

bool
tds_may_begin(const uint8_t *bytes, size_t length)
{
    enum { TELLING = TDS_HEADER + 6 };
    struct tds_packet packet;
    if (tds_begins_session(bytes, length))
        return true;
    if (length < TDS_HEADER)
        return bytes[0] == TDS_PRELOGIN && (length < 2 || bytes[1] <= 1);
    return length < TELLING && bytes[0] == TDS_PRELOGIN && tds_packet_read(bytes, length, true, &packet) &&
           (packet.length == 0 || packet.body[0] == 0);
}

bool
tds_is_certain_request(const uint8_t *bytes, size_t length, uint64_t whole)
{
    struct tds_packet packet;
    (void)whole;
    return begins_request(bytes, length, &packet) && tds_is_certain(&packet);
}

bool
tds_tells_client(const uint8_t *bytes, size_t length, uint64_t whole, bool *from_client)
{
    struct tds_packet packet;
    (void)whole;
    *from_client = begins_request(bytes, length, &packet) && tds_is_certain(&packet) && packet.type != TDS_PRELOGIN;
    return *from_client;
}

enum agreement
tds_agrees(const uint8_t *asked, size_t asked_bytes, const uint8_t *answered, size_t answered_bytes)
{
    (void)asked;
    (void)asked_bytes;
    if (answered_bytes <= TDS_HEADER)
        return AGREEMENT_OPEN;
    return tds_recognise_answer(answered, answered_bytes) ? AGREEMENT_IS_ONE : AGREEMENT_IS_NONE;
}

bool
tds_resumes(const uint8_t *bytes, size_t length, uint64_t whole, bool from_client)
{
    (void)whole;
    return from_client ? tds_recognise(bytes, length) : tds_is_row(bytes, length, false);
}

size_t
tds_find(const uint8_t *bytes, size_t length)
{
    enum { TRIED_MOST = 16 };
    unsigned tried = 0;
    struct tds_packet packet;
    for (size_t at = 1; at + TDS_HEADER < length && tried < TRIED_MOST; at++) {
        if (!tds_packet_read(bytes + at, length - at, true, &packet) || packet.kind != TDS_IS_PACKET)
            continue;
        if (tds_is_certain_request(bytes + at, length - at, length - at))
            return at;
        tried++;
    }
    return 0;
}
