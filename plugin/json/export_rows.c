/* export_rows.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "export_rows.h"

#include <string.h>

#include "../core/request/event.h"
#include "../core/request/operation.h"
#include "line_kinds.h"

static struct member_endpoint
server_of(const struct connection *connection)
{
    return (struct member_endpoint){ *connection_server(connection), connection->ipv6, false };
}

static struct member_endpoint
client_of(const struct connection *connection)
{
    return (struct member_endpoint){ *connection_client(connection), connection->ipv6, false };
}

static struct member_endpoint
client_of_request(const struct request *request)
{
    return (struct member_endpoint){ request_client(request), request->connection->ipv6, false };
}

/* What the request asks for, without what differs from one to the next; "" if that is unknown. */
static const char *
kind_of(const struct pending_request *pending, const struct settings *settings, char kind[OPERATION_ROOM])
{
    *kind = '\0';
    if (*pending->operation)
        operation_kind(pending->operation, pending->request.framing, settings->fold_numbers, kind);
    return kind;
}

static void
write_flags(struct line *line, uint16_t flags)
{
    static const struct {
        uint16_t flag;
        const char *name;
    } names[] = {
#define PACKET_FLAG(name, word, bit) { bit, word },
        PACKET_FLAG_LIST(PACKET_FLAG)
#undef PACKET_FLAG
    };
    if (!(flags & ITEM_SHOWN))
        return;
    json_dumper_set_member_name(&line->dumper, "flags");
    json_dumper_begin_array(&line->dumper);
    for (unsigned i = 0; i < G_N_ELEMENTS(names); i++)
        if (flags & names[i].flag)
            json_dumper_value_string(&line->dumper, names[i].name);
    json_dumper_end_array(&line->dumper);
}

struct packet_source {
    struct spill_buffer *spill_buffer;
    const struct pending_request *pending;
};

static void
write_packets(void *data, const uint8_t *bytes, size_t length)
{
    struct line *line = data;
    for (size_t at = 0; at < length; at += sizeof(struct packet)) {
        struct packet packet;
        memcpy(&packet, bytes + at, sizeof packet);
        json_dumper_begin_object(&line->dumper);
        line_uint(line, "frame", packet.frame);
        line_text(line, "side", packet.of_response ? "response" : "request");
        if (!(packet.flags & ITEM_FIRST)) {
            line_int(line, "spacing", packet.spacing_ns);
            line_uint(line, "byte_offset", packet.byte_offset);
            if (packet.flags & ITEM_IPID)
                line_int(line, "ipid_delta", packet.ipid_delta);
            write_flags(line, packet.flags);
        }
        json_dumper_end_object(&line->dumper);
    }
}

static void
write_all_packets(struct line *line, const void *data)
{
    const struct packet_source *source = data;
    chain_read(source->spill_buffer, &source->pending->packets, write_packets, line);
}

/* 0 if that is unknown, too. */
static uint32_t
messages(const struct request *request, unsigned side)
{
    const uint32_t content = request_stream(request) ? request->parts.content[side] : 0;
    return content == CONTENT_UNKNOWN ? 0 : content;
}

static void
set_response(struct request_line *row, const struct request *request)
{
    const struct response *response = &request->response;
    if (!response->p0_frame)
        return;
    row->response_frame = response->p0_frame;
    row->response_time = response->p0_ns;
    row->response_end_frame = response->p1_frame;
    row->response_end_time = response->p1_ns;
    row->first_byte = request_first_byte(request);
    row->service = request_service(request);
    row->request_spread = request->q1_ns - request->q0_ns;
    row->server_time = request_server_time(request);
    row->first_data = request->data_frame ? request_first_data(request) : -1;
    row->last_byte = request_last_byte(request);
    row->response_spread = response->p1_ns - response->p0_ns;
    *(response->failed ? &row->error : &row->status) = response->status;
}

