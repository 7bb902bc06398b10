/* requests_table.c
 * -z latency,requests: each request.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "tables.h"

#include <wsutil/str_util.h>

#include "../core/analysis.h"
#include "../core/request/request.h"
#include "absence.h"
#include "born.h"
#include "by_request.h"
#include "omitted.h"
#include "names.h"
#include "observer.h"
#include "one_sided.h"

enum column {
    FRAME,
    TIME,
    CLIENT,
    SERVER,
    FIRST_BYTE,
    SERVICE,
    SERVER_TIME,
    LAST_BYTE,
    BYTES,
    FLAGS,
    REQUEST,
    RESPONSE,
    OUTCOME,
    STATUS,
    OPERATION,
    N_COLUMNS
};

static const struct table_column columns[N_COLUMNS] = {
    [FRAME] = { "Frame", CELL_COUNT, NULL },
    [TIME] = { "Time", CELL_TIMESTAMP, NULL },
    [CLIENT] = { "Client", CELL_TEXT, NULL },
    [SERVER] = { "Server", CELL_TEXT, NULL },
    [FIRST_BYTE] = { "TTFB", CELL_TIME, NULL },
    [SERVICE] = { "Service", CELL_TIME, NULL },
    [SERVER_TIME] = { "Server time", CELL_TIME, "Server\ntime" },
    [LAST_BYTE] = { "Last byte", CELL_TIME, "Last\nbyte" },
    [BYTES] = { "Bytes", CELL_BYTES, NULL },
    [FLAGS] = { "Flags", CELL_COUNT, NULL },
    [REQUEST] = { "Request", CELL_REQUEST, "Number" },
    [RESPONSE] = { "Response", CELL_FRAME, "Reply\nframe" },
    [OUTCOME] = { "Outcome", CELL_TEXT, NULL },
    [STATUS] = { "Status", CELL_TEXT, NULL },
    /* Last, for it is the one without bounds, and the one that may contain a "|". */
    [OPERATION] = { "Operation", CELL_TEXT, NULL },
};

struct row {
    struct request_reference request;
    const char *operation;
    struct endpoint client, server;
    int64_t q0_ns;
    int64_t first_byte_ns, service_ns, server_ns, last_byte_ns; /* -1: none */
    uint64_t response_bytes;
    uint32_t capture, number, q0_frame, p0_frame, flags;
    char status[STATUS_ROOM];
    bool ipv6;
    uint8_t outcome;
};

/* Of a request. */
struct entry {
    uint32_t row; /* plus one; 0 for none */
    uint8_t tls;  /* enum tls_turn: why it has none */
};

struct rows {
    struct table_source *source;
    GArray *rows;
    struct by_request entries; /* of struct entry */
    GStringChunk *operations;
    struct omitted omitted;
    struct one_sided sides;
    struct observer observer;
    struct born begun; /* requests by their numbers, those without a row too; where tables are merged */
};

static void
read_request(struct rows *rows, struct row *row, const struct request *request)
{
    bool answered = request->p0_frame != 0;
    *row = (struct row){
        .request = request_refer(request),
        .operation = g_string_chunk_insert_const(rows->operations, request->operation),
        .client = *connection_client(request->connection),
        .server = *connection_server(request->connection),
        .q0_ns = request->q0_ns,
        .first_byte_ns = answered ? request_first_byte(request) : -1,
        .service_ns = answered ? request_service(request) : -1,
        .server_ns = answered ? request_server_time(request) : -1,
        .last_byte_ns = answered ? request_last_byte(request) : -1,
        .response_bytes = request->response_bytes,
        .capture = rows->source->number,
        .number = request->number,
        .q0_frame = request->q0_frame,
        .p0_frame = request->p0_frame,
        .flags = request->flags,
        .ipv6 = request->connection->ipv6,
        .outcome = (uint8_t)request_outcome(&rows->source->analysis->requests, request),
    };
    g_strlcpy(row->status, request->status, sizeof row->status);
}

/* What becomes of a request without response can turn out after its last frame that passes the filter. */
static void
settle(struct rows *rows, struct row *row)
{
    if (row->outcome == OUTCOME_ANSWERED || row->capture != rows->source->number || !rows->source->analysis)
        return;
    const struct request *request = request_referred(&row->request);
    const uint32_t number = row->number; /* in the whole capture, where tables were merged */
    if (request)
        read_request(rows, row, request);
    row->number = number;
}

static void
settle_all(void *data)
{
    struct rows *rows = data;
    for (unsigned i = 0; i < rows->rows->len; i++)
        settle(rows, &g_array_index(rows->rows, struct row, i));
}

static void
forget(void *data, const struct connection *connection)
{
    struct rows *rows = data;
    for (uint32_t i = 0; i < connection->n_requests; i++) {
        const struct request *request = connection->requests[i];
        const struct entry *entry = by_request_at(&rows->entries, request);
        if (entry->row)
            read_request(rows, &g_array_index(rows->rows, struct row, entry->row - 1), request);
    }
}

static void *
open_rows(struct table_source *source)
{
    struct rows *rows = g_new(struct rows, 1);
    *rows = (struct rows){
        .source = source,
        .sides.source = source,
        .rows = g_array_new(FALSE, FALSE, sizeof(struct row)),
        .operations = g_string_chunk_new(4096),
        .observer = { .data = rows, .forget = forget, .end = settle_all },
    };
    born_init(&rows->begun);
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
    born_clear(&rows->begun);
    g_free(rows);
}

