/* requests_table.c
 * -z latency,requests: each request. One table keeps all rows; the other, for who prints it once, those of requests
 * that may go on, and the others in a file, in the order in which they are printed (row_sorter.h).
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "table.h"

#include <string.h>

#include <wsutil/str_util.h>

#include "../core/analysis.h"
#include "../core/request/operation.h"
#include "../core/request/request.h"
#include "../core/util/row_sorter.h"
#include "by_number.h"
#include "names.h"
#include "observer.h"
#include "table_rows.h"

/* The last is the one without bounds, and the one that may contain a "|". */
#define COLUMNS(X)                                                                                                     \
    X(FRAME, FRAME, "Frame", "request_frame")                                                                          \
    X(TIME, TIMESTAMP, "Time", "request_time")                                                                         \
    X(CLIENT, TEXT, "Client", "client", .wide = true)                                                                  \
    X(SERVER, TEXT, "Server", "server")                                                                                \
    X(DURATION, TIME, "Duration", "last_byte", .is_wait = true)                                                        \
    X(FIRST_BYTE, TIME, "TTFB", "first_byte", .is_wait = true)                                                         \
    X(TRANSFER, TIME, "Transfer", "transfer", .wide = true, .is_wait = true)                                           \
    X(SERVICE, TIME, "Service", "service", .wide = true, .is_wait = true)                                              \
    X(SERVER_TIME, TIME, "Server time", "server_time", .wide = true, .is_wait = true)                                  \
    X(BYTES, BYTES, "Bytes", "response_bytes", .wide = true)                                                           \
    X(FLAGS, NUMBER, "Flags", "flags", .wide = true)                                                                   \
    X(REQUEST, REQUEST, "Request", "number", .wide = true)                                                             \
    X(RESPONSE, FRAME, "Response frame", "response_frame", .wide = true)                                               \
    X(OUTCOME, TEXT, "Outcome", "outcome", .alarms = true)                                                             \
    X(STATUS, TEXT, "Status", "status", .alarms = true)                                                                \
    X(OPERATION, TEXT, "Operation", "operation")

static TABLE_COLUMNS(columns, COLUMNS);

struct request_row {
    struct request_reference request;
    const char *operation; /* the table's */
    struct endpoint client, server;
    int64_t request_ns;
    int64_t duration_ns, first_byte_ns, transfer_ns, service_ns, server_ns; /* -1: none */
    uint64_t response_bytes;
    uint32_t capture, number, request_frame, response_frame, flags;
    char status[STATUS_ROOM];
    bool ipv6, is_failed;
    uint8_t outcome;
    uint8_t wait; /* enum wait */
};

/* Reads all but the operation, as the request is now. */
static void
read_row(struct request_row *row, const struct request *request, const struct table_source *source)
{
    bool answered = request->response.first_frame != 0;
    *row = (struct request_row){
        .request = request_refer(request),
        .client = request_client(request),
        .server = *connection_server(request->connection),
        .request_ns = request->first_ns,
        .duration_ns = answered ? request_last_byte(request) : -1,
        .first_byte_ns = answered ? request_first_byte(request) : -1,
        .transfer_ns = answered ? MAX(request->response.last_ns - request->response.first_ns, 0) : -1,
        .service_ns = answered ? request_service(request) : -1,
        .server_ns = answered ? request_server_time(request) : -1,
        .response_bytes = request->response.bytes,
        .capture = source->number,
        .number = request->number,
        .request_frame = request->first_frame,
        .response_frame = request->response.first_frame,
        .flags = request->flags,
        .ipv6 = request->connection->ipv6,
        .is_failed = request->response.failed,
        .outcome = (uint8_t)request_outcome(&source->analysis->requests, request),
        .wait = (uint8_t)request_wait(request),
    };
    g_strlcpy(row->status, request->response.status, sizeof row->status);
}

