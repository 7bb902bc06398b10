/* requests_table.c
 * -z latency,requests: each request.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "tables.h"

#include "../core/analysis.h"
#include "../core/request/request.h"
#include "absence.h"
#include "by_request.h"
#include "omitted.h"
#include "observer.h"
#include "one_sided.h"
#include "request_row.h"

/* Of a request. */
struct entry {
    uint32_t row; /* plus one; 0 for none */
    uint8_t tls;  /* enum tls_turn: why it has none */
};

struct rows {
    struct table_source *source;
    GArray *rows;              /* of struct request_row */
    struct by_request entries; /* of struct entry */
    GStringChunk *operations;
    struct omitted omitted;
    struct one_sided sides;
    struct observer observer;
};

static void
read_request(struct rows *rows, struct request_row *row, const struct request *request)
{
    request_row_read(row, request, rows->source);
    row->operation = g_string_chunk_insert_const(rows->operations, request->operation);
}

/* What becomes of a request without response can turn out after its last frame that passes the filter. */
static void
settle(struct rows *rows, struct request_row *row)
{
    if (row->outcome == OUTCOME_ANSWERED || row->capture != rows->source->number || !rows->source->analysis)
        return;
    const struct request *request = request_referred(&row->request);
    if (request)
        read_request(rows, row, request);
}

static void
settle_all(void *data)
{
    struct rows *rows = data;
    for (unsigned i = 0; i < rows->rows->len; i++)
        settle(rows, &g_array_index(rows->rows, struct request_row, i));
}

static void *
open_rows(struct table_source *source)
{
    struct rows *rows = g_new(struct rows, 1);
    *rows = (struct rows){
        .source = source,
        .sides.source = source,
        .rows = g_array_new(FALSE, FALSE, sizeof(struct request_row)),
        .operations = g_string_chunk_new(4096),
        .observer = { .data = rows, .end = settle_all },
    };
    observer_add(rows->source, &rows->observer);
    by_request_init(&rows->entries, rows->source, sizeof(struct entry));
    return rows;
}

static void
close_rows(void *data)
{
    struct rows *rows = data;
    observer_remove(rows->source, &rows->observer);
    g_array_free(rows->rows, TRUE);
    g_string_chunk_free(rows->operations);
    by_request_clear(&rows->entries);
    g_free(rows);
}

static int
take_item(void *data, const void *record)
{
    struct rows *rows = data;
    const struct item *item = record;
    const struct request *request = item_request(item);
    omitted_take(&rows->omitted, item);
    if (!request)
        return -1;
    struct entry *entry = by_request_at(&rows->entries, request);
    if (entry->row == 0) {
        if (!omitted_counts(&rows->omitted, item, &entry->tls))
            return -1;
        g_array_set_size(rows->rows, rows->rows->len + 1);
        entry->row = rows->rows->len;
    }
    one_sided_take_request(&rows->sides, request);
    read_request(rows, &g_array_index(rows->rows, struct request_row, entry->row - 1), request);
    return (int)entry->row - 1;
}

static unsigned
count_rows(void *data)
{
    return ((struct rows *)data)->rows->len;
}

static void
fill_row(void *data, unsigned number, union table_cell *cells, wmem_allocator_t *scope)
{
    struct rows *rows = data;
    struct request_row *row = &g_array_index(rows->rows, struct request_row, number);
    settle(rows, row);
    request_row_fill(row, rows->source, cells, scope);
}

/* In the order of their first frames: a request can become known late. */
static double
weigh_row(void *data, unsigned number)
{
    const struct request_row *row = &g_array_index(((struct rows *)data)->rows, struct request_row, number);
    return -(double)row->capture * UINT32_MAX - row->q0_frame;
}

static void
summarize(void *data, GString *text)
{
    const struct rows *rows = data;
    unsigned counts[OUTCOMES] = { 0 };
    settle_all(data);
    for (unsigned i = 0; i < rows->rows->len; i++)
        counts[g_array_index(rows->rows, struct request_row, i).outcome]++;
    request_rows_summarize(counts, &rows->omitted, text);
}

const struct table_definition requests_table = {
    .shows_operations = true,
    .title = "Latency: Requests",
    .argument = "latency,requests",
    .heading = request_heading,
    .columns = request_columns,
    .last_at = 5,
    .open = open_rows,
    .close = close_rows,
    .take = take_item,
    .count = count_rows,
    .fill = fill_row,
    .weight = weigh_row,
    .summarize = summarize,
    .absence = absence_of_requests,
    .sides = offsetof(struct rows, sides),
    .streamed = &requests_streamed,
};
