/* slow.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "slow.h"

#include <inttypes.h>
#include <string.h>

#include <wsutil/str_util.h>

#include "core/analysis.h"
#include "ended.h"
#include "meanwhile.h"
#include "preferences.h"
#include "table/names.h"
#include "table/terminal.h"
#include "table/text_shortened.h"
#include "table/text_table.h"

#define COLUMNS(X)                                                                                                     \
    X(FRAME, FRAME, "Frame", "request_frame")                                                                          \
    X(TIME, TIMESTAMP, "Time", "request_time")                                                                         \
    X(CLIENT, TEXT, "Client", "client", .wide = true)                                                                  \
    X(DURATION, TIME, "Duration", "last_byte", .is_wait = true)                                                        \
    X(FIRST_BYTE, TIME, "TTFB", "first_byte", .is_wait = true)                                                         \
    X(MOSTLY, TEXT, "Mostly", "mostly", .usual = 8)                                                                    \
    X(RESENT, COUNT, "Sent again", "retransmissions", .wide = true, .alarms = true)                                    \
    X(OUTCOME, TEXT, "Outcome", "outcome", .wide = true, .alarms = true)                                               \
    X(STATUS, TEXT, "Status", "status", .alarms = true, .usual = 10)                                                   \
    X(SERVER, TEXT, "Server", "server", .wide = true)                                                                  \
    X(OPERATION, TEXT, "Operation", "operation", .shrinks = true)                                                      \
    X(WAITED_FOR, TEXT, "Waited for", "waited_for")                                                                    \
    X(WAITED_TIME, TIME, "Waited", "waited_for_time")                                                                  \
    X(ASKED_FOR, TEXT, "Asked while", "asked_while")

static TABLE_COLUMNS(columns, COLUMNS);

struct slow {
    int64_t least_ns;
    struct table_column text_columns[WAITED_FOR + 1]; /* of text, which has the others in lines of their own */
    struct meanwhile *meanwhile;
    uint64_t printed;
    struct table_source *source;
    struct ended_requests *ended;
};

/* Names what the client waited for more than half of the time: the rest of its request, the way there and back, the
 * server, or the response's rest; "service", between both ways, where the handshake does not tell the ways. "" if
 * nothing had that much. */
static const char *
mostly(const struct request *request, const struct measured *measured)
{
    const int64_t service_ns = request_service(request), server_ns = measured->server_time_ns;
    const struct {
        const char *word;
        int64_t ns;
    } parts[] = {
        { "request", MAX(request->last_ns - request->first_ns, 0) },
        { "network", server_ns >= 0 ? service_ns - server_ns : 0 },
        { server_ns >= 0 ? "server" : "service", server_ns >= 0 ? server_ns : service_ns },
        { "transfer",
          measured->wait == WAIT_FOR_LAST_BYTE ? MAX(request->response.last_ns - request->response.first_ns, 0) : 0 },
    };
    const int64_t wait_ns = measured_wait_ns(measured);
    for (unsigned i = 0; i < G_N_ELEMENTS(parts); i++)
        if (parts[i].ns > wait_ns / 2)
            return parts[i].word;
    return "";
}

/* For struct text_table. */
struct slow_row {
    const struct ended *ended;
    const struct table_source *source;
    const struct slow *slow;
};

/* Names a request as "GET /report @ 10.77.0.2:80". */
static char *
name_request(wmem_allocator_t *scope, const struct table_source *source, const char *operation,
             const struct endpoint *server, bool ipv6)
{
    return wmem_strdup_printf(scope, "%s%s%s", operation, *operation ? TEXT_AT : "",
                              endpoint_name(scope, source, server, ipv6));
}

/* Returns what most of the request's wait was for, of what its server asked others; NULL if that is not known. */
static const struct waited_for *
waited_for_of(const struct ended *ended)
{
    const struct waited_for *waited_for = meanwhile_waited_for(ended->begun);
    const bool is_most = waited_for && ended->measured.answered && ended->measured.wait != WAIT_FOR_EVENT &&
                         waited_for->ns > measured_wait_ns(&ended->measured) / 2;
    return is_most ? waited_for : NULL;
}

