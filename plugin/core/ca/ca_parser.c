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
#include "ca_taking.h"

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

/* Whether the server confirms that a subscription is cancelled, be it one that has had no update yet. */
static bool
cancels(const struct ca_taking *taking)
{
    const struct circuit_role *role = &taking->role;
    return role->kind == CIRCUIT_ANSWERS && role->command == CA_EVENT_CANCEL &&
           ca_taking_waiting(taking, CA_EVENT_CANCEL, role->id);
}

static void
tell(struct reading *reading, bool from_client, const uint8_t *payload, size_t captured)
{
    struct ca_circuit *circuit = circuit_of(reading);
    const struct ca_message *message = &circuit->flow[from_client].message;
    const struct ca_taking taking = {
        circuit->channels, circuit, message, payload, captured, NULL, ca_role(message, payload, captured, from_client)
    };
    const bool has_name = message->command == CA_CREATE_CHAN || message->command == CA_SEARCH;
    char name[CA_NAME_ROOM];
    if (cancels(&taking))
        ca_taking_give_up(&taking, reading, CA_EVENT_ADD, STOP_CLOSED, 0);
    if (has_name)
        ca_name_read(message, payload, captured, name);
    ca_taking_tell(&taking, reading, has_name ? name : NULL);
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
