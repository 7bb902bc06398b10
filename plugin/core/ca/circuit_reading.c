/* circuit_reading.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "circuit_reading.h"

#include <string.h>

#include "../request/operation.h"

struct ca_circuit *
circuit_of(const struct reading *reading)
{
    return reading_connection(reading)->tcp->circuit;
}

void
circuit_keep(struct ca_circuit *circuit, bool from_client, const uint8_t *bytes, uint32_t n)
{
    struct ca_flow *noted = &circuit->flow[from_client];
    if (noted->captured + n > noted->telling_room) {
        noted->telling_room = MAX(noted->captured + n, UNIT_BYTES);
        noted->telling = wmem_realloc(circuit->channels->channels.scope, noted->telling, noted->telling_room);
    }
    if (n > 0)
        memcpy(noted->telling + noted->captured, bytes, n);
    noted->captured += n;
}

void
circuit_begin_message(struct ca_circuit *circuit, bool from_client, const uint8_t *bytes, uint32_t n)
{
    struct ca_flow *noted = &circuit->flow[from_client];
    noted->captured = 0;
    memcpy(noted->losses, circuit->losses, sizeof noted->losses);
    circuit_keep(circuit, from_client, bytes, n);
    noted->role = circuit->protocol->role(&noted->message, noted->telling, n, from_client);
}

struct ca_taking
circuit_taking(struct ca_circuit *circuit, bool from_client, const struct ca_arrival *arrival)
{
    const struct ca_flow *noted = &circuit->flow[from_client];
    return (struct ca_taking){
        .channels = circuit->channels,
        .circuit = circuit,
        .message = &noted->message,
        .payload = noted->telling,
        .captured = noted->captured,
        .arrival = arrival,
        .role = &noted->role,
    };
}

void
circuit_give_up(struct reading *reading, const struct ca_taking *taking, unsigned command, enum stop how,
                unsigned least)
{
    const uint64_t key = ca_request_key(command, taking->role->id);
    unsigned count = waiting_count(&taking->channels->waiting, taking->circuit->number, key);
    for (count = MAX(count, least); count > 0; count--)
        reading_gives_up(reading, key, how);
    ca_taking_forget_exchange(taking, command, taking->role->id);
}

/* The name of the channel that the request is about; "" where there is none, or it is not known. */
static const char *
name_of(const struct ca_taking *taking, char text[CA_NAME_ROOM])
{
    const struct circuit_protocol *protocol = taking->circuit->protocol;
    const bool has_name = taking->role->command == protocol->create || taking->role->command == protocol->search;
    if (has_name) {
        protocol->read_name(taking, text);
        return text;
    }
    const struct ca_channel *channel = ca_channel_at(taking->channels, ca_taking_channel(taking));
    return channel && channel->pv ? channel->pv : "";
}

static void
ask(struct reading *reading, const struct ca_taking *taking)
{
    const struct circuit_role *role = taking->role;
    char operation[OPERATION_ROOM], name[CA_NAME_ROOM];
    taking->circuit->protocol->give_up(reading, taking);
    operation_of(taking->circuit->protocol->command_name(role->command), name_of(taking, name), operation);
    reading_asks_as(reading, circuit_role_key(role), operation);
    reading_flow(reading, true)->message.part = role->joins ? MESSAGE_AGAIN : MESSAGE_NEW;
}

static void
answer(struct reading *reading, const struct ca_taking *taking)
{
    const struct circuit_role *role = taking->role;
    if (!ca_taking_is_certain(taking))
        circuit_give_up(reading, taking, role->command, STOP_LOST, 0);
    taking->circuit->protocol->give_up(reading, taking);
    reading_answers_to(reading, circuit_role_key(role), role->named_status ? role->named_status : "",
                       role->outcome != CA_OK);
}

void
circuit_tell(struct reading *reading, bool from_client)
{
    const struct ca_taking taking = circuit_taking(circuit_of(reading), from_client, NULL);
    if (taking.role->kind == CIRCUIT_ASKS)
        ask(reading, &taking);
    else if (taking.role->kind == CIRCUIT_ANSWERS)
        answer(reading, &taking);
}

void
circuit_note(struct reading *reading, bool from_client, unsigned command, int64_t start, uint32_t reference)
{
    struct ca_circuit *circuit = circuit_of(reading);
    const uint32_t frame = reading_flow(reading, from_client)->arrived_frame;
    ca_flow_note(&circuit->flow[from_client], command, start, reference, frame, circuit->channels->channels.scope);
}

/* A message that is being taken. */
struct noting {
    struct ca_circuit *circuit;
    struct ca_flow *noted;
    int64_t start;
    uint32_t frame;
    bool is_noted;
};

static void
note(void *data, uint32_t reference)
{
    struct noting *noting = data;
    ca_flow_note(noting->noted, noting->noted->message.command, noting->start, reference, noting->frame,
                 noting->circuit->channels->channels.scope);
    noting->is_noted = true;
}

/* A message of which nobody can say what it is about. */
static void
pass_unknown(struct reading *reading, bool from_client, int64_t start)
{
    struct ca_circuit *circuit = circuit_of(reading);
    const struct ca_flow *noted = &circuit->flow[from_client];
    if (noted->message.part == CA_LAST_PART || noted->last_part >= 0)
        circuit_note(reading, from_client, CA_PART, start, noted->part_reference);
    circuit->losses[from_client]++;
    reading_loses_answers(reading, from_client);
}

void
circuit_end_message(struct reading *reading, bool from_client)
{
    const struct flow *flow = reading_flow(reading, from_client);
    struct ca_circuit *circuit = circuit_of(reading);
    struct ca_flow *noted = &circuit->flow[from_client];
    const struct ca_arrival arrival = { flow->arrived_ns, flow->arrived_frame };
    const int64_t start = noted->last_part >= 0 ? noted->last_part : flow->at - (int64_t)flow->bytes;
    struct noting noting = { circuit, noted, start, arrival.frame, false };
    if (!from_client)
        circuit->told_ns = MAX(circuit->told_ns, flow->arrived_ns);
    if (noted->lacks_name) {
        pass_unknown(reading, from_client, start);
    } else {
        const struct ca_taking taking = circuit_taking(circuit, from_client, &arrival);
        circuit->protocol->take(&taking, from_client, note, &noting);
        if (!noting.is_noted)
            note(&noting, 0);
    }
    noted->last_part = -1;
}

void
circuit_lose_place(struct reading *reading, bool from_client)
{
    struct ca_circuit *circuit = circuit_of(reading);
    circuit->losses[from_client]++;
    circuit->flow[from_client].last_part = -1;
}

void
circuit_lack_requests(struct reading *reading)
{
    circuit_of(reading)->losses[true]++;
}
