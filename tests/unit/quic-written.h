/* quic-written.h
 * Packets of QUIC as both sides write them, for tests: RFC 9000, RFC 9001.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_QUIC_WRITTEN_H
#define LATENCY_QUIC_WRITTEN_H

#include <glib.h>

#include "core/quic/quic_initial.h"

/* Appends an integer of the shortest length, or of 8 bytes. */
void quic_write_varint(GByteArray *bytes, uint64_t value);

/* Appends a CRYPTO frame. */
void quic_write_crypto(GByteArray *frames, uint64_t offset, const uint8_t *bytes, size_t length);

/* Appends an Initial of that side, protected with the keys that `original` gives, whose frames are padded so that the
 * packet has `least` bytes. */
void quic_write_initial(GByteArray *datagram, uint32_t version, const struct quic_id *original, unsigned side,
                        const struct quic_id *destination, const struct quic_id *source, uint8_t number,
                        const GByteArray *frames, size_t least);

/* Appends a packet with a long header that nobody can read: Handshake, 0-RTT; or a Retry. */
void quic_write_long(GByteArray *datagram, uint32_t version, enum quic_type type, const struct quic_id *destination,
                     const struct quic_id *source, size_t payload);

/* Appends a packet of 1-RTT. */
void quic_write_short(GByteArray *datagram, const struct quic_id *destination, size_t payload);

/* Appends a ClientHello, a handshake message of TLS, that names a host and offers h3. */
void quic_write_client_hello(GByteArray *bytes, const char *host);

/* Appends a ServerHello of TLS 1.3. */
void quic_write_server_hello(GByteArray *bytes);

#endif
