/* clocks.h
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef CLOCKS_H
#define CLOCKS_H

#include <stdint.h>
#include <time.h>

uint64_t now_ns(clockid_t clock);

/* From CLOCK_MONOTONIC to the time of day: the best of some tries, for the two cannot be read at once. */
uint64_t clock_offset_ns(void);

#endif
