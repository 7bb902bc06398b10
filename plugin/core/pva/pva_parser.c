/* pva_parser.c
 * pvAccess as a protocol of circuits: its messages in a stream.
 *
 * A message in several parts is one, that ends with the last. One that lacks bytes counts if its ids and its status are
 * there; those about many channels are read whole, up to a bound.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "pva_protocol.h"

#include "pva_cursor.h"
#include "pva_message.h"
#include "pva_names.h"
#include "pva_role.h"
#include "pva_take.h"

enum { TELLING_MOST = UNIT_BYTES - PVA_HEADER_BYTES, COLLECTED_MOST = UINT16_MAX };

/* What the next unit is. */
enum { FIRST_HEADER, COLLECTED, NEXT_HEADER };

/* Whether it names many channels. */
static bool
is_about_many(const struct ca_message *message)
{
    return message->command == PVA_SEARCH || message->command == PVA_SEARCH_RESPONSE;
}

/* Bytes of a payload that say what the message is about, as far as those that are there tell: names, ids and statuses;
 * values tell nothing. */
static uint32_t
telling_bytes(const struct ca_message *message, bool from_client, const uint8_t *payload, size_t captured)
{
    enum { IDS = 64, AT_STATUS = 5 };
    bool is_answer = !from_client && pva_has_subcommand(message->command);
    if (from_client && message->command != PVA_CREATE_CHANNEL && !is_about_many(message))
        return MIN(message->size, IDS);
    if (is_answer && (captured <= AT_STATUS || payload[AT_STATUS] == PVA_OK_ALONE))
        return MIN(message->size, AT_STATUS + 1);
    return MIN(message->size, TELLING_MOST);
}

/* Behind the part's bytes that have been read. */
static void
pass_part(struct reading *reading, bool from_client, const struct ca_message *part, uint32_t left)
{
    struct flow *flow = reading_flow(reading, from_client);
    flow->skip = left;
    flow->ends = part->part == CA_WHOLE || part->part == CA_LAST_PART;
    flow->state = NEXT_HEADER;
    flow->block = PVA_HEADER_BYTES;
}

/* More of a message about many channels. */
static enum verdict
take_collected(struct reading *reading, bool from_client, const uint8_t *unit, size_t length)
{
    struct flow *flow = reading_flow(reading, from_client);
    struct ca_circuit *circuit = circuit_of(reading);
    const struct ca_flow *noted = &circuit->flow[from_client];
    circuit_keep(circuit, from_client, unit, (uint32_t)length);
    const uint32_t wanted = MIN(noted->message.size, COLLECTED_MOST) - noted->captured;
    if (wanted > 0 && !flow->is_cut)
        flow->block = MIN(wanted, UNIT_BYTES);
    else
        pass_part(reading, from_client, &noted->message, noted->message.size - noted->captured);
    return PARSER_GOES_ON;
}

static enum verdict
take_next_header(struct reading *reading, bool from_client, const uint8_t *unit, size_t length)
{
    struct flow *flow = reading_flow(reading, from_client);
    struct ca_flow *noted = &circuit_of(reading)->flow[from_client];
    const int64_t start = flow->at - PVA_HEADER_BYTES;
    struct ca_message next;
    if (pva_message_read(unit, length, &next) != CA_COMPLETE)
        return PARSER_IS_LOST;
    if (next.command >= PVA_CONTROL) {
        circuit_note(reading, from_client, next.command, start, 0);
        return PARSER_GOES_ON;
    }
    if (next.command != noted->message.command || next.part == CA_WHOLE || next.part == CA_FIRST_PART)
        return PARSER_IS_LOST;
    if (next.part == CA_MIDDLE_PART)
        circuit_note(reading, from_client, CA_PART, start, noted->part_reference);
    noted->last_part = start;
    pass_part(reading, from_client, &next, next.size);
    return PARSER_GOES_ON;
}

