/* ca-state.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "ca-state.h"

#include <epan/conversation.h>
#include <epan/proto_data.h>

#include "../core/marks.h"
#include "intake.h"

/* A TCP conversation that may be a circuit. */
struct meeting {
    struct ca_circuit *circuit; /* NULL until it has said something */
    struct endpoint client;     /* if the handshake told */
    bool client_known;
    bool has_isn[2]; /* of the server, of the client */
    uint32_t isn[2];
    int64_t syn_ns;
    int64_t syn_ack_ns;
};

struct state {
    struct ca_channels *channels;
    struct marks marks;
    uint32_t last_number; /* of the last frame that was visited first */
    int64_t last_offset;
};

static struct state state;
static int proto_ca;
static dissector_table_t tcp_ports;

struct ca_channels *
ca_state_channels(void)
{
    return state.channels;
}

static struct endpoint
endpoint_of(const address *addr, uint32_t port)
{
    struct endpoint endpoint = { .port = (uint16_t)port };
    if (addr->data)
        memcpy(endpoint.address, addr->data, MIN((size_t)addr->len, sizeof endpoint.address));
    return endpoint;
}

struct endpoint
ca_state_source(const packet_info *pinfo)
{
    return endpoint_of(&pinfo->src, pinfo->srcport);
}

struct endpoint
ca_state_destination(const packet_info *pinfo)
{
    return endpoint_of(&pinfo->dst, pinfo->destport);
}

static bool
is_same(const struct endpoint *a, const struct endpoint *b)
{
    return a->port == b->port && memcmp(a->address, b->address, sizeof a->address) == 0;
}

struct ca_frame *
ca_state_frame(packet_info *pinfo)
{
    struct ca_frame *frame = p_get_proto_data(pinfo->pool, pinfo, proto_ca, 0);
    if (frame)
        return frame;
    frame = wmem_new(pinfo->pool, struct ca_frame);
    *frame = (struct ca_frame){ .arrival = { .time_ns = intake_time_ns(pinfo), .frame = pinfo->num } };
    p_add_proto_data(pinfo->pool, pinfo, proto_ca, 0, frame);
    if (PINFO_FD_VISITED(pinfo))
        return frame;
    /* See intake.c: Wireshark may dissect a frame twice, and give two frames the same number. */
    frame->first = state.last_number != pinfo->num || state.last_offset != pinfo->fd->file_off;
    if (frame->first && !items_are_kept(intake_analysis()->items))
        marks_forget(&state.marks);
    else if (frame->first)
        marks_drop(&state.marks, pinfo->num);
    state.last_number = pinfo->num;
    state.last_offset = pinfo->fd->file_off;
    return frame;
}

/* What was noted after the last row that began there; nothing if none did. */
static void
find_row(struct ca_frame *frame)
{
    uint32_t count;
    const uint32_t *noted = marks_of(&state.marks, frame->arrival.frame, &count);
    frame->n_references = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (noted[i] != CA_ROW)
            continue;
        i++;
        if (noted[i] == frame->row) {
            frame->references = noted + i + 1;
            frame->n_references = count - i - 1;
        }
    }
}

void
ca_state_begin_row(struct ca_frame *frame, uint32_t position)
{
    frame->begins = true;
    frame->row = position;
    if (!frame->first)
        find_row(frame);
}

void
ca_state_note(struct ca_frame *frame, uint32_t reference)
{
    if (frame->begins) {
        marks_add(&state.marks, frame->arrival.frame, CA_ROW);
        marks_add(&state.marks, frame->arrival.frame, frame->row);
        frame->begins = false;
    }
    marks_add(&state.marks, frame->arrival.frame, reference);
}

uint32_t
ca_state_find(struct ca_frame *frame)
{
    if (frame->n_references == 0 || *frame->references == CA_ROW)
        return CA_REPEATED;
    frame->n_references--;
    return *frame->references++;
}

bool
ca_state_skips(const struct ca_frame *frame)
{
    return frame->n_references > 0 && (*frame->references == CA_SKIPPED || *frame->references == CA_HELD);
}

bool
ca_state_is_learned(const packet_info *pinfo)
{
    const struct ca_parties *parties = &state.channels->searches.parties;
    struct endpoint source = ca_state_source(pinfo);
    struct endpoint destination = ca_state_destination(pinfo);
    bool ipv6 = pinfo->src.type == AT_IPv6;
    return ca_party_find(parties, CA_SERVER_PORT, &destination, ipv6) ||
           ca_party_find(parties, CA_SERVER_PORT, &source, ipv6);
}

static bool
is_server(const struct endpoint *endpoint, bool ipv6)
{
    dissector_handle_t handle = dissector_get_uint_handle(tcp_ports, endpoint->port);
    return ca_party_find(&state.channels->searches.parties, CA_SERVER_PORT, endpoint, ipv6) ||
           (handle && dissector_handle_get_protocol_index(handle) == proto_ca);
}