void
request_row_write(struct line *line, struct spill_buffer *spill_buffer, const struct pending_request *pending,
                  const struct stay *stay, enum outcome outcome, uint32_t connection, const struct settings *settings)
{
    const struct request *request = &pending->request;
    const struct packet_source packets = { spill_buffer, pending };
    char kind[OPERATION_ROOM];
    int64_t total_ns;
    struct request_line row = {
        .connection = connection,
        .number = request->number,
        .client = client_of_request(request),
        .server = server_of(request->connection),
        .host = tls_handshake_host(request->connection),
        .operation = pending->operation,
        .kind = kind_of(pending, settings, kind),
        .framing = request->framing,
        .stream = request_stream(request),
        .pushed = request_stream(request) && request->parts.is_pushed,
        .messages_sent = messages(request, true),
        .messages_received = messages(request, false),
        .request_frame = request->q0_frame,
        .request_time = request->q0_ns,
        .request_end_time = request->q1_ns,
        .response_time = NO_TIME,
        .response_end_time = NO_TIME,
        .first_byte = -1,
        .service = -1,
        .request_spread = NO_TIME,
        .server_time = -1,
        .first_data = -1,
        .last_byte = -1,
        .response_spread = NO_TIME,
        .error = "",
        .status = "",
        .request_bytes = request->request_bytes,
        .response_bytes = request->response.bytes,
        .retransmissions = pending->retransmissions,
        .attempts = request_attempts(request),
        .reordered = request->reordered,
        .cut = request->cut,
        .outcome = outcome,
        .packets = { write_all_packets, &packets },
    };
    set_response(&row, request);
    if (!stay || !stay_parts(stay, row.stages.parts_ns, &total_ns))
        row.stages.parts_ns[0] = -1;
    line_write(line, "request", &request_members, &row);
}

void
tls_row_write(struct line *line, const struct pending_request *pending, enum tls_turn role, uint32_t connection)
{
    const struct request *request = &pending->request;
    const struct tls_line row = {
        .connection = connection,
        .number = request->number,
        .client = client_of_request(request),
        .server = server_of(request->connection),
        .kind = role == TLS_ALERT ? TLS_ALERT : TLS_HANDSHAKE,
        .frame = request->q0_frame,
        .time = request->q0_ns,
    };
    line_write(line, "tls", &tls_members, &row);
}

void
handshake_row_write(struct line *line, const struct connection *connection, uint32_t number)
{
    const struct tls_handshake *handshake = connection->tcp->handshake;
    const struct handshake_line row = {
        .connection = number,
        .number = handshake->number,
        .client = client_of(connection),
        .server = server_of(connection),
        .frame = handshake->hello_frame,
        .time = handshake->hello_ns,
        .host = tls_handshake_host(connection),
        .host_unknown = !connection->host_known,
        .sni = handshake->host,
        .alpn = handshake->alpn,
        .alpn_chosen = handshake->chosen,
        .version = handshake->version,
        .result = handshake->result,
        .alert = handshake->alert,
        .hello = tls_handshake_hello_ns(handshake),
        .handshake = tls_handshake_time_ns(handshake),
        .answer_frame = handshake->answer_frame,
        .end_frame = handshake->end_frame,
        .resumed = handshake->resumed,
        .retried = handshake->retried,
    };
    line_write(line, "handshake", &handshake_members, &row);
}

void
attempt_row_write(struct line *line, const struct connection *attempt, uint32_t connection, enum connect_result result)
{
    const struct connect *connect = &attempt->tcp->connect;
    const struct attempt_line row = {
        .connection = connection,
        .number = connect->number,
        .frame = connect->syn_frame,
        .ip_version = attempt->ipv6 ? 6 : 4,
        .client = client_of(attempt),
        .server = server_of(attempt),
        .host = tls_handshake_host(attempt),
        .host_unknown = !attempt->host_known,
        .syn_time = connect->syn_ns,
        .result = result,
        .connect = connect->time_ns,
        .syn_retries = connect->syn_retries,
        .answer_frame = connect->answer_frame,
        .network_server = connect->network_server_ns,
        .network_client = connect->network_client_ns,
    };
    line_write(line, "attempt", &attempt_members, &row);
}

void
open_row_write(struct line *line, const struct pending_request *pending, uint32_t connection,
               const struct settings *settings)
{
    const struct request *request = &pending->request;
    char kind[OPERATION_ROOM];
    const struct open_line row = {
        .connection = connection,
        .client = client_of_request(request),
        .server = server_of(request->connection),
        .host = tls_handshake_host(request->connection),
        .kind = kind_of(pending, settings, kind),
        .request_frame = request->q0_frame,
        .request_time = request->q0_ns,
        .request_end_time = request->q1_ns,
        .network_server = request->connection->tcp->connect.network_server_ns,
    };
    line_write(line, "open", &open_members, &row);
}

bool
unmatched_row_is_due(const struct connection *connection)
{
    return !connection->is_datagrams && connection_greeting(connection) && !connection->tcp->connect.number &&
           !connection->tcp->connect.syn_ack_seen;
}

void
unmatched_row_write(struct line *line, const struct connection *unmatched, uint32_t connection)
{
    const struct greeting *greeting = connection_greeting(unmatched);
    const struct unmatched_line row = {
        .connection = connection,
        .client = client_of(unmatched),
        .server = server_of(unmatched),
        .frame = greeting->frame,
        .time = greeting->first_ns,
        .last_time = greeting->last_ns,
        .bytes = greeting->bytes,
    };
    line_write(line, "unmatched", &unmatched_members, &row);
}
