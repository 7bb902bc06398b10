/* tap-packets.c
 * -z latency,packets: packet by packet, whether what each host sends arrives whole and in order.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "taps.h"

#include <inttypes.h>

#include <wsutil/str_util.h>

#include "../core/packet-tally.h"
#include "left-out.h"
#include "names.h"
#include "packet-latency.h"
#include "stat-table.h"

enum column { SENDER, SERVER, FRAMES, IPID, GAPS, MISSING, OUT_OF_ORDER, RETRANSMITTED, SHORT, N_COLUMNS };

static const struct table_column columns[N_COLUMNS] = {
    [SENDER] = { "Sender", CELL_TEXT, NULL },
    [SERVER] = { "Server", CELL_TEXT, NULL },
    [FRAMES] = { "Frames", CELL_COUNT, NULL },
    [IPID] = { "IP ID", CELL_TEXT, NULL },
    [GAPS] = { "Gaps", CELL_COUNT, NULL },
    [MISSING] = { "IDs missing", CELL_COUNT, "IDs\nmissing" },
    [OUT_OF_ORDER] = { "Out of order", CELL_COUNT, "Out of\norder" },
    [RETRANSMITTED] = { "Retransmitted", CELL_COUNT, "Retrans-\nmitted" },
    [SHORT] = { "Short", CELL_COUNT, NULL },
};

struct sender_row {
    struct endpoint sender; /* port 0 */
    struct endpoint server;
    bool ipv6;
    unsigned row;
    struct packet_tally tally;
};

struct sender_rows {
    GHashTable *by_key;
    GPtrArray *rows; /* of struct sender_row */
    struct left_out left_out;
};

static unsigned
hash_sender(const void *key)
{
    const struct sender_row *row = key;
    return wmem_strong_hash((const uint8_t *)&row->sender, 2 * sizeof row->sender);
}

static int
equal_senders(const void *a, const void *b)
{
    const struct sender_row *x = a;
    const struct sender_row *y = b;
    return x->ipv6 == y->ipv6 && endpoint_equal(&x->sender, &y->sender) && endpoint_equal(&x->server, &y->server);
}

static void *
open_senders(void)
{
    struct sender_rows *rows = g_new(struct sender_rows, 1);
    *rows = (struct sender_rows){
        .by_key = g_hash_table_new(hash_sender, equal_senders),
        .rows = g_ptr_array_new_with_free_func(g_free),
    };
    return rows;
}

static void
close_senders(void *data)
{
    struct sender_rows *rows = data;
    g_hash_table_destroy(rows->by_key);
    g_ptr_array_free(rows->rows, TRUE);
    g_free(rows);
}

static struct sender_row *
row_of(struct sender_rows *rows, const struct connection *connection, uint8_t sender)
{
    struct sender_row key = {
        .sender = connection->endpoint[sender],
        .server = *connection_server(connection),
        .ipv6 = connection->ipv6,
    };
    key.sender.port = 0;
    struct sender_row *row = g_hash_table_lookup(rows->by_key, &key);
    if (!row) {
        row = g_new(struct sender_row, 1);
        *row = key;
        row->row = rows->rows->len;
        g_hash_table_add(rows->by_key, row);
        g_ptr_array_add(rows->rows, row);
    }
    return row;
}

static int
take_item(void *data, const void *record)
{
    struct sender_rows *rows = data;
    const struct item *item = record;
    const struct connection *connection = item_payload(item);
    left_out_take(&rows->left_out, item);
    if (!connection)
        return -1;
    struct sender_row *row = row_of(rows, connection, item->sender);
    packet_tally_take(&row->tally, item);
    return (int)row->row;
}

static unsigned
count_rows(void *rows)
{
    return ((struct sender_rows *)rows)->rows->len;
}

static void
fill_row(void *rows, unsigned number, union table_cell *cells, wmem_allocator_t *scope)
{
    const struct sender_row *row = g_ptr_array_index(((struct sender_rows *)rows)->rows, number);
    const struct packet_tally *tally = &row->tally;
    cells[SENDER].text = address_name(scope, &row->sender, row->ipv6);
    cells[SERVER].text = endpoint_name(scope, &row->server, row->ipv6);
    cells[FRAMES].number = (double)tally->frames;
    cells[IPID].text = val_to_str_const(ipid_steps_behaviour(&tally->steps), ipid_names, "");
    cells[GAPS].number = (double)tally->gaps;
    cells[MISSING].number = (double)tally->missing;
    cells[OUT_OF_ORDER].number = (double)tally->out_of_order;
    cells[RETRANSMITTED].number = (double)tally->retransmitted;
    cells[SHORT].number = (double)tally->unfilled;
}

static double
weigh_row(void *rows, unsigned number)
{
    const struct sender_row *row = g_ptr_array_index(((struct sender_rows *)rows)->rows, number);
    return (double)(row->tally.gaps + row->tally.out_of_order + row->tally.retransmitted);
}

static void
summarize(void *data, GString *text)
{
    const struct sender_rows *rows = data;
    struct left_out left_out = rows->left_out;
    uint64_t frames = 0;
    for (unsigned i = 0; i < rows->rows->len; i++)
        frames += ((struct sender_row *)g_ptr_array_index(rows->rows, i))->tally.frames;
    g_string_append_printf(text, "%" PRIu64 " frame%s with payload.\n", frames, plurality(frames, "", "s"));
    left_out.unsolicited = 0; /* counted here */
    left_out_write(&left_out, text);
}

void
register_tap_packets(void)
{
    static const struct stat_definition definition = {
        .title = "Latency: Packets",
        .argument = "latency,packets",
        .tap = LATENCY_TAP,
        .heading = "the frames with payload of each sender, next to the ones before them",
        .columns = columns,
        .n_columns = N_COLUMNS,
        .open = open_senders,
        .close = close_senders,
        .take = take_item,
        .count = count_rows,
        .fill = fill_row,
        .weight = weigh_row,
        .summarize = summarize,
    };
    stat_table_register(&definition);
}
