/* tap-connections.c
 * -z latency,connections: how long each client's connections to each server took.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "taps.h"

#include <inttypes.h>

#include <wsutil/str_util.h>

#include "../core/packet-tally.h"
#include "../table/connect-tally-row.h"
#include "by-number.h"
#include "intake.h"
#include "names.h"
#include "packet-latency.h"
#include "stat-table.h"

struct pair {
    struct endpoint client; /* port 0 */
    struct endpoint server;
    bool ipv6;
    unsigned row;
    struct connect_tally tally;
};

struct pairs {
    GHashTable *by_key;
    GPtrArray *rows;         /* of struct pair */
    struct by_number shares; /* of struct connect_share */
    /* Connections whose SYN was not captured, by their address: of this capture, and how many before it. */
    GHashTable *begun_before;
    uint32_t capture;
    uint64_t begun_before_earlier;
};

static unsigned
hash_pair(const void *key)
{
    const struct pair *pair = key;
    return wmem_strong_hash((const uint8_t *)&pair->client, 2 * sizeof pair->client);
}

static int
equal_pairs(const void *a, const void *b)
{
    const struct pair *x = a;
    const struct pair *y = b;
    return x->ipv6 == y->ipv6 && endpoint_equal(&x->client, &y->client) && endpoint_equal(&x->server, &y->server);
}

static void
free_pair(void *data)
{
    struct pair *pair = data;
    connect_tally_clear(&pair->tally);
    g_free(pair);
}

static void *
open_pairs(void)
{
    struct pairs *pairs = g_new(struct pairs, 1);
    *pairs = (struct pairs){
        .by_key = g_hash_table_new(hash_pair, equal_pairs),
        .rows = g_ptr_array_new_with_free_func(free_pair),
        .begun_before = g_hash_table_new(NULL, NULL),
    };
    by_number_init(&pairs->shares, sizeof(struct connect_share));
    return pairs;
}

static void
close_pairs(void *rows)
{
    struct pairs *pairs = rows;
    g_hash_table_destroy(pairs->by_key);
    g_hash_table_destroy(pairs->begun_before);
    g_ptr_array_free(pairs->rows, TRUE);
    by_number_clear(&pairs->shares);
    g_free(pairs);
}

static struct pair *
pair_of(struct pairs *pairs, const struct connection *connection)
{
    struct pair key = {
        .client = *connection_client(connection),
        .server = *connection_server(connection),
        .ipv6 = connection->ipv6,
    };
    key.client.port = 0;
    struct pair *pair = g_hash_table_lookup(pairs->by_key, &key);
    if (!pair) {
        pair = g_new(struct pair, 1);
        *pair = key;
        pair->row = pairs->rows->len;
        connect_tally_init(&pair->tally);
        g_hash_table_add(pairs->by_key, pair);
        g_ptr_array_add(pairs->rows, pair);
    }
    return pair;
}

static void
note_begun_before(struct pairs *pairs, const struct connection *connection)
{
    if (pairs->capture != intake_capture()) {
        pairs->begun_before_earlier += g_hash_table_size(pairs->begun_before);
        g_hash_table_remove_all(pairs->begun_before);
    }
    pairs->capture = intake_capture();
    g_hash_table_add(pairs->begun_before, (void *)connection);
}

static int
take_item(void *rows, const void *record)
{
    struct pairs *pairs = rows;
    const struct item *item = record;
    const struct connection *payload = item_payload(item);
    if (payload && payload->connect.number == 0)
        note_begun_before(pairs, payload);
    const struct connection *attempt = item_attempt(item);
    if (!attempt)
        return -1;
    const struct connect *connect = &attempt->connect;
    g_hash_table_remove(pairs->begun_before, attempt);
    struct pair *pair = pair_of(pairs, attempt);
    connect_tally_take(&pair->tally, by_number_at(&pairs->shares, connect->number), connect);
    return (int)pair->row;
}

static unsigned
count_rows(void *rows)
{
    return ((struct pairs *)rows)->rows->len;
}

static void
fill_row(void *rows, unsigned row, union table_cell *cells, wmem_allocator_t *scope)
{
    struct pair *pair = g_ptr_array_index(((struct pairs *)rows)->rows, row);
    struct description time;
    sample_describe(&pair->tally.time, &time);
    connect_tally_row_fill(cells, address_name(scope, &pair->client, pair->ipv6),
                           endpoint_name(scope, &pair->server, pair->ipv6), &pair->tally, &time);
}

static double
weigh_row(void *rows, unsigned row)
{
    const struct pair *pair = g_ptr_array_index(((struct pairs *)rows)->rows, row);
    return (double)pair->tally.time.moments.sum;
}

static void
summarize(void *rows, GString *text)
{
    const struct pairs *pairs = rows;
    uint64_t attempts = 0, unanswered = 0;
    uint64_t before = pairs->begun_before_earlier + g_hash_table_size(pairs->begun_before);
    for (unsigned i = 0; i < pairs->rows->len; i++) {
        const struct pair *pair = g_ptr_array_index(pairs->rows, i);
        attempts += pair->tally.attempts;
        unanswered += pair->tally.results[CONNECT_UNANSWERED];
    }
    g_string_append_printf(text, "%" PRIu64 " attempt%s, %" PRIu64 " unanswered.\n", attempts,
                           plurality(attempts, "", "s"), unanswered);
    if (before)
        g_string_append_printf(text, "Left out: %" PRIu64 " connection%s whose SYN was not captured.\n", before,
                               plurality(before, "", "s"));
}

void
register_tap_connections(void)
{
    static const struct stat_definition definition = {
        .title = "Latency: Connections",
        .argument = "latency,connections",
        .tap = LATENCY_TAP,
        .heading = "from the first SYN to its first answer, by client and server",
        .columns = connection_columns,
        .n_columns = CONNECTION_COLUMNS,
        .open = open_pairs,
        .close = close_pairs,
        .take = take_item,
        .count = count_rows,
        .fill = fill_row,
        .weight = weigh_row,
        .summarize = summarize,
    };
    stat_table_register(&definition);
}