/* Says of the times until the response's first byte, and until its last, whether the client waited for them. */
static void
fill_awaited(enum wait wait, union table_cell *cells)
{
    const bool is_first_awaited = wait == WAIT_FOR_FIRST_BYTE || wait == WAIT_FOR_LAST_BYTE;
    cells[FIRST_BYTE].is_awaited = cells[SERVICE].is_awaited = cells[SERVER_TIME].is_awaited = is_first_awaited;
    cells[DURATION].is_awaited = cells[TRANSFER].is_awaited = wait == WAIT_FOR_LAST_BYTE;
}

static void
fill_cells(const struct request_row *row, const struct table_source *source, union table_cell *cells,
           wmem_allocator_t *scope)
{
    cells[FRAME].number = row->request_frame;
    cells[TIME].timestamp_ns = row->request_ns;
    cells[CLIENT].text = endpoint_name(scope, source, &row->client, row->ipv6);
    cells[SERVER].text = endpoint_name(scope, source, &row->server, row->ipv6);
    cells[DURATION].number = time_cell(row->duration_ns);
    cells[FIRST_BYTE].number = time_cell(row->first_byte_ns);
    cells[TRANSFER].number = time_cell(row->transfer_ns);
    cells[SERVICE].number = time_cell(row->service_ns);
    cells[SERVER_TIME].number = time_cell(row->server_ns);
    fill_awaited(row->wait, cells);
    cells[BYTES].number = (double)row->response_bytes;
    cells[FLAGS].number = row->flags;
    cells[REQUEST].number = row->number;
    cells[RESPONSE].number = row->response_frame;
    cells[OUTCOME].text = outcome_name(row->outcome);
    cells[OUTCOME].is_bad = (outcome_says(row->outcome) & (OUTCOME_IS_UNANSWERED | OUTCOME_IS_ERROR)) != 0;
    cells[STATUS].text = row->status;
    cells[STATUS].is_bad = row->is_failed;
    cells[OPERATION].text = row->operation;
}

/* `counts`: of rows, by outcome. */
static void
write_counts(const unsigned *counts, const struct table_rows *rows, GString *text)
{
    unsigned n = 0;
    for (unsigned i = 0; i < OUTCOMES; i++)
        n += counts[i];
    g_string_append_printf(text, "%u request%s", n, plurality(n, "", "s"));
    for (unsigned i = 0; i < OUTCOMES; i++) {
        bool is_rare = i >= OUTCOME_LOST;
        if (is_rare && counts[i] == 0)
            continue;
        g_string_append_printf(text, "%s%u %s", i ? ", " : ": ", counts[i], outcome_name(i));
    }
    g_string_append(text, ".\n");
    omitted_write(&rows->omitted, rows->source, text);
}

/* Of a request's record: of the request that it is of, or was. */
struct entry {
    uint32_t number; /* 0: nobody's */
    uint32_t row;    /* plus one; 0 for none */
    uint8_t tls;     /* enum tls_turn: why it has none */
};

struct rows {
    struct table_rows table;  /* a list of struct request_row */
    struct by_number entries; /* of struct entry */
    struct observer observer;
};

static void
read_request(struct rows *rows, struct request_row *row, const struct request *request)
{
    read_row(row, request, rows->table.source);
    row->operation = g_string_chunk_insert_const(rows->table.texts, request->operation);
}

/* What becomes of a request without response can turn out after its last frame that passes the filter. */
static void
settle(struct rows *rows, struct request_row *row)
{
    if (row->outcome == OUTCOME_ANSWERED || row->capture != rows->table.source->number || !rows->table.source->analysis)
        return;
    const struct request *request = request_referred(&row->request);
    if (request)
        read_request(rows, row, request);
}

static void
settle_all(void *data)
{
    struct rows *rows = data;
    for (unsigned i = 0; i < table_count(data); i++)
        settle(rows, table_row(rows, i));
}

static void
open_rows(void *data)
{
    struct rows *rows = data;
    rows->observer = (struct observer){ .data = rows, .end = settle_all };
    observer_add(rows->table.source, &rows->observer);
    by_number_init(&rows->entries, rows->table.source, sizeof(struct entry));
}