static enum verdict
take_first_header(struct reading *reading, bool from_client, const uint8_t *unit, size_t length)
{
    struct flow *flow = reading_flow(reading, from_client);
    struct ca_circuit *circuit = circuit_of(reading);
    struct ca_flow *noted = &circuit->flow[from_client];
    struct ca_message *message = &noted->message;
    const enum ca_reading read = pva_message_read(unit, length, message);
    if (read != CA_COMPLETE)
        return read == CA_CUT ? PARSER_WANTS_MORE : PARSER_IS_LOST;
    const uint8_t *payload = unit + PVA_HEADER_BYTES;
    const uint32_t captured = (uint32_t)MIN(length - PVA_HEADER_BYTES, message->size);
    flow->block = PVA_HEADER_BYTES + telling_bytes(message, from_client, payload, captured);
    bool is_cut = length < flow->block;
    if (is_cut && !flow->is_cut)
        return PARSER_WANTS_MORE;
    noted->last_part = -1;
    /* A part whose first one is not in the capture says nothing. */
    noted->lacks_name = (is_cut && flow->after_gap) || message->part == CA_MIDDLE_PART || message->part == CA_LAST_PART;
    noted->part_reference = 0;
    circuit_begin_message(circuit, from_client, payload, captured);
    if (message->part == CA_FIRST_PART && !noted->lacks_name) {
        const struct ca_taking taking = circuit_taking(circuit, from_client, NULL);
        noted->part_reference = ca_refer(CA_ABOUT_CHANNEL, pva_take_channel_of(&taking, from_client));
    }
    if (message->part == CA_FIRST_PART || message->part == CA_MIDDLE_PART)
        circuit_note(reading, from_client, CA_PART, flow->at - (int64_t)flow->bytes, noted->part_reference);
    if (is_about_many(message) && captured < message->size && !is_cut) {
        flow->state = COLLECTED;
        flow->block = MIN(MIN(message->size, COLLECTED_MOST) - captured, UNIT_BYTES);
        return PARSER_GOES_ON;
    }
    pass_part(reading, from_client, message, message->size - captured);
    if (!noted->lacks_name)
        circuit_tell(reading, from_client);
    return PARSER_GOES_ON;
}

static enum verdict
take(struct reading *reading, bool from_client, const uint8_t *unit, size_t length)
{
    switch (reading_flow(reading, from_client)->state) {
    case COLLECTED:
        return take_collected(reading, from_client, unit, length);
    case NEXT_HEADER:
        return take_next_header(reading, from_client, unit, length);
    default:
        return take_first_header(reading, from_client, unit, length);
    }
}

static size_t
read_name(const struct ca_taking *taking, char name[CA_NAME_ROOM])
{
    enum { AT_NAME = 6 };
    struct pva_cursor cursor = pva_cursor_of(taking->payload, taking->captured, pva_is_big_endian(taking->message));
    pva_read_bytes(&cursor, AT_NAME);
    return pva_read_name(&cursor, name);
}

static const struct parser parser_pva = {
    .protocol = PROTOCOL_PVA,
    .block = PVA_HEADER_BYTES,
    .least = PVA_HEADER_BYTES,
    .has_ids = true,
    .recognise = pva_messages_are_plausible,
    .recognise_answer = pva_messages_are_plausible,
    .take = take,
    .end = circuit_end_message,
    .lose_place = circuit_lose_place,
    .lack_requests = circuit_lack_requests,
};

static bool
is_port(const struct settings *settings, uint16_t port)
{
    return settings->is_pvaccess && settings->is_pvaccess(port);
}

const struct circuit_protocol circuit_of_pvaccess = {
    .prefix = "pva",
    .name = "pvAccess",
    .number = PROTOCOL_PVA,
    .server_role = PVA_SERVER_PORT,
    .create = PVA_CREATE_CHANNEL,
    .search = PVA_SEARCH,
    .search_reply = PVA_SEARCH_RESPONSE,
    .hello = PVA_CONNECTION_VALIDATED,
    .commands = PVA_REQUESTS,
    .is_in_tls = true,
    .reuses_ids = true,
    .is_port = is_port,
    .opens = pva_messages_open_circuit,
    .are_plausible = pva_messages_are_plausible,
    .sender = pva_messages_sender,
    .read = pva_message_read,
    .role = pva_role,
    .read_name = read_name,
    .give_up = pva_take_give_up,
    .take = pva_take,
    .parser = &parser_pva,
    .command_name = pva_request_name,
};

const struct circuit_protocol *const circuit_protocols[] = { &circuit_of_channel_access, &circuit_of_pvaccess, NULL };
