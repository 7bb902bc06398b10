/* ca_parser.c
 * Channel Access as a protocol of circuits: its messages in a stream.
 *
 * A message whose first bytes are cut by the snap length, or by a gap, counts by its header.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "ca_names.h"
#include "ca_role.h"
#include "ca_take.h"
#include "circuit_reading.h"

G_STATIC_ASSERT(UNIT_BYTES >= CA_EXTENDED_HEADER_BYTES + CA_NAME_MOST);

/* Bytes of a message that say what it is about. */
static uint32_t
telling_bytes(const struct ca_message *message, bool from_client)
{
    bool has_name = from_client && (message->command == CA_CREATE_CHAN || message->command == CA_SEARCH);
    bool quotes = !from_client && message->command == CA_ERROR;
    uint32_t most = has_name ? CA_NAME_MOST : quotes ? CA_EXTENDED_HEADER_BYTES : 0;
    return message->header_bytes + MIN(message->size, most);
}

static enum verdict
take(struct reading *reading, bool from_client, const uint8_t *unit, size_t length)
{
    struct flow *flow = reading_flow(reading, from_client);
    struct ca_circuit *circuit = circuit_of(reading);
    struct ca_flow *noted = &circuit->flow[from_client];
    struct ca_message *message = &noted->message;
    const enum ca_reading read = ca_message_read(unit, length, message);
    if (read == CA_IMPOSSIBLE)
        return PARSER_IS_LOST;
    flow->block = read == CA_CUT ? CA_EXTENDED_HEADER_BYTES : telling_bytes(message, from_client);
    bool is_cut = length < flow->block;
    if (is_cut && (read == CA_CUT || !flow->is_cut))
        return PARSER_WANTS_MORE;
    circuit_begin_message(circuit, from_client, unit + message->header_bytes, (uint32_t)length - message->header_bytes);
    noted->lacks_name = is_cut && flow->after_gap;
    flow->skip = message->size - noted->captured;
    flow->ends = true;
    if (!noted->lacks_name)
        circuit_tell(reading, from_client);
    return PARSER_GOES_ON;
}

/* The server confirms that a subscription is cancelled, be it one that has had no update yet. */
static void
give_up(struct reading *reading, const struct ca_taking *taking)
{
    const struct circuit_role *role = taking->role;
    if (role->kind == CIRCUIT_ANSWERS && role->command == CA_EVENT_CANCEL &&
        ca_taking_waiting(taking, CA_EVENT_CANCEL, role->id))
        circuit_give_up(reading, taking, CA_EVENT_ADD, STOP_CLOSED, 0);
}

static size_t
read_name(const struct ca_taking *taking, char name[CA_NAME_ROOM])
{
    return ca_name_read(taking->message, taking->payload, taking->captured, name);
}

static void
take_whole(const struct ca_taking *taking, bool from_client, ca_note note, void *data)
{
    note(data, ca_take(taking, from_client));
}

static const struct parser parser_ca = {
    .protocol = PROTOCOL_CA,
    .block = CA_HEADER_BYTES,
    .least = CA_HEADER_BYTES,
    .has_ids = true,
    .recognise = ca_messages_are_plausible,
    .recognise_answer = ca_messages_are_plausible,
    .take = take,
    .end = circuit_end_message,
    .lose_place = circuit_lose_place,
    .lack_requests = circuit_lack_requests,
};

static bool
is_port(const struct settings *settings, uint16_t port)
{
    return settings->is_channel_access && settings->is_channel_access(port);
}

const struct circuit_protocol circuit_of_channel_access = {
    .prefix = "ca",
    .name = "Channel Access",
    .number = PROTOCOL_CA,
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
    .role = ca_role,
    .read_name = read_name,
    .give_up = give_up,
    .take = take_whole,
    .parser = &parser_ca,
    .command_name = ca_command_name,
};
