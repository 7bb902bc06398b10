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

/* The message answers the exchange, which started a monitor. */
void pva_monitor_begin(const struct ca_taking *taking, uint32_t exchange);

/* The message is an update that answers nothing. `channel`: its number, or 0; of a monitor whose start is not in the
 * capture. Returns what it is about, as ca_channel.h refers to it. */
uint32_t pva_monitor_update(const struct ca_taking *taking, uint32_t ioid, uint32_t channel);

/* Whether the event, of whatever protocol, is the start of a monitor, its first update or a later one. */
bool pva_monitor_concerns(const struct ca_event *event);

#endif
