/* summary_table.c
 * -z latency,summary: the answer in a few lines: what the capture is, what clients waited for, what failed, and what
 * the network did. latency-scan prints it where no table is asked for.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "table.h"

#include <inttypes.h>
#include <string.h>

#include "../core/analysis.h"
#include "../core/points/point.h"
#include "../core/pva/pva_protocol.h"
#include "by_number.h"
#include "call_source.h"
#include "notes.h"
#include "observer.h"
#include "summary_channels.h"
#include "summary_pairs.h"
#include "summary_texts.h"
#include "summary_waits.h"
#include "table_rows.h"
#include "text_number.h"

enum { STATUSES_MOST = 250, SHOWN_PAIRS = 2 };

#define COLUMNS(X)                                                                                                     \
    X(TEXT, TEXT, "Summary", "summary")                                                                                \
    X(COMMAND, TEXT, "More", "more")

static TABLE_COLUMNS(columns, COLUMNS);

/* What is known of a request. */
struct noted {
    uint8_t status; /* number of an error's status, plus one; 0: it is none */
    bool counts : 1;
    bool is_cut : 1; /* by the snap length */
};

struct rows {
    struct table_rows table;
    struct by_number noted;                /* of struct noted, by request */
    GPtrArray *statuses;                   /* of char *: errors' */
    uint64_t status_counts[STATUSES_MOST]; /* of errors that have them, once they have been counted */
    struct summary_pairs pairs;
    struct observer observer;
    uint64_t frames, cut;        /* the latter: requests */
    bool has_ended;              /* the capture that was read last */
    struct summary_lines *lines; /* NULL before they are made */
};

/* The first frame behind a capture's end is another's (tshark's -b and -M), of which the summary is then. */
static void
count_frame(void *data, const int64_t *time_ns G_GNUC_UNUSED)
{
    struct rows *rows = data;
    if (rows->has_ended) {
        summary_pairs_forget(&rows->pairs);
        rows->table.omitted = (struct omitted){ 0 };
        rows->frames = rows->cut = 0;
    }
    rows->has_ended = false;
    rows->frames++;
}

static void
note_end(void *data)
{
    ((struct rows *)data)->has_ended = true;
}

static void
open_rows(void *data)
{
    struct rows *rows = data;
    struct table_source *source = rows->table.source;
    by_number_init(&rows->noted, source, sizeof(struct noted));
    rows->statuses = g_ptr_array_new_with_free_func(g_free);
    rows->observer = (struct observer){ .data = rows, .frame = count_frame, .end = note_end };
    summary_pairs_open(&rows->pairs, source);
    observer_add(source, &rows->observer);
    call_source_want(source);
}

static void
close_rows(void *data)
{
    struct rows *rows = data;
    call_source_leave(rows->table.source);
    observer_remove(rows->table.source, &rows->observer);
    summary_pairs_close(&rows->pairs);
    by_number_clear(&rows->noted);
    g_ptr_array_free(rows->statuses, TRUE);
    if (rows->lines)
        summary_lines_free(rows->lines);
}

/* Returns the number of a status, plus one; that of "" for those that are too many. */
static uint8_t
number_status(struct rows *rows, const char *status)
{
    for (unsigned i = 0; i < rows->statuses->len; i++)
        if (strcmp(g_ptr_array_index(rows->statuses, i), status) == 0)
            return (uint8_t)(i + 1);
    if (rows->statuses->len == STATUSES_MOST)
        return *status ? number_status(rows, "") : 1;
    g_ptr_array_add(rows->statuses, rows->statuses->len + 1 < STATUSES_MOST ? g_strdup(status) : g_strdup(""));
    return (uint8_t)rows->statuses->len;
}

static void
take_request(struct rows *rows, const struct request *request)
{
    struct noted *noted = by_number_at(&rows->noted, request->number);
    noted->counts = tls_turn_role(request) == TLS_NONE;
    rows->cut += request->cut && !noted->is_cut;
    noted->is_cut |= request->cut;
    if (noted->status == 0 && request->response.first_frame && request_has_error(request))
        noted->status =
            number_status(rows, request->response.failed ? request->response.status : outcome_name(OUTCOME_TRUNCATED));
}

static int
take_item(void *data, const void *record)
{
    struct rows *rows = data;
    const struct request *request = item_request(record);
    omitted_take(&rows->table.omitted, record);
    summary_pairs_take(&rows->pairs, record);
    if (request)
        take_request(rows, request);
    return -1;
}

