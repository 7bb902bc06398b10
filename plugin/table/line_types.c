/* line_types.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "line_types.h"

#include <string.h>

const char *const line_types[LINE_TYPES] = {
    "capture",    "segments",    "request",     "open",        "tls",        "attempt",     "handshake", "unmatched",
    "channel",    "server",      "operation",   "connections", "host",       "sender",      "search",    "ca_server",
    "ca_command", "pva_channel", "pva_monitor", "pva_search",  "pva_server", "pva_command",
};

unsigned
line_type_find(const char *type)
{
    unsigned i = 0;
    while (i < LINE_TYPES && strcmp(line_types[i], type) != 0)
        i++;
    return i;
}
