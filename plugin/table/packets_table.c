/* packets_table.c
 * -z latency,packets: packet by packet, whether what each host sends arrives whole and in order.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "table.h"

#include <inttypes.h>

#include <wsutil/str_util.h>

#include "../core/item_subject.h"
#include "../core/stats/packet_tally.h"
#include "notes.h"
#include "table_rows.h"
#include "names.h"

#define COLUMNS(X)                                                                                                     \
    X(SENDER, TEXT, "Sender", "sender")                                                                                \
    X(SERVER, TEXT, "Server", "server")                                                                                \
    X(FRAMES, COUNT, "Frames", "payload_frames")                                                                       \
    X(IPID, TEXT, "IP ID", "ipid_behaviour", .wide = true)                                                             \
    X(GAPS, COUNT, "Gaps", "gaps")                                                                                     \
    X(MISSING, COUNT, "IDs missing", "ids_missing", .wide = true)                                                      \
    X(OUT_OF_ORDER, COUNT, "Out of order", "out_of_order")                                                             \
    X(RETRANSMITTED, COUNT, "Retransmitted", "retransmitted")                                                          \
    X(SHORT, COUNT, "Short", "short", .wide = true)

static TABLE_COLUMNS(columns, COLUMNS);

static void
merge_tally(void *tally, const void *other)
{
    packet_tally_merge(tally, other);
}

/* The sender stands in the place of a client. */
static const struct table_sums tallies = { sizeof(struct packet_tally), NULL, merge_tally };

static int
take_item(void *data, const void *record)
{
    struct table_rows *rows = data;
    const struct item *item = record;
    const struct connection *connection = item_payload(item);
    omitted_take(&rows->omitted, item);
    if (!connection)
        return -1;
    const struct group_key key = group_of_sender(connection, item);
    const unsigned row = groups_row(rows->groups, &key);
    packet_tally_take(table_row(rows, row), item);
    return (int)row;
}

static void
fill_row(void *data, unsigned row, union table_cell *cells, wmem_allocator_t *scope)
{
    const struct table_rows *rows = data;
    const struct group_key *key = groups_key(rows->groups, row);
    const struct packet_tally *tally = table_row(rows, row);
    cells[SENDER].text = address_name(scope, rows->source, &key->client, key->ipv6);
    cells[SERVER].text = endpoint_name(scope, rows->source, &key->server, key->ipv6);
    cells[FRAMES].number = (double)tally->frames;
    cells[IPID].text = ipid_name(ipid_steps_behaviour(&tally->steps));
    cells[GAPS].number = (double)tally->gaps;
    cells[MISSING].number = (double)tally->missing;
    cells[OUT_OF_ORDER].number = (double)tally->out_of_order;
    cells[RETRANSMITTED].number = (double)tally->retransmitted;
    cells[SHORT].number = (double)tally->unfilled;
}

static double
weigh_row(void *rows, unsigned row)
{
    const struct packet_tally *tally = table_row(rows, row);
    return (double)(tally->gaps + tally->out_of_order + tally->retransmitted);
}

static void
summarize(void *data, GString *text)
{
    const struct table_rows *rows = data;
    struct omitted omitted = rows->omitted;
    uint64_t frames = 0;
    for (unsigned i = 0; i < table_count(data); i++)
        frames += ((const struct packet_tally *)table_row(rows, i))->frames;
    g_string_append_printf(text, "%" PRIu64 " frame%s with payload.\n", frames, plurality(frames, "", "s"));
    omitted.unsolicited = 0; /* counted here */
    omitted_write(&omitted, rows->source, text);
}

const struct table_definition packets_table = {
    .title = "Latency: Packets",
    .argument = "latency,packets",
    .heading = "Packets with payload, by their sender",
    .columns = columns,
    .bytes = sizeof(struct table_rows),
    .sums = &tallies,
    .take = take_item,
    .fill = fill_row,
    .weight = weigh_row,
    .is_ranked = true,
    .adds_up = true,
    .merge = table_merge_groups,
    .summarize = summarize,
    .absence = absence_of_tcp,
};