/* Returns the status. Where outcomes have no column of their own, returns the outcome of a request that has no whole
 * answer. */
static const char *
status_text(const struct table_source *source, const struct request *request, enum outcome outcome)
{
    const bool has_outcomes = source->format != TABLE_TEXT || source->shows_wide;
    const bool is_answered = outcome_says(outcome) == OUTCOME_HAS_ANSWER;
    return has_outcomes || is_answered ? request->response.status : outcome_name(outcome);
}

static void
fill(void *data, unsigned row G_GNUC_UNUSED, union table_cell *cells, wmem_allocator_t *scope)
{
    const struct slow_row *shown = data;
    const struct request *request = shown->ended->request;
    const struct measured *measured = &shown->ended->measured;
    const struct endpoint client = request_client(request);
    const enum outcome outcome = request_outcome(&shown->source->analysis->requests, request);
    cells[FRAME].number = request->first_frame;
    cells[TIME].timestamp_ns = request->first_ns;
    cells[CLIENT].text = endpoint_name(scope, shown->source, &client, request->connection->ipv6);
    cells[SERVER].text =
        endpoint_name(scope, shown->source, connection_server(request->connection), request->connection->ipv6);
    cells[DURATION].number = time_cell(measured->answered ? measured->last_byte_ns : -1);
    cells[FIRST_BYTE].number = time_cell(measured->answered ? measured->first_byte_ns : -1);
    cells[FIRST_BYTE].is_awaited = true;
    cells[DURATION].is_awaited = measured->wait == WAIT_FOR_LAST_BYTE;
    cells[MOSTLY].text = measured->answered ? mostly(request, measured) : "";
    cells[RESENT].number = request->retransmissions;
    cells[OUTCOME].text = outcome_name(outcome);
    cells[OUTCOME].is_bad = (outcome_says(outcome) & (OUTCOME_IS_UNANSWERED | OUTCOME_IS_ERROR)) != 0;
    cells[STATUS].text = status_text(shown->source, request, outcome);
    cells[STATUS].is_bad = request->response.failed || cells[OUTCOME].is_bad;
    cells[OPERATION].text = shown->ended->operation;
    const struct waited_for *waited_for = waited_for_of(shown->ended);
    const struct request *asked = meanwhile_asked(shown->slow->meanwhile, shown->ended->begun);
    cells[WAITED_FOR].text =
        waited_for ? name_request(scope, shown->source, waited_for->operation, &waited_for->server, waited_for->ipv6)
                   : "";
    cells[WAITED_TIME].number = time_cell(waited_for ? waited_for->ns : -1);
    cells[ASKED_FOR].text = asked ? name_request(scope, shown->source, asked->operation,
                                                 connection_server(asked->connection), asked->connection->ipv6)
                                  : "";
}

static struct text_table
table_of(const struct slow *slow, struct slow_row *row)
{
    const struct table_source *source = slow->source;
    return (struct text_table){
        .argument = "--slow",
        .format = source->format,
        .shows_wide = source->shows_wide,
        .heading = "Slow requests, as they end",
        .notes = "",
        .columns = source->format == TABLE_TEXT ? slow->text_columns : columns,
        .n_rows = row ? 1 : 0,
        .fill = fill,
        .timestamp = source->texts->timestamp,
        .start_ns = source->start_ns,
        .slow_ns = source->settings->slow_ns,
        .rows = row,
    };
}

/* Whether its client waited so long, or waits so long in vain. What a long poll waits for is not the server. */
static bool
is_slow(const struct slow *slow, const struct ended *ended)
{
    const struct measured *measured = &ended->measured;
    if (measured->answered)
        return measured->wait != WAIT_FOR_EVENT && measured_wait_ns(measured) >= slow->least_ns;
    return slow->source->last_ns - ended->request->first_ns >= slow->least_ns;
}

