/* connects_table.c
 * -z latency,connects: each attempt to connect, as bcc's tcpconnlat prints them.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "table.h"

#include <wsutil/str_util.h>

#include "../core/analysis.h"
#include "../core/item_subject.h"
#include "../core/points/preferred_point.h"
#include "../core/protocol/tls/tls_handshake.h"
#include "../core/util/printable.h"
#include "awaited.h"
#include "by_number.h"
#include "names.h"
#include "table_rows.h"

#define COLUMNS(X)                                                                                                     \
    X(TIME, TIMESTAMP, "Time", "syn_time")                                                                             \
    X(PID, TEXT, "PID", "pid", .wide = true)                                                                           \
    X(COMMAND, TEXT, "Command", "command", .wide = true)                                                               \
    X(IP, NUMBER, "IP", "ip_version", .wide = true)                                                                    \
    X(SOURCE, TEXT, "Source", "client")                                                                                \
    X(DESTINATION, TEXT, "Destination", "server")                                                                      \
    X(PORT, NUMBER, "Port", "server_port")                                                                             \
    X(OVER, TEXT, "Over", "transport")                                                                             \
    X(LATENCY, TIME, "Latency", "connect")                                                                             \
    X(RESULT, TEXT, "Result", "result", .alarms = true)                                                                \
    X(TLS, TIME, "TLS", "handshake")                                                                                   \
    X(SNI, TEXT, "SNI", "sni")

static TABLE_COLUMNS(columns, COLUMNS);

struct attempt {
    uint32_t capture, syn_frame;
    int64_t syn_ns;
    int64_t time_ns; /* -1 without an answer */
    uint32_t pid;
    bool has_pid;
    const char *command; /* of the process that connects; "" if unknown */
    const char *host;    /* SNI; "" without */
    int64_t tls_ns;      /* of the handshake; -1 if it is not known */
    struct endpoint client, server;
    bool ipv6;
    uint8_t result;
};

struct attempts {
    struct table_rows table;  /* a list of struct attempt */
    struct by_number numbers; /* of uint32_t: an attempt's row plus one, or 0 */
    /* The last sighting's, which comes before what else its frame means; only to be compared. */
    const struct connection *connection;
    const struct process *process;
    struct awaited awaited;
};

static void
take_again(void *rows, const struct connection *attempt)
{
    struct attempts *attempts = rows;
    uint32_t *number = by_number_at(&attempts->numbers, attempt->tcp->connect.number);
    struct attempt *row = table_row_numbered(rows, number);
    row->result = (uint8_t)awaited_result(&attempts->awaited, attempt);
}

static void
open_attempts(void *rows)
{
    struct attempts *attempts = rows;
    by_number_init(&attempts->numbers, attempts->table.source, sizeof(uint32_t));
    awaited_open(&attempts->awaited, attempts->table.source, take_again, attempts);
}

static void
close_attempts(void *rows)
{
    struct attempts *attempts = rows;
    awaited_close(&attempts->awaited);
    by_number_clear(&attempts->numbers);
}

/* The process that connects; NULL while unknown. */
static const struct process *
connecting(const struct connection *connection)
{
    return connection->points ? connection->points->process[connection->client] : NULL;
}

/* Where the capture names processes, any frame of the one that connects stands for its attempt, and none of another's:
 * the filter can ask for the process, and the frames of the handshake need not name it. */
static const struct connection *
attempt_of(struct attempts *attempts, const struct item *item)
{
    const struct connection *connection = item_attempt(item);
    if (item->kind == ITEM_TLS && item->connection->tcp->connect.number)
        connection = item->connection;
    if (item->kind == ITEM_SIGHTING) {
        connection = attempts->connection = item->sighting->connection;
        attempts->process = analysis_process(item->sighting);
        if (!connection || !connection->tcp->connect.number || !attempts->process)
            return NULL;
    }
    bool other = connection && connection == attempts->connection && connecting(connection) &&
                 attempts->process != connecting(connection);
    return other || (item->kind == ITEM_SIGHTING && !connecting(connection)) ? NULL : connection;
}

static void
read_process(struct attempts *attempts, struct attempt *row, const struct process *process)
{
    char *name = printable_text(NULL, process->name);
    row->command = g_string_chunk_insert_const(attempts->table.texts, name);
    wmem_free(NULL, name);
    row->pid = process->pid;
    row->has_pid = process->has_pid;
}

static void
read_handshake(struct attempts *attempts, struct attempt *row, const struct tls_handshake *handshake)
{
    row->host = g_string_chunk_insert_const(attempts->table.texts, handshake->host);
    row->tls_ns = tls_handshake_time_ns(handshake);
}

