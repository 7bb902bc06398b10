/* tap-connects.c
 * -z latency,connects: each attempt to connect, as bcc's tcpconnlat prints them.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "taps.h"

#include <wsutil/str_util.h>

#include "../core/connection.h"
#include "../core/item.h"
#include "by-number.h"
#include "left-out.h"
#include "names.h"
#include "packet-latency.h"
#include "stat-table.h"

enum column { TIME, IP, SOURCE, DESTINATION, PORT, LATENCY, RESULT, N_COLUMNS };

static const struct table_column columns[N_COLUMNS] = {
    [TIME] = { "Time", CELL_MOMENT, NULL },   [IP] = { "IP", CELL_COUNT, NULL },
    [SOURCE] = { "Source", CELL_TEXT, NULL }, [DESTINATION] = { "Destination", CELL_TEXT, NULL },
    [PORT] = { "Port", CELL_COUNT, NULL },    [LATENCY] = { "Latency", CELL_TIME, NULL },
    [RESULT] = { "Result", CELL_TEXT, NULL },
};

struct attempt {
    int64_t syn_ns;
    int64_t time_ns; /* -1 while unanswered */
    struct endpoint client, server;
    bool ipv6;
    uint8_t result;
};

struct attempts {
    GArray *rows;             /* of struct attempt */
    struct by_number numbers; /* of uint32_t: an attempt's row plus one, or 0 */
    struct left_out left_out;
};

static void *
open_attempts(void)
{
    struct attempts *attempts = g_new0(struct attempts, 1);
    attempts->rows = g_array_new(FALSE, FALSE, sizeof(struct attempt));
    by_number_init(&attempts->numbers, sizeof(uint32_t));
    return attempts;
}

static void
close_attempts(void *rows)
{
    struct attempts *attempts = rows;
    g_array_free(attempts->rows, TRUE);
    by_number_clear(&attempts->numbers);
    g_free(attempts);
}

static int
take_item(void *rows, const void *record)
{
    struct attempts *attempts = rows;
    const struct item *item = record;
    const struct connection *attempt = item_attempt(item);
    left_out_take(&attempts->left_out, item);
    if (!attempt)
        return -1;
    uint32_t *number = by_number_at(&attempts->numbers, attempt->connect.number);
    if (*number == 0) {
        g_array_set_size(attempts->rows, attempts->rows->len + 1);
        *number = attempts->rows->len;
    }
    g_array_index(attempts->rows, struct attempt, *number - 1) = (struct attempt){
        .syn_ns = attempt->connect.syn_ns,
        .time_ns = attempt->connect.time_ns,
        .client = *connection_client(attempt),
        .server = *connection_server(attempt),
        .ipv6 = attempt->ipv6,
        .result = (uint8_t)attempt->connect.result,
    };
    return (int)*number - 1;
}

static unsigned
count_rows(void *rows)
{
    return ((struct attempts *)rows)->rows->len;
}

static void
fill_row(void *rows, unsigned row, union table_cell *cells, wmem_allocator_t *scope)
{
    const struct attempt *attempt = &g_array_index(((struct attempts *)rows)->rows, struct attempt, row);
    cells[TIME].moment_ns = attempt->syn_ns;
    cells[IP].number = attempt->ipv6 ? 6 : 4;
    cells[SOURCE].text = address_name(scope, &attempt->client, attempt->ipv6);
    cells[DESTINATION].text = address_name(scope, &attempt->server, attempt->ipv6);
    cells[PORT].number = attempt->server.port;
    cells[LATENCY].number = time_cell(attempt->time_ns);
    cells[RESULT].text = val_to_str_const(attempt->result, connect_result_names, "");
}

static void
summarize(void *rows, GString *text)
{
    const GArray *attempts = ((struct attempts *)rows)->rows;
    struct left_out left_out = ((struct attempts *)rows)->left_out;
    unsigned counts[CONNECT_RESULTS] = { 0 };
    for (unsigned i = 0; i < attempts->len; i++)
        counts[g_array_index(attempts, struct attempt, i).result]++;
    g_string_append_printf(text, "%u attempt%s: %u accepted, %u refused, %u unreachable, %u unanswered.\n",
                           attempts->len, plurality(attempts->len, "", "s"), counts[CONNECT_ACCEPTED],
                           counts[CONNECT_REFUSED], counts[CONNECT_UNREACHABLE], counts[CONNECT_UNANSWERED]);
    left_out.unsolicited = 0; /* payload */
    left_out_write(&left_out, text);
}

void
register_tap_connects(void)
{
    static const struct stat_definition definition = {
        .title = "Latency: Connection Attempts",
        .argument = "latency,connects",
        .tap = LATENCY_TAP,
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