static void
close_rows(void *data)
{
    struct rows *rows = data;
    observer_remove(rows->table.source, &rows->observer);
    by_number_clear(&rows->entries);
}

static int
take_item(void *data, const void *record)
{
    struct rows *rows = data;
    const struct item *item = record;
    const struct request *request = item_request(item);
    omitted_take(&rows->table.omitted, item);
    if (!request)
        return -1;
    struct entry *entry = by_number_at(&rows->entries, request->slot);
    if (entry->number != request->number)
        *entry = (struct entry){ .number = request->number };
    if (entry->row == 0 && !omitted_counts(&rows->table.omitted, item, &entry->tls))
        return -1;
    one_sided_take_request(&rows->table.sides, request);
    read_request(rows, table_row_numbered(rows, &entry->row), request);
    return (int)entry->row - 1;
}

static void
fill_row(void *data, unsigned number, union table_cell *cells, wmem_allocator_t *scope)
{
    struct rows *rows = data;
    struct request_row *row = table_row(rows, number);
    settle(rows, row);
    fill_cells(row, rows->table.source, cells, scope);
}

/* In the order of their first frames: a request can become known late. */
static double
weigh_row(void *data, unsigned number)
{
    const struct request_row *row = table_row(data, number);
    return -(double)row->capture * UINT32_MAX - row->request_frame;
}

static void
summarize(void *data, GString *text)
{
    const struct rows *rows = data;
    unsigned counts[OUTCOMES] = { 0 };
    settle_all(data);
    for (unsigned i = 0; i < table_count(data); i++)
        counts[((const struct request_row *)table_row(rows, i))->outcome]++;
    write_counts(counts, &rows->table, text);
}

/* Of a request's record: of the request that it is of, or was, and its row while that may change. */
struct slot {
    uint32_t number; /* 0: nobody's */
    bool has_row;
    uint8_t tls;      /* enum tls_turn: why it has none */
    uint64_t created; /* the row, in the order of all */
    struct request_row row;
    char operation[OPERATION_ROOM];
};

struct streamed {
    struct table_rows table;
    struct by_number slots; /* of struct slot */
    struct row_sorter *done;
    uint64_t created;
    unsigned counts[OUTCOMES]; /* of those that are done */
    struct observer observer;
    struct request_row shown; /* by fill_shown() */
};

/* Nothing more comes of the row. */
static void
put_away(struct streamed *rows, struct slot *slot)
{
    uint8_t bytes[sizeof slot->row + OPERATION_ROOM];
    const uint32_t operation_bytes = (uint32_t)strlen(slot->operation) + 1;
    memcpy(bytes, &slot->row, sizeof slot->row);
    memcpy(bytes + sizeof slot->row, slot->operation, operation_bytes);
    row_sorter_add(rows->done, (struct row_key){ slot->row.request_frame, slot->created }, bytes,
                   (uint32_t)sizeof slot->row + operation_bytes);
    rows->counts[slot->row.outcome]++;
    slot->has_row = false;
}

/* Its record may have been another request's, which is past then. */
static struct slot *
slot_of(struct streamed *rows, const struct request *request)
{
    struct slot *slot = by_number_at(&rows->slots, request->slot);
    if (slot->number == request->number)
        return slot;
    if (slot->has_row)
        put_away(rows, slot);
    *slot = (struct slot){ .number = request->number };
    return slot;
}

static void
read_slot(const struct streamed *rows, struct slot *slot, const struct request *request)
{
    read_row(&slot->row, request, rows->table.source);
    g_strlcpy(slot->operation, request->operation, sizeof slot->operation);
}

static void
forget(void *data, const struct connection *connection)
{
    struct streamed *rows = data;
    for (uint32_t i = 0; i < connection->n_requests; i++) {
        struct slot *slot = slot_of(rows, connection->requests[i]);
        if (!slot->has_row)
            continue;
        read_slot(rows, slot, connection->requests[i]);
        put_away(rows, slot);
    }
}

