/* ca_parser.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "ca_parser.h"

#include <string.h>

#include "ca_recognition.h"
#include "circuit_protocol.h"
#include "../request/operation.h"

enum { KEPT_BYTES = CA_EXTENDED_HEADER_BYTES + CA_NAME_MOST };

/* A piece being read. */
struct circuit_reader {
    struct requests *requests;
    struct ca_channels *channels;
    struct connection *connection;
    struct ca_circuit *circuit;
    const struct circuit_protocol *protocol; /* its */
    struct ca_flow *flow;
    bool from_client;
    const struct segment *segment; /* the piece's */
    uint32_t offset;               /* bytes of it that have been read */
    const uint8_t *bytes;          /* the message's first `n` bytes; `n` can be less than its header */
    size_t n;
    uint32_t reference; /* what the message that was taken is about, first of all */
    unsigned n_references;
};

static void
tell(const struct circuit_reader *reader, const struct message *message)
{
    struct message told = *message;
    told.arrives = reader->requests->taken.arrives;
    if (reader->connection->framing.kind == reader->protocol->framing)
        framing_tell(reader->requests, reader->connection, &told);
}

/* What has begun asks nothing and answers nothing. */
static void
break_begun(const struct circuit_reader *reader)
{
    if (reader->flow->has_begun || reader->flow->is_told)
        tell(reader, &(struct message){ .kind = MESSAGE_BREAK, .from_client = reader->from_client });
}

static void
end_message(const struct circuit_reader *reader)
{
    struct ca_flow *flow = reader->flow;
    wmem_free(reader->requests->scope, flow->kept);
    flow->kept = NULL;
    flow->n_kept = flow->kept_room = 0;
    flow->read = flow->missing = flow->whole = 0;
    flow->n_next = 0;
    flow->has_header = flow->lacks_name = flow->has_begun = flow->is_told = flow->goes_on = flow->between = false;
}

static void
lose_place(const struct circuit_reader *reader)
{
    break_begun(reader);
    end_message(reader);
    reader->flow->placed = false;
}

/* Its first ones, which say what it is about. */
static uint64_t
telling_bytes(const struct circuit_reader *reader)
{
    const struct ca_message *message = &reader->flow->message;
    return message->header_bytes + (uint64_t)MIN(message->size, reader->protocol->telling_bytes(message, reader->from_client));
}

/* The captured bytes of the payload. */
static const uint8_t *
payload_of(const struct circuit_reader *reader, size_t *captured)
{
    const struct ca_message *message = &reader->flow->message;
    *captured = reader->n > message->header_bytes ? MIN(reader->n - message->header_bytes, message->size) : 0;
    return *captured > 0 ? reader->bytes + message->header_bytes : NULL;
}

/* The message as one that asks or answers. `pv`: NULL if unknown. */
static void
tell_message(const struct circuit_reader *reader, const char *pv, bool ends)
{
    struct ca_flow *flow = reader->flow;
    char operation[OPERATION_ROOM] = "";
    struct message role;
    size_t captured;
    const uint8_t *payload = payload_of(reader, &captured);
    if (!reader->protocol->role(&flow->message, payload, captured, reader->from_client, &role)) {
        break_begun(reader);
        return;
    }
    /* It answers nothing. */
    if (flow->is_told && !reader->connection->framing.under_way[reader->from_client])
        return;
    if (role.kind == MESSAGE_ASKS)
        operation_of(reader->protocol->operation(&flow->message, payload, captured), pv ? pv : "", operation);
    role.operation = operation;
    role.bytes = flow->read - flow->missing;
    role.ends = ends;
    tell(reader, &role);
    flow->is_told = true;
    flow->has_begun = false;
}

static struct ca_taking
taking_of(const struct circuit_reader *reader)
{
    size_t captured;
    const uint8_t *payload = payload_of(reader, &captured);
    return (struct ca_taking){ reader->channels, reader->circuit, &reader->flow->message,
                               payload,          captured,        &reader->flow->arrival };
}

/* A message about several channels is noted for each. */
static void
note_reference(void *data, uint32_t reference)
{
    struct circuit_reader *reader = data;
    if (reader->n_references++ == 0)
        reader->reference = reference;
    ca_flow_note(reader->flow, reader->flow->message.command, reference, reader->requests->scope);
}

/* Its bytes have passed. */
static void
take_message(struct circuit_reader *reader)
{
    if (reader->flow->lacks_name) {
        break_begun(reader);
        if (reader->flow->message.part != CA_WHOLE)
            ca_flow_note(reader->flow, CA_PART, 0, reader->requests->scope);
    } else {
        const struct ca_taking taking = taking_of(reader);
        reader->reference = 0;
        reader->n_references = 0;
        reader->protocol->take(&taking, reader->from_client, note_reference, reader);
        const struct ca_subject subject = ca_subject(reader->channels, reader->reference);
        tell_message(reader, ca_subject_pv(&subject), true);
    }
    end_message(reader);
}

