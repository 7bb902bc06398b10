/* ca_strings.h
 * The names of the core as Wireshark's fields want them.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_CA_STRINGS_H
#define LATENCY_CA_STRINGS_H

#include <epan/packet.h>

#include "../../core/ca/ca_dbr.h"
#include "../../core/ca/ca_message.h"

extern value_string ca_command_strings[CA_COMMANDS + 1];
extern value_string ca_dbr_strings[CA_DBR_TYPES + 1];

/* To be called before fields with these strings are registered. */
void ca_strings_fill(void);

#endif
