/* ca_channels_table.c
 * -z ca,channels and -z pva,channels: each channel that a client asked for, and how long it took to be connected.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "table.h"

#include "../core/analysis.h"
#include "../core/ca/ca_phases.h"
#include "../core/pva/pva_protocol.h"
#include "../core/util/printable.h"
#include "by_number.h"
#include "ca_counts.h"
#include "names.h"
#include "observer.h"
#include "table_rows.h"

/* The last is the one without bounds, and the one that may contain a "|". */
#define COLUMNS(X)                                                                                                     \
    X(FRAME, NUMBER, "Frame", "request_frame")                                                                         \
    X(TIME, TIMESTAMP, "Time", "request_time", .wide = true)                                                           \
    X(CLIENT, TEXT, "Client", "client", .wide = true)                                                                  \
    X(SERVER, TEXT, "Server", "server")                                                                                \
    X(CREATE, TIME, "Create", "create", .wide = true)                                                                  \
    X(WAITED, TIME, "Waited", "waited")                                                                                \
    X(SEARCH, TIME, "Search", "search", .wide = true)                                                                  \
    X(TCP_CONNECT, TIME, "TCP connect", "tcp_connect", .head = "TCP", .wide = true)                                    \
    X(HELLO, TIME, "Hello", "hello", .wide = true)                                                                     \
    X(FIRST_VALUE, TIME, "First value", "first_value", .head = "Value", .wide = true)                                  \
    X(CONNECT, TIME, "Connect", "connect")                                                                             \
    X(OUTCOME, TEXT, "Outcome", "outcome", .alarms = true)                                                             \
    X(REASON, TEXT, "Reason", "reason")                                                                                \
    X(CHANNEL, TEXT, "Channel", "pv")

static TABLE_COLUMNS(columns, COLUMNS);

struct row {
    const char *pv;
    struct endpoint client, server;
    int64_t request_ns;
    struct ca_phases phases;
    uint32_t capture, number, frame;
    const char *reason;
    enum ca_result result;
    bool ipv6;
};

struct rows {
    struct table_rows table;  /* a list of struct row */
    struct by_number numbers; /* of uint32_t: a channel's row plus one, or 0 */
    struct ca_orphans orphans;
    struct observer observer;
};

static void
read_channel(const struct rows *rows, struct row *row, const struct ca_channel *channel)
{
    const struct ca_channels *channels = rows->table.source->analysis->channels;
    const int64_t now_ns = rows->table.source->last_ns;
    row->phases = ca_phases_of(channels, channel, now_ns);
    row->result = ca_channel_result(channel, now_ns);
    row->reason = g_string_chunk_insert_const(rows->table.texts, ca_channel_reason(channels, channel, now_ns));
}

static void
begin_row(const struct rows *rows, struct row *row, uint32_t number, const struct ca_channel *channel)
{
    const struct ca_circuit *circuit = channel->create.circuit;
    *row = (struct row){
        .pv = g_string_chunk_insert_const(rows->table.texts, channel->pv),
        .client = circuit->client,
        .server = circuit->server,
        .request_ns = channel->create.request_ns,
        .capture = rows->table.source->number,
        .number = number,
        .frame = channel->create.request_frame,
        .ipv6 = circuit->ipv6,
    };
}

/* What becomes of a channel can turn out after its last frame that passes the filter. */
static void
settle(const struct rows *rows, struct row *row)
{
    if (row->capture == rows->table.source->number && rows->table.source->analysis)
        read_channel(rows, row, ca_channel_at(rows->table.source->analysis->channels, row->number));
}

static void
settle_all(void *data)
{
    const struct rows *rows = data;
    for (unsigned i = 0; i < table_count(data); i++)
        settle(rows, table_row(rows, i));
}

static void
open_rows(void *data)
{
    struct rows *rows = data;
    by_number_init(&rows->numbers, rows->table.source, sizeof(uint32_t));
    ca_orphans_init(&rows->orphans, rows->table.source);
    rows->observer = (struct observer){ .data = rows, .end = settle_all };
    observer_add(rows->table.source, &rows->observer);
}

static void
close_rows(void *data)
{
    struct rows *rows = data;
    observer_remove(rows->table.source, &rows->observer);
    by_number_clear(&rows->numbers);
    ca_orphans_clear(&rows->orphans);
}

