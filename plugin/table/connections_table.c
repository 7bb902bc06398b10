/* connections_table.c
 * -z latency,connections: how long each client's connections to each server took.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "tables.h"

#include "../core/stats/groups.h"
#include "../core/item_subject.h"
#include "connect_tally_row.h"
#include "absence.h"
#include "awaited.h"
#include "by_number.h"
#include "omitted.h"
#include "names.h"
#include "observer.h"
#include "one_sided.h"

struct rows {
    struct table_source *source;
    struct groups *pairs;    /* of struct connect_tally */
    struct by_number shares; /* of struct connect_share */
    struct omitted omitted;
    struct one_sided sides;
    struct awaited awaited;
    GHashTable *begun_before; /* connections of this capture whose SYN it has not */
    uint64_t begun_before_earlier;
    struct observer observer;
};

static void
clear_tally(void *tally)
{
    connect_tally_clear(tally);
}

static void
forget(void *data, const struct connection *connection)
{
    struct rows *rows = data;
    rows->begun_before_earlier += g_hash_table_remove(rows->begun_before, connection);
}

static void
end_capture(void *data)
{
    struct rows *rows = data;
    rows->begun_before_earlier += g_hash_table_size(rows->begun_before);
    g_hash_table_remove_all(rows->begun_before);
}

static unsigned
row_of(struct rows *rows, const struct connection *connection)
{
    const struct group_key key = group_of_host(connection, connection_client(connection));
    return groups_row(rows->pairs, &key);
}

static unsigned
take_attempt(struct rows *rows, const struct connection *attempt)
{
    const unsigned row = row_of(rows, attempt);
    connect_tally_take(groups_value(rows->pairs, row), by_number_at(&rows->shares, attempt->tcp->connect.number),
                       &attempt->tcp->connect, awaited_result(&rows->awaited, attempt));
    return row;
}

static void
take_again(void *rows, const struct connection *attempt)
{
    take_attempt(rows, attempt);
}

static void *
open_rows(struct table_source *source)
{
    struct rows *rows = g_new(struct rows, 1);
    *rows = (struct rows){
        .source = source,
        .sides.source = source,
        .pairs = groups_new(sizeof(struct connect_tally), clear_tally),
        .begun_before = g_hash_table_new(NULL, NULL),
        .observer = { .data = rows, .forget = forget, .end = end_capture },
    };
    by_number_init(&rows->shares, rows->source, sizeof(struct connect_share));
    awaited_open(&rows->awaited, source, take_again, rows);
    observer_add(rows->source, &rows->observer);
    return rows;
}

static void
close_rows(void *data)
{
    struct rows *rows = data;
    observer_remove(rows->source, &rows->observer);
    awaited_close(&rows->awaited);
    groups_free(rows->pairs);
    g_hash_table_destroy(rows->begun_before);
    by_number_clear(&rows->shares);
    g_free(rows);
}

static int
take_item(void *data, const void *record)
{
    struct rows *rows = data;
    const struct item *item = record;
    const struct connection *payload = item_payload(item);
    const struct connection *attempt = item_attempt(item);
    omitted_take(&rows->omitted, item);
    if (payload && payload->tcp->connect.number == 0)
        g_hash_table_add(rows->begun_before, (void *)payload);
    if (!attempt)
        return -1;
    g_hash_table_remove(rows->begun_before, attempt);
    one_sided_take_attempt(&rows->sides, attempt);
    return (int)take_attempt(rows, attempt);
}

static void
merge_tally(void *tally, const void *other)
{
    connect_tally_merge(tally, other);
}

static void
merge_rows(void *data, void *const *others, unsigned n)
{
    struct rows *rows = data;
    for (unsigned i = 0; i < n; i++) {
        const struct rows *other = others[i];
        groups_merge(rows->pairs, other->pairs, merge_tally);
        omitted_merge(&rows->omitted, &other->omitted);
        rows->begun_before_earlier += other->begun_before_earlier + g_hash_table_size(other->begun_before);
    }
}

static void *
row_at(void *rows, const struct group_key *key)
{
    return groups_at(((struct rows *)rows)->pairs, key);
}

static unsigned
count_rows(void *rows)
{
    return groups_count(((struct rows *)rows)->pairs);
}

static void
fill_row(void *data, unsigned row, union table_cell *cells, wmem_allocator_t *scope)
{
    const struct rows *rows = data;
    const struct group_key *key = groups_key(rows->pairs, row);
    struct connect_tally *tally = groups_value(rows->pairs, row);
    struct description time;
    sample_describe(&tally->time, &time);
    connect_tally_row_fill(cells, address_name(scope, rows->source, &key->client, key->ipv6),
                           endpoint_name(scope, rows->source, &key->server, key->ipv6), tally, &time);
}

static double
weigh_row(void *rows, unsigned row)
{
    const struct connect_tally *tally = groups_value(((struct rows *)rows)->pairs, row);
    return wide_double(tally->time.moments.sum);
}

static void
summarize(void *data, GString *text)
{
    struct rows *rows = data;
    struct omitted omitted = rows->omitted;
    uint64_t attempts = 0, unanswered = 0, waiting = 0;
    awaited_settle(&rows->awaited);
    for (unsigned i = 0; i < groups_count(rows->pairs); i++) {
        const struct connect_tally *tally = groups_value(rows->pairs, i);
        attempts += tally->attempts;
        unanswered += tally->results[CONNECT_UNANSWERED];
        waiting += tally->results[CONNECT_WAITING];
    }
    connect_tally_row_summarize(text, attempts, unanswered, waiting);
    omitted.unsolicited = 0; /* payload */
    omitted.begun_before = rows->begun_before_earlier + g_hash_table_size(rows->begun_before);
    omitted_write(&omitted, text);
}

static const struct one_sided *
sides(const void *rows)
{
    return &((const struct rows *)rows)->sides;
}

const struct table_definition connections_table = {
    .title = CONNECTIONS_TITLE,
    .argument = "latency,connections",
    .heading = CONNECTIONS_HEADING,
    .columns = connection_columns,
    .open = open_rows,
    .close = close_rows,
    .take = take_item,
    .at = row_at,
    .count = count_rows,
    .fill = fill_row,
    .weight = weigh_row,
    .is_ranked = true,
    .adds_up = true,
    .merge = merge_rows,
    .summarize = summarize,
    .absence = absence_of_tcp,
    .one_sided = sides,
};