static bool
counts(void *data, uint32_t number)
{
    struct rows *rows = data;
    return ((const struct noted *)by_number_at(&rows->noted, number))->counts;
}

static void
count_statuses(struct rows *rows, const struct calls *calls)
{
    for (uint32_t number = 1; number <= calls_last(calls); number++) {
        const struct call *call = calls_find(calls, number);
        const struct noted *noted = by_number_at(&rows->noted, number);
        if (call && noted->counts && noted->status > 0 && call->failed)
            rows->status_counts[noted->status - 1]++;
    }
}

static const char *
status_of(const void *data, unsigned number, uint64_t *count)
{
    const struct rows *rows = data;
    if (number >= rows->statuses->len)
        return NULL;
    *count = rows->status_counts[number];
    return g_ptr_array_index(rows->statuses, number);
}

static void
add_capture(const struct rows *rows, const struct causes *causes, wmem_allocator_t *scope)
{
    const struct table_source *source = rows->table.source;
    const double span_ns = (double)(source->last_ns - source->start_ns);
    GString *text = g_string_new("Summary: ");
    g_string_append_printf(text, "%s in %s, ", summary_count(scope, rows->frames, "packet", "packets"),
                           summary_time(scope, span_ns));
    g_string_append_printf(text, "%s, ",
                           summary_count(scope, source->analysis->n_connections, "connection", "connections"));
    g_string_append(text, summary_count(scope, causes->all.requests, "request", "requests"));
    g_string_append(text, causes->all.requests > 0 ? ": " : "");
    summary_waits_write_protocols(causes, text);
    g_string_append_c(text, '.');
    summary_add(source, rows->lines, SUMMARY_CAPTURE, text, NULL);
}

/* Says what of the way in which the capture was taken matters to what follows. */
static void
add_taken(const struct rows *rows, const struct summary_pair *sum, wmem_allocator_t *scope)
{
    const struct table_source *source = rows->table.source;
    const struct omitted *omitted = &rows->table.omitted;
    const unsigned points = points_count(source->analysis->points);
    GString *text = g_string_new(NULL);
    if (rows->pairs.begun_before > 0)
        g_string_append_printf(text, "%s had begun before the capture. ",
                               summary_count(scope, rows->pairs.begun_before, "connection", "connections"));
    if (sum->gaps > 0)
        g_string_append_printf(text, "IP IDs have %s, where packets may be missing. ",
                               summary_count(scope, sum->gaps, "gap", "gaps"));
    if (rows->cut > 0)
        g_string_append_printf(text, "The snap length cuts %s. ",
                               summary_count(scope, rows->cut, "request", "requests"));
    if (omitted->duplicates > 0)
        g_string_append_printf(
            text, "%s left out. ",
            summary_count(scope, omitted->duplicates, "second copy of a frame is", "second copies of frames are"));
    if (points > 1)
        g_string_append_printf(text, "Packets seen at several of %u capture points count once. ", points);
    if (text->len == 0) {
        g_string_free(text, TRUE);
        return;
    }
    g_string_truncate(text, text->len - 1);
    summary_add(source, rows->lines, SUMMARY_TAKEN, text,
                points > 1      ? "latency,stages"
                : sum->gaps > 0 ? "latency,packets"
                                : NULL);
}

/* Appends "between 10.0.0.1 and 10.0.0.2:80". */
static void
append_pair(const struct rows *rows, unsigned row, wmem_allocator_t *scope, GString *text)
{
    const struct group_key *key = groups_key(rows->pairs.pairs, row);
    const struct table_source *source = rows->table.source;
    g_string_append_printf(text, "between %s and %s", summary_host(scope, source, &key->client, key->ipv6),
                           summary_server(scope, source, &key->server, key->ipv6));
}

static const struct summary_pair *
pair_at(const struct rows *rows, unsigned row)
{
    return groups_value(rows->pairs.pairs, row);
}

/* Appends the words for what became of the pair's attempts that failed. */
static void
append_results(const struct summary_pair *pair, GString *text)
{
    static const enum connect_result failures[] = { CONNECT_REFUSED, CONNECT_UNREACHABLE, CONNECT_UNANSWERED };
    const char *before = " (";
    for (unsigned i = 0; i < G_N_ELEMENTS(failures); i++) {
        if (pair->results[failures[i]] == 0)
            continue;
        g_string_append_printf(text, "%s%s", before, connect_result_name(failures[i]));
        before = ", ";
    }
    g_string_append_c(text, ')');
}