/* Room for the bytes that tell. */
static void
make_room(const struct circuit_reader *reader)
{
    struct ca_flow *flow = reader->flow;
    uint32_t room = flow->has_header ? (uint32_t)MAX(telling_bytes(reader), KEPT_BYTES) : KEPT_BYTES;
    if (room > flow->kept_room)
        flow->kept = wmem_realloc(reader->requests->scope, flow->kept, room);
    flow->kept_room = MAX(room, flow->kept_room);
}

/* The client's message is about this channel; NULL if unknown. */
static const char *
pv_under_way(const struct circuit_reader *reader)
{
    const struct ca_taking taking = taking_of(reader);
    return reader->from_client ? reader->protocol->pv(&taking) : NULL;
}

/* More of the message comes with the next piece. */
static void
wait_for_more(const struct circuit_reader *reader)
{
    struct ca_flow *flow = reader->flow;
    if (!flow->kept) {
        make_room(reader);
        flow->n_kept = (uint32_t)MIN(reader->n, flow->kept_room);
        if (flow->n_kept > 0)
            memcpy(flow->kept, reader->bytes, flow->n_kept);
    }
    if (!flow->has_header || flow->read < telling_bytes(reader)) {
        tell(reader, &(struct message){ .kind = MESSAGE_BEGINS, .from_client = reader->from_client });
        flow->has_begun = true;
    } else if (!flow->is_told) {
        tell_message(reader, pv_under_way(reader), false);
    }
}

/* Finds the message's first bytes: in the piece, or kept and in the piece. */
static void
look(struct circuit_reader *reader)
{
    struct ca_flow *flow = reader->flow;
    const struct segment *segment = reader->segment;
    size_t available = segment->captured_bytes > reader->offset ? segment->captured_bytes - reader->offset : 0;
    const uint8_t *bytes = available > 0 ? segment->payload + reader->offset : NULL;
    if (!flow->kept) {
        reader->bytes = bytes;
        reader->n = available;
        return;
    }
    make_room(reader);
    size_t had = flow->n_kept >= flow->read ? flow->n_kept - (size_t)flow->read : available;
    size_t added = had < available ? MIN(available - had, flow->kept_room - flow->n_kept) : 0;
    if (added > 0)
        memcpy(flow->kept + flow->n_kept, bytes + had, added);
    flow->n_kept += (uint32_t)added;
    reader->bytes = flow->kept;
    reader->n = flow->n_kept;
}

/* The message has bytes in the piece: it arrives with the latest of them. */
static void
note_arrival(const struct circuit_reader *reader)
{
    struct ca_flow *flow = reader->flow;
    if (flow->read == 0)
        flow->start = flow->at;
    if (flow->read == 0 || reader->segment->time_ns >= flow->arrival.time_ns)
        flow->arrival = (struct ca_arrival){ reader->segment->time_ns, reader->segment->frame };
}

/* Its part that does not end it has passed. */
static void
end_part(struct circuit_reader *reader)
{
    struct ca_flow *flow = reader->flow;
    wait_for_more(reader);
    ca_flow_note(flow, CA_PART, 0, reader->requests->scope);
    flow->between = true;
    flow->start = flow->at;
}

static void
end_of_bytes(struct circuit_reader *reader)
{
    if (reader->flow->kept) {
        reader->bytes = reader->flow->kept;
        reader->n = reader->flow->n_kept;
    }
    if (reader->flow->goes_on)
        end_part(reader);
    else
        take_message(reader);
}

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
        lose_place(reader);
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
            end_of_bytes(reader);
    } else if (reading == CA_COMPLETE && next.part == CA_WHOLE && next.size == 0) {
        ca_flow_note(flow, next.command, 0, reader->requests->scope);
        flow->start = flow->at;
    } else {
        lose_place(reader);
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
    note_arrival(reader);
    if (flow->between) {
        read_next_header(reader);
        return;
    }
    look(reader);
    if (!flow->has_header && !read_header(reader)) {
        lose_place(reader);
        return;
    }
    if (flow->has_header)
        look(reader);
    pass(reader, flow->has_header ? (uint32_t)MIN(flow->whole - flow->read, left) : left);
    if (flow->has_header && flow->read == flow->whole)
        end_of_bytes(reader);
    else
        wait_for_more(reader);
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
        lose_place(reader);
        return;
    }
    uint64_t left = flow->whole - flow->read, passed = MIN(left, missing);
    flow->lacks_name |= flow->read < telling_bytes(reader);
    flow->read += passed;
    flow->missing += passed;
    flow->placed = missing <= left;
    if (missing < left)
        return;
    end_of_bytes(reader);
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
