/* circuit_pieces.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "circuit_pieces.h"

#include "ca_recognition.h"
#include "circuit_protocol.h"
#include "../protocol/reading.h"

/* Where frames are not kept, what was noted with earlier ones is of no use. */
static void
forget_noted(struct ca_flow *noted, const struct requests *requests)
{
    if (!items_are_kept(requests->items) && noted->noted_frame != requests->frame) {
        noted->n_noted = 0;
        noted->noted_from = noted->at;
    }
    noted->noted_frame = requests->frame;
}

static void
begin(struct requests *requests, struct ca_channels *channels, const struct circuit_protocol *protocol,
      const struct piece *piece, bool from_client)
{
    const struct segment *segment = &piece->segment;
    const struct payload *payload = piece->payload;
    struct ca_circuit *circuit =
        ca_circuit_new(channels, protocol, from_client ? &segment->source : &segment->destination,
                       from_client ? &segment->destination : &segment->source, segment->ipv6);
    circuit->client_side = from_client ? payload->sender : !payload->sender;
    payload->connection->circuit = circuit;
    reading_claim(requests, protocol->parser, piece, from_client);
}

void
circuit_enter(struct requests *requests, struct ca_channels *channels, const struct piece *piece)
{
    const struct connection *connection = piece->payload->connection;
    bool from_client;
    const struct circuit_protocol *protocol =
        connection->circuit ? NULL : ca_recognise_circuit(requests, channels, piece, &from_client);
    if (protocol)
        begin(requests, channels, protocol, piece, from_client);
    struct ca_circuit *circuit = connection->circuit;
    if (!circuit || piece->fresh == 0)
        return;
    const struct connect *connect = &connection->connect;
    struct ca_flow *noted = &circuit->flow[piece->payload->sender == circuit->client_side];
    circuit->syn_ns = connect->number ? connect->syn_ns : INT64_MIN;
    circuit->syn_ack_ns = connect->syn_ack_seen ? connect->syn_ack_ns : INT64_MIN;
    noted->origin = piece->segment.seq - (uint32_t)piece->start;
    if (!noted->begun)
        noted->at = noted->noted_from = piece->start;
    noted->begun = true;
    forget_noted(noted, requests);
    noted->n_shown = noted->n_noted;
}

void
circuit_leave(struct requests *requests, const struct piece *piece)
{
    struct ca_circuit *circuit = piece->payload->connection->circuit;
    if (!circuit || piece->fresh == 0)
        return;
    bool from_client = piece->payload->sender == circuit->client_side;
    struct ca_flow *noted = &circuit->flow[from_client];
    noted->at = MAX(noted->at, piece->start + piece->segment.payload_bytes);
    noted->next = reading_place(piece->payload->connection, from_client);
    if (noted->n_noted == noted->n_shown)
        return;
    struct item *item = items_add(requests->items, piece->segment.frame, ITEM_CIRCUIT);
    item->circuit = circuit;
    item->from_client = from_client;
    item->first_message = noted->n_shown;
    item->n_messages = noted->n_noted - noted->n_shown;
}
