/* ca_strings.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "ca_strings.h"

#include "../../core/ca/ca_names.h"

value_string ca_command_strings[CA_COMMANDS + 1];
value_string ca_dbr_strings[CA_DBR_TYPES + 1];

void
ca_strings_fill(void)
{
    for (unsigned i = 0; i < CA_COMMANDS; i++)
        ca_command_strings[i] = (value_string){ i, ca_command_name(i) };
    for (unsigned i = 0; i < CA_DBR_TYPES; i++)
        ca_dbr_strings[i] = (value_string){ i, ca_dbr_name(i) };
}
