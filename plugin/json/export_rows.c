/* export_rows.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "export_rows.h"

#include <string.h>

#include "../core/request/event.h"
#include "../core/request/operation.h"
#include "../table/names.h"

static void
write_ends(struct line *line, const struct connection *connection, const struct endpoint *client)
{
    line_endpoint(line, "client", "client_port", client, connection->ipv6);
    line_endpoint(line, "server", "server_port", connection_server(connection), connection->ipv6);
}

static void
write_ends_of_request(struct line *line, const struct request *request)
{
    const struct endpoint client = request_client(request);
    write_ends(line, request->connection, &client);
}

/* Nothing if the text is empty. */
static void
write_text(struct line *line, const char *name, const char *text)
{
    if (*text)
        line_text(line, name, text);
}

static void
write_kind(struct line *line, const struct pending_request *pending, const struct settings *settings)
{
    char kind[OPERATION_ROOM];
    if (!*pending->operation)
        return;
    operation_kind(pending->operation, pending->request.framing, settings->fold_numbers, kind);
    line_text(line, "kind", kind);
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

struct packet_writing {
    struct line *line;
    const struct pending_request *pending;
};

static void
write_packets(void *data, const uint8_t *bytes, size_t length)
{
    const struct packet_writing *writing = data;
    struct line *line = writing->line;
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
write_stream(struct line *line, const struct request *request)
{
    static const char *const names[] = { "messages_received", "messages_sent" };
    line_uint(line, "stream", request_stream(request));
    if (request->parts.is_pushed)
        line_true(line, "pushed");
    for (unsigned i = G_N_ELEMENTS(names); i-- > 0;)
        if (request->parts.content[i] > 0 && request->parts.content[i] != CONTENT_UNKNOWN)
            line_uint(line, names[i], request->parts.content[i]);
}

static void
write_response(struct line *line, const struct request *request)
{
    line_uint(line, "response_frame", request->response.p0_frame);
    line_int(line, "response_time", request->response.p0_ns);
    line_uint(line, "response_end_frame", request->response.p1_frame);
    line_int(line, "response_end_time", request->response.p1_ns);
    line_int(line, "first_byte", request_first_byte(request));
    line_int(line, "service", request_service(request));
    line_int(line, "request_spread", request->q1_ns - request->q0_ns);
    line_time(line, "server_time", request_server_time(request));
    if (request->data_frame)
        line_int(line, "first_data", request_first_data(request));
    line_int(line, "last_byte", request_last_byte(request));
    line_int(line, "response_spread", request->response.p1_ns - request->response.p0_ns);
    if (*request->response.status)
        line_text(line, request->response.failed ? "error" : "status", request->response.status);
}

static void
write_stages(struct line *line, const struct stay *stay)
{
    int64_t parts_ns[PARTS], total_ns;
    if (!stay || !stay_parts(stay, parts_ns, &total_ns))
        return;
    line_object(line, "stages");
    for (unsigned part = 0; part < PARTS; part++)
        line_int(line, part_name(part), parts_ns[part]);
    line_end_object(line);
}

void
request_row_write(struct line *line, struct spill_buffer *spill_buffer, const struct pending_request *pending,
                  const struct stay *stay, enum outcome outcome, uint32_t connection, const struct settings *settings)
{
    const struct request *request = &pending->request;
    struct packet_writing writing = { line, pending };
    line_begin(line, "request");
    line_uint(line, "connection", connection);
    line_uint(line, "number", request->number);
    write_ends_of_request(line, request);
    write_text(line, "host", tls_handshake_host(request->connection));
    write_text(line, "operation", pending->operation);
    write_kind(line, pending, settings);
    line_text(line, "framing", framing_name(request->framing));
    if (request_stream(request))
        write_stream(line, request);
    line_uint(line, "request_frame", request->q0_frame);
    line_int(line, "request_time", request->q0_ns);
    line_int(line, "request_end_time", request->q1_ns);
    if (request->response.p0_frame)
        write_response(line, request);
    line_uint(line, "request_bytes", request->request_bytes);
    line_uint(line, "response_bytes", request->response.bytes);
    line_uint(line, "retransmissions", pending->retransmissions);
    if (request_attempts(request) > 0)
        line_uint(line, "attempts", request_attempts(request));
    if (request->reordered)
        line_true(line, "reordered");
    if (request->cut)
        line_true(line, "cut");
    line_text(line, "outcome", outcome_name(outcome));
    write_stages(line, stay);
    json_dumper_set_member_name(&line->dumper, "packets");
    json_dumper_begin_array(&line->dumper);
    chain_read(spill_buffer, &pending->packets, write_packets, &writing);
    json_dumper_end_array(&line->dumper);
    line_end(line);
}

void
tls_row_write(struct line *line, const struct pending_request *pending, enum tls_turn role, uint32_t connection)
{
    const struct request *request = &pending->request;
    line_begin(line, "tls");
    line_uint(line, "connection", connection);
    line_uint(line, "number", request->number);
    write_ends_of_request(line, request);
    line_text(line, "kind", role == TLS_ALERT ? "alert" : "handshake");
    line_uint(line, "frame", request->q0_frame);
    line_int(line, "time", request->q0_ns);
    line_end(line);
}

void
handshake_row_write(struct line *line, const struct connection *connection, uint32_t number)
{
    const struct tls_handshake *handshake = connection->tcp->handshake;
    line_begin(line, "handshake");
    line_uint(line, "connection", number);
    line_uint(line, "number", handshake->number);
    write_ends(line, connection, connection_client(connection));
    line_uint(line, "frame", handshake->hello_frame);
    line_int(line, "time", handshake->hello_ns);
    write_text(line, "host", tls_handshake_host(connection));
    if (!connection->host_known)
        line_true(line, "host_unknown");
    write_text(line, "sni", handshake->host);
    write_text(line, "alpn", handshake->alpn);
    write_text(line, "alpn_chosen", handshake->chosen);
    write_text(line, "version", handshake->version);
    line_text(line, "result", tls_result_name(handshake->result));
    write_text(line, "alert", handshake->alert);
    line_time(line, "hello", tls_handshake_hello_ns(handshake));
    line_time(line, "handshake", tls_handshake_time_ns(handshake));
    if (handshake->answer_frame)
        line_uint(line, "answer_frame", handshake->answer_frame);
    if (handshake->end_frame)
        line_uint(line, "end_frame", handshake->end_frame);
    if (handshake->resumed)
        line_true(line, "resumed");
    if (handshake->retried)
        line_true(line, "retried");
    line_end(line);
}

void
attempt_row_write(struct line *line, const struct connection *attempt, uint32_t connection, enum connect_result result)
{
    const struct connect *connect = &attempt->tcp->connect;
    line_begin(line, "attempt");
    line_uint(line, "connection", connection);
    line_uint(line, "number", connect->number);
    line_uint(line, "frame", connect->syn_frame);
    line_uint(line, "ip_version", attempt->ipv6 ? 6 : 4);
    write_ends(line, attempt, connection_client(attempt));
    write_text(line, "host", tls_handshake_host(attempt));
    if (!attempt->host_known)
        line_true(line, "host_unknown");
    line_int(line, "syn_time", connect->syn_ns);
    line_text(line, "result", connect_result_name(result));
    line_time(line, "connect", connect->time_ns);
    line_uint(line, "syn_retries", connect->syn_retries);
    if (connect->answer_frame)
        line_uint(line, "answer_frame", connect->answer_frame);
    line_time(line, "network_server", connect->network_server_ns);
    line_time(line, "network_client", connect->network_client_ns);
    line_end(line);
}

void
open_row_write(struct line *line, const struct pending_request *pending, uint32_t connection,
               const struct settings *settings)
{
    const struct request *request = &pending->request;
    line_begin(line, "open");
    line_uint(line, "connection", connection);
    write_ends_of_request(line, request);
    write_text(line, "host", tls_handshake_host(request->connection));
    write_kind(line, pending, settings);
    line_uint(line, "request_frame", request->q0_frame);
    line_int(line, "request_time", request->q0_ns);
    line_int(line, "request_end_time", request->q1_ns);
    line_time(line, "network_server", request->connection->tcp->connect.network_server_ns);
    line_end(line);
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
    line_begin(line, "unmatched");
    line_uint(line, "connection", connection);
    write_ends(line, unmatched, connection_client(unmatched));
    line_uint(line, "frame", greeting->frame);
    line_int(line, "time", greeting->first_ns);
    line_int(line, "last_time", greeting->last_ns);
    line_uint(line, "bytes", greeting->bytes);
    line_end(line);
}
