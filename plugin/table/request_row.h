/* request_row.h
 * A row of -z latency,requests, and what is common to its two tables: of requests_table.c, which keeps all rows, and of
 * requests_streamed.c, which keeps those of requests that go on.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_REQUEST_ROW_H
#define LATENCY_REQUEST_ROW_H

#include <glib.h>

#include "../core/request/request.h"
#include "omitted.h"
#include "table.h"

extern const struct table_column request_columns[];
extern const char request_heading[];

struct request_row {
    struct request_reference request;
    const char *operation; /* the table's */
    struct endpoint client, server;
    int64_t q0_ns;
    int64_t first_byte_ns, service_ns, server_ns, last_byte_ns; /* -1: none */
    uint64_t response_bytes;
    uint32_t capture, number, q0_frame, p0_frame, flags;
    char status[STATUS_ROOM];
    bool ipv6;
    uint8_t outcome;
};

/* All but the operation, as the request is now. */
void request_row_read(struct request_row *row, const struct request *request, const struct table_source *source);

void request_row_fill(const struct request_row *row, const struct table_source *source, union table_cell *cells,
                      wmem_allocator_t *scope);

/* `counts`: of rows, by outcome. */
void request_rows_summarize(const unsigned *counts, const struct omitted *omitted, GString *text);

#endif
