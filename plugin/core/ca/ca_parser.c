/* ca_parser.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "ca_parser.h"

#include <string.h>

#include "ca_recognition.h"
#include "circuit_reader.h"

/* Passes `bytes` of the piece. */
static void
pass(struct circuit_reader *reader, uint32_t bytes)
{
    reader->flow->read += bytes;
    reader->flow->at += bytes;
    reader->offset += bytes;
}

/* Between two parts of a message: the header of the next one, or a control message. */
static void
read_next_header(struct circuit_reader *reader)
{
    struct ca_flow *flow = reader->flow;
    const struct segment *segment = reader->segment;
    struct ca_message next;
    uint32_t bytes = MIN(CA_PART_HEADER_BYTES - flow->n_next, segment->payload_bytes - reader->offset);
    if (segment->captured_bytes < reader->offset + bytes) {
        circuit_reader_lose_place(reader);
        return;
    }
    memcpy(flow->next + flow->n_next, segment->payload + reader->offset, bytes);
    flow->n_next = (uint8_t)(flow->n_next + bytes);
    flow->whole += bytes;
    pass(reader, bytes);
    if (flow->n_next < CA_PART_HEADER_BYTES)
        return;
    enum ca_reading reading = reader->protocol->read(flow->next, sizeof flow->next, &next);
    bool is_part = reading == CA_COMPLETE && next.part != CA_WHOLE && next.part != CA_FIRST_PART &&
                   next.command == flow->message.command;
    flow->n_next = 0;
    if (is_part) {
        flow->whole += next.size;
        flow->goes_on = next.part == CA_MIDDLE_PART;
        flow->between = false;
        if (next.size == 0)
            circuit_reader_end_of_bytes(reader);
    } else if (reading == CA_COMPLETE && next.part == CA_WHOLE && next.size == 0) {
        ca_flow_note(flow, next.command, 0, reader->requests->scope);
        flow->start = flow->at;
    } else {
        circuit_reader_lose_place(reader);
    }
}

/* False if no message begins here. */
static bool
read_header(struct circuit_reader *reader)
{
    struct ca_flow *flow = reader->flow;
    enum ca_reading reading = reader->protocol->read(reader->bytes, reader->n, &flow->message);
    bool is_captured = reader->segment->captured_bytes == reader->segment->payload_bytes;
    if (reading == CA_IMPOSSIBLE || (reading == CA_CUT && !is_captured))
        return false;
    if (reading == CA_CUT)
        return true;
    flow->has_header = true;
    flow->whole = flow->message.header_bytes + (uint64_t)flow->message.size;
    flow->goes_on = flow->message.part == CA_FIRST_PART || flow->message.part == CA_MIDDLE_PART;
    /* What it continues is not in the capture. */
    flow->lacks_name = flow->message.part == CA_MIDDLE_PART || flow->message.part == CA_LAST_PART;
    return true;
}

/* Reads on in the message at the flow's place, or begins to, as far as the piece goes. */
static void
read_part(struct circuit_reader *reader)
{
    struct ca_flow *flow = reader->flow;
    uint32_t left = reader->segment->payload_bytes - reader->offset;
    circuit_reader_note_arrival(reader);
    if (flow->between) {
        read_next_header(reader);
        return;
    }
    circuit_reader_look(reader);
    if (!flow->has_header && !read_header(reader)) {
        circuit_reader_lose_place(reader);
        return;
    }
    if (flow->has_header)
        circuit_reader_look(reader);
    pass(reader, flow->has_header ? (uint32_t)MIN(flow->whole - flow->read, left) : left);
    if (flow->has_header && flow->read == flow->whole)
        circuit_reader_end_of_bytes(reader);
    else
        circuit_reader_wait_for_more(reader);
}

