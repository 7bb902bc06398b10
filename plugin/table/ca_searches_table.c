/* ca_searches_table.c
 * -z ca,searches and -z pva,searches: the names that were searched for, and who answered; in pvAccess also who asked.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "table.h"

#include <inttypes.h>
#include <math.h>

#include <wsutil/str_util.h>

#include "../core/analysis.h"
#include "../core/ca/ca_event.h"
#include "../core/pva/pva_protocol.h"
#include "../core/stats/ca_searched.h"
#include "../core/util/printable.h"
#include "notes.h"
#include "by_number.h"
#include "table_rows.h"
#include "names.h"

/* The first is of pvAccess alone: Channel Access has those behind it. The last is the one without bounds, and the one
 * that may contain a "|". */
#define COLUMNS(X)                                                                                                     \
    X(CLIENT, TEXT, "Client", "client")                                                                                \
    X(SEARCHES, COUNT, "Searches", "searches")                                                                         \
    X(UNANSWERED, COUNT, "Unanswered", "unanswered", .head = "Unans.", .alarms = true)                                 \
    X(ATTEMPTS, COUNT, "Attempts", "attempts")                                                                         \
    X(MEAN, TIME, "Mean", "mean")                                                                                      \
    X(MAX_TIME, TIME, "Max", "max")                                                                                    \
    X(SERVERS, NUMBER, "Servers", "server_count", .wide = true)                                                        \
    X(ANSWERED_BY, TEXT, "Answered by", "answered_by")                                                                 \
    X(NAME, TEXT, "Name", "name")

static TABLE_COLUMNS(columns, COLUMNS);

struct rows {
    struct table_rows table; /* of struct ca_searched */
    struct by_number shares; /* of struct ca_searched_share */
};

static void
clear_name(void *name)
{
    ca_searched_clear(name);
}

static const struct table_sums names = { sizeof(struct ca_searched), clear_name, NULL };

static void
open_rows(void *data)
{
    struct rows *rows = data;
    by_number_init(&rows->shares, rows->table.source, sizeof(struct ca_searched_share));
}

static void
close_rows(void *rows)
{
    by_number_clear(&((struct rows *)rows)->shares);
}

static int
take_event(void *data, const void *record)
{
    struct rows *rows = data;
    const struct ca_event *event = record;
    const struct ca_search *search = event->subject.search;
    if (!search || event->protocol != rows->table.definition->protocol)
        return -1;
    const struct group_key key =
        ca_searched_key(&rows->table.source->analysis->channels->searches, rows->table.definition->protocol, search);
    unsigned row = groups_row(rows->table.groups, &key);
    ca_searched_take(table_row(rows, row), by_number_at(&rows->shares, event->subject.number),
                     &rows->table.source->analysis->channels->searches, search);
    return (int)row;
}

/* The servers that answered. */
static const char *
name_servers(wmem_allocator_t *scope, const struct table_source *source, const struct ca_searched *searched)
{
    wmem_strbuf_t *text = wmem_strbuf_new(scope, "");
    for (unsigned i = 0; i < ca_searched_servers(searched); i++) {
        const struct ca_answerer *server = ca_searched_server(searched, i);
        wmem_strbuf_append_printf(text, "%s%s", i ? " " : "",
                                  endpoint_name(scope, source, &server->endpoint, server->ipv6));
    }
    return wmem_strbuf_get_str(text);
}

static void
fill_row(void *data, unsigned row, union table_cell *cells, wmem_allocator_t *scope)
{
    const struct rows *rows = data;
    const struct ca_searched *searched = table_row(rows, row);
    const struct group_key *key = groups_key(rows->table.groups, row);
    const struct moments *time = &searched->time.moments;
    if (rows->table.definition->protocol == &circuit_of_channel_access)
        cells -= SEARCHES;
    else
        cells[CLIENT].text = address_name(scope, rows->table.source, &key->client, key->ipv6);
    cells[SEARCHES].number = (double)searched->searches;
    cells[UNANSWERED].number = (double)(searched->searches - time->count);
    cells[ATTEMPTS].number = (double)searched->attempts;
    cells[MEAN].number = moments_mean(time);
    cells[MAX_TIME].number = time->count ? (double)time->max : NAN;
    cells[SERVERS].number = ca_searched_servers(searched);
    cells[ANSWERED_BY].text = name_servers(scope, rows->table.source, searched);
    cells[NAME].text = printable_text(scope, key->kind);
}

/* Names that no server has come first, by how often they were asked for; then those that several have; then those that
 * took longest. */
static double
weigh_row(void *rows, unsigned row)
{
    static const double more_than_attempts = 1e18;
    const struct ca_searched *searched = table_row(rows, row);
    unsigned servers = ca_searched_servers(searched);
    if (servers == 0)
        return 2 * more_than_attempts + (double)searched->attempts;
    return (servers > 1 ? more_than_attempts : 0) + (double)searched->time.moments.max;
}

static void
summarize(void *rows, GString *text)
{
    unsigned count = table_count(rows), nobody = 0, several = 0;
    uint64_t searches = 0;
    for (unsigned i = 0; i < count; i++) {
        const struct ca_searched *name = table_row(rows, i);
        searches += name->searches;
        nobody += ca_searched_servers(name) == 0;
        several += ca_searched_servers(name) > 1;
    }
    g_string_append_printf(
        text, "%u name%s in %" PRIu64 " search%s: %u answered by no server, %u by one, %u by several.\n", count,
        plurality(count, "", "s"), searches, plurality(searches, "", "es"), nobody, count - nobody - several, several);
}

#define SEARCHES_TABLE                                                                                                 \
    .takes_events = true, .last_at = 1, .bytes = sizeof(struct rows), .sums = &names, .open = open_rows,               \
    .close = close_rows, .take = take_event, .fill = fill_row, .weight = weigh_row, .is_ranked = true,                 \
    .summarize = summarize

const struct table_definition ca_searches_table = {
    .title = "Channel Access: Searches",
    .heading = "Channel Access searches, from the first to its reply",
    .argument = "ca,searches",
    .columns = columns + 1,
    .protocol = &circuit_of_channel_access,
    .absence = absence_of_channel_access,
    SEARCHES_TABLE,
};

const struct table_definition pva_searches_table = {
    .title = "pvAccess: Searches",
    .heading = "pvAccess searches, from the first to its reply",
    .argument = "pva,searches",
    .columns = columns,
    .protocol = &circuit_of_pvaccess,
    .absence = absence_of_pvaccess,
    SEARCHES_TABLE,
};
