/* ca_searches_table.c
 * -z ca,searches and -z pva,searches: the names that were searched for, and who answered; in pvAccess also who asked.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "tables.h"

#include "../core/analysis.h"
#include "../core/ca/ca_event.h"
#include "../core/pva/pva_protocol.h"
#include "../core/util/printable.h"
#include "absence.h"
#include "by_number.h"
#include "ca_search_row.h"
#include "names.h"

struct rows {
    const struct table_source *source;
    const struct circuit_protocol *protocol;
    struct groups *names;    /* of struct ca_searched */
    struct by_number shares; /* of struct ca_searched_share */
};

static void
clear_name(void *name)
{
    ca_searched_clear(name);
}

static void *
open_rows_of(struct table_source *source, const struct circuit_protocol *protocol)
{
    struct rows *rows = g_new(struct rows, 1);
    rows->source = source;
    rows->protocol = protocol;
    rows->names = groups_new(sizeof(struct ca_searched), clear_name);
    by_number_init(&rows->shares, rows->source, sizeof(struct ca_searched_share));
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
    groups_free(rows->names);
    by_number_clear(&rows->shares);
    g_free(rows);
}

static int
take_event(void *data, const void *record)
{
    struct rows *rows = data;
    const struct ca_event *event = record;
    const struct ca_search *search = event->subject.search;
    if (!search || event->protocol != rows->protocol)
        return -1;
    const struct group_key key = ca_searched_key(&rows->source->analysis->channels->searches, rows->protocol, search);
    unsigned row = groups_row(rows->names, &key);
    ca_searched_take(groups_value(rows->names, row), by_number_at(&rows->shares, event->subject.number),
                     &rows->source->analysis->channels->searches, search);
    return (int)row;
}

static void *
row_at(void *rows, const struct group_key *key)
{
    return groups_at(((struct rows *)rows)->names, key);
}

static unsigned
count_rows(void *rows)
{
    return groups_count(((struct rows *)rows)->names);
}

static const char *
name_server(const void *source, wmem_allocator_t *scope, const struct ca_answerer *server)
{
    return endpoint_name(scope, source, &server->endpoint, server->ipv6);
}

static void
fill_row(void *data, unsigned row, union table_cell *cells, wmem_allocator_t *scope)
{
    const struct rows *rows = data;
    const struct ca_searched *name = groups_value(rows->names, row);
    const struct group_key *key = groups_key(rows->names, row);
    bool has_client = rows->protocol != &circuit_of_channel_access;
    ca_search_row_fill(cells, has_client ? address_name(scope, rows->source, &key->client, key->ipv6) : NULL,
                       ca_search_row_servers(scope, name, name_server, rows->source), printable_text(scope, key->kind),
                       name);
}

static double
weigh_row(void *rows, unsigned row)
{
    return ca_search_row_weigh(groups_value(((struct rows *)rows)->names, row));
}

static void
summarize(void *rows, GString *text)
{
    ca_search_row_summarize(text, ((struct rows *)rows)->names);
}

#define SEARCHES_TABLE                                                                                                 \
    .takes_events = true, .close = close_rows, .take = take_event, .at = row_at, .count = count_rows, .fill = fill_row,              \
    .weight = weigh_row, .is_ranked = true, .summarize = summarize

const struct table_definition ca_searches_table = {
    SEARCHES_TABLE,
    .title = CA_SEARCHES_TITLE,
    .argument = "ca,searches",
    .heading = SEARCHES_HEADING,
    .columns = pva_search_columns + 1,
    .last_at = 1,
    .open = open_ca_rows,
    .absence = absence_of_channel_access,
};

const struct table_definition pva_searches_table = {
    SEARCHES_TABLE,
    .title = PVA_SEARCHES_TITLE,
    .argument = "pva,searches",
    .heading = SEARCHES_HEADING,
    .columns = pva_search_columns,
    .last_at = 1,
    .open = open_pva_rows,
    .absence = absence_of_pvaccess,
};
