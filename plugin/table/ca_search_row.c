/* ca_search_row.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "ca_search_row.h"

#include <inttypes.h>
#include <math.h>

#include <wsutil/str_util.h>

/* The last is the one without bounds, and the one that may contain a "|". */
#define COLUMNS(X)                                                                                                     \
    X(CLIENT, TEXT, "Client", "client", .leaves = 37)                                                                  \
    X(SEARCHES, COUNT, "Searches", "searches")                                                                         \
    X(UNANSWERED, COUNT, "Unanswered", "unanswered")                                                                   \
    X(ATTEMPTS, COUNT, "Attempts", "attempts")                                                                         \
    X(MEAN, TIME, "Mean", "mean")                                                                                      \
    X(MAX_TIME, TIME, "Max", "max")                                                                                    \
    X(SERVERS, NUMBER, "Servers", "server_count")                                                                      \
    X(ANSWERED_BY, TEXT, "Answered by", "answered_by")                                                                 \
    X(NAME, TEXT, "Name", "name")

TABLE_COLUMNS(pva_search_columns, COLUMNS);

void
ca_search_row_fill(union table_cell *cells, const char *client, const char *answered_by, const char *name,
                   const struct ca_searched *searched)
{
    const struct moments *time = &searched->time.moments;
    if (client)
        cells[CLIENT].text = client;
    else
        cells -= SEARCHES;
    cells[SEARCHES].number = (double)searched->searches;
    cells[UNANSWERED].number = (double)(searched->searches - time->count);
    cells[ATTEMPTS].number = (double)searched->attempts;
    cells[MEAN].number = moments_mean(time);
    cells[MAX_TIME].number = time->count ? (double)time->max : NAN;
    cells[SERVERS].number = ca_searched_servers(searched);
    cells[ANSWERED_BY].text = answered_by;
    cells[NAME].text = name;
}

const char *
ca_search_row_servers(wmem_allocator_t *scope, const struct ca_searched *searched, ca_search_row_endpoint endpoint,
                      const void *data)
{
    wmem_strbuf_t *text = wmem_strbuf_new(scope, "");
    for (unsigned i = 0; i < ca_searched_servers(searched); i++)
        wmem_strbuf_append_printf(text, "%s%s", i ? " " : "", endpoint(data, scope, ca_searched_server(searched, i)));
    return wmem_strbuf_get_str(text);
}

/* Names that no server has come first, by how often they were asked for; then those that several have; then those that
 * took longest. */
double
ca_search_row_weigh(const struct ca_searched *searched)
{
    static const double more_than_attempts = 1e18;
    unsigned servers = ca_searched_servers(searched);
    if (servers == 0)
        return 2 * more_than_attempts + (double)searched->attempts;
    return (servers > 1 ? more_than_attempts : 0) + (double)searched->time.moments.max;
}

void
ca_search_row_summarize(GString *text, const struct groups *names)
{
    unsigned count = groups_count(names), nobody = 0, several = 0;
    uint64_t searches = 0;
    for (unsigned i = 0; i < count; i++) {
        const struct ca_searched *name = groups_value(names, i);
        searches += name->searches;
        nobody += ca_searched_servers(name) == 0;
        several += ca_searched_servers(name) > 1;
    }
    g_string_append_printf(
        text, "%u name%s in %" PRIu64 " search%s: %u answered by no server, %u by one, %u by several.\n", count,
        plurality(count, "", "s"), searches, plurality(searches, "", "es"), nobody, count - nobody - several, several);
}
