/* timestamp.h
 * A point in time as tshark's -t says.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_TIMESTAMP_H
#define LATENCY_TIMESTAMP_H

#include <stdint.h>

#include <wsutil/wmem/wmem.h>

/* `ns` since 1970. By default, and for times between packets, seconds since `start_ns`. */
char *timestamp_text(wmem_allocator_t *scope, int64_t ns, int64_t start_ns);

#endif
