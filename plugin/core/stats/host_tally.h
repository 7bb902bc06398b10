/* host_tally.h
 * What a host comes to: connecting, the handshakes of TLS, and requests.
 *
 * A host is what a client asks for by SNI with the first that it says; of other connections, the server's address.
 * Which it is, is known when the client has said something, or when it could not connect.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_HOST_TALLY_H
#define LATENCY_HOST_TALLY_H

#include "../protocol/tls/tls_handshake.h"
#include "connect_tally.h"
#include "groups.h"
#include "tally.h"

/* All zero for none. */
struct host_tally {
    struct connect_tally connects;
    uint64_t handshakes[TLS_RESULTS]; /* by enum tls_result */
    struct sample handshake;          /* of those that are complete */
    struct tally requests;
};

/* What a handshake has added so far; zeroed before the first call. */
struct handshake_share {
    int64_t time_ns;
    uint8_t result;
    bool counted;
};

/* Whether it is known which host the connection is to; and whether, of one whose client has said nothing, by what its
 * attempt came to. */
bool host_is_known(const struct connection *connection);
bool host_is_known_by(enum connect_result result);

/* The key of a host of that name, "" for none, at a server. Of a host with a name, addresses are zero. */
struct group_key group_of_host_named(const char *name, const struct endpoint *server, bool ipv6);

/* The key of the connection's host: its name stays the connection's. */
struct group_key group_of_named_host(const struct connection *connection);

/* Takes the handshake as it is now. Call host_tally_clear() when done with the tally. */
void host_tally_take_handshake(struct host_tally *tally, struct handshake_share *share,
                               const struct tls_handshake *handshake);

/* Adds a handshake that is taken once, without a share. `time_ns`: -1 if it is not complete. */
void host_tally_add_handshake(struct host_tally *tally, enum tls_result result, int64_t time_ns);

/* Keeps the tally's samples in outline, as sample_outline() does. */
void host_tally_outline(struct host_tally *tally);

/* Takes what the other has, too: of other connections. */
void host_tally_merge(struct host_tally *tally, const struct host_tally *other);
void host_tally_clear(void *tally);

#endif
