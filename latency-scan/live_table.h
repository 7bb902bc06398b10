/* live_table.h
 * What the live view has seen, as a table that is printed when it ends: it takes no more memory than the view.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef SCAN_LIVE_TABLE_H
#define SCAN_LIVE_TABLE_H

#include "live_view.h"
#include "table/table_source.h"

/* Prints a view of servers, of the whole capture, whose rows have been described. */
void live_table_print(const struct live_view *view, struct table_source *source);

#endif
