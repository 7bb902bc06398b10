/* tls_hello.h
 * What the hellos of TLS say in clear: RFC 8446 §4.1, RFC 5246 §7.4.1, and their extensions.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_TLS_HELLO_H
#define LATENCY_TLS_HELLO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Types of handshake messages, and the bytes of their type and length. */
enum { TLS_CLIENT_HELLO = 1, TLS_SERVER_HELLO = 2, TLS_ENCRYPTED_EXTENSIONS = 8, TLS_MESSAGE_HEADER_BYTES = 4 };

/* So much of a server's random says whether its hello is a HelloRetryRequest; it stands behind the version. */
enum { TLS_RANDOM_LEAST = 8, TLS_SERVER_HELLO_LEAST = TLS_MESSAGE_HEADER_BYTES + 2 + TLS_RANDOM_LEAST };

/* Of a text, "" if the hello does not say it; what is longer, or cut, ends in an ellipsis. */
enum { TLS_TEXT_LONGEST = 200, TLS_TEXT_ROOM = TLS_TEXT_LONGEST + 4 };

struct tls_hello {
    char host[TLS_TEXT_ROOM]; /* SNI */
    char alpn[TLS_TEXT_ROOM]; /* the client's offers, separated by commas, or the server's choice */
    uint16_t version;         /* a server's: the one that is spoken; 0 if it is not captured */
    bool is_retry;            /* a server's: HelloRetryRequest */
    bool resumes;             /* a server's of TLS 1.3 */
    bool has_early_data;      /* a client's */
};

/* Reads a hello behind its message header, or as much of it as was captured. A byte that is not printable ASCII, or
 * that separates, becomes a dot. */
void tls_hello_read(const uint8_t *body, size_t captured, bool from_client, struct tls_hello *hello);

/* Reads a server's EncryptedExtensions, of which is its ALPN, likewise: RFC 8446 §4.3.1. */
void tls_encrypted_extensions_read(const uint8_t *body, size_t captured, struct tls_hello *hello);

/* "TLS 1.3"; "" for what is none. */
const char *tls_version_name(uint16_t version);

#endif
