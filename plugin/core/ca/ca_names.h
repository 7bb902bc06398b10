/* ca_names.h
 * Names of Channel Access: commands and statuses.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_CA_NAMES_H
#define LATENCY_CA_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* "CREATE_CHAN"; NULL for what is no command. */
const char *ca_command_name(unsigned command);

/* "ECA_NORMAL"; NULL for what is no status. */
const char *ca_status_name(uint32_t status);

#endif