/* The capture does not have the bytes from the flow's place up to `start`. */
static void
pass_gap(struct circuit_reader *reader, int64_t start)
{
    struct ca_flow *flow = reader->flow;
    uint64_t missing = (uint64_t)(start - flow->at);
    flow->at = start;
    if (!reader->from_client)
        framing_miss(reader->requests, reader->connection);
    if (!flow->placed || flow->read == 0 || !flow->has_header || flow->between) {
        circuit_reader_lose_place(reader);
        return;
    }
    reader->bytes = flow->kept;
    reader->n = flow->n_kept;
    uint64_t left = flow->whole - flow->read, passed = MIN(left, missing);
    flow->lacks_name |= flow->read < circuit_reader_telling_bytes(reader);
    flow->read += passed;
    flow->missing += passed;
    flow->placed = missing <= left;
    if (missing < left)
        return;
    circuit_reader_end_of_bytes(reader);
}

static void
begin_flow(const struct circuit_reader *reader, int64_t start)
{
    struct ca_flow *flow = reader->flow;
    const struct connect *connect = &reader->connection->connect;
    bool has_syn = reader->from_client ? connect->number != 0 : connect->syn_ack_seen;
    flow->begun = true;
    flow->at = flow->noted_from = start;
    flow->placed = has_syn && start == SEQUENCE_FIRST;
}

/* Where frames are not kept, what was noted with earlier ones is of no use. */
static void
begin_frame(const struct circuit_reader *reader)
{
    struct ca_flow *flow = reader->flow;
    if (!items_are_kept(reader->requests->items) && flow->noted_frame != reader->requests->frame) {
        flow->n_noted = 0;
        flow->noted_from = flow->at;
    }
    flow->noted_frame = reader->requests->frame;
}

static void
note_item(const struct circuit_reader *reader, uint32_t first)
{
    if (reader->flow->n_noted == first)
        return;
    struct item *item = items_add(reader->requests->items, reader->segment->frame, ITEM_CIRCUIT);
    item->circuit = reader->circuit;
    item->from_client = reader->from_client;
    item->first_message = first;
    item->n_messages = reader->flow->n_noted - first;
}

static void
note_handshake(struct ca_circuit *circuit, const struct connect *connect)
{
    circuit->syn_ns = connect->number ? connect->syn_ns : INT64_MIN;
    circuit->syn_ack_ns = connect->syn_ack_seen ? connect->syn_ack_ns : INT64_MIN;
}

/* Of a piece of a circuit. */
static struct circuit_reader
reader_of(struct requests *requests, struct ca_channels *channels, const struct piece *piece)
{
    struct ca_circuit *circuit = piece->payload->connection->circuit;
    const bool from_client = piece->payload->sender == circuit->client_side;
    return (struct circuit_reader){
        .requests = requests,
        .channels = channels,
        .connection = piece->payload->connection,
        .circuit = circuit,
        .protocol = circuit->protocol,
        .flow = &circuit->flow[from_client],
        .from_client = from_client,
        .segment = &piece->segment,
    };
}

bool
ca_parser_arrives(struct requests *requests, struct ca_channels *channels, const struct piece *piece)
{
    if (!ca_recognise_circuit(requests, channels, piece))
        return false;
    struct circuit_reader reader = reader_of(requests, channels, piece);
    struct ca_flow *flow = reader.flow;
    if (!flow->begun || piece->fresh == 0 || piece->start <= flow->at)
        return true;
    begin_frame(&reader);
    uint32_t first = flow->n_noted;
    pass_gap(&reader, piece->start);
    note_item(&reader, first);
    return true;
}

bool
ca_parser_take(struct requests *requests, struct ca_channels *channels, const struct piece *piece)
{
    struct ca_circuit *circuit = piece->payload->connection->circuit;
    if (!circuit)
        return false;
    struct circuit_reader reader = reader_of(requests, channels, piece);
    struct ca_flow *flow = reader.flow;
    note_handshake(circuit, &reader.connection->connect);
    flow->origin = piece->segment.seq - (uint32_t)piece->start;
    if (!flow->begun)
        begin_flow(&reader, piece->start);
    if (piece->fresh == 0 || piece->start < flow->at)
        return true;
    begin_frame(&reader);
    uint32_t first = flow->n_noted;
    if (!flow->placed)
        flow->placed = reader.protocol->are_plausible(piece->segment.payload, piece->segment.captured_bytes);
    while (flow->placed && reader.offset < piece->segment.payload_bytes)
        read_part(&reader);
    flow->at = piece->start + piece->segment.payload_bytes;
    note_item(&reader, first);
    return true;
}
