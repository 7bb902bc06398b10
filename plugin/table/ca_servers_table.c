/* ca_servers_table.c
 * -z ca,servers and -z pva,servers: how fast each server created the channels it was asked for.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "table.h"

#include "../core/analysis.h"
#include "../core/pva/pva_protocol.h"
#include "../core/stats/ca_server_tally.h"
#include "notes.h"
#include "by_number.h"
#include "ca_counts.h"
#include "table_rows.h"
#include "names.h"
#include "observer.h"

#define COLUMNS(X)                                                                                                     \
    X(SERVER, TEXT, "Server", "server")                                                                                \
    X(CHANNELS, COUNT, "Channels", "channels", .wide = true)                                                           \
    X(FAILED, COUNT, "Failed", "failed", .head = "Fail", .alarms = true)                                               \
    X(UNANSWERED, COUNT, "Unanswered", "unanswered", .head = "Unans.", .alarms = true)                                 \
    X(CREATED, COUNT, "Created", "created", .head = "OK")                                                              \
    X(MEAN, TIME, "Mean", "mean")                                                                                      \
    X(STD, TIME, "Std", "std", .is_sum = true)                                                                         \
    X(MIN_TIME, TIME, "Min", "min")                                                                                    \
    X(P25, TIME, "p25", "p25")                                                                                         \
    X(P50, TIME, "p50", "p50")                                                                                         \
    X(P75, TIME, "p75", "p75")                                                                                         \
    X(P95, TIME, "p95", "p95", .wide = true, .least = P95_LEAST)                                                       \
    X(P99, TIME, "p99", "p99", .wide = true, .least = P99_LEAST)                                                       \
    X(MAX_TIME, TIME, "Max", "max")                                                                                    \
    X(SEARCH, TIME, "Search", "search", .wide = true)                                                                  \
    X(TCP_CONNECT, TIME, "TCP connect", "tcp_connect", .head = "TCP", .wide = true)                                    \
    X(HELLO, TIME, "Hello", "hello", .wide = true)                                                                     \
    X(FIRST_VALUE, TIME, "First value", "first_value", .head = "Value", .wide = true)

static TABLE_COLUMNS(columns, COLUMNS);

struct rows {
    struct table_rows table;   /* of struct ca_server_tally */
    struct by_number channels; /* of struct ca_share */
    struct by_number circuits; /* of struct ca_share */
    struct ca_orphans orphans;
    struct observer observer;
};

static void
clear_server(void *server)
{
    ca_server_tally_clear(server);
}

static unsigned
row_of(struct rows *rows, const struct ca_circuit *circuit)
{
    return groups_row(rows->table.groups,
                      &(struct group_key){ .server = circuit->server, .kind = "", .ipv6 = circuit->ipv6 });
}

/* Looks again at the channels that were waiting. */
static void
settle_all(void *data)
{
    struct rows *rows = data;
    if (!rows->table.source->analysis || rows->channels.capture != rows->table.source->number)
        return;
    for (uint32_t number = 1; number < by_number_count(&rows->channels); number++) {
        struct ca_share *share = by_number_at(&rows->channels, number);
        const struct ca_channel *channel = ca_channel_at(rows->table.source->analysis->channels, number);
        struct ca_server_tally *server = share->waiting ? table_row(rows, row_of(rows, channel->create.circuit)) : NULL;
        if (server)
            ca_tally_settle(&server->counts, share, channel, rows->table.source->last_ns);
    }
}

static const struct table_sums servers = { sizeof(struct ca_server_tally), clear_server, NULL };

static void
open_rows(void *data)
{
    struct rows *rows = data;
    struct table_source *source = rows->table.source;
    by_number_init(&rows->channels, source, sizeof(struct ca_share));
    by_number_init(&rows->circuits, source, sizeof(struct ca_share));
    ca_orphans_init(&rows->orphans, source);
    rows->observer = (struct observer){ .data = rows, .end = settle_all };
    observer_add(source, &rows->observer);
}

static void
close_rows(void *data)
{
    struct rows *rows = data;
    observer_remove(rows->table.source, &rows->observer);
    by_number_clear(&rows->channels);
    by_number_clear(&rows->circuits);
    ca_orphans_clear(&rows->orphans);
}

