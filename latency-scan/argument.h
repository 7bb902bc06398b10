/* argument.h
 * What stands behind -z: the name of a table or of JSON lines, and what follows it.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef SCAN_ARGUMENT_H
#define SCAN_ARGUMENT_H

#include "table/table.h"

/* Returns what follows the name in the argument, which is empty or begins with a comma; NULL if it is not that name. */
const char *argument_after(const char *argument, const char *name);

/* Returns the table with this number, from 0, of all that can be printed; NULL behind the last. */
const struct table_definition *argument_table(unsigned i);

/* Returns a sentence, to be freed with g_free(), that says why an argument is refused: for it has a display filter; or
 * it names no table. */
char *argument_refuse_filter(const char *argument, const char *filter);
char *argument_refuse(const char *argument);

#endif
