/* tap-ca-servers.c
 * -z ca,servers: how fast each server of Channel Access created the channels it was asked for.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "taps.h"

#include <inttypes.h>

#include <wsutil/str_util.h>

#include "../core/ca_tally.h"
#include "../core/groups.h"
#include "../table/description-cells.h"
#include "by-number.h"
#include "ca-orphans.h"
#include "ca-state.h"
#include "names.h"
#include "packet-ca.h"
#include "stat-table.h"

enum column {
    SERVER,
    CHANNELS,
    FAILED,
    UNANSWERED,
    CREATED,
    CREATE,
    SEARCH = CREATE + DESCRIPTION_CELLS,
    TCP_CONNECT,
    HELLO,
    FIRST_VALUE,
    N_COLUMNS
};

static const struct table_column columns[N_COLUMNS] = {
    { "Server", CELL_TEXT, NULL },
    { "Channels", CELL_COUNT, "Chan-\nnels" },
    { "Failed", CELL_COUNT, "Fai-\nled" },
    { "Unanswered", CELL_COUNT, "Unan-\nswered" },
    { "Created", CELL_COUNT, "Cre-\nated" },
    COLUMNS_OF_A_DESCRIPTION,
    { "Search", CELL_TIME, NULL },
    { "TCP connect", CELL_TIME, "TCP" },
    { "Hello", CELL_TIME, NULL },
    { "First value", CELL_TIME, "Value" },
};

struct rows {
    struct groups *servers;    /* of struct ca_tally */
    struct by_number channels; /* of struct ca_share */
    struct by_number circuits; /* of struct ca_share */
    struct ca_orphans orphans;
};

static void
clear_tally(void *tally)
{
    ca_tally_clear(tally);
}

static void *
open_rows(void)
{
    struct rows *rows = g_new0(struct rows, 1);
    rows->servers = groups_new(sizeof(struct ca_tally), clear_tally);
    by_number_init(&rows->channels, sizeof(struct ca_share));
    by_number_init(&rows->circuits, sizeof(struct ca_share));
    ca_orphans_init(&rows->orphans);
    return rows;
}

static void
close_rows(void *data)
{
    struct rows *rows = data;
    groups_free(rows->servers);
    by_number_clear(&rows->channels);
    by_number_clear(&rows->circuits);
    ca_orphans_clear(&rows->orphans);
    g_free(rows);
}

static unsigned
row_of(struct rows *rows, const struct ca_circuit *circuit)
{
    return groups_row(rows->servers,
                      &(struct group_key){ .server = circuit->server, .kind = "", .ipv6 = circuit->ipv6 });
}

static int
take_event(void *data, const void *record)
{
    struct rows *rows = data;
    const struct ca_event *event = record;
    const struct ca_channel *channel = event->subject.channel;
    uint32_t number = ca_orphans_pass(&rows->orphans, event);
    if (!event->circuit || (!number && event->kind != CA_HELLO))
        return -1;
    unsigned row = row_of(rows, event->circuit);
    struct ca_tally *tally = groups_value(rows->servers, row);
    ca_tally_take_circuit(tally, by_number_at(&rows->circuits, event->circuit->number), event->circuit);
    if (number)
        ca_tally_take_channel(tally, by_number_at(&rows->channels, number), channel,
                              ca_search_at(&ca_state_channels()->searches, channel->search));
    return (int)row;
}

static unsigned
count_rows(void *rows)
{
    return groups_count(((struct rows *)rows)->servers);
}

static void
fill_row(void *data, unsigned row, union table_cell *cells, wmem_allocator_t *scope)
{
    const struct rows *rows = data;
    const struct group_key *key = groups_key(rows->servers, row);
    struct ca_tally *tally = groups_value(rows->servers, row);
    struct description create;
    sample_describe(&tally->create, &create);
    cells[SERVER].text = endpoint_name(scope, &key->server, key->ipv6);
    cells[CHANNELS].number = (double)tally->channels;
    cells[FAILED].number = (double)tally->failed;
    cells[UNANSWERED].number = (double)ca_tally_unanswered(tally);
    cells[CREATED].number = (double)create.count;
    description_cells_fill(cells + CREATE, &create);
    cells[SEARCH].number = moments_mean(&tally->search);
    cells[TCP_CONNECT].number = moments_mean(&tally->tcp_connect);
    cells[HELLO].number = moments_mean(&tally->hello);
    cells[FIRST_VALUE].number = moments_mean(&tally->first_value);
}

/* What kept its clients waiting longest, all in all, comes first. */
static double
weigh_row(void *rows, unsigned row)
{
    const struct ca_tally *tally = groups_value(((struct rows *)rows)->servers, row);
    return (double)tally->asked_ns;
}

static void
summarize(void *data, GString *text)
{
    const struct rows *rows = data;
    uint64_t channels = 0, created = 0, failed = 0;
    for (unsigned i = 0; i < groups_count(rows->servers); i++) {
        const struct ca_tally *tally = groups_value(rows->servers, i);
        channels += tally->channels;
        created += tally->create.moments.count;
        failed += tally->failed;
    }
    g_string_append_printf(text,
                           "%" PRIu64 " channel%s: %" PRIu64 " created, %" PRIu64 " failed, %" PRIu64 " unanswered.\n"
                           "Means: Search, to the first reply; TCP, from SYN to SYN-ACK; Hello, from there to VERSION; "
                           "Value, to the first.\n",
                           channels, plurality(channels, "", "s"), created, failed, channels - created - failed);
    ca_orphans_write(&rows->orphans, text);
}

void
register_tap_ca_servers(void)
{
    static const struct stat_definition definition = {
        .title = "Channel Access: Servers",
        .argument = "ca,servers",
        .tap = CA_TAP,
        .heading = "from CREATE_CHAN to the answer, of channels that were created",
        .columns = columns,
        .n_columns = N_COLUMNS,
        .open = open_rows,
        .close = close_rows,
        .take = take_event,
        .count = count_rows,
        .fill = fill_row,
        .weight = weigh_row,
        .summarize = summarize,
    };
    stat_table_register(&definition);
}
