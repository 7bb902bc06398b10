/* ca_datagram.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "ca_datagram.h"

bool
ca_datagram_begins(const uint8_t *bytes, size_t captured)
{
    struct ca_message message;
    if (captured < CA_HEADER_BYTES || !ca_messages_are_plausible(bytes, captured))
        return false;
    bool beacon = captured == CA_HEADER_BYTES && ca_message_read(bytes, captured, &message) == CA_COMPLETE &&
                  message.command == CA_RSRV_IS_UP;
    bool search = ca_messages_open_circuit(bytes, captured) &&
                  ca_message_read(bytes + CA_HEADER_BYTES, captured - CA_HEADER_BYTES, &message) == CA_COMPLETE &&
                  message.command == CA_SEARCH;
    return beacon || search;
}

bool
ca_is_from_client(const uint8_t *bytes, size_t captured, bool else_client)
{
    enum ca_sender sender = ca_messages_sender(bytes, captured);
    return sender == CA_UNKNOWN_SENDER ? else_client : sender == CA_CLIENT;
}

uint32_t
ca_datagram_take(struct ca_datagram *datagram, struct ca_channels *channels, const struct ca_message *message,
                 const uint8_t *payload, size_t captured)
{
    const struct endpoint *searcher = datagram->from_client ? &datagram->source : &datagram->destination;
    if (message->command == CA_SEARCH || message->command == CA_NOT_FOUND)
        datagram->batch.searcher = ca_peer(&channels->searches.peers, CA_UDP_SEARCHER, searcher, datagram->ipv6);
    return ca_take_datagram(channels, &datagram->batch, message, payload, captured, &datagram->source, datagram->ipv6,
                            &datagram->arrival);
}
