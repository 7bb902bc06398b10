/* quic.h
 * Connections of QUIC: whose a datagram is, and what its handshake comes to, without keys.
 *
 * A connection begins with an Initial that decrypts with the keys which its own connection id gives: nothing else is
 * taken for QUIC. What it is to its attempt to connect is kept where a connection of TCP has it: struct connect, with
 * the first Initial for the SYN and the server's first packet for its answer, and struct tls_handshake, which is
 * complete with the client's first packet of 1-RTT (docs/measuring.md).
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_QUIC_H
#define LATENCY_QUIC_H

#include "../request/request.h"
#include "quic_crypto.h"
#include "quic_ids.h"
#include "quic_initial.h"
#include "quic_spin.h"

/* Bounds how many handshakes of a capture are read at once: of more, the oldest is followed without. */
enum { QUIC_OPENINGS_MOST = 2048 };

/* Bounds how many connections between the same ports are told apart: of more, what comes of the oldest is nobody's. */
enum { QUIC_SHARED_MOST = 8 };

/* Holds what is needed as long as the handshake lasts. */
struct quic_opening {
    struct connection *connection;
    struct quic_keys keys;
    uint64_t next_number[2];
    struct quic_crypto crypto[2];
    bool has_hello[2]; /* it has been read */
};

/* Holds what a connection of QUIC has, beside struct connection. */
struct quic {
    struct quic_opening *opening;  /* NULL once the handshake is over */
    struct http3 *http3;           /* NULL before anything decrypted has come of it */
    struct quic_spin *spin;        /* NULL before a packet of 1-RTT whose bit is followed */
    uint32_t version;              /* that its server speaks; before it has answered, its client */
    uint32_t moves;                /* how often its client came from another address */
    struct quic_id first;          /* to which the client has sent its first Initial */
    struct quic_id retry;          /* to which it was told to send the next, by a Retry; meaningful if `retried` */
    struct quic_id client, server; /* by which they are addressed, from their packets on */
    bool has_client_id, has_server_id;
    bool retried;
    bool negotiated; /* the server does not speak the version that it was asked in first */
    bool has_early_data;
    bool is_shared;     /* an earlier connection between the same ports has gone on */
    bool has_data;      /* the datagram that was taken last has a packet of 1-RTT or 0-RTT */
    bool has_handshake; /* it has one of the handshake, too: Initials are decrypted without keys */
    bool is_missed;     /* it is the server's, with one of 1-RTT, and nothing of it has been decrypted; it came at: */
    int64_t missed_ns;
    struct connection *earlier, *later; /* between the same ports; NULL for none */
    uint64_t datagrams[2];              /* by QUIC_CLIENT and QUIC_SERVER */
    uint64_t bytes[2];                  /* of their payload */
};

/* Holds a client's first Initial, which was decrypted to know it. */
struct quic_first {
    uint8_t *frames; /* NULL: there is none */
    size_t bytes;
    uint64_t next_number;
    struct quic_keys keys;
};

/* Holds the connections of QUIC of a capture. */
struct quic_connections {
    struct connection_table *table;
    struct quic_ids *ids;
    GQueue openings;  /* of struct quic_opening: the oldest first */
    GPtrArray *http3; /* of struct http3, all there are; NULL: none */
    uint32_t *attempts, *handshakes;
    struct quic_first first;
    bool has_any;      /* a connection has been seen */
    bool follows_spin; /* somebody is shown what the spin bit says */
};

/* `connections`, `attempts`, `handshakes`: by which these are numbered in the capture. End with quic_clear(). */
void quic_init(struct quic_connections *quic, wmem_allocator_t *scope, uint32_t *connections, uint32_t *attempts,
               uint32_t *handshakes);
void quic_clear(struct quic_connections *quic);

/* Returns the connection whose datagram the segment is: its payload is the datagram's. A client that has moved is put
 * back to where it was, in the segment. NULL if it is none of QUIC, as far as can be known. */
struct connection *quic_find(struct quic_connections *quic, const struct requests *requests, struct segment *segment);

/* Returns the connection of a datagram that an ICMP error quotes, which is found by its addresses alone; NULL if there
 * is none. */
struct connection *quic_find_quoted(const struct quic_connections *quic, const struct segment *quoted);

/* Takes the datagram: what it means is in its frame's items. */
void quic_take(struct quic_connections *quic, struct requests *requests, struct connection *connection,
               const struct segment *segment);

/* An ICMP error quotes a datagram of the connection: that answers its attempt to connect, if nothing has. */
void quic_refuse(const struct requests *requests, struct connection *connection, const struct segment *quoted);

/* Takes the frames of a packet that Wireshark has decrypted, of the connection's datagram that was taken last. Returns
 * false if they are nobody's to read: of a handshake, or of another protocol than HTTP/3. */
bool quic_take_decrypted(struct quic_connections *quic, struct requests *requests, struct connection *connection,
                         const struct segment *segment, const uint8_t *frames, size_t length);

/* Nothing more comes of the connection: reads what waits for bytes that are missing. */
void quic_end(struct requests *requests, struct connection *connection);

/* Adds the connections of which something may wait. */
void quic_add_waiting(const struct quic_connections *quic, GPtrArray *connections);

void quic_forget(struct quic_connections *quic, const struct requests *requests, struct connection *connection);

#endif
