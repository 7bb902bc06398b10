/* stat_table.h
 * The statistics tables in tshark's -z, Wireshark's Statistics menu and sharkd.
 *
 * Wireshark and sharkd read cells whenever they like, so there a row is written again each time a packet changes it.
 * tshark prints once, at the end: there the rows are sorted and aligned.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_STAT_TABLE_H
#define LATENCY_STAT_TABLE_H

#include "../../table/table.h"

/* Registers all of them. To be called while protocols are registered. */
void stat_tables_register(void);

/* The tap that has what a table takes. */
const char *stat_table_tap(const struct table_definition *definition);

#endif
