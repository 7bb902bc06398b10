/* request_row.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "request_row.h"

#include <wsutil/str_util.h>

#include "../core/analysis.h"
#include "names.h"

/* The last is the one without bounds, and the one that may contain a "|". */
#define COLUMNS(X)                                                                                                     \
    X(FRAME, FRAME, "Frame", "request_frame", .leaves = 9)                                                             \
    X(TIME, TIMESTAMP, "Time", "request_time", .leaves = 43)                                                           \
    X(CLIENT, TEXT, "Client", "client", .leaves = 37)                                                                  \
    X(SERVER, TEXT, "Server", "server")                                                                                \
    X(FIRST_BYTE, TIME, "TTFB", "first_byte")                                                                          \
    X(SERVICE, TIME, "Service", "service", .leaves = 14)                                                               \
    X(SERVER_TIME, TIME, "Server time", "server_time", .head = "Server\ntime", .leaves = 18)                           \
    X(LAST_BYTE, TIME, "Last byte", "last_byte", .head = "Last\nbyte", .leaves = 17)                                   \
    X(BYTES, BYTES, "Bytes", "response_bytes", .leaves = 15)                                                           \
    X(FLAGS, NUMBER, "Flags", "flags", .leaves = 8)                                                                    \
    X(REQUEST, REQUEST, "Request", "number", .head = "Number", .leaves = 11)                                           \
    X(RESPONSE, FRAME, "Response", "response_frame", .head = "Reply\nframe", .leaves = 10)                             \
    X(OUTCOME, TEXT, "Outcome", "outcome", .leaves = 44)                                                               \
    X(STATUS, TEXT, "Status", "status")                                                                                \
    X(OPERATION, TEXT, "Operation", "operation")

TABLE_COLUMNS(request_columns, COLUMNS);

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
