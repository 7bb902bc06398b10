/* worker_pins.h
 * Connections of a host that one worker alone uses.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_WORKER_PINS_H
#define LATENCY_WORKER_PINS_H

#include "calls_host.h"

struct worker_pins;

/* Connections to different servers whose calls never overlap, and between two calls on one of which there is always the
 * same number of calls on the other, are one worker's. Looks at the beginning of what the host has made. */
struct worker_pins *worker_pins_new(const struct calls_host *host);
void worker_pins_free(struct worker_pins *pins);

/* Returns the number of the worker whose connection this is; 0: of none, or of more than one. */
uint32_t worker_pins_worker(const struct worker_pins *pins, uint32_t connection);

#endif
