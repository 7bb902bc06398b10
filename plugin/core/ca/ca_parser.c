/* ca_parser.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "ca_parser.h"

#include "ca_names.h"
#include "ca_recognition.h"
#include "ca_role.h"
#include "ca_take.h"
#include "../protocol/parser.h"
#include "../protocol/reading.h"
#include "../request/operation.h"

G_STATIC_ASSERT(PIECE_BYTES >= CA_EXTENDED_HEADER_BYTES + CA_NAME_MOST);

static struct ca_circuit *
circuit_of(const struct reading *reading)
{
    return reading_connection(reading)->circuit;
}

/* Bytes of a message that say what it is about. */
static uint32_t
telling_bytes(const struct ca_message *message, bool from_client)
{
    bool has_name = from_client && (message->command == CA_CREATE_CHAN || message->command == CA_SEARCH);
    bool quotes = !from_client && message->command == CA_ERROR;
    uint32_t most = has_name ? CA_NAME_MOST : quotes ? CA_EXTENDED_HEADER_BYTES : 0;
    return message->header_bytes + MIN(message->size, most);
}

/* The name of the channel that a client's message is about, in `text`; "" where there is none, or it is not known. */
static const char *
name_of(const struct ca_circuit *circuit, const struct ca_message *message, const uint8_t *payload, size_t captured,
        char text[CA_NAME_ROOM])
{
    const char *pv = NULL;
    switch (message->command) {
    case CA_CREATE_CHAN:
    case CA_SEARCH:
        ca_name_read(message, payload, captured, text);
        return text;
    case CA_READ_SYNC:
    case CA_ECHO:
        return "";
    default:
        pv = ca_channel_pv(circuit->channels, circuit, message->p1);
        return pv ? pv : "";
    }
}

static void
tell(struct reading *reading, bool from_client, const uint8_t *payload, size_t captured)
{
    const struct ca_circuit *circuit = circuit_of(reading);
    const struct ca_message *message = &circuit->flow[from_client].message;
    char operation[OPERATION_ROOM], name[CA_NAME_ROOM];
    struct message role;
    if (!ca_role(message, payload, captured, from_client, &role))
        return;
    if (role.kind == MESSAGE_ANSWERS) {
        reading_answers_to(reading, role.key, role.status ? role.status : "", role.failed);
        return;
    }
    operation_of(ca_command_name(message->command), name_of(circuit, message, payload, captured, name), operation);
    reading_asks_as(reading, role.key, operation);
    reading_flow(reading, true)->message.joins = role.joins;
}

static enum verdict
take(struct reading *reading, bool from_client, const uint8_t *piece, size_t length)
{
    struct flow *flow = reading_flow(reading, from_client);
    struct ca_flow *noted = &circuit_of(reading)->flow[from_client];
    struct ca_message *message = &noted->message;
    const enum ca_reading read = ca_message_read(piece, length, message);
    if (read == CA_IMPOSSIBLE)
        return PARSER_IS_LOST;
    flow->block = read == CA_CUT ? CA_EXTENDED_HEADER_BYTES : telling_bytes(message, from_client);
    bool is_cut = length < flow->block;
    if (is_cut && (read == CA_CUT || !flow->is_cut))
        return PARSER_WANTS_MORE;
    noted->captured = (uint32_t)length - message->header_bytes;
    noted->lacks_name = is_cut && flow->after_gap;
    flow->skip = message->size - noted->captured;
    flow->ends = true;
    if (!noted->lacks_name)
        tell(reading, from_client, piece + message->header_bytes, noted->captured);
    return PARSER_GOES_ON;
}

/* All of the message has passed, or what there is of it. */
static void
end(struct reading *reading, bool from_client)
{
    struct ca_circuit *circuit = circuit_of(reading);
    struct ca_flow *noted = &circuit->flow[from_client];
    const struct flow *flow = reading_flow(reading, from_client);
    const struct ca_arrival arrival = { flow->arrived_ns, flow->arrived_frame };
    const uint8_t *payload = noted->captured > 0 ? flow->piece + noted->message.header_bytes : NULL;
    if (noted->lacks_name)
        return;
    const uint32_t reference =
        ca_take(circuit->channels, circuit, &noted->message, payload, noted->captured, from_client, &arrival);
    ca_flow_note(noted, flow->at - (int64_t)flow->bytes, reference, arrival.frame, circuit->channels->channels.scope);
}

static bool
may_begin(const uint8_t *bytes, size_t length)
{
    (void)bytes;
    (void)length;
    return false;
}

static const struct parser parser_ca = {
    .kind = FRAMING_CA,
    .block = CA_HEADER_BYTES,
    .least = CA_HEADER_BYTES,
    .has_ids = true,
    .recognise = ca_messages_are_plausible,
    .recognise_answer = ca_messages_are_plausible,
    .may_begin = may_begin,
    .take = take,
    .end = end,
};

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
begin(struct requests *requests, struct ca_channels *channels, const struct piece *piece, bool from_client)
{
    const struct segment *segment = &piece->segment;
    const struct payload *payload = piece->payload;
    struct ca_circuit *circuit = ca_circuit_new(channels, from_client ? &segment->source : &segment->destination,
                                                from_client ? &segment->destination : &segment->source, segment->ipv6);
    circuit->client_side = from_client ? payload->sender : !payload->sender;
    payload->connection->circuit = circuit;
    reading_claim(requests, &parser_ca, piece, from_client);
}

void
ca_parser_enter(struct requests *requests, struct ca_channels *channels, const struct piece *piece)
{
    const struct connection *connection = piece->payload->connection;
    bool from_client;
    if (!connection->circuit && ca_recognise_circuit(requests, channels, piece, &from_client))
        begin(requests, channels, piece, from_client);
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
ca_parser_leave(struct requests *requests, const struct piece *piece)
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
