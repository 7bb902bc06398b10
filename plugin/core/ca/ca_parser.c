/* ca_parser.c
 * Channel Access as a protocol of circuits: its messages in a stream.
 *
 * A message whose first bytes are cut by the snap length, or by a gap, counts by its header.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "circuit_protocol.h"

#include "ca_names.h"
#include "ca_role.h"
#include "ca_take.h"
#include "../request/operation.h"

G_STATIC_ASSERT(PIECE_BYTES >= CA_EXTENDED_HEADER_BYTES + CA_NAME_MOST);

static struct ca_circuit *
circuit_of(const struct reading *reading)
{
    return reading_connection(reading)->tcp->circuit;
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
    reading_flow(reading, true)->message.part = role.part;
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
    if (noted->lacks_name) {
        reading_loses_answers(reading, from_client);
        return;
    }
    const uint32_t reference =
        ca_take(circuit->channels, circuit, &noted->message, payload, noted->captured, from_client, &arrival);
    ca_flow_note(noted, noted->message.command, flow->at - (int64_t)flow->bytes, reference, arrival.frame,
                 circuit->channels->channels.scope);
}

static const struct parser parser_ca = {
    .kind = FRAMING_CA,
    .block = CA_HEADER_BYTES,
    .least = CA_HEADER_BYTES,
    .has_ids = true,
    .recognise = ca_messages_are_plausible,
    .recognise_answer = ca_messages_are_plausible,
    .take = take,
    .end = end,
};

static bool
is_port(const struct settings *settings, uint16_t port)
{
    return settings->is_channel_access && settings->is_channel_access(port);
}

const struct circuit_protocol circuit_of_channel_access = {
    .prefix = "ca",
    .name = "Channel Access",
    .framing = FRAMING_CA,
    .server_role = CA_SERVER_PORT,
    .create = CA_CREATE_CHAN,
    .search = CA_SEARCH,
    .search_reply = CA_SEARCH,
    .hello = CA_VERSION,
    .commands = CA_COMMANDS,
    .is_port = is_port,
    .opens = ca_messages_open_circuit,
    .are_plausible = ca_messages_are_plausible,
    .sender = ca_messages_sender,
    .read = ca_message_read,
    .parser = &parser_ca,
    .command_name = ca_command_name,
};