static int
take_event(void *data, const void *record)
{
    struct rows *rows = data;
    const struct ca_event *event = record;
    uint32_t number = event->protocol == rows->table.definition->protocol ? ca_orphans_pass(&rows->orphans, event) : 0;
    if (number == 0)
        return -1;
    uint32_t *row = by_number_at(&rows->numbers, number);
    if (*row == 0)
        begin_row(rows, table_row_numbered(rows, row), number, event->subject.channel);
    return (int)*row - 1;
}

static void
fill_row(void *data, unsigned number, union table_cell *cells, wmem_allocator_t *scope)
{
    const struct rows *rows = data;
    struct row *row = table_row(rows, number);
    settle(rows, row);
    cells[FRAME].number = row->frame;
    cells[TIME].timestamp_ns = row->request_ns;
    cells[CLIENT].text = endpoint_name(scope, rows->table.source, &row->client, row->ipv6);
    cells[SERVER].text = endpoint_name(scope, rows->table.source, &row->server, row->ipv6);
    cells[CREATE].number = time_cell(row->phases.create_ns);
    cells[WAITED].number = time_cell(row->phases.waited_ns);
    cells[SEARCH].number = time_cell(row->phases.search_ns);
    cells[TCP_CONNECT].number = time_cell(row->phases.tcp_connect_ns);
    cells[HELLO].number = time_cell(row->phases.hello_ns);
    cells[FIRST_VALUE].number = time_cell(row->phases.first_value_ns);
    cells[CONNECT].number = time_cell(row->phases.connect_ns);
    cells[OUTCOME].text = ca_result_name(row->result);
    cells[OUTCOME].is_bad = row->result != CA_RESULT_OK && row->result != CA_RESULT_WAITING;
    cells[REASON].text = row->reason;
    cells[CHANNEL].text = printable_text(scope, row->pv);
}

/* Those that will never be come first, by how long they waited; then those that failed; then the slowest, of which some
 * still wait. */
static double
weigh_row(void *data, unsigned number)
{
    enum { GREATER_THAN_ANY_TIME = 4 }; /* 2^62 ns, as often */
    const struct rows *rows = data;
    struct row *row = table_row(rows, number);
    settle(rows, row);
    static const double classes[] = {
        [CA_RESULT_FAILED] = 1, [CA_RESULT_ERROR] = 1, [CA_RESULT_UNANSWERED] = 2, [CA_RESULT_WAITING] = 0
    };
    const int64_t time_ns = MAX(MAX(row->phases.waited_ns, row->phases.connect_ns), 0);
    return classes[row->result] * (double)(INT64_MAX / GREATER_THAN_ANY_TIME) + (double)time_ns;
}

static void
summarize(void *data, GString *text)
{
    const struct rows *rows = data;
    unsigned counts[CA_RESULT_WAITING + 1] = { 0 };
    settle_all(data);
    for (unsigned i = 0; i < table_count(data); i++)
        counts[((const struct row *)table_row(rows, i))->result]++;
    const struct ca_tally sum = {
        .channels = table_count(data),
        .created = counts[CA_RESULT_OK],
        .failed = counts[CA_RESULT_FAILED] + counts[CA_RESULT_ERROR],
        .waiting = counts[CA_RESULT_WAITING],
    };
    ca_counts_write(&sum, text);
    ca_orphans_write(&rows->orphans, text);
}

#define CHANNELS_TABLE                                                                                                 \
    .takes_events = true, .columns = columns, .last_at = CREATE, .bytes = sizeof(struct rows),                         \
    .row_bytes = sizeof(struct row), .open = open_rows, .close = close_rows, .take = take_event, .fill = fill_row,     \
    .weight = weigh_row, .is_ranked = true, .folded = "channels", .summarize = summarize

const struct table_definition ca_channels_table = {
    CHANNELS_TABLE,
    .title = "Channel Access: Channels",
    .argument = "ca,channels",
    .heading = "Channel Access channels, from the first SEARCH until created",
    .protocol = &circuit_of_channel_access,
    .absence = absence_of_channel_access,
};

const struct table_definition pva_channels_table = {
    CHANNELS_TABLE,
    .title = "pvAccess: Channels",
    .argument = "pva,channels",
    .heading = "pvAccess channels, from the first SEARCH until created",
    .protocol = &circuit_of_pvaccess,
    .absence = absence_of_pvaccess,
};
