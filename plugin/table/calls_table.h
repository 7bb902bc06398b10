/* calls_table.h
 * The rows of -z latency,calls, for who has no capture but lines about its requests.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_CALLS_TABLE_H
#define LATENCY_CALLS_TABLE_H

#include "call_pairs.h"

/* Returns what the rows of `calls_table` are made of, borrowed until table_close(). */
struct call_pairs *calls_table_pairs(void *rows);

#endif
