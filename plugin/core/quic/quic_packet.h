/* quic_packet.h
 * The headers of QUIC's packets, as far as they are readable without keys: RFC 8999, RFC 9000 §17, RFC 9369 §3.2.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_QUIC_PACKET_H
#define LATENCY_QUIC_PACKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { QUIC_ID_BYTES = 20 };

/* Versions whose Initial packets can be read. */
enum { QUIC_VERSION_1 = 0x00000001, QUIC_VERSION_2 = 0x6b3343cf, QUIC_DRAFT_29 = 0xff00001d };

enum quic_type {
    QUIC_SHORT, /* 1-RTT: all behind its first byte depends on the connection */
    QUIC_INITIAL,
    QUIC_ZERO_RTT,
    QUIC_HANDSHAKE,
    QUIC_RETRY,
    QUIC_NEGOTIATION, /* of versions */
    QUIC_UNKNOWN      /* of a version that is not known: of it the ids alone are */
};

struct quic_id {
    uint8_t length;
    uint8_t bytes[QUIC_ID_BYTES];
};

struct quic_packet {
    enum quic_type type;
    uint32_t version;                   /* 0 of QUIC_SHORT and QUIC_NEGOTIATION */
    struct quic_id destination, source; /* empty of QUIC_SHORT */
    const uint8_t *at;                  /* the packet, borrowed; as many bytes as there are of: */
    size_t bytes;                       /* what it says it has; of types without a length, up to the datagram's end */
    size_t number_at;                   /* where its protected packet number begins; 0 if it has none */
    bool is_cut;                        /* fewer than `bytes` were captured */
    bool has_fixed_bit;                 /* by which QUIC is told from others: RFC 9287 lets it be cleared */
    bool spins;                         /* the spin bit, of QUIC_SHORT: RFC 9000 §17.4 */
};

/* Reads the packet that a datagram of `captured` bytes begins with; what stands behind it is another packet's
 * (RFC 9000 §12.2). Returns false for what cannot be one of QUIC. */
bool quic_packet_read(const uint8_t *at, size_t captured, struct quic_packet *packet);

/* Returns whether a datagram may be one of QUIC at all, by its first bytes: but one of a connection that clears its
 * fixed bit. */
bool quic_may_be(const uint8_t *at, size_t captured);

/* Returns whether a datagram may be a client's first: long enough, and it begins with an Initial of a known version. */
bool quic_may_begin(const uint8_t *at, size_t captured, size_t reported);

bool quic_id_equal(const struct quic_id *a, const struct quic_id *b);

/* Returns whether the packet is addressed to the id, behind which a short header has anything. */
bool quic_packet_is_to(const struct quic_packet *packet, const struct quic_id *id);

/* "QUIC 1"; "" for a version without a name. */
const char *quic_version_name(uint32_t version);

/* Reads a variable-length integer (RFC 9000 §16) at `*at`, which is moved behind it. Returns false if it is cut. */
bool quic_varint(const uint8_t *bytes, size_t n, size_t *at, uint64_t *value);

#endif
