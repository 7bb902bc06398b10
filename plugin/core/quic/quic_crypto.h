/* quic_crypto.h
 * What Initial packets say: the beginning of each side's stream of TLS, in CRYPTO frames, and that their sender gives
 * up. RFC 9000 §12.4, §17.2.2 (which frames they may have), §19.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_QUIC_CRYPTO_H
#define LATENCY_QUIC_CRYPTO_H

#include <wsutil/wmem/wmem.h>

#include "../protocol/tls/tls_hello.h"

/* A longer hello is read up to here. */
enum { QUIC_CRYPTO_MOST = 8192 };

/* One side's stream of TLS; all zero: nothing is known of it. */
struct quic_crypto {
    uint8_t *bytes; /* as many as `room` */
    uint8_t *came;  /* which of them have: a bit for each */
    size_t room;    /* a multiple of 8 */
    size_t known;   /* as many from its beginning on */
    size_t end;     /* behind the last that has come */
    bool is_read;   /* the bytes are no longer kept: see quic_crypto_end() */
};

/* Holds what an Initial packet says besides. */
struct quic_initial_said {
    bool has_new_bytes; /* of the stream */
    bool acknowledges;
    bool closes;
    uint64_t error; /* if it closes: RFC 9000 §20.1 */
};

/* From here on an error is an alert of TLS: RFC 9000 §20.1. */
enum { QUIC_CRYPTO_ERROR = 0x0100, QUIC_CRYPTO_ERROR_LAST = 0x01ff };

/* Takes an Initial's frames, up to the first that cannot be read. */
void quic_crypto_take(struct quic_crypto *crypto, const uint8_t *payload, size_t bytes, wmem_allocator_t *scope,
                      struct quic_initial_said *said);

/* Reads the hello that the stream begins with. Returns false as long as it is not all there, or if it is none. */
bool quic_crypto_hello(const struct quic_crypto *crypto, bool from_client, struct tls_hello *hello);

/* Forgets the bytes of a stream whose hello has been read: of what follows it is known only whether it is new. */
void quic_crypto_end(struct quic_crypto *crypto, wmem_allocator_t *scope);

/* Reads which ALPN the server has chosen from the frames of a packet with its EncryptedExtensions. Returns false if
 * they are not in it. */
bool quic_crypto_chosen(const uint8_t *frames, size_t length, char alpn[static TLS_TEXT_ROOM]);

void quic_crypto_clear(struct quic_crypto *crypto, wmem_allocator_t *scope);

#endif
