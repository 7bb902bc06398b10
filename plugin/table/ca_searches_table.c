/* ca_searches_table.c
 * -z ca,searches and -z pva,searches: the names that were searched for, and who answered; in pvAccess also who asked.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "tables.h"

#include <inttypes.h>
#include <math.h>

#include <wsutil/str_util.h>

#include "../core/analysis.h"
#include "../core/ca/ca_event.h"
#include "../core/pva/pva_protocol.h"
#include "../core/stats/ca_searched.h"
#include "../core/stats/groups.h"
#include "../core/util/printable.h"
#include "absence.h"
#include "by_number.h"
#include "names.h"

/* CLIENT: of pvAccess alone. */
enum column { CLIENT, SEARCHES, UNANSWERED, ATTEMPTS, MEAN, MAX_TIME, SERVERS, ANSWERED_BY, NAME, N_COLUMNS };

static const struct table_column columns[N_COLUMNS] = {
    [CLIENT] = { "Client", CELL_TEXT, NULL },
    [SEARCHES] = { "Searches", CELL_COUNT, NULL },
    [UNANSWERED] = { "Unanswered", CELL_COUNT, NULL },
    [ATTEMPTS] = { "Attempts", CELL_COUNT, NULL },
    [MEAN] = { "Mean", CELL_TIME, NULL },
    [MAX_TIME] = { "Max", CELL_TIME, NULL },
    [SERVERS] = { "Servers", CELL_COUNT, NULL },
    [ANSWERED_BY] = { "Answered by", CELL_TEXT, NULL },
    /* Last, for it is the one without bounds, and the one that may contain a "|". */
    [NAME] = { "Name", CELL_TEXT, NULL },
};

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

static unsigned
count_rows(void *rows)
{
    return groups_count(((struct rows *)rows)->names);
}

static const char *
servers_text(wmem_allocator_t *scope, const struct rows *rows, const struct ca_searched *name)
{
    wmem_strbuf_t *text = wmem_strbuf_new(scope, "");
    for (unsigned i = 0; i < ca_searched_servers(name); i++) {
        const struct ca_answerer *server = ca_searched_server(name, i);
        wmem_strbuf_append_printf(text, "%s%s", i ? " " : "",
                                  endpoint_name(scope, rows->source, &server->endpoint, server->ipv6));
    }
    return wmem_strbuf_get_str(text);
}

static void
fill_row(void *data, unsigned row, union table_cell *cells, wmem_allocator_t *scope)
{
    const struct rows *rows = data;
    const struct ca_searched *name = groups_value(rows->names, row);
    const struct group_key *key = groups_key(rows->names, row);
    if (rows->protocol == &circuit_of_channel_access)
        cells -= SEARCHES;
    else
        cells[CLIENT].text = address_name(scope, rows->source, &key->client, key->ipv6);
    cells[SEARCHES].number = (double)name->searches;
    cells[UNANSWERED].number = (double)(name->searches - name->time.moments.count);
    cells[ATTEMPTS].number = (double)name->attempts;
    cells[MEAN].number = moments_mean(&name->time.moments);
    cells[MAX_TIME].number = name->time.moments.count ? (double)name->time.moments.max : NAN;
    cells[SERVERS].number = ca_searched_servers(name);
    cells[ANSWERED_BY].text = servers_text(scope, rows, name);
    cells[NAME].text = printable_text(scope, key->kind);
}

/* Names that no server has come first, by how often they were asked for; then those that several have; then those that
 * took longest. */
static double
weigh_row(void *rows, unsigned row)
{
    static const double more_than_attempts = 1e18;
    const struct ca_searched *name = groups_value(((struct rows *)rows)->names, row);
    unsigned servers = ca_searched_servers(name);
    if (servers == 0)
        return 2 * more_than_attempts + (double)name->attempts;
    return (servers > 1 ? more_than_attempts : 0) + (double)name->time.moments.max;
}

static void
summarize(void *data, GString *text)
{
    const struct rows *rows = data;
    unsigned names = groups_count(rows->names), nobody = 0, several = 0;
    uint64_t searches = 0;
    for (unsigned i = 0; i < names; i++) {
        const struct ca_searched *name = groups_value(rows->names, i);
        searches += name->searches;
        nobody += ca_searched_servers(name) == 0;
        several += ca_searched_servers(name) > 1;
    }
    g_string_append_printf(
        text, "%u name%s in %" PRIu64 " search%s: %u answered by no server, %u by one, %u by several.\n", names,
        plurality(names, "", "s"), searches, plurality(searches, "", "es"), nobody, names - nobody - several, several);
}

#define SEARCHES_TABLE                                                                                                 \
    .takes_events = true, .close = close_rows, .take = take_event, .count = count_rows, .fill = fill_row,              \
    .weight = weigh_row, .is_ranked = true, .summarize = summarize

const struct table_definition ca_searches_table = {
    SEARCHES_TABLE,
    .title = "Channel Access: Searches",
    .argument = "ca,searches",
    .heading = "from a client's first SEARCH for a name to the first reply",
    .columns = columns + SEARCHES,
    .n_columns = N_COLUMNS - SEARCHES,
    .last_at = 1,
    .open = open_ca_rows,
    .absence = absence_of_channel_access,
};

const struct table_definition pva_searches_table = {
    SEARCHES_TABLE,
    .title = "pvAccess: Searches",
    .argument = "pva,searches",
    .heading = "from a client's first SEARCH for a name to the first reply",
    .columns = columns,
    .n_columns = N_COLUMNS,
    .last_at = 1,
    .open = open_pva_rows,
    .absence = absence_of_pvaccess,
};
