/* report_rows.h
 * A table about to be printed: the order of its rows, and the percentiles of a time that they have.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_MERGE_REPORT_ROWS_H
#define LATENCY_MERGE_REPORT_ROWS_H

#include <wsutil/wmem/wmem.h>

#include "selection.h"
#include "totals.h"

struct report_rows {
    const struct total *total;
    const struct statistic *(*statistic)(const void *value);
    struct selection **selections; /* by row number; NULL where percentiles are approximate */
    uint32_t *order;               /* row numbers, in the order of positions */
};

/* Call report_rows_end() when done with it. False if the values could not be read again. */
bool report_rows_begin(struct report_rows *rows, const struct total *total,
                       const struct statistic *(*statistic)(const void *value));
void report_rows_end(struct report_rows *rows);

void report_rows_describe(const struct report_rows *rows, uint32_t number, struct description *description);

/* Addresses as text, allocated in `scope`. */
const char *report_address(wmem_allocator_t *scope, const struct endpoint *endpoint, bool ipv6);
const char *report_endpoint(wmem_allocator_t *scope, const struct endpoint *endpoint, bool ipv6);

#endif
