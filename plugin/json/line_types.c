/* line_types.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "line_types.h"

#include <string.h>

#define WORD(word) word,
const char *const line_types[LINE_TYPES] = { LINE_TYPE_LIST(WORD) };

unsigned
line_type_find(const char *type)
{
    unsigned i = 0;
    while (i < LINE_TYPES && strcmp(line_types[i], type) != 0)
        i++;
    return i;
}
