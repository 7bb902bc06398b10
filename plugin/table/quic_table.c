/* quic_table.c
 * -z latency,quic: each connection of QUIC, of which nothing need be decrypted.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "table.h"

#include <inttypes.h>

#include <wsutil/str_util.h>

#include "../core/analysis.h"
#include "../core/protocol/tls/tls_handshake.h"
#include "by_number.h"
#include "names.h"
#include "table_rows.h"

#define COLUMNS(X)                                                                                                     \
    X(TIME, TIMESTAMP, "Time", "time", .wide = true)                                                                   \
    X(CLIENT, TEXT, "Client", "client")                                                                                \
    X(SERVER, TEXT, "Server", "server")                                                                                \
    X(CONNECT, TIME, "Connect", "connect")                                                                             \
    X(HANDSHAKE, TIME, "Handshake", "handshake", .head = "TLS")                                                        \
    X(RESULT, TEXT, "Result", "result", .alarms = true)                                                                \
    X(VERSION, TEXT, "Version", "version", .wide = true)                                                               \
    X(ALPN, TEXT, "ALPN", "alpn", .wide = true)                                                                        \
    X(RETRY, TEXT, "Retry", "retry", .wide = true)                                                                     \
    X(EARLY_DATA, TEXT, "0-RTT", "early_data", .wide = true)                                                           \
    X(MOVES, COUNT, "Moves", "moves", .wide = true)                                                                    \
    X(PACKETS, COUNT, "Packets", "packets")                                                                            \
    X(BYTES, COUNT, "Bytes", "bytes")                                                                                  \
    X(CLIENT_PACKETS, COUNT, "Packets of the client", "client_packets", .wide = true)                                  \
    X(CLIENT_BYTES, COUNT, "Bytes of the client", "client_bytes", .wide = true)                                        \
    X(HOST, TEXT, "Host", "host")

static TABLE_COLUMNS(columns, COLUMNS);

struct row {
    struct endpoint client, server;
    uint32_t capture, frame; /* the first */
    int64_t begin_ns, connect_ns, handshake_ns;
    const char *host, *alpn; /* "" while unknown */
    const char *version;
    uint32_t moves;
    uint8_t result;  /* enum connect_result */
    bool failed : 1; /* the handshake of TLS has */
    bool ipv6 : 1, retried : 1, has_early_data : 1;
    uint64_t packets[2], bytes[2];
};

struct rows {
    struct table_rows table;  /* a list of struct row */
    struct by_number numbers; /* of uint32_t: an attempt's row plus one, or 0 */
};

static void
open_rows(void *data)
{
    struct rows *rows = data;
    by_number_init(&rows->numbers, rows->table.source, sizeof(uint32_t));
}

static void
close_rows(void *data)
{
    struct rows *rows = data;
    by_number_clear(&rows->numbers);
}

static void
read_handshake(struct rows *rows, struct row *row, const struct tls_handshake *handshake)
{
    row->host = g_string_chunk_insert_const(rows->table.texts, handshake->host);
    row->alpn = g_string_chunk_insert_const(rows->table.texts, handshake->alpn);
    row->handshake_ns = tls_handshake_time_ns(handshake);
    row->failed = handshake->result == TLS_FAILED;
}

static int
take_item(void *data, const void *record)
{
    struct rows *rows = data;
    const struct item *item = record;
    const bool is_of_connection = item->kind == ITEM_SYN || item->kind == ITEM_SYN_AGAIN || item->kind == ITEM_ANSWER ||
                                  item->kind == ITEM_ACK || item->kind == ITEM_TLS || item->kind == ITEM_DATAGRAM;
    const struct quic *quic = is_of_connection ? item->connection->tcp->quic : NULL;
    if (!quic)
        return -1;
    const struct connect *connect = &item->connection->tcp->connect;
    uint32_t *number = by_number_at(&rows->numbers, connect->number);
    struct row *row = table_row_numbered(rows, number);
    *row = (struct row){
        .client = *connection_client(item->connection),
        .server = *connection_server(item->connection),
        .capture = rows->table.source->number,
        .frame = connect->syn_frame,
        .begin_ns = connect->syn_ns,
        .connect_ns = connect->time_ns,
        .handshake_ns = -1,
        .host = "",
        .alpn = "",
        .version = quic_version_name(quic->version),
        .result = (uint8_t)connect->result,
        .ipv6 = item->connection->ipv6,
        .retried = quic->retried,
        .has_early_data = quic->has_early_data,
        .moves = quic->moves,
        .packets = { quic->datagrams[QUIC_CLIENT], quic->datagrams[QUIC_SERVER] },
        .bytes = { quic->bytes[QUIC_CLIENT], quic->bytes[QUIC_SERVER] },
    };
    if (item->connection->tcp->handshake)
        read_handshake(rows, row, item->connection->tcp->handshake);
    return (int)*number - 1;
}

