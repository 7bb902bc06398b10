/* text_number.h
 * Numbers as text.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_TEXT_NUMBER_H
#define LATENCY_TEXT_NUMBER_H

#include <wsutil/wmem/wmem.h>

/* Returns a number with so many decimals, three at most; of one that is above 0, but would read as it, that it is less
 * than the last decimal: "<0.01". */
const char *number_decimal(wmem_allocator_t *scope, double number, unsigned decimals);

/* Returns a whole number with a comma before each three digits: 1,234,567. */
const char *number_grouped(wmem_allocator_t *scope, double number);

#endif