static void
add_not_connected(const struct rows *rows, const struct summary_pair *sum, wmem_allocator_t *scope)
{
    const uint64_t failed = (uint64_t)summary_pair_failed(sum);
    uint64_t rest = failed;
    unsigned row = UINT_MAX;
    if (failed == 0)
        return;
    GString *text = g_string_new(NULL);
    g_string_append_printf(text, "Not connected: %" PRIu64 " of %s", failed,
                           summary_count(scope, sum->attempts, "attempt", "attempts"));
    for (unsigned shown = 0; shown < SHOWN_PAIRS && rest > 0; shown++) {
        row = summary_pairs_highest(&rows->pairs, summary_pair_failed, row);
        if (row == UINT_MAX)
            break;
        const uint64_t of_pair = (uint64_t)summary_pair_failed(pair_at(rows, row));
        g_string_append_printf(text, "%s%" PRIu64 " ", shown > 0 ? ", " : ": ", of_pair);
        append_pair(rows, row, scope, text);
        append_results(pair_at(rows, row), text);
        rest -= of_pair;
    }
    if (rest > 0)
        g_string_append_printf(text, ", %" PRIu64 " of others", rest);
    g_string_append_c(text, '.');
    summary_add(rows->table.source, rows->lines, SUMMARY_FAILED, text, "latency,connects");
}

static void
add_network(const struct rows *rows, const struct summary_pair *sum, wmem_allocator_t *scope)
{
    const unsigned worst = summary_pairs_highest(&rows->pairs, summary_pair_sent_again, UINT_MAX);
    const unsigned longest = summary_pairs_highest(&rows->pairs, summary_pair_round_trip, UINT_MAX);
    if (worst == UINT_MAX && longest == UINT_MAX)
        return;
    GString *text = g_string_new("Network: ");
    if (worst != UINT_MAX) {
        g_string_append_printf(
            text, "%s of %s with payload %s sent again (%s), ", number_grouped(scope, (double)sum->sent_again),
            summary_count(scope, sum->packets, "packet", "packets"), sum->sent_again == 1 ? "was" : "were",
            summary_share(scope, (double)sum->sent_again, (double)sum->packets));
        if (pair_at(rows, worst)->sent_again < sum->sent_again)
            g_string_append_printf(text, "%" PRIu64 " of them ", pair_at(rows, worst)->sent_again);
        append_pair(rows, worst, scope, text);
        g_string_append(text, ". ");
    }
    if (longest != UINT_MAX) {
        const struct summary_pair *pair = pair_at(rows, longest);
        g_string_append_printf(text, "%s mean round trip is %s, ", worst != UINT_MAX ? "The longest" : "the longest",
                               summary_time(scope, summary_pair_round_trip(pair)));
        append_pair(rows, longest, scope, text);
        g_string_append_printf(text, " (%s). ", summary_count(scope, pair->round_trips, "handshake", "handshakes"));
    }
    g_string_truncate(text, text->len - 1);
    summary_add(rows->table.source, rows->lines, SUMMARY_NETWORK, text,
                worst != UINT_MAX ? "latency,packets" : "latency,connections");
}

/* Says in a line what there is none of. */
static void
add_nothing_failed(const struct rows *rows, const struct causes *causes, const struct summary_pair *sum)
{
    const struct cause *all = &causes->all;
    const struct {
        bool holds;
        const char *text;
    } facts[] = {
        { all->answered > 0 && all->errors == 0, "no errors" },
        { all->requests > 0 && all->unanswered + all->waiting == 0, "all requests answered" },
        { sum->attempts > 0 && sum->results[CONNECT_ACCEPTED] == sum->attempts, "all connections accepted" },
        { sum->packets > 0 && sum->sent_again == 0, "nothing sent again" },
    };
    GString *text = g_string_new(NULL);
    for (unsigned i = 0; i < G_N_ELEMENTS(facts); i++)
        if (facts[i].holds)
            g_string_append_printf(text, "%s%s", text->len > 0 ? "; " : "", facts[i].text);
    if (text->len == 0) {
        g_string_free(text, TRUE);
        return;
    }
    text->str[0] = g_ascii_toupper(text->str[0]);
    g_string_append_c(text, '.');
    summary_add(rows->table.source, rows->lines, SUMMARY_NOTHING_FAILED, text, NULL);
}

