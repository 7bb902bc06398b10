/* stat_print.h
 * A statistics table as tshark prints it: sorted, aligned, columns separated by "|".
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_STAT_PRINT_H
#define LATENCY_STAT_PRINT_H

#include <glib.h>

#include <epan/stat_tap_ui.h>

#include "stat_table.h"

/* Makes `definition` known to tshark's -z. Not to be called in Wireshark, where its window has the argument. */
void stat_print_register(const struct table_definition *definition, tap_param *parameters, size_t n_parameters);

#endif
