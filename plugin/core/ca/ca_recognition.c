/* ca_recognition.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "ca_recognition.h"

#include "../util/seldom.h"
#include "circuit_protocol.h"

static bool
is_known_port(const struct circuit_protocol *protocol, const struct settings *settings, const struct segment *segment)
{
    return protocol->is_port(settings, segment->destination.port) || protocol->is_port(settings, segment->source.port);
}

/* The same of a connection's server. */
static bool
has_known_port(const struct circuit_protocol *protocol, const struct settings *settings,
               const struct connection *connection, const struct segment *segment)
{
    if (connection->roles != ROLES_CERTAIN)
        return is_known_port(protocol, settings, segment);
    const bool from_client = connection_sender(connection, segment) == connection->client;
    return protocol->is_port(settings, from_client ? segment->destination.port : segment->source.port);
}

/* Whether a server's port is enough to take this for a circuit: the capture has nothing that was said before, and
 * where this is what a client or a server has said first, it is a message. */
static bool
port_is_enough(const struct circuit_protocol *protocol, const struct piece *piece)
{
    const struct connection *connection = piece->payload->connection;
    const struct segment *segment = &piece->segment;
    struct ca_message message;
    if (connection->sender[0].read > 0 || connection->sender[1].read > 0)
        return false;
    return !connection->tcp->connect.number || piece->after_gap || segment->captured_bytes == 0 ||
           protocol->read(segment->payload, segment->captured_bytes, &message) == CA_CUT ||
           protocol->are_plausible(segment->payload, segment->captured_bytes);
}

static bool
is_learned(const struct circuit_protocol *protocol, const struct ca_channels *channels, const struct endpoint *endpoint,
           bool ipv6)
{
    return ca_peer_find(&channels->searches.peers, protocol->server_role, endpoint, ipv6) != NULL;
}

static bool
has_learned_end(const struct circuit_protocol *protocol, const struct ca_channels *channels,
                const struct segment *segment)
{
    return is_learned(protocol, channels, &segment->destination, segment->ipv6) ||
           is_learned(protocol, channels, &segment->source, segment->ipv6);
}

/* Whether the capture has nothing that the piece's sender said before: what opens a circuit stands nowhere else, and
 * amid other bytes a few zeros look like it. */
static bool
is_first_of_sender(const struct piece *piece)
{
    return piece->payload->connection->sender[piece->payload->sender].read == 0;
}

static bool
is_recognised(const struct circuit_protocol *protocol, const struct ca_channels *channels,
              const struct settings *settings, const struct piece *piece)
{
    const struct segment *segment = &piece->segment;
    if (has_known_port(protocol, settings, piece->payload->connection, segment) && port_is_enough(protocol, piece))
        return true;
    if (is_first_of_sender(piece) && protocol->opens(segment->payload, segment->captured_bytes))
        return true;
    return segment->captured_bytes > 0 && has_learned_end(protocol, channels, segment) &&
           protocol->are_plausible(segment->payload, segment->captured_bytes);
}

bool
ca_may_speak(const struct ca_channels *channels, const struct settings *settings, const struct segment *segment)
{
    for (const struct circuit_protocol *const *protocol = channels->protocols; *protocol; protocol++)
        if (is_known_port(*protocol, settings, segment) || has_learned_end(*protocol, channels, segment) ||
            (*protocol)->opens(segment->payload, segment->captured_bytes))
            return true;
    return false;
}

/* Whether the segment's sender is the client: the handshake tells; else a server's port, else what is said, else that
 * the client's port is the higher one. */
static bool
is_client(const struct circuit_protocol *protocol, const struct ca_channels *channels, const struct settings *settings,
          const struct connection *connection, const struct segment *segment)
{
    const struct endpoint *ends[2] = { &segment->source, &segment->destination };
    bool is_server[2];
    if (connection->roles == ROLES_CERTAIN)
        return connection_sender(connection, segment) == connection->client;
    for (unsigned i = 0; i < 2; i++)
        is_server[i] =
            protocol->is_port(settings, ends[i]->port) || is_learned(protocol, channels, ends[i], segment->ipv6);
    if (is_server[0] != is_server[1])
        return is_server[1];
    enum ca_sender sender = protocol->sender(segment->payload, segment->captured_bytes);
    return sender == CA_UNKNOWN_SENDER ? ends[0]->port > ends[1]->port : sender == CA_CLIENT;
}

/* Looks at what a connection that speaks nothing known says. */
static SELDOM const struct circuit_protocol *
recognise(const struct requests *requests, const struct ca_channels *channels, const struct piece *piece,
          bool *from_client)
{
    for (const struct circuit_protocol *const *protocol = channels->protocols; *protocol; protocol++)
        if (is_recognised(*protocol, channels, requests->settings, piece)) {
            *from_client =
                is_client(*protocol, channels, requests->settings, piece->payload->connection, &piece->segment);
            return *protocol;
        }
    return NULL;
}

inline const struct circuit_protocol *
ca_recognise_circuit(const struct requests *requests, const struct ca_channels *channels, const struct piece *piece,
                     bool *from_client)
{
    const struct connection *connection = piece->payload->connection;
    if (connection->session == SESSION_MESSAGES || piece->fresh == 0 || connection->tcp->tls)
        return NULL;
    return recognise(requests, channels, piece, from_client);
}

const struct circuit_protocol *
ca_recognise_hidden(const struct ca_channels *channels, const struct piece *piece, const struct decrypted *decrypted,
                    bool *from_client)
{
    const struct connection *connection = piece->payload->connection;
    if (connection->session == SESSION_MESSAGES || piece->fresh == 0)
        return NULL;
    *from_client = piece->payload->sender == connection->client;
    for (const struct circuit_protocol *const *protocol = channels->protocols; *protocol; protocol++)
        if ((*protocol)->is_in_tls && (*protocol)->opens(decrypted->bytes, decrypted->length) &&
            (*protocol)->sender(decrypted->bytes, decrypted->length) == (*from_client ? CA_CLIENT : CA_SERVER))
            return *protocol;
    return NULL;
}
