/* table_column.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "table_column.h"

#include <stddef.h>

unsigned
table_columns_count(const struct table_column *columns)
{
    unsigned count = 0;
    while (columns[count].name)
        count++;
    return count;
}

const char *
table_column_head(const struct table_column *column)
{
    return column->head ? column->head : column->name;
}
