/* circuit_reader.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "circuit_reader.h"

#include <string.h>

#include "../request/operation.h"

enum { KEPT_BYTES = CA_EXTENDED_HEADER_BYTES + CA_NAME_MOST };

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

void
circuit_reader_lose_place(const struct circuit_reader *reader)
{
    break_begun(reader);
    end_message(reader);
    reader->flow->placed = false;
}

/* The captured bytes of the payload. */
static const uint8_t *
payload_of(const struct circuit_reader *reader, size_t *captured)
{
    const struct ca_message *message = &reader->flow->message;
    *captured = reader->n > message->header_bytes ? MIN(reader->n - message->header_bytes, message->size) : 0;
    return *captured > 0 ? reader->bytes + message->header_bytes : NULL;
}

uint64_t
circuit_reader_telling_bytes(const struct circuit_reader *reader)
{
    const struct ca_message *message = &reader->flow->message;
    size_t captured;
    const uint8_t *payload = payload_of(reader, &captured);
    uint32_t bytes = reader->protocol->telling_bytes(message, reader->from_client, payload, captured);
    return message->header_bytes + (uint64_t)MIN(message->size, bytes);
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
    uint32_t room = flow->has_header ? (uint32_t)MAX(circuit_reader_telling_bytes(reader), KEPT_BYTES) : KEPT_BYTES;
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

void
circuit_reader_wait_for_more(const struct circuit_reader *reader)
{
    struct ca_flow *flow = reader->flow;
    if (!flow->kept) {
        make_room(reader);
        flow->n_kept = (uint32_t)MIN(reader->n, flow->kept_room);
        if (flow->n_kept > 0)
            memcpy(flow->kept, reader->bytes, flow->n_kept);
    }
    if (!flow->has_header || flow->read < circuit_reader_telling_bytes(reader)) {
        tell(reader, &(struct message){ .kind = MESSAGE_BEGINS, .from_client = reader->from_client });
        flow->has_begun = true;
    } else if (!flow->is_told) {
        tell_message(reader, pv_under_way(reader), false);
    }
}

void
circuit_reader_look(struct circuit_reader *reader)
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

void
circuit_reader_note_arrival(const struct circuit_reader *reader)
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
    circuit_reader_wait_for_more(reader);
    ca_flow_note(flow, CA_PART, 0, reader->requests->scope);
    flow->between = true;
    flow->start = flow->at;
}

void
circuit_reader_end_of_bytes(struct circuit_reader *reader)
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
