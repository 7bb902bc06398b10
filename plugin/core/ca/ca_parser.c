/* ca_parser.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "ca_parser.h"

#include <string.h>

#include "ca_names.h"
#include "ca_recognition.h"
#include "ca_role.h"
#include "ca_take.h"
#include "../request/operation.h"

enum { KEPT_BYTES = CA_EXTENDED_HEADER_BYTES + CA_NAME_MOST };

/* A piece being read. */
struct circuit_reader {
    struct requests *requests;
    struct ca_channels *channels;
    struct connection *connection;
    struct ca_circuit *circuit;
    struct ca_flow *flow;
    bool from_client;
    const struct segment *segment; /* the piece's */
    uint32_t offset;               /* bytes of it that have been read */
    const uint8_t *bytes;          /* the message's first `n` bytes; `n` can be less than its header */
    size_t n;
};

static void
tell(const struct circuit_reader *reader, const struct message *message)
{
    struct message told = *message;
    told.arrives = reader->requests->taken.arrives;
    if (reader->connection->framing.kind == FRAMING_CA)
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
    flow->n_kept = 0;
    flow->read = flow->missing = 0;
    flow->has_header = flow->lacks_name = flow->has_begun = flow->is_told = false;
}

static void
lose_place(const struct circuit_reader *reader)
{
    break_begun(reader);
    end_message(reader);
    reader->flow->placed = false;
}

/* Bytes of the message, with its header. */
static uint64_t
whole_bytes(const struct ca_flow *flow)
{
    return flow->message.header_bytes + (uint64_t)flow->message.size;
}

/* Its first ones, which say what it is about. */
static uint64_t
telling_bytes(const struct circuit_reader *reader)
{
    const struct ca_message *message = &reader->flow->message;
    bool has_name = reader->from_client && (message->command == CA_CREATE_CHAN || message->command == CA_SEARCH);
    bool quotes = !reader->from_client && message->command == CA_ERROR;
    uint32_t most = has_name ? CA_NAME_MOST : quotes ? CA_EXTENDED_HEADER_BYTES : 0;
    return message->header_bytes + (uint64_t)MIN(message->size, most);
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
    if (!ca_role(&flow->message, payload, captured, reader->from_client, &role)) {
        break_begun(reader);
        return;
    }
    /* It answers nothing. */
    if (flow->is_told && !reader->connection->framing.under_way[reader->from_client])
        return;
    if (role.kind == MESSAGE_ASKS)
        operation_of(ca_command_name(flow->message.command), pv ? pv : "", operation);
    role.operation = operation;
    role.bytes = flow->read - flow->missing;
    role.ends = ends;
    tell(reader, &role);
    flow->is_told = true;
    flow->has_begun = false;
}

/* Its bytes have passed. */
static void
take_message(const struct circuit_reader *reader)
{
    struct ca_flow *flow = reader->flow;
    size_t captured;
    const uint8_t *payload = payload_of(reader, &captured);
    if (flow->lacks_name) {
        break_begun(reader);
    } else {
        uint32_t reference = ca_take(reader->channels, reader->circuit, &flow->message, payload, captured,
                                     reader->from_client, &flow->arrival);
        const struct ca_subject subject = ca_subject(reader->channels, reference);
        ca_flow_note(flow, reference, reader->requests->scope);
        tell_message(reader, ca_subject_pv(&subject), true);
    }
    end_message(reader);
}

/* More of the message comes with the next piece. */
static void
wait_for_more(const struct circuit_reader *reader)
{
    struct ca_flow *flow = reader->flow;
    if (!flow->kept) {
        flow->n_kept = (uint32_t)MIN(reader->n, KEPT_BYTES);
        flow->kept = wmem_alloc(reader->requests->scope, KEPT_BYTES);
        if (flow->n_kept > 0)
            memcpy(flow->kept, reader->bytes, flow->n_kept);
    }
    if (!flow->has_header || flow->read < telling_bytes(reader)) {
        tell(reader, &(struct message){ .kind = MESSAGE_BEGINS, .from_client = reader->from_client });
        flow->has_begun = true;
    } else if (!flow->is_told) {
        tell_message(reader, ca_channel_pv(reader->channels, reader->circuit, flow->message.p1), false);
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
    size_t added = flow->n_kept == flow->read ? MIN(available, KEPT_BYTES - flow->n_kept) : 0;
    if (added > 0)
        memcpy(flow->kept + flow->n_kept, bytes, added);
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

/* Reads on in the message at the flow's place, or begins to, as far as the piece goes. */
static void
read_part(struct circuit_reader *reader)
{
    struct ca_flow *flow = reader->flow;
    uint32_t left = reader->segment->payload_bytes - reader->offset, part = left;
    note_arrival(reader);
    look(reader);
    if (!flow->has_header) {
        enum ca_reading reading = ca_message_read(reader->bytes, reader->n, &flow->message);
        bool is_captured = reader->segment->captured_bytes == reader->segment->payload_bytes;
        if (reading == CA_IMPOSSIBLE || (reading == CA_CUT && !is_captured)) {
            lose_place(reader);
            return;
        }
        flow->has_header = reading == CA_COMPLETE;
    }
    if (flow->has_header)
        part = (uint32_t)MIN(whole_bytes(flow) - flow->read, left);
    flow->read += part;
    flow->at += part;
    reader->offset += part;
    if (flow->has_header && flow->read == whole_bytes(flow))
        take_message(reader);
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
    if (!flow->placed || flow->read == 0 || !flow->has_header) {
        lose_place(reader);
        return;
    }
    uint64_t left = whole_bytes(flow) - flow->read, passed = MIN(left, missing);
    flow->lacks_name |= flow->read < telling_bytes(reader);
    flow->read += passed;
    flow->missing += passed;
    flow->placed = missing <= left;
    if (missing < left)
        return;
    reader->bytes = flow->kept;
    reader->n = flow->n_kept;
    take_message(reader);
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
        flow->placed = ca_messages_are_plausible(piece->segment.payload, piece->segment.captured_bytes);
    while (flow->placed && reader.offset < piece->segment.payload_bytes)
        read_part(&reader);
    flow->at = piece->start + piece->segment.payload_bytes;
    note_item(&reader, first);
    return true;
}
