/* ca_recognition.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "ca_recognition.h"

static bool
is_known_port(const struct settings *settings, uint16_t port)
{
    return settings->is_channel_access && settings->is_channel_access(port);
}

static bool
is_learned(const struct ca_channels *channels, const struct endpoint *endpoint, bool ipv6)
{
    return ca_peer_find(&channels->searches.peers, CA_SERVER_PORT, endpoint, ipv6) != NULL;
}

static bool
has_known_port(const struct settings *settings, const struct segment *segment)
{
    return is_known_port(settings, segment->destination.port) || is_known_port(settings, segment->source.port);
}

static bool
has_learned_end(const struct ca_channels *channels, const struct segment *segment)
{
    return is_learned(channels, &segment->destination, segment->ipv6) ||
           is_learned(channels, &segment->source, segment->ipv6);
}

static bool
is_recognised(const struct ca_channels *channels, const struct settings *settings, const struct segment *segment)
{
    if (has_known_port(settings, segment))
        return true;
    if (ca_messages_open_circuit(segment->payload, segment->captured_bytes))
        return true;
    return segment->captured_bytes >= CA_HEADER_BYTES && has_learned_end(channels, segment) &&
           ca_messages_are_plausible(segment->payload, segment->captured_bytes);
}

bool
ca_may_speak(const struct ca_channels *channels, const struct settings *settings, const struct segment *segment)
{
    return has_known_port(settings, segment) || has_learned_end(channels, segment) ||
           ca_messages_open_circuit(segment->payload, segment->captured_bytes);
}

/* Whether the segment's sender is the client: the handshake tells; else a server's port, else what is said, else that
 * the client's port is the higher one. */
static bool
is_client(const struct ca_channels *channels, const struct settings *settings, const struct connection *connection,
          const struct segment *segment)
{
    const struct endpoint *ends[2] = { &segment->source, &segment->destination };
    bool is_server[2];
    if (connection->role_certain)
        return connection_sender(connection, segment) == connection->client;
    for (unsigned i = 0; i < 2; i++)
        is_server[i] = is_known_port(settings, ends[i]->port) || is_learned(channels, ends[i], segment->ipv6);
    if (is_server[0] != is_server[1])
        return is_server[1];
    enum ca_sender sender = ca_messages_sender(segment->payload, segment->captured_bytes);
    return sender == CA_UNKNOWN_SENDER ? ends[0]->port > ends[1]->port : sender == CA_CLIENT;
}

bool
ca_recognise_circuit(const struct requests *requests, const struct ca_channels *channels, const struct piece *piece,
                     bool *from_client)
{
    const struct connection *connection = piece->payload->connection;
    if (connection->framing.claimed || piece->fresh == 0 ||
        !is_recognised(channels, requests->settings, &piece->segment))
        return false;
    *from_client = is_client(channels, requests->settings, connection, &piece->segment);
    return true;
}
