/* tap-connects.c
 * -z latency,connects: each attempt to connect, as bcc's tcpconnlat prints them.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "tap-connects.h"

#include <math.h>

#include <wsutil/str_util.h>

#include "intake.h"
#include "names.h"
#include "stat-table.h"

enum column { TIME, IP, SOURCE, DESTINATION, PORT, LATENCY, RESULT, N_COLUMNS };

static const struct stat_column columns[N_COLUMNS] = {
    [TIME] = { "Time", STAT_TEXT },     [IP] = { "IP", STAT_COUNT },
    [SOURCE] = { "Source", STAT_TEXT }, [DESTINATION] = { "Destination", STAT_TEXT },
    [PORT] = { "Port", STAT_COUNT },    [LATENCY] = { "Latency", STAT_TIME },
    [RESULT] = { "Result", STAT_TEXT },
};

struct attempt {
    char *time;
    char *source;
    char *destination;
    uint16_t port;
    bool ipv6;
    enum connect_result result;
    int64_t time_ns; /* -1 while unanswered */
};

struct attempts {
    GArray *rows;        /* of struct attempt */
    GArray *row_numbers; /* by the attempt's number: its row plus one, or 0 */
    uint32_t capture;    /* whose attempts these are */
};

static void
free_attempt(void *data)
{
    struct attempt *attempt = data;
    g_free(attempt->time);
    g_free(attempt->source);
    g_free(attempt->destination);
}

static void *
open_attempts(void)
{
    struct attempts *attempts = g_new0(struct attempts, 1);
    attempts->rows = g_array_new(FALSE, FALSE, sizeof(struct attempt));
    attempts->row_numbers = g_array_new(FALSE, TRUE, sizeof(uint32_t));
    g_array_set_clear_func(attempts->rows, free_attempt);
    return attempts;
}

static void
close_attempts(void *rows)
{
    struct attempts *attempts = rows;
    g_array_free(attempts->rows, TRUE);
    g_array_free(attempts->row_numbers, TRUE);
    g_free(attempts);
}

/* In the local time zone. */
static char *
date_and_time(int64_t ns)
{
    enum { NS_PER_S = 1000000000 };
    GDateTime *time = g_date_time_new_from_unix_local(ns / NS_PER_S);
    char *seconds = time ? g_date_time_format(time, "%F %T") : g_strdup("?");
    char *text = g_strdup_printf("%s.%09d", seconds, (int)(ns % NS_PER_S));
    g_free(seconds);
    if (time)
        g_date_time_unref(time);
    return text;
}

static uint32_t
row_of(struct attempts *attempts, const struct connection *connection)
{
    uint32_t number = connection->connect.number;
    /* tshark can go on to another capture, and counts on. */
    if (attempts->capture != intake_capture())
        g_array_set_size(attempts->row_numbers, 0);
    attempts->capture = intake_capture();
    if (attempts->row_numbers->len <= number)
        g_array_set_size(attempts->row_numbers, number + 1);
    uint32_t *row = &g_array_index(attempts->row_numbers, uint32_t, number);
    if (*row == 0) {
        struct attempt attempt = {
            .time = date_and_time(connection->connect.syn_ns),
            .source = address_name(NULL, connection_client(connection), connection->ipv6),
            .destination = address_name(NULL, connection_server(connection), connection->ipv6),
            .port = connection_server(connection)->port,
            .ipv6 = connection->ipv6,
        };
        g_array_append_val(attempts->rows, attempt);
        *row = attempts->rows->len;
    }
    return *row - 1;
}

static int
take_item(void *rows, const struct item *item)
{
    if ((item->kind != ITEM_SYN && item->kind != ITEM_ANSWER) || item->connection->connect.number == 0)
        return -1;
    uint32_t row = row_of(rows, item->connection);
    struct attempt *attempt = &g_array_index(((struct attempts *)rows)->rows, struct attempt, row);
    attempt->result = item->connection->connect.result;
    attempt->time_ns = item->connection->connect.time_ns;
    return (int)row;
}

static unsigned
count_rows(void *rows)
{
    return ((struct attempts *)rows)->rows->len;
}

static void
fill_row(void *rows, unsigned row, union stat_cell *cells)
{
    const struct attempt *attempt = &g_array_index(((struct attempts *)rows)->rows, struct attempt, row);
    cells[TIME].text = attempt->time;
    cells[IP].number = attempt->ipv6 ? 6 : 4;
    cells[SOURCE].text = attempt->source;
    cells[DESTINATION].text = attempt->destination;
    cells[PORT].number = attempt->port;
    cells[LATENCY].number = attempt->time_ns < 0 ? NAN : (double)attempt->time_ns;
    cells[RESULT].text = val_to_str_const(attempt->result, connect_result_names, "");
}

static void
summarize(void *rows, GString *text)
{
    struct attempts *attempts = rows;
    unsigned counts[CONNECT_UNREACHABLE + 1] = { 0 };
    for (unsigned i = 0; i < attempts->rows->len; i++)
        counts[g_array_index(attempts->rows, struct attempt, i).result]++;
    g_string_append_printf(text, "%u attempt%s: %u accepted, %u refused, %u unreachable, %u unanswered.",
                           attempts->rows->len, plurality(attempts->rows->len, "", "s"), counts[CONNECT_ACCEPTED],
                           counts[CONNECT_REFUSED], counts[CONNECT_UNREACHABLE], counts[CONNECT_UNANSWERED]);
}

void
register_tap_connects(void)
{
    static const struct stat_definition definition = {
        .title = "Latency: Connection Attempts",
        .argument = "latency,connects",
        .heading = "from the first SYN to its first answer",
        .columns = columns,
        .n_columns = N_COLUMNS,
        .open = open_attempts,
        .close = close_attempts,
        .take = take_item,
        .count = count_rows,
        .fill = fill_row,
        .summarize = summarize,
    };
    stat_table_register(&definition);
}