/* What becomes of a request without response can turn out after its last frame. */
static void
put_all_away(struct streamed *rows)
{
    for (uint32_t i = 0; i < by_number_count(&rows->slots); i++) {
        struct slot *slot = by_number_at(&rows->slots, i);
        if (!slot->has_row)
            continue;
        const struct request *request = request_referred(&slot->row.request);
        if (request)
            read_slot(rows, slot, request);
        put_away(rows, slot);
    }
}

static void
open_streamed(void *data)
{
    struct streamed *rows = data;
    rows->done = row_sorter_new(NULL);
    rows->observer = (struct observer){ .data = rows, .forget = forget };
    observer_add(rows->table.source, &rows->observer);
    by_number_init(&rows->slots, rows->table.source, sizeof(struct slot));
}

static void
close_streamed(void *data)
{
    struct streamed *rows = data;
    observer_remove(rows->table.source, &rows->observer);
    row_sorter_free(rows->done);
    by_number_clear(&rows->slots);
}

static int
take_streamed(void *data, const void *record)
{
    struct streamed *rows = data;
    const struct item *item = record;
    const struct request *request = item_request(item);
    omitted_take(&rows->table.omitted, item);
    if (!request)
        return -1;
    struct slot *slot = slot_of(rows, request);
    if (!slot->has_row) {
        if (!omitted_counts(&rows->table.omitted, item, &slot->tls))
            return -1;
        slot->has_row = true;
        slot->created = ++rows->created;
    }
    read_slot(rows, slot, request);
    return -1;
}

static unsigned
count_streamed(void *data)
{
    return (unsigned)((const struct streamed *)data)->created;
}

/* For row_sorter_read(). */
struct showing {
    struct streamed *rows;
    void (*show)(void *data, unsigned row);
    void *data;
};

static void
show_row(void *data, struct row_key key G_GNUC_UNUSED, const uint8_t *bytes, uint32_t length G_GNUC_UNUSED)
{
    const struct showing *showing = data;
    struct request_row *row = &showing->rows->shown;
    memcpy(row, bytes, sizeof *row);
    row->operation = (const char *)bytes + sizeof *row;
    showing->show(showing->data, 0);
}

static void
each_streamed(void *data, void (*show)(void *data, unsigned row), void *show_data)
{
    struct streamed *rows = data;
    struct showing showing = { rows, show, show_data };
    put_all_away(rows);
    row_sorter_read(rows->done, show_row, &showing);
}

static void
fill_shown(void *data, unsigned number G_GNUC_UNUSED, union table_cell *cells, wmem_allocator_t *scope)
{
    const struct streamed *rows = data;
    fill_cells(&rows->shown, rows->table.source, cells, scope);
}

static void
summarize_streamed(void *data, GString *text)
{
    struct streamed *rows = data;
    put_all_away(rows);
    write_counts(rows->counts, &rows->table, text);
}

static int
streamed_error(void *data)
{
    return row_sorter_error(((const struct streamed *)data)->done);
}

/* What both tables have in common. */
#define REQUESTS_TABLE                                                                                                 \
    .shows_operations = true, .title = "Latency: Requests", .columns = columns, .absence = absence_of_requests,        \
    .heading = "Requests, in their order"

static const struct table_definition requests_streamed = {
    .argument = "latency,requests",
    .bytes = sizeof(struct streamed),
    .open = open_streamed,
    .close = close_streamed,
    .take = take_streamed,
    .count = count_streamed,
    .fill = fill_shown,
    .each = each_streamed,
    .error = streamed_error,
    .summarize = summarize_streamed,
    REQUESTS_TABLE,
};

const struct table_definition requests_table = {
    .argument = "latency,requests",
    .last_at = TRANSFER,
    .bytes = sizeof(struct rows),
    .row_bytes = sizeof(struct request_row),
    .open = open_rows,
    .close = close_rows,
    .take = take_item,
    .fill = fill_row,
    .weight = weigh_row,
    .summarize = summarize,
    .streamed = &requests_streamed,
    REQUESTS_TABLE,
};
