/* ca_servers_table.c
 * -z ca,servers and -z pva,servers: how fast each server created the channels it was asked for.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "tables.h"

#include "../core/analysis.h"
#include "../core/pva/pva_protocol.h"
#include "../core/stats/ca_server_tally.h"
#include "../core/stats/groups.h"
#include "ca_server_row.h"
#include "absence.h"
#include "by_number.h"
#include "ca_orphans.h"
#include "names.h"
#include "observer.h"
#include "one_sided.h"

struct rows {
    struct table_source *source;
    const struct circuit_protocol *protocol;
    struct groups *servers;    /* of struct ca_server_tally */
    struct by_number channels; /* of struct ca_share */
    struct by_number circuits; /* of struct ca_share */
    struct ca_orphans orphans;
    struct one_sided sides;
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
    return groups_row(rows->servers,
                      &(struct group_key){ .server = circuit->server, .kind = "", .ipv6 = circuit->ipv6 });
}

/* Looks again at the channels that were waiting. */
static void
settle_all(void *data)
{
    struct rows *rows = data;
    if (!rows->source->analysis || rows->channels.capture != rows->source->number)
        return;
    for (uint32_t number = 1; number < by_number_count(&rows->channels); number++) {
        struct ca_share *share = by_number_at(&rows->channels, number);
        const struct ca_channel *channel = ca_channel_at(rows->source->analysis->channels, number);
        struct ca_server_tally *server =
            share->waiting ? groups_value(rows->servers, row_of(rows, channel->create.circuit)) : NULL;
        if (server)
            ca_tally_settle(&server->counts, share, channel, rows->source->last_ns);
    }
}

static void *
open_rows_of(struct table_source *source, const struct circuit_protocol *protocol)
{
    struct rows *rows = g_new0(struct rows, 1);
    rows->source = source;
    rows->protocol = protocol;
    rows->sides.source = source;
    rows->servers = groups_new(sizeof(struct ca_server_tally), clear_server);
    by_number_init(&rows->channels, rows->source, sizeof(struct ca_share));
    by_number_init(&rows->circuits, rows->source, sizeof(struct ca_share));
    ca_orphans_init(&rows->orphans, rows->source);
    rows->observer = (struct observer){ .data = rows, .end = settle_all };
    observer_add(rows->source, &rows->observer);
    return rows;
}

static void *
open_ca_rows(struct table_source *source)
{
    return open_rows_of(source, &circuit_of_channel_access);
}

static void *
open_pva_rows(struct table_source *source)
{
    return open_rows_of(source, &circuit_of_pvaccess);
}

static void
close_rows(void *data)
{
    struct rows *rows = data;
    observer_remove(rows->source, &rows->observer);
    groups_free(rows->servers);
    by_number_clear(&rows->channels);
    by_number_clear(&rows->circuits);
    ca_orphans_clear(&rows->orphans);
    g_free(rows);
}

static void
take_channel(const struct rows *rows, struct ca_server_tally *server, struct ca_share *share,
             const struct ca_channel *channel)
{
    const struct ca_search *search = ca_search_at(&rows->source->analysis->channels->searches, channel->search);
    ca_server_tally_take_channel(server, share, channel, search, rows->source->last_ns);
}

static int
take_event(void *data, const void *record)
{
    struct rows *rows = data;
    const struct ca_event *event = record;
    const struct ca_channel *channel = event->subject.channel;
    if (event->protocol != rows->protocol)
        return -1;
    uint32_t number = ca_orphans_pass(&rows->orphans, event);
    if (!event->circuit || (!number && event->kind != CA_HELLO))
        return -1;
    unsigned row = row_of(rows, event->circuit);
    struct ca_server_tally *server = groups_value(rows->servers, row);
    ca_tally_take_circuit(&server->counts, by_number_at(&rows->circuits, event->circuit->number), event->circuit);
    if (number)
        one_sided_take_create(&rows->sides, &channel->create);
    if (number)
        take_channel(rows, server, by_number_at(&rows->channels, number), channel);
    return (int)row;
}

static void *
row_at(void *rows, const struct group_key *key)
{
    return groups_at(((struct rows *)rows)->servers, key);
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
    struct ca_server_tally *server = groups_value(rows->servers, row);
    struct description create;
    sample_describe(&server->create, &create);
    ca_server_row_fill(cells, endpoint_name(scope, rows->source, &key->server, key->ipv6), &server->counts, &create);
}

/* What kept its clients waiting longest, all in all, comes first. */
static double
weigh_row(void *rows, unsigned row)
{
    const struct ca_server_tally *server = groups_value(((struct rows *)rows)->servers, row);
    return wide_double(server->counts.asked_ns);
}

static void
summarize(void *data, GString *text)
{
    struct rows *rows = data;
    struct ca_tally sum = { 0 };
    settle_all(rows);
    for (unsigned i = 0; i < groups_count(rows->servers); i++)
        ca_tally_merge(&sum, &((const struct ca_server_tally *)groups_value(rows->servers, i))->counts);
    ca_server_row_summarize(text, &sum, rows->protocol == &circuit_of_pvaccess ? PVA_HELLO_ENDS : CA_HELLO_ENDS);
    ca_orphans_write(&rows->orphans, text);
}

static const struct one_sided *
sides(const void *rows)
{
    return &((const struct rows *)rows)->sides;
}

#define SERVERS_TABLE                                                                                                  \
    .takes_events = true, .columns = ca_server_columns, .close = close_rows, .take = take_event, .at = row_at,         \
    .count = count_rows, .fill = fill_row, .weight = weigh_row, .is_ranked = true, .adds_up = true,                    \
    .summarize = summarize, .one_sided = sides

const struct table_definition ca_servers_table = {
    SERVERS_TABLE,
    .title = CA_SERVERS_TITLE,
    .argument = "ca,servers",
    .heading = CA_SERVERS_HEADING,
    .open = open_ca_rows,
    .absence = absence_of_channel_access,
};

const struct table_definition pva_servers_table = {
    SERVERS_TABLE,         .title = PVA_SERVERS_TITLE,     .argument = "pva,servers", .heading = PVA_SERVERS_HEADING,
    .open = open_pva_rows, .absence = absence_of_pvaccess,
};
