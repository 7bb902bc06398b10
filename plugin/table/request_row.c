/* request_row.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "request_row.h"

#include <wsutil/str_util.h>

#include "../core/analysis.h"
#include "names.h"

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
    OPERATION
};

const struct table_column request_columns[REQUEST_COLUMNS] = {
    [FRAME] = { "Frame", CELL_FRAME, NULL },
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

const char request_heading[] =
    "time to first byte (TTFB) and last byte from a request's first byte, service from its last";

void
request_row_read(struct request_row *row, const struct request *request, const struct table_source *source)
{
    bool answered = request->response.p0_frame != 0;
    *row = (struct request_row){
        .request = request_refer(request),
        .client = request_client(request),
        .server = *connection_server(request->connection),
        .q0_ns = request->q0_ns,
        .first_byte_ns = answered ? request_first_byte(request) : -1,
        .service_ns = answered ? request_service(request) : -1,
        .server_ns = answered ? request_server_time(request) : -1,
        .last_byte_ns = answered ? request_last_byte(request) : -1,
        .response_bytes = request->response.bytes,
        .capture = source->number,
        .number = request->number,
        .q0_frame = request->q0_frame,
        .p0_frame = request->response.p0_frame,
        .flags = request->flags,
        .ipv6 = request->connection->ipv6,
        .outcome = (uint8_t)request_outcome(&source->analysis->requests, request),
    };
    g_strlcpy(row->status, request->response.status, sizeof row->status);
}

void
request_row_fill(const struct request_row *row, const struct table_source *source, union table_cell *cells,
                 wmem_allocator_t *scope)
{
    cells[FRAME].number = row->q0_frame;
    cells[TIME].timestamp_ns = row->q0_ns;
    cells[CLIENT].text = endpoint_name(scope, source, &row->client, row->ipv6);
    cells[SERVER].text = endpoint_name(scope, source, &row->server, row->ipv6);
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

void
request_rows_summarize(const unsigned *counts, const struct omitted *omitted, GString *text)
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
    omitted_write(omitted, text);
}
