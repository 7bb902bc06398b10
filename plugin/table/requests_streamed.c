/* requests_streamed.c
 * -z latency,requests for who prints it once: rows of requests that may go on are in memory, the others in a file, in
 * the order in which they are printed (row_sorter.h).
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "tables.h"

#include <string.h>

#include "../core/analysis.h"
#include "../core/request/operation.h"
#include "../core/util/row_sorter.h"
#include "absence.h"
#include "by_number.h"
#include "observer.h"
#include "request_row.h"

/* Of a request's record: of the request that it is of, or was. */
struct slot {
    uint32_t number; /* 0: nobody's */
    bool has_row;
    uint8_t tls;      /* enum tls_turn: why it has none */
    uint64_t created; /* the row, in the order of all */
    struct request_row row;
    char operation[OPERATION_ROOM];
};

struct rows {
    struct table_source *source;
    struct by_number slots; /* of struct slot */
    struct row_sorter *done;
    uint64_t created;
    unsigned counts[OUTCOMES]; /* of those that are done */
    struct omitted omitted;
    struct observer observer;
    struct request_row shown; /* by fill_row() */
};

/* Nothing more comes of the row. */
static void
put_away(struct rows *rows, struct slot *slot)
{
    uint8_t bytes[sizeof slot->row + OPERATION_ROOM];
    const uint32_t operation_bytes = (uint32_t)strlen(slot->operation) + 1;
    memcpy(bytes, &slot->row, sizeof slot->row);
    memcpy(bytes + sizeof slot->row, slot->operation, operation_bytes);
    row_sorter_add(rows->done, (struct row_key){ slot->row.q0_frame, slot->created }, bytes,
                   (uint32_t)sizeof slot->row + operation_bytes);
    rows->counts[slot->row.outcome]++;
    slot->has_row = false;
}

/* Its record may have been another request's, which is past then. */
static struct slot *
slot_of(struct rows *rows, const struct request *request)
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
read_request(const struct rows *rows, struct slot *slot, const struct request *request)
{
    request_row_read(&slot->row, request, rows->source);
    g_strlcpy(slot->operation, request->operation, sizeof slot->operation);
}

static void
forget(void *data, const struct connection *connection)
{
    struct rows *rows = data;
    for (uint32_t i = 0; i < connection->n_requests; i++) {
        struct slot *slot = slot_of(rows, connection->requests[i]);
        if (!slot->has_row)
            continue;
        read_request(rows, slot, connection->requests[i]);
        put_away(rows, slot);
    }
}

/* What becomes of a request without response can turn out after its last frame. */
static void
put_all_away(struct rows *rows)
{
    for (uint32_t i = 0; i < by_number_count(&rows->slots); i++) {
        struct slot *slot = by_number_at(&rows->slots, i);
        if (!slot->has_row)
            continue;
        const struct request *request = request_referred(&slot->row.request);
        if (request)
            read_request(rows, slot, request);
        put_away(rows, slot);
    }
}

static void *
open_rows(struct table_source *source)
{
    struct rows *rows = g_new0(struct rows, 1);
    rows->source = source;
    rows->done = row_sorter_new(NULL);
    rows->observer = (struct observer){ .data = rows, .forget = forget };
    observer_add(source, &rows->observer);
    by_number_init(&rows->slots, source, sizeof(struct slot));
    return rows;
}

static void
close_rows(void *data)
{
    struct rows *rows = data;
    observer_remove(rows->source, &rows->observer);
    row_sorter_free(rows->done);
    by_number_clear(&rows->slots);
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
    struct slot *slot = slot_of(rows, request);
    if (!slot->has_row) {
        if (!omitted_counts(&rows->omitted, item, &slot->tls))
            return -1;
        slot->has_row = true;
        slot->created = ++rows->created;
    }
    read_request(rows, slot, request);
    return -1;
}

static unsigned
count_rows(void *data)
{
    return (unsigned)((const struct rows *)data)->created;
}

/* For row_sorter_read(). */
struct showing {
    struct rows *rows;
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
each_row(void *data, void (*show)(void *data, unsigned row), void *show_data)
{
    struct rows *rows = data;
    struct showing showing = { rows, show, show_data };
    put_all_away(rows);
    row_sorter_read(rows->done, show_row, &showing);
}

static void
fill_row(void *data, unsigned number G_GNUC_UNUSED, union table_cell *cells, wmem_allocator_t *scope)
{
    const struct rows *rows = data;
    request_row_fill(&rows->shown, rows->source, cells, scope);
}

static void
summarize(void *data, GString *text)
{
    struct rows *rows = data;
    put_all_away(rows);
    request_rows_summarize(rows->counts, &rows->omitted, text);
}

static int
table_error(void *data)
{
    return row_sorter_error(((const struct rows *)data)->done);
}

const struct table_definition requests_streamed = {
    .shows_operations = true,
    .title = "Latency: Requests",
    .argument = "latency,requests",
    .heading = request_heading,
    .columns = request_columns,
    .open = open_rows,
    .close = close_rows,
    .take = take_item,
    .count = count_rows,
    .fill = fill_row,
    .each = each_row,
    .error = table_error,
    .summarize = summarize,
    .absence = absence_of_requests,
};