/* The frame by which the request is known: by these those of all connections are numbered. */
static void
note_begin(struct rows *rows, const struct request *request)
{
    while (rows->source->frame && rows->begun.frames->len < request->number)
        born_note(&rows->begun, rows->begun.frames->len, rows->source->frame);
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
    note_begin(rows, request);
    struct entry *entry = by_request_at(&rows->entries, request);
    if (entry->row == 0) {
        if (!entry->tls && item->kind == ITEM_UPDATED)
            return -1;
        entry->tls = (uint8_t)omitted_take_tls(&rows->omitted, request, entry->tls);
        if (entry->tls)
            return -1;
        g_array_set_size(rows->rows, rows->rows->len + 1);
        entry->row = rows->rows->len;
    }
    one_sided_take_request(&rows->sides, request);
    read_request(rows, &g_array_index(rows->rows, struct row, entry->row - 1), request);
    return (int)entry->row - 1;
}

/* The numbers that the requests of these have in the whole capture, by table and their number there less one. To be
 * freed with g_ptr_array_free(). */
static GPtrArray *
numbers_of_all(void *const *others, unsigned n)
{
    const struct born *begun[n];
    GPtrArray *numbers = g_ptr_array_new_with_free_func(g_free);
    for (unsigned i = 0; i < n; i++) {
        begun[i] = &((const struct rows *)others[i])->begun;
        g_ptr_array_add(numbers, g_new(uint32_t, begun[i]->frames->len));
    }
    GArray *order = born_order(begun, n);
    for (unsigned i = 0; i < order->len; i++) {
        const struct born_row *each = &g_array_index(order, struct born_row, i);
        ((uint32_t *)g_ptr_array_index(numbers, each->table))[each->row] = i + 1;
    }
    g_array_free(order, TRUE);
    return numbers;
}

/* Rows are printed in the order of their frames, and those of one frame are of one connection. */
static void
merge_rows(void *data, void *const *others, unsigned n)
{
    struct rows *rows = data;
    GPtrArray *numbers = numbers_of_all(others, n);
    for (unsigned i = 0; i < n; i++) {
        const struct rows *other = others[i];
        omitted_merge(&rows->omitted, &other->omitted);
        for (unsigned k = 0; k < other->rows->len; k++) {
            struct row row = g_array_index(other->rows, struct row, k);
            row.operation = g_string_chunk_insert_const(rows->operations, row.operation);
            row.number = ((const uint32_t *)g_ptr_array_index(numbers, i))[row.number - 1];
            g_array_append_val(rows->rows, row);
        }
    }
    g_ptr_array_free(numbers, TRUE);
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
    struct row *row = &g_array_index(rows->rows, struct row, number);
    settle(rows, row);
    cells[FRAME].number = row->q0_frame;
    cells[TIME].timestamp_ns = row->q0_ns;
    cells[CLIENT].text = endpoint_name(scope, rows->source, &row->client, row->ipv6);
    cells[SERVER].text = endpoint_name(scope, rows->source, &row->server, row->ipv6);
    cells[FIRST_BYTE].number = time_cell(row->first_byte_ns);
    cells[SERVICE].number = time_cell(row->service_ns);
    cells[SERVER_TIME].number = time_cell(row->server_ns);
    cells[LAST_BYTE].number = time_cell(row->last_byte_ns);
    cells[BYTES].number = (double)row->response_bytes;
    cells[FLAGS].number = row->flags;
    cells[REQUEST].number = row->number;
    cells[RESPONSE].number = row->p0_frame;
    cells[OUTCOME].text = outcome_name(row->outcome);
    cells[STATUS].text = row->status;
    cells[OPERATION].text = row->operation;
}

/* In the order of their first frames: a request can become known late. */
static double
weigh_row(void *data, unsigned number)
{
    const struct row *row = &g_array_index(((struct rows *)data)->rows, struct row, number);
    return -(double)row->capture * UINT32_MAX - row->q0_frame;
}

static void
summarize(void *data, GString *text)
{
    const struct rows *rows = data;
    unsigned counts[OUTCOMES] = { 0 };
    settle_all(data);
    for (unsigned i = 0; i < rows->rows->len; i++)
        counts[g_array_index(rows->rows, struct row, i).outcome]++;
    g_string_append_printf(text, "%u request%s", rows->rows->len, plurality(rows->rows->len, "", "s"));
    for (unsigned i = 0; i < OUTCOMES; i++) {
        bool is_rare = i >= OUTCOME_LOST;
        if (is_rare && counts[i] == 0)
            continue;
        g_string_append_printf(text, "%s%u %s", i ? ", " : ": ", counts[i], outcome_name(i));
    }
    g_string_append(text, ".\n");
    omitted_write(&rows->omitted, text);
}

static const struct one_sided *
sides(const void *rows)
{
    return &((const struct rows *)rows)->sides;
}

const struct table_definition requests_table = {
    .title = "Latency: Requests",
    .argument = "latency,requests",
    .heading = "time to first byte (TTFB) and last byte from a request's first byte, service from its last",
    .columns = columns,
    .n_columns = N_COLUMNS,
    .last_at = 4,
    .open = open_rows,
    .close = close_rows,
    .take = take_item,
    .count = count_rows,
    .fill = fill_row,
    .weight = weigh_row,
    .merge = merge_rows,
    .summarize = summarize,
    .absence = absence_of_tcp,
    .one_sided = sides,
};
