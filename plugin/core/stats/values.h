/* values.h
 * Times of many owners on disk: to be written first, then seen again.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_VALUES_H
#define LATENCY_VALUES_H

#include <stdbool.h>
#include <stdint.h>

struct values;

/* Returns NULL if there can be no file; errno then says why. */
struct values *values_new(void);
void values_free(struct values *values);

/* Returns the number of a further owner. */
uint32_t values_begin(struct values *values, void *owner);

void values_add(struct values *values, uint32_t number, int64_t value_ns);

/* Hands over all to their owners, in the order they came. Returns false if the disk failed. */
bool values_each(struct values *values, void (*take)(void *owner, int64_t value_ns));

#endif