static void
take_channel(const struct rows *rows, struct ca_server_tally *server, struct ca_share *share,
             const struct ca_channel *channel)
{
    const struct ca_search *search = ca_search_at(&rows->table.source->analysis->channels->searches, channel->search);
    ca_server_tally_take_channel(server, share, channel, search, rows->table.source->last_ns);
}

static int
take_event(void *data, const void *record)
{
    struct rows *rows = data;
    const struct ca_event *event = record;
    const struct ca_channel *channel = event->subject.channel;
    if (event->protocol != rows->table.definition->protocol)
        return -1;
    uint32_t number = ca_orphans_pass(&rows->orphans, event);
    if (!event->circuit || (!number && event->kind != CA_HELLO))
        return -1;
    unsigned row = row_of(rows, event->circuit);
    struct ca_server_tally *server = table_row(rows, row);
    ca_tally_take_circuit(&server->counts, by_number_at(&rows->circuits, event->circuit->number), event->circuit);
    if (number)
        one_sided_take_create(&rows->table.sides, &channel->create);
    if (number)
        take_channel(rows, server, by_number_at(&rows->channels, number), channel);
    return (int)row;
}

static void
fill_row(void *data, unsigned row, union table_cell *cells, wmem_allocator_t *scope)
{
    const struct rows *rows = data;
    const struct group_key *key = groups_key(rows->table.groups, row);
    struct ca_server_tally *server = table_row(rows, row);
    struct description create;
    sample_describe(&server->create, &create);
    cells[SERVER].text = endpoint_name(scope, rows->table.source, &key->server, key->ipv6);
    cells[CHANNELS].number = (double)server->counts.channels;
    cells[FAILED].number = (double)server->counts.failed;
    cells[UNANSWERED].number = (double)ca_tally_unanswered(&server->counts);
    cells[CREATED].number = (double)server->counts.created;
    description_cells_fill(cells + MEAN, &create);
    cells[SEARCH].number = moments_mean(&server->counts.search);
    cells[TCP_CONNECT].number = moments_mean(&server->counts.tcp_connect);
    cells[HELLO].number = moments_mean(&server->counts.hello);
    cells[FIRST_VALUE].number = moments_mean(&server->counts.first_value);
}

/* What kept its clients waiting longest, all in all, comes first. */
static double
weigh_row(void *rows, unsigned row)
{
    const struct ca_server_tally *server = table_row(rows, row);
    return wide_double(server->counts.asked_ns);
}

static void
summarize(void *data, GString *text)
{
    struct rows *rows = data;
    struct ca_tally sum = { 0 };
    settle_all(rows);
    for (unsigned i = 0; i < table_count(rows); i++)
        ca_tally_merge(&sum, &((const struct ca_server_tally *)table_row(rows, i))->counts);
    ca_counts_write(&sum, text);
    ca_orphans_write(&rows->orphans, text);
}

/* Of which times the wide columns have the means; `hello`: the message that is waited for. */
#define MEANS(hello)                                                                                                   \
    "Means: Search, to the first reply; TCP, from SYN to SYN-ACK; Hello, from there to " hello                         \
    "; Value, to the first.\n"

#define SERVERS_TABLE                                                                                                  \
    .takes_events = true, .columns = columns, .bytes = sizeof(struct rows), .sums = &servers, .open = open_rows,       \
    .close = close_rows, .take = take_event, .fill = fill_row, .weight = weigh_row, .is_ranked = true,                 \
    .adds_up = true, .summarize = summarize

const struct table_definition ca_servers_table = {
    SERVERS_TABLE,
    .title = "Channel Access: Servers",
    .argument = "ca,servers",
    .heading = "Channel Access servers, from CREATE_CHAN to its answer",
    .wide_note = MEANS("VERSION"),
    .protocol = &circuit_of_channel_access,
    .absence = absence_of_channel_access,
};

const struct table_definition pva_servers_table = {
    SERVERS_TABLE,
    .title = "pvAccess: Servers",
    .argument = "pva,servers",
    .heading = "pvAccess servers, from CREATE_CHANNEL to its answer",
    .wide_note = MEANS("CONNECTION_VALIDATED"),
    .protocol = &circuit_of_pvaccess,
    .absence = absence_of_pvaccess,
};
