/* timestamp.h
 * A point in time as tshark's -t says.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_TIMESTAMP_H
#define LATENCY_TIMESTAMP_H

#include <stdint.h>

#include <wsutil/wmem/wmem.h>

enum timestamp_form {
    TIMESTAMP_SINCE_START, /* seconds */
    TIMESTAMP_EPOCH,
    TIMESTAMP_TIME,
    TIMESTAMP_DATE,
    TIMESTAMP_DAY_OF_YEAR,
    TIMESTAMP_UTC_TIME,
    TIMESTAMP_UTC_DATE,
    TIMESTAMP_UTC_DAY_OF_YEAR,
};

/* `ns` since 1970, of a capture that begins at `start_ns`. Allocated in `scope`. */
char *timestamp_text(wmem_allocator_t *scope, enum timestamp_form form, int64_t ns, int64_t start_ns);

#endif