/* Prints a line below a request's row, cut to 80 columns. */
static void
print_below(wmem_allocator_t *scope, const char *what, const char *name, const char *behind)
{
    enum { ROOM = 80 };
    const struct terminal terminal = terminal_of(stdout);
    const bool has_unicode = terminal.columns == 0 || terminal.has_unicode;
    const int width = ROOM - (int)(strlen(what) + strlen(behind));
    printf("%s%s%s\n", what, text_shortened(scope, name, width, has_unicode), behind);
}

/* Says what the request waited for, and for what it was asked, as far as that is known. */
static void
print_meanwhile(const struct slow *slow, const struct ended *ended)
{
    wmem_allocator_t *scope = wmem_allocator_new(WMEM_ALLOCATOR_SIMPLE);
    const struct waited_for *waited_for = waited_for_of(ended);
    const struct request *asked = meanwhile_asked(slow->meanwhile, ended->begun);
    if (waited_for) {
        const double share = 100.0 * (double)waited_for->ns / (double)measured_wait_ns(&ended->measured);
        print_below(scope, "        its server waited for ",
                    name_request(scope, slow->source, waited_for->operation, &waited_for->server, waited_for->ipv6),
                    wmem_strdup_printf(scope, " (%u %%)", (unsigned)MIN(share, 100.0)));
    }
    if (asked)
        print_below(scope, "        asked during ",
                    name_request(scope, slow->source, asked->operation, connection_server(asked->connection),
                                 asked->connection->ipv6),
                    "");
    wmem_destroy_allocator(scope);
}

static void *
take_begun(void *data, const struct request *request)
{
    const struct slow *slow = data;
    return meanwhile_begin(slow->meanwhile, request);
}

static void
take_over(void *data, void *begun, bool still_waits G_GNUC_UNUSED)
{
    const struct slow *slow = data;
    meanwhile_over(slow->meanwhile, begun);
}

static void
take_ended(void *data, const struct ended *ended)
{
    struct slow *slow = data;
    struct slow_row row = { ended, slow->source, slow };
    meanwhile_end(slow->meanwhile, ended->begun, ended);
    if (!is_slow(slow, ended) || ended->told_ns >= slow->least_ns)
        return;
    const struct text_table table = table_of(slow, &row);
    text_table_print_row(&table, 0, stdout);
    if (slow->source->format == TABLE_TEXT)
        print_meanwhile(slow, ended);
    fflush(stdout);
    slow->printed++;
}

struct slow *
slow_new(int64_t least_ns)
{
    struct slow *slow = g_new0(struct slow, 1);
    slow->least_ns = least_ns;
    slow->meanwhile = meanwhile_new();
    memcpy(slow->text_columns, columns, WAITED_FOR * sizeof *columns);
    return slow;
}

void
slow_free(struct slow *slow)
{
    meanwhile_free(slow->meanwhile);
    g_free(slow);
}

void
slow_begin(struct slow *slow, struct scan *scan)
{
    slow->source = scan_source(scan);
    slow->source->format = preferences_table_format();
    slow->source->shows_wide = preferences_show_wide();
    slow->ended = ended_requests_new(
        scan, &(struct ended_listener){
                  .data = slow, .begun = take_begun, .over = take_over, .ended = take_ended, .early = true });
    const struct text_table table = table_of(slow, NULL);
    text_table_print_head(&table, stdout);
    fflush(stdout);
    slow->source->has_printed = true;
}

void
slow_finish(struct slow *slow)
{
    ended_requests_finish(slow->ended);
    if (slow->source->format == TABLE_TEXT)
        printf("%" PRIu64 " slow %s.\n", slow->printed, plurality(slow->printed, "request", "requests"));
}

void
slow_end(struct slow *slow)
{
    ended_requests_free(slow->ended);
    slow->ended = NULL;
}
