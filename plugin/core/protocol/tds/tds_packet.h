/* tds_packet.h
 * What packets of TDS look like: [MS-TDS] 2.2.3; those of MARS stand in packets of SMP ([MC-SMP] 2.2), and TLS begins
 * in packets of TDS and goes on without them ([MS-TDS] 3.2.5.1).
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_TDS_PACKET_H
#define LATENCY_TDS_PACKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum tds_type {
    TDS_BATCH = 1,
    TDS_OLD_LOGIN, /* of Sybase, as TDS_TOKENS is */
    TDS_RPC,
    TDS_ANSWER,
    TDS_ATTENTION = 6,
    TDS_BULK,
    TDS_TOKEN,
    TDS_TRANSACTION = 14,
    TDS_TOKENS,
    TDS_LOGIN,
    TDS_SSPI,
    TDS_PRELOGIN
};

enum { TDS_HEADER = 8, TDS_SMP_HEADER = 16, TDS_HEADERS = TDS_SMP_HEADER + TDS_HEADER };

/* What stands in no packet of SMP: all without MARS, and with it what comes before the sessions. */
enum { TDS_NO_SESSION = UINT16_MAX + 1 };

/* A packet, as far as it is there. */
struct tds_packet {
    enum {
        TDS_IS_PACKET,
        TDS_IS_SMP, /* alone: a session begins, goes on or ends */
        TDS_IS_TLS
    } kind;
    uint8_t type; /* enum tds_type */
    bool is_last; /* of its message */
    uint8_t number;
    uint32_t session; /* TDS_NO_SESSION without MARS */
    uint32_t whole, body_bytes;
    const uint8_t *body; /* of which there are: */
    size_t length;
};

/* Returns how many bytes of a packet, which begins so, tds_packet_read() needs. */
size_t tds_packet_needs(const uint8_t *bytes, size_t length);

/* Reads the headers of that side's packet; false if they are not there, or none. */
bool tds_packet_read(const uint8_t *bytes, size_t length, bool from_client, struct tds_packet *packet);

/* Returns whether nothing stands here but a packet of SMP that says nothing, or the beginning of one. */
bool tds_begins_session(const uint8_t *bytes, size_t length);

/* Returns whether packets of that side stand here, one after another, up to the end or beyond it. */
bool tds_is_row(const uint8_t *bytes, size_t length, bool from_client);

/* Returns whether these bytes begin a record of TLS in a packet, or its ClientHello. */
bool tds_has_tls(const struct tds_packet *packet);
bool tds_has_hello(const struct tds_packet *packet);

/* Returns whether it is the options that both sides begin with (2.2.6.5), as far as they are there. */
bool tds_has_options(const struct tds_packet *packet);

#endif
