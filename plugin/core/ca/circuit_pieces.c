/* circuit_pieces.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "circuit_pieces.h"

#include "ca_recognition.h"
#include "circuit_protocol.h"

/* Where frames are not kept, what was noted with earlier ones is of no use, but for a part that may go on. */
static void
forget_noted(struct ca_flow *noted, const struct requests *requests)
{
    if (!items_are_kept(requests->items) && noted->noted_frame != requests->frame) {
        bool goes_on = noted->n_noted > 0 && noted->noted[noted->n_noted - 1].command == CA_PART;
        if (goes_on)
            noted->noted[0] = noted->noted[noted->n_noted - 1];
        noted->n_noted = goes_on;
        noted->noted_from = goes_on ? noted->noted[0].start : noted->at;
    }
    noted->noted_frame = requests->frame;
}

static void
begin(struct requests *requests, struct ca_channels *channels, const struct circuit_protocol *protocol,
      struct carrier *carrier, bool from_client, bool is_hidden)
{
    const struct segment *segment = &carrier->piece->segment;
    const struct payload *payload = carrier->piece->payload;
    struct ca_circuit *circuit =
        ca_circuit_new(channels, protocol, from_client ? &segment->source : &segment->destination,
                       from_client ? &segment->destination : &segment->source, segment->ipv6);
    circuit->client_side = from_client ? payload->sender : !payload->sender;
    circuit->is_hidden = is_hidden;
    payload->connection->tcp->circuit = circuit;
    reading_claim(requests, protocol->parser, carrier, from_client, is_hidden);
}

inline void
circuit_enter(struct requests *requests, struct ca_channels *channels, struct carrier *carrier)
{
    const struct piece *piece = carrier->piece;
    const struct connection *connection = piece->payload->connection;
    struct decrypted hidden = { 0 };
    if (!connection->tcp->circuit)
        hidden = reading_hidden(connection, piece->payload->sender);
    const bool is_hidden = hidden.length > 0;
    bool from_client;
    const struct circuit_protocol *protocol = NULL;
    if (!connection->tcp->circuit && is_hidden)
        protocol = ca_recognise_hidden(channels, piece, &hidden, &from_client);
    else if (!connection->tcp->circuit)
        protocol = ca_recognise_circuit(requests, channels, piece, &from_client);
    if (protocol)
        begin(requests, channels, protocol, carrier, from_client, is_hidden);
    struct ca_circuit *circuit = connection->tcp->circuit;
    if (!circuit || piece->fresh == 0)
        return;
    const struct connect *connect = &connection->tcp->connect;
    struct ca_flow *noted = &circuit->flow[piece->payload->sender == circuit->client_side];
    circuit->syn_ns = connect->number ? connect->syn_ns : INT64_MIN;
    circuit->syn_ack_ns = connect->syn_ack_seen ? connect->syn_ack_ns : INT64_MIN;
    noted->origin = circuit->is_hidden ? 0 : piece->segment.seq - (uint32_t)piece->start;
    if (!noted->begun)
        noted->at = noted->noted_from = circuit->is_hidden ? 0 : piece->start;
    noted->begun = true;
    forget_noted(noted, requests);
    noted->n_shown = noted->n_noted;
}

inline void
circuit_leave(struct requests *requests, const struct piece *piece)
{
    struct ca_circuit *circuit = piece->payload->connection->tcp->circuit;
    if (!circuit || piece->fresh == 0)
        return;
    bool from_client = piece->payload->sender == circuit->client_side;
    struct ca_flow *noted = &circuit->flow[from_client];
    noted->at = circuit->is_hidden ? MAX(noted->at, reading_place(piece->payload->connection, from_client))
                                   : MAX(noted->at, piece->start + piece->segment.payload_bytes);
    noted->next = noted->last_part >= 0 ? noted->last_part : reading_place(piece->payload->connection, from_client);
    if (noted->n_noted == noted->n_shown)
        return;
    struct item *item = items_add(requests->items, piece->segment.frame, ITEM_CIRCUIT);
    item->circuit = circuit;
    item->from_client = from_client;
    item->first_message = noted->n_shown;
    item->n_messages = noted->n_noted - noted->n_shown;
}