static void
merge_rows(void *data, void *const *others, unsigned n)
{
    struct rows *rows = data;
    for (unsigned i = 0; i < n; i++) {
        const struct rows *other = others[i];
        for (unsigned at = 0; at < other->table.list->len; at++) {
            struct row row = g_array_index(other->table.list, struct row, at);
            row.host = g_string_chunk_insert_const(rows->table.texts, row.host);
            row.alpn = g_string_chunk_insert_const(rows->table.texts, row.alpn);
            g_array_append_val(rows->table.list, row);
        }
    }
}

static void
fill_row(void *data, unsigned number, union table_cell *cells, wmem_allocator_t *scope)
{
    const struct rows *rows = data;
    const struct row *row = table_row(rows, number);
    cells[TIME].timestamp_ns = row->begin_ns;
    cells[CLIENT].text = address_name(scope, rows->table.source, &row->client, row->ipv6);
    cells[SERVER].text = endpoint_name(scope, rows->table.source, &row->server, row->ipv6);
    cells[CONNECT].number = time_cell(row->connect_ns);
    cells[HANDSHAKE].number = time_cell(row->handshake_ns);
    cells[RESULT].text = row->failed ? "TLS failed" : connect_result_name(row->result);
    cells[RESULT].is_bad = row->failed || row->result != CONNECT_ACCEPTED;
    cells[VERSION].text = row->version;
    cells[ALPN].text = row->alpn;
    cells[RETRY].text = row->retried ? "yes" : "";
    cells[EARLY_DATA].text = row->has_early_data ? "yes" : "";
    cells[MOVES].number = row->moves;
    cells[PACKETS].number = (double)(row->packets[QUIC_CLIENT] + row->packets[QUIC_SERVER]);
    cells[BYTES].number = (double)(row->bytes[QUIC_CLIENT] + row->bytes[QUIC_SERVER]);
    cells[CLIENT_PACKETS].number = (double)row->packets[QUIC_CLIENT];
    cells[CLIENT_BYTES].number = (double)row->bytes[QUIC_CLIENT];
    cells[HOST].text = row->host;
}

static double
weigh_row(void *rows, unsigned number)
{
    const struct row *row = table_row(rows, number);
    return -(double)row->capture * UINT32_MAX - row->frame;
}

static void
summarize(void *data, GString *text)
{
    const GArray *list = ((struct rows *)data)->table.list;
    unsigned accepted = 0, complete = 0;
    uint64_t packets = 0, bytes = 0;
    for (unsigned i = 0; i < list->len; i++) {
        const struct row *row = &g_array_index(list, struct row, i);
        accepted += row->result == CONNECT_ACCEPTED;
        complete += row->handshake_ns >= 0;
        packets += row->packets[QUIC_CLIENT] + row->packets[QUIC_SERVER];
        bytes += row->bytes[QUIC_CLIENT] + row->bytes[QUIC_SERVER];
    }
    g_string_append_printf(
        text, "%u connection%s: %u accepted, %u handshake%s complete; %" PRIu64 " packets, %" PRIu64 " bytes.\n",
        list->len, plurality(list->len, "", "s"), accepted, complete, plurality(complete, "", "s"), packets, bytes);
}

const struct table_definition quic_table = {
    .title = "Latency: QUIC",
    .argument = "latency,quic",
    .heading = "QUIC connections, from the first Initial on",
    .columns = columns,
    .bytes = sizeof(struct rows),
    .row_bytes = sizeof(struct row),
    .open = open_rows,
    .close = close_rows,
    .take = take_item,
    .fill = fill_row,
    .weight = weigh_row,
    .merge = merge_rows,
    .summarize = summarize,
    .absence = absence_of_quic,
};