/* Whether the sender of bytes without a handshake is the client: a server's port tells, else what is said, else that it
 * is the higher port. */
static bool
looks_like_client(const packet_info *pinfo, const uint8_t *bytes, size_t available)
{
    struct endpoint source = ca_state_source(pinfo);
    struct endpoint destination = ca_state_destination(pinfo);
    bool ipv6 = pinfo->src.type == AT_IPv6;
    bool to_server = is_server(&destination, ipv6);
    if (to_server != is_server(&source, ipv6))
        return to_server;
    struct ca_message message;
    for (size_t offset = 0; offset < available; offset += message.header_bytes + (size_t)message.size) {
        if (ca_message_read(bytes + offset, available - offset, &message) != CA_COMPLETE)
            break;
        enum ca_sender sender = ca_message_sender(&message);
        if (sender != CA_UNKNOWN_SENDER)
            return sender == CA_CLIENT;
    }
    return source.port > destination.port;
}

static struct meeting *
meeting_of(packet_info *pinfo, bool create)
{
    conversation_t *conversation = create ? find_or_create_conversation(pinfo) : find_conversation_pinfo(pinfo, 0);
    struct meeting *meeting = conversation ? conversation_get_proto_data(conversation, proto_ca) : NULL;
    if (meeting || !create)
        return meeting;
    meeting = wmem_new(wmem_file_scope(), struct meeting);
    *meeting = (struct meeting){ .syn_ns = INT64_MIN, .syn_ack_ns = INT64_MIN };
    conversation_add_proto_data(conversation, proto_ca, meeting);
    return meeting;
}

struct ca_circuit *
ca_state_known_circuit(packet_info *pinfo)
{
    const struct meeting *meeting = meeting_of(pinfo, false);
    return meeting ? meeting->circuit : NULL;
}

struct ca_circuit *
ca_state_circuit(packet_info *pinfo, const struct ca_frame *frame, const uint8_t *bytes, size_t available)
{
    struct meeting *meeting = meeting_of(pinfo, frame->first);
    if (!meeting || meeting->circuit || !frame->first)
        return meeting ? meeting->circuit : NULL;
    struct endpoint source = ca_state_source(pinfo);
    struct endpoint destination = ca_state_destination(pinfo);
    bool from_client =
        meeting->client_known ? is_same(&meeting->client, &source) : looks_like_client(pinfo, bytes, available);
    meeting->circuit = ca_circuit_new(state.channels, from_client ? &source : &destination,
                                      from_client ? &destination : &source, pinfo->src.type == AT_IPv6);
    for (unsigned i = 0; i < 2; i++) {
        meeting->circuit->streams[i].has_isn = meeting->has_isn[i];
        meeting->circuit->streams[i].isn = meeting->isn[i];
    }
    meeting->circuit->syn_ns = meeting->syn_ns;
    meeting->circuit->syn_ack_ns = meeting->syn_ack_ns;
    return meeting->circuit;
}

bool
ca_state_is_client(const packet_info *pinfo, const struct ca_circuit *circuit)
{
    struct endpoint source = ca_state_source(pinfo);
    return is_same(&circuit->client, &source);
}

void
ca_state_note_handshake(packet_info *pinfo, uint32_t seq, bool answers)
{
    struct endpoint server = answers ? ca_state_source(pinfo) : ca_state_destination(pinfo);
    if (!is_server(&server, pinfo->src.type == AT_IPv6))
        return;
    struct meeting *meeting = meeting_of(pinfo, true);
    meeting->client = answers ? ca_state_destination(pinfo) : ca_state_source(pinfo);
    meeting->client_known = true;
    meeting->isn[!answers] = seq;
    meeting->has_isn[!answers] = true;
    if (answers)
        meeting->syn_ack_ns = intake_time_ns(pinfo);
    else if (meeting->syn_ns == INT64_MIN)
        meeting->syn_ns = intake_time_ns(pinfo);
}

void
ca_state_note_end(packet_info *pinfo)
{
    struct ca_circuit *circuit = ca_state_known_circuit(pinfo);
    if (circuit)
        ca_circuit_end(circuit, intake_time_ns(pinfo));
}

static void
begin_capture(void)
{
    state = (struct state){ .channels = ca_channels_new(wmem_file_scope()) };
    marks_init(&state.marks);
}

static void
end_capture(void)
{
    marks_clear(&state.marks);
    /* The channels stay as long as their scope: tables settle at the end of the capture, before or after this. */
}

void
ca_state_register(int proto)
{
    proto_ca = proto;
    register_init_routine(begin_capture);
    register_cleanup_routine(end_capture);
}

void
ca_state_handoff(void)
{
    tcp_ports = find_dissector_table("tcp.port");
}
