/* values.h
 * Times by row of a table, on disk: to be written first, then seen again.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_MERGE_VALUES_H
#define LATENCY_MERGE_VALUES_H

#include <stdbool.h>
#include <stdint.h>

struct values;

/* NULL if there can be no file; errno then says why. */
struct values *values_new(void);
void values_free(struct values *values);

void values_add(struct values *values, uint32_t row, int64_t value_ns);

/* Hands over all, in the order they came. False if the disk failed. */
bool values_each(struct values *values, void (*take)(void *data, uint32_t row, int64_t value_ns), void *data);

#endif
