/* tls_handshake.h
 * The handshake of TLS that a connection begins with, or changes to (STARTTLS), as far as its records show it without
 * keys (docs/measuring.md, TLS). It is no request: see request/tls_turn.h.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_TLS_HANDSHAKE_H
#define LATENCY_TLS_HANDSHAKE_H

#include "../../request/event.h"
#include "../../request/request.h"

struct tls_reading;

struct tls_handshake {
    uint32_t number;       /* of the handshake in the capture, from 1 */
    uint32_t hello_frame;  /* ClientHello */
    uint32_t answer_frame; /* ServerHello, which is no HelloRetryRequest; 0 before */
    uint32_t end_frame;    /* with which it is complete, or has failed; 0 before */
    int64_t hello_ns, answer_ns, end_ns;
    /* Texts are "" while unknown. */
    const char *host;    /* SNI */
    const char *alpn;    /* what the client offers, separated by commas */
    const char *chosen;  /* of that, by the server, where it says so in clear: up to TLS 1.2 */
    const char *version; /* that the server chose */
    const char *alert;   /* that made it fail; "encrypted" if its name is */
    uint8_t result;      /* enum tls_result */
    bool resumed;
    bool retried;                /* the server asked for another hello */
    bool is_first;               /* the client has said nothing before */
    struct tls_reading *reading; /* NULL when nothing more is awaited */
};

/* Takes what follows in a connection's stream, before anybody else does. True if the piece's frame shows something of
 * the handshake. `count`: the capture's handshakes. */
bool tls_handshake_take(struct requests *requests, const struct piece *piece, uint32_t *count);

/* Takes a step of a handshake that is known without the piece's bytes: EVENT_TLS has it. `text`: of that event. */
void tls_handshake_step(struct requests *requests, const struct piece *piece, enum tls_step step, const char *text,
                        uint32_t *count);

/* From the ClientHello to the ServerHello, and to the handshake's end; -1 if that is not known. */
int64_t tls_handshake_hello_ns(const struct tls_handshake *handshake);
int64_t tls_handshake_time_ns(const struct tls_handshake *handshake);

/* The host that the client of a connection asks for by SNI, with the first that it says; "" if it does not. */
const char *tls_handshake_host(const struct connection *connection);

void tls_handshake_forget(const struct requests *requests, struct connection *connection);

#endif