static int
take_item(void *rows, const void *record)
{
    struct attempts *attempts = rows;
    const struct item *item = record;
    const struct connection *attempt = attempt_of(attempts, item);
    omitted_take(&attempts->table.omitted, item);
    if (!attempt)
        return -1;
    one_sided_take_attempt(&attempts->table.sides, attempt);
    uint32_t *number = by_number_at(&attempts->numbers, attempt->tcp->connect.number);
    struct attempt *row = table_row_numbered(rows, number);
    *row = (struct attempt){
        .capture = attempts->table.source->number,
        .syn_frame = attempt->tcp->connect.syn_frame,
        .syn_ns = attempt->tcp->connect.syn_ns,
        .time_ns = attempt->tcp->connect.time_ns,
        .client = *connection_client(attempt),
        .server = *connection_server(attempt),
        .ipv6 = attempt->ipv6,
        .result = (uint8_t)awaited_result(&attempts->awaited, attempt),
        .command = "",
        .host = "",
        .tls_ns = -1,
    };
    if (attempt->tcp->handshake)
        read_handshake(attempts, row, attempt->tcp->handshake);
    if (connecting(attempt))
        read_process(attempts, row, connecting(attempt));
    return (int)*number - 1;
}

static void
merge_rows(void *data, void *const *others, unsigned n)
{
    struct attempts *rows = data;
    for (unsigned i = 0; i < n; i++) {
        const struct attempts *other = others[i];
        omitted_merge(&rows->table.omitted, &other->table.omitted);
        for (unsigned row = 0; row < other->table.list->len; row++) {
            struct attempt attempt = g_array_index(other->table.list, struct attempt, row);
            attempt.command = g_string_chunk_insert_const(rows->table.texts, attempt.command);
            attempt.host = g_string_chunk_insert_const(rows->table.texts, attempt.host);
            g_array_append_val(rows->table.list, attempt);
        }
    }
}

static void
fill_row(void *data, unsigned row, union table_cell *cells, wmem_allocator_t *scope)
{
    const struct attempts *attempts = data;
    const struct attempt *attempt = table_row(attempts, row);
    cells[TIME].timestamp_ns = attempt->syn_ns;
    cells[PID].text = attempt->has_pid ? wmem_strdup_printf(scope, "%u", attempt->pid) : "";
    cells[COMMAND].text = attempt->command;
    cells[IP].number = attempt->ipv6 ? 6 : 4;
    cells[SOURCE].text = address_name(scope, attempts->table.source, &attempt->client, attempt->ipv6);
    cells[DESTINATION].text = address_name(scope, attempts->table.source, &attempt->server, attempt->ipv6);
    cells[PORT].number = attempt->server.port;
    cells[OVER].text = attempt->server.transport == TRANSPORT_QUIC ? "QUIC" : "TCP";
    cells[LATENCY].number = time_cell(attempt->time_ns);
    cells[RESULT].text = connect_result_name(attempt->result);
    cells[RESULT].is_bad = attempt->result != CONNECT_ACCEPTED && attempt->result != CONNECT_WAITING;
    cells[TLS].number = time_cell(attempt->tls_ns);
    cells[SNI].text = attempt->host;
}

static double
weigh_row(void *rows, unsigned row)
{
    const struct attempt *attempt = table_row(rows, row);
    return -(double)attempt->capture * UINT32_MAX - attempt->syn_frame;
}

static bool
is_answered(void *rows, unsigned row)
{
    return ((const struct attempt *)table_row(rows, row))->time_ns >= 0;
}

static void
summarize(void *rows, GString *text)
{
    const GArray *attempts = ((struct attempts *)rows)->table.list;
    struct omitted omitted = ((struct attempts *)rows)->table.omitted;
    unsigned counts[CONNECT_RESULTS] = { 0 };
    awaited_settle(&((struct attempts *)rows)->awaited);
    for (unsigned i = 0; i < attempts->len; i++)
        counts[g_array_index(attempts, struct attempt, i).result]++;
    g_string_append_printf(text, "%u attempt%s: %u accepted, %u refused, %u unreachable, %u unanswered", attempts->len,
                           plurality(attempts->len, "", "s"), counts[CONNECT_ACCEPTED], counts[CONNECT_REFUSED],
                           counts[CONNECT_UNREACHABLE], counts[CONNECT_UNANSWERED]);
    if (counts[CONNECT_WAITING] > 0)
        g_string_append_printf(text, ", %u waiting", counts[CONNECT_WAITING]);
    g_string_append(text, ".\n");
    omitted.unsolicited = 0; /* payload */
    omitted_write(&omitted, ((struct attempts *)rows)->table.source, text);
}

const struct table_definition connects_table = {
    .shows_sightings = true,
    .title = "Latency: Connection Attempts",
    .argument = "latency,connects",
    .heading = "Connection attempts, from SYN to answer, and TLS handshakes",
    .columns = columns,
    .late_at = PID,
    .n_late = 2,
    .bytes = sizeof(struct attempts),
    .row_bytes = sizeof(struct attempt),
    .open = open_attempts,
    .close = close_attempts,
    .take = take_item,
    .fill = fill_row,
    .weight = weigh_row,
    .is_settled = is_answered,
    .merge = merge_rows,
    .summarize = summarize,
    .absence = absence_of_tcp,
};
