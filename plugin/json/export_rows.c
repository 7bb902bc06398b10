/* export_rows.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "export_rows.h"

#include <string.h>

#include "../core/analysis.h"
#include "../core/item_subject.h"
#include "../core/request/event.h"
#include "../core/request/operation.h"
#include "line_kinds.h"

/* What a connection will have rows of; flags. */
enum noted { NOTED_ATTEMPT = 1, NOTED_HANDSHAKE = 2, NOTED_GREETING = 4 };

struct connection_rows {
    const struct table_source *source;
    struct export_head *head;
    struct tallies *tallies;
    struct late_rows *late;
    GHashTable *noted;  /* enum noted, by struct connection: of those that the core has */
    GHashTable *pushes; /* struct push_tally, likewise: of the frames that its server sent unasked */
    const uint32_t *before;
};

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
        operation_kind(pending->operation, pending->request.protocol, settings->fold_numbers, kind);
    return kind;
}

/* Writes the bytes as hexadecimal digits, two for each, and returns them. */
static const char *
hex_text(const uint8_t *bytes, size_t length, char *text)
{
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < length; i++) {
        text[2 * i] = digits[bytes[i] >> 4];
        text[2 * i + 1] = digits[bytes[i] & 0xf];
    }
    text[2 * length] = '\0';
    return text;
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
    line_array(line, "flags");
    for (unsigned i = 0; i < G_N_ELEMENTS(names); i++)
        if (flags & names[i].flag)
            json_dumper_value_string(&line->dumper, names[i].name);
    line_end_array(line);
}

struct packet_source {
    struct spill_buffer *spill_buffer;
    const struct pending_request *pending;
};

static void
write_packets(void *data, const uint8_t *bytes, size_t length)
{
    struct line *line = data;
    for (size_t at = 0; at < length; at += sizeof(struct pending_packet)) {
        struct pending_packet packet;
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
    const uint32_t content = request->parts.content[side];
    return content == CONTENT_UNKNOWN ? 0 : content;
}

static void
set_response(struct request_line *row, const struct request *request)
{
    const struct response *response = &request->response;
    if (!response->first_frame)
        return;
    row->response_frame = response->first_frame;
    row->response_time = response->first_ns;
    row->response_end_frame = response->last_frame;
    row->response_end_time = response->last_ns;
    row->first_byte = request_first_byte(request);
    row->service = request_service(request);
    row->request_spread = request->last_ns - request->first_ns;
    row->server_time = request_server_time(request);
    row->first_data = request->data_frame ? request_first_data(request) : -1;
    row->last_byte = request_last_byte(request);
    row->transfer = response->last_ns - response->first_ns;
    *(response->failed ? &row->error : &row->status) = response->status;
}

void
request_row_write(struct line *line, struct spill_buffer *spill_buffer, const struct pending_request *pending,
                  const struct stay *stay, const struct trace_context *trace, enum outcome outcome, uint32_t connection,
                  const struct settings *settings)
{
    const struct request *request = &pending->request;
    const struct proxied *proxied = request->connection->tcp->proxied;
    const struct packet_source packets = { spill_buffer, pending };
    char kind[OPERATION_ROOM], trace_id[2 * TRACE_ID_BYTES + 1], parent_id[2 * PARENT_ID_BYTES + 1];
    int64_t total_ns;
    struct request_line row;
    members_clear(&request_members, &row);
    row.connection = connection;
    row.number = request->number;
    row.client = client_of_request(request);
    row.server = server_of(request->connection);
    row.host = tls_handshake_host(request->connection);
    row.operation = pending->operation;
    row.kind = kind_of(pending, settings, kind);
    row.framing = request->protocol;
    row.stream = request_stream(request);
    row.pushed = request_stream(request) >= 0 && request->is_pushed;
    row.messages_sent = messages(request, true);
    row.messages_received = messages(request, false);
    row.proxy_client = proxied ? proxied->client : "";
    row.proxy_client_port = proxied ? proxied->port : 0;
    row.request_frame = request->first_frame;
    row.request_time = request->first_ns;
    row.request_end_time = request->last_ns;
    row.request_bytes = request->request_bytes;
    row.response_bytes = request->response.bytes;
    row.retransmissions = pending->retransmissions;
    row.attempts = request->attempts;
    row.reordered = request->reordered;
    row.cut = request->cut;
    row.streaming = request->is_stream;
    row.long_poll = request->awaits_event;
    row.outcome = outcome;
    row.packets = (struct member_elements){ .write = write_all_packets, .data = &packets };
    set_response(&row, request);
    if (trace) {
        row.trace_id = hex_text(trace->trace, sizeof trace->trace, trace_id);
        row.parent_id = hex_text(trace->parent, sizeof trace->parent, parent_id);
    }
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
        .frame = request->first_frame,
        .time = request->first_ns,
    };
    line_write(line, "tls", &tls_members, &row);
}

