/* protocols_table.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "protocols_table.h"

#include <inttypes.h>

#include <wsutil/str_util.h>

#include "../../core/stats/sample.h"
#include "../../table/names.h"
#include "../../table/table_rows.h"
#include "protocol_fields.h"
#include "protocol_pairs.h"

#define COLUMNS(X)                                                                                                     \
    X(PROTOCOL, TEXT, "Protocol", "protocol")                                                                          \
    X(SERVER, TEXT, "Server", "server")                                                                                \
    X(REQUESTS, COUNT, "Requests", "requests", .head = "Reqs")                                                         \
    X(ERRORS, COUNT, "Errors", "errors", .head = "Err", .alarms = true)                                                \
    X(UNANSWERED, COUNT, "Unanswered", "unanswered", .head = "Unans.", .alarms = true)                                 \
    X(TOTAL, TIME, "Total", "total", .wide = true, .is_sum = true)                                                     \
    X(SHARE, SHARE, "Share", "share")                                                                                  \
    DESCRIPTION_COLUMNS(X, TIME)

static TABLE_COLUMNS(columns, COLUMNS);

/* Of a protocol, whom somebody has spoken to. */
struct peer {
    GHashTable *waiting; /* frames that may have asked */
    GHashTable *answered;
    struct sample elapsed;
    uint64_t errors;
    unsigned row; /* plus one: those who have answered have one */
};

struct rows {
    struct table_rows table; /* of struct peer */
    GArray *rows;            /* of unsigned: the peer's number */
};

static void
clear_peer(void *data)
{
    struct peer *peer = data;
    sample_clear(&peer->elapsed);
    if (peer->waiting)
        g_hash_table_destroy(peer->waiting);
    if (peer->answered)
        g_hash_table_destroy(peer->answered);
}

static const struct table_sums peers = { sizeof(struct peer), clear_peer, NULL };

static void
open_rows(void *rows)
{
    ((struct rows *)rows)->rows = g_array_new(FALSE, FALSE, sizeof(unsigned));
    protocol_pairs_want();
}

static void
close_rows(void *rows)
{
    g_array_free(((struct rows *)rows)->rows, TRUE);
}

static void
take_answer(struct peer *peer, const struct protocol_pair *pair)
{
    void *frame = GUINT_TO_POINTER(pair->request);
    g_hash_table_remove(peer->waiting, frame);
    /* The first answer counts; and several fields may say the same. */
    if (!g_hash_table_add(peer->answered, frame))
        return;
    sample_add(&peer->elapsed, pair->elapsed_ns);
    peer->errors += pair->failed;
}

static int
take_pair(void *data, const void *record)
{
    struct rows *rows = data;
    const struct protocol_pair *pair = record;
    const struct group_key key = { .server = pair->server, .kind = pair->protocol, .ipv6 = pair->ipv6 };
    const unsigned number = groups_row(rows->table.groups, &key);
    struct peer *peer = table_row(rows, number);
    if (!peer->waiting) {
        peer->waiting = g_hash_table_new(NULL, NULL);
        peer->answered = g_hash_table_new(NULL, NULL);
    }
    if (pair->is_answered)
        take_answer(peer, pair);
    else if (!g_hash_table_contains(peer->answered, GUINT_TO_POINTER(pair->request)))
        g_hash_table_add(peer->waiting, GUINT_TO_POINTER(pair->request));
    if (peer->row == 0 && pair->is_answered) {
        g_array_append_val(rows->rows, number);
        peer->row = rows->rows->len;
    }
    return (int)peer->row - 1;
}

static unsigned
count_rows(void *data)
{
    return ((struct rows *)data)->rows->len;
}

static struct peer *
peer_of(const struct rows *rows, unsigned row)
{
    return table_row(rows, g_array_index(rows->rows, unsigned, row));
}

static const char *
server_name(const struct rows *rows, const struct group_key *key, wmem_allocator_t *scope)
{
    return key->server.port ? endpoint_name(scope, rows->table.source, &key->server, key->ipv6)
                            : address_name(scope, rows->table.source, &key->server, key->ipv6);
}

static double
weigh_row(void *data, unsigned row)
{
    return wide_double(peer_of(data, row)->elapsed.moments.sum);
}

static void
fill_row(void *data, unsigned row, union table_cell *cells, wmem_allocator_t *scope)
{
    const struct rows *rows = data;
    const struct group_key *key = groups_key(rows->table.groups, g_array_index(rows->rows, unsigned, row));
    struct peer *peer = peer_of(rows, row);
    struct description description;
    sample_describe(&peer->elapsed, &description);
    cells[PROTOCOL].text = key->kind;
    cells[SERVER].text = server_name(rows, key, scope);
    cells[REQUESTS].number = (double)description.count + g_hash_table_size(peer->waiting);
    cells[ERRORS].number = (double)peer->errors;
    cells[UNANSWERED].number = g_hash_table_size(peer->waiting);
    cells[TOTAL].number = weigh_row(data, row);
    cells[SHARE].number = table_share(data, row);
    description_cells_fill(cells + MEAN, &description);
}

static void
summarize(void *data, GString *text)
{
    const struct rows *rows = data;
    uint64_t answered = 0, waiting = 0;
    for (unsigned i = 0; i < rows->rows->len; i++) {
        const struct peer *peer = peer_of(rows, i);
        answered += peer->elapsed.moments.count;
        waiting += g_hash_table_size(peer->waiting);
    }
    g_string_append_printf(
        text, "%" PRIu64 " request%s as Wireshark pairs them, %" PRIu64 " answered, %" PRIu64 " unanswered.\n",
        answered + waiting, plurality(answered + waiting, "", "s"), answered, waiting);
}

static void
write_absence(const struct table_source *source, GString *text)
{
    unsigned count;
    char *names = protocol_fields_names(&count);
    g_string_append_printf(
        text, "The capture has none of the %u protocols that Wireshark %s pairs, and the plugin does not: %s.\n", count,
        source->texts->wireshark, names);
    g_free(names);
}

const struct table_definition protocols_table = {
    .title = "Latency: Protocols",
    .argument = "latency,protocols",
    .heading = "Protocols, by the requests and answers that Wireshark pairs",
    .columns = columns,
    .bytes = sizeof(struct rows),
    .sums = &peers,
    .open = open_rows,
    .close = close_rows,
    .take = take_pair,
    .count = count_rows,
    .fill = fill_row,
    .weight = weigh_row,
    .amount = weigh_row,
    .is_ranked = true,
    .adds_up = true,
    .summarize = summarize,
    .absence = write_absence,
};
