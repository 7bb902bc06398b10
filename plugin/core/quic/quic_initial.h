/* quic_initial.h
 * Initial packets of QUIC, which are protected by what they carry: RFC 9001 §5, RFC 9369 §3.3.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_QUIC_INITIAL_H
#define LATENCY_QUIC_INITIAL_H

#include "quic_packet.h"

/* An Initial of more bytes is not read: no datagram but a jumbogram has them. */
enum { QUIC_INITIAL_MOST = 65535 };

/* Which side's keys. */
enum { QUIC_CLIENT, QUIC_SERVER };

/* One side's: AEAD_AES_128_GCM's key and nonce, and the header's protection. */
struct quic_side_keys {
    bool is_derived;
    uint8_t key[16], iv[12], header[16];
};

/* What protects Initials: both sides' keys, each derived when it is needed first. */
struct quic_keys {
    uint32_t version;
    struct quic_id id; /* of which they are derived */
    struct quic_side_keys side[2]; /* by QUIC_CLIENT and QUIC_SERVER */
};

/* Sets `keys` to those of the connection id to which the client has sent its first Initial, or its first after a Retry.
 * Returns false for a version that is not known, and leaves them alone. */
bool quic_keys_set(struct quic_keys *keys, uint32_t version, const struct quic_id *destination);

/* Returns a side's keys; NULL if they cannot be derived. */
const struct quic_side_keys *quic_keys_of(struct quic_keys *keys, unsigned side);

/* Decrypts a side's Initial, which is all there, into `payload`, of which packet->bytes must fit. `next`: the packet
 * number that its sender is expected to use (RFC 9000 §A.3); set to the one behind the packet's if that is higher.
 * Returns how many bytes of frames it has; 0 if it does not decrypt with these keys. */
size_t quic_initial_decrypt(struct quic_keys *keys, unsigned side, const struct quic_packet *packet, uint64_t *next,
                            uint8_t *payload);

#endif