static void
handshake_row_write(struct line *line, const struct connection *connection, uint32_t number)
{
    const struct tls_handshake *handshake = connection->tcp->handshake;
    const struct handshake_line row = {
        .connection = number,
        .number = handshake->number,
        .client = client_of(connection),
        .server = server_of(connection),
        .quic = connection->tcp->quic,
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

static void
attempt_row_write(struct line *line, const struct connection *attempt, uint32_t connection, enum connect_result result,
                  const struct push_tally *pushes)
{
    const struct connect *connect = &attempt->tcp->connect;
    static const struct push_tally none;
    const struct push_tally *said = pushes ? pushes : &none;
    const struct attempt_line row = {
        .connection = connection,
        .number = connect->number,
        .frame = connect->syn_frame,
        .ip_version = attempt->ipv6 ? 6 : 4,
        .client = client_of(attempt),
        .server = server_of(attempt),
        .quic = attempt->tcp->quic,
        .host = tls_handshake_host(attempt),
        .host_unknown = !attempt->host_known,
        .syn_time = connect->syn_ns,
        .result = result,
        .connect = connect->time_ns,
        .syn_retries = connect->syn_retries,
        .pushes = said->frames,
        .push_spacing = said->spacing,
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
        .request_frame = request->first_frame,
        .request_time = request->first_ns,
        .request_end_time = request->last_ns,
        .network_server = request->connection->tcp->connect.network_server_ns,
    };
    line_write(line, "open", &open_members, &row);
}

/* Whether the connection begins with a response to what was not captured. */
static bool
unmatched_row_is_due(const struct connection *connection)
{
    return !connection->is_datagrams && connection_greeting(connection) && !connection->tcp->connect.number &&
           !connection->tcp->connect.syn_ack_seen;
}

static void
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

struct connection_rows *
connection_rows_new(const struct table_source *source, struct export_head *head, struct tallies *tallies,
                    struct late_rows *late, const uint32_t *before)
{
    struct connection_rows *rows = g_new(struct connection_rows, 1);
    *rows = (struct connection_rows){
        .source = source,
        .head = head,
        .tallies = tallies,
        .late = late,
        .noted = g_hash_table_new(NULL, NULL),
        .pushes = push_tallies_new(),
        .before = before,
    };
    return rows;
}

void
connection_rows_free(struct connection_rows *rows)
{
    g_hash_table_destroy(rows->noted);
    g_hash_table_destroy(rows->pushes);
    g_free(rows);
}

static void
note(struct connection_rows *rows, const struct connection *connection, enum noted what)
{
    unsigned noted = GPOINTER_TO_UINT(g_hash_table_lookup(rows->noted, connection));
    if (!(noted & what))
        g_hash_table_insert(rows->noted, (void *)connection, GUINT_TO_POINTER(noted | what));
}

void
connection_rows_take(struct connection_rows *rows, const struct item *item, uint32_t frame)
{
    const struct connection *attempt = item_attempt(item);
    if (attempt)
        note(rows, attempt, NOTED_ATTEMPT);
    if (item->kind == ITEM_TLS)
        note(rows, item->connection, NOTED_HANDSHAKE);
    if (item->kind == ITEM_UNSOLICITED)
        push_tallies_take(rows->pushes, item);
    const struct greeting *greeting = item->kind == ITEM_UNSOLICITED ? connection_greeting(item->connection) : NULL;
    if (greeting && greeting->frame == frame)
        note(rows, item->connection, NOTED_GREETING);
}

static uint32_t
number_of(const struct connection_rows *rows, const struct connection *connection)
{
    return *rows->before + connection->number;
}

static void
write_attempt(const struct connection_rows *rows, const struct connection *attempt)
{
    uint32_t number = attempt->tcp->connect.number;
    const enum connect_result result = connection_connect_result(attempt, rows->source->analysis->requests.last_ns);
    const struct push_tally *pushes = push_tallies_find(rows->pushes, attempt);
    struct line *line = late_rows_begin(rows->late);
    rows->head->attempts++;
    tallies_take_attempt(rows->tallies, late_rows_key(rows->source->number, LATE_ATTEMPT, number), attempt, result,
                         pushes);
    if (rows->head->content != JSON_SUMMARY)
        attempt_row_write(line, attempt, number_of(rows, attempt), result, pushes);
    late_rows_add(rows->late, LATE_ATTEMPT, number);
}

static void
write_handshake(const struct connection_rows *rows, const struct connection *connection)
{
    uint32_t number = connection->tcp->handshake->number;
    struct line *line = late_rows_begin(rows->late);
    rows->head->handshakes++;
    tallies_take_handshake(rows->tallies, late_rows_key(rows->source->number, LATE_HANDSHAKE, number), connection);
    if (rows->head->content != JSON_SUMMARY)
        handshake_row_write(line, connection, number_of(rows, connection));
    late_rows_add(rows->late, LATE_HANDSHAKE, number);
}

static void
write_unmatched(const struct connection_rows *rows, const struct connection *unmatched)
{
    struct line *line = late_rows_begin(rows->late);
    if (unmatched_row_is_due(unmatched) && !rows->head->filter)
        unmatched_row_write(line, unmatched, number_of(rows, unmatched));
    late_rows_add(rows->late, LATE_UNMATCHED, connection_greeting(unmatched)->frame);
}

static void
write_noted(const struct connection_rows *rows, const struct connection *connection, unsigned noted)
{
    if (noted & NOTED_ATTEMPT)
        write_attempt(rows, connection);
    if (noted & NOTED_HANDSHAKE)
        write_handshake(rows, connection);
    if (noted & NOTED_GREETING)
        write_unmatched(rows, connection);
}

void
connection_rows_forget(struct connection_rows *rows, const struct connection *connection)
{
    write_noted(rows, connection, GPOINTER_TO_UINT(g_hash_table_lookup(rows->noted, connection)));
    g_hash_table_remove(rows->noted, connection);
    g_hash_table_remove(rows->pushes, connection);
}

void
connection_rows_end_capture(struct connection_rows *rows)
{
    GHashTableIter each;
    void *connection, *noted;
    g_hash_table_iter_init(&each, rows->noted);
    while (g_hash_table_iter_next(&each, &connection, &noted))
        write_noted(rows, connection, GPOINTER_TO_UINT(noted));
    g_hash_table_remove_all(rows->noted);
    g_hash_table_remove_all(rows->pushes);
}
