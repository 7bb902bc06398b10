/* pva_monitor.h
 * The updates of a MONITOR: which one is next to which.
 *
 * The first update answers the request that starts the monitor; each later one is so long after the one before, as the
 * client gets them: in order. That is not known where an update between them may be missing from the capture.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_PVA_MONITOR_H
#define LATENCY_PVA_MONITOR_H

#include "../ca/ca_event.h"
#include "../ca/ca_taking.h"

/* Begins a monitor of which the message is an update, and whose start is not in the capture. `channel`: its number, or
 * 0. Returns the number of the exchange. */
uint32_t pva_monitor_unseen(const struct ca_taking *taking, uint32_t channel);

/* The message is an update of the monitor that the exchange started. Returns the update's number. */
uint32_t pva_monitor_update(const struct ca_taking *taking, uint32_t exchange);

/* Whether the event, of whatever protocol, is the start of a monitor, its first update or a later one. */
bool pva_monitor_concerns(const struct ca_event *event);

#endif