static void
add_channels(const struct rows *rows)
{
    for (const struct circuit_protocol *const *protocol = circuit_protocols; *protocol; protocol++) {
        GString *text = g_string_new(NULL);
        const char *table = summary_channels_write(rows->table.source, *protocol, text);
        if (table)
            summary_add(rows->table.source, rows->lines, SUMMARY_CHANNELS, text, table);
        else
            g_string_free(text, TRUE);
    }
}

/* Says why there are no requests, if that lies in the capture. */
static void
add_absence(const struct rows *rows)
{
    GString *text = g_string_new(NULL);
    absence_of_requests(rows->table.source, text);
    g_strchomp(text->str);
    if (*text->str)
        summary_add(rows->table.source, rows->lines, SUMMARY_FAILED, text, NULL);
    else
        g_string_free(text, TRUE);
}

static void
make_lines(struct rows *rows, const struct calls *calls)
{
    struct table_source *source = rows->table.source;
    wmem_allocator_t *scope = wmem_allocator_new(WMEM_ALLOCATOR_SIMPLE);
    struct causes causes;
    causes_find(&causes, calls, counts, rows);
    count_statuses(rows, calls);
    const struct summary_pair sum = summary_pairs_settle(&rows->pairs);
    const struct summary_waits waits = { source, &causes, status_of, rows };
    add_capture(rows, &causes, scope);
    add_taken(rows, &sum, scope);
    if (causes.all.requests == 0)
        add_absence(rows);
    summary_waits_add_causes(&waits, rows->lines);
    add_channels(rows);
    summary_waits_add_errors(&waits, rows->lines);
    summary_waits_add_unanswered(&waits, rows->lines);
    add_not_connected(rows, &sum, scope);
    add_nothing_failed(rows, &causes, &sum);
    add_network(rows, &sum, scope);
    causes_clear(&causes);
    wmem_destroy_allocator(scope);
}

/* Makes the lines, once; there are none of a capture without packets. */
static unsigned
count_paragraphs(void *data)
{
    struct rows *rows = data;
    if (!rows->lines) {
        rows->lines = summary_lines_new();
        const struct calls *calls = rows->frames > 0 ? call_source_told(rows->table.source) : NULL;
        if (calls)
            make_lines(rows, calls);
    }
    return summary_lines_count(rows->lines);
}

static void
fill_row(void *data, unsigned row, union table_cell *cells, wmem_allocator_t *scope G_GNUC_UNUSED)
{
    const struct rows *rows = data;
    cells[TEXT].text = summary_lines_text(rows->lines, row);
    cells[COMMAND].text = summary_lines_command(rows->lines, row);
}

/* Writes nothing: all is in the rows. */
static void
summarize(void *rows G_GNUC_UNUSED, GString *text G_GNUC_UNUSED)
{
}

static void
print(void *data, const char *notes, FILE *file)
{
    struct rows *rows = data;
    struct summary_lines *more = summary_lines_new();
    char **noted = g_strsplit(notes, "\n", -1);
    count_paragraphs(data);
    for (char **note = noted; *note; note++)
        if (**note)
            summary_lines_add(more, 0, *note, NULL);
    char **below = summary_lines_make(more, 0), **lines = summary_lines_make(rows->lines, g_strv_length(below) + 1);
    fputc('\n', file);
    for (char **line = lines; *line; line++)
        fprintf(file, "%s\n", *line);
    for (char **line = below; *line; line++)
        fprintf(file, "%s\n", *line);
    g_strfreev(below);
    g_strfreev(lines);
    g_strfreev(noted);
    summary_lines_free(more);
}

const struct table_definition summary_table = {
    .shows_operations = true,
    .title = "Latency: Summary",
    .heading = "Summary",
    .argument = "latency,summary",
    .columns = columns,
    .bytes = sizeof(struct rows),
    .open = open_rows,
    .close = close_rows,
    .take = take_item,
    .count = count_paragraphs,
    .fill = fill_row,
    .is_of_whole = true,
    .print = print,
    .summarize = summarize,
    .absence = absence_of_tcp,
};
