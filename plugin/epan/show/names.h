/* names.h
 * The names of the core's values as Wireshark's fields want them, and addresses as its users do.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_SHOW_NAMES_H
#define LATENCY_SHOW_NAMES_H

#include <epan/proto.h>

#include "../../core/protocol/tls/tls_handshake.h"

extern value_string outcome_strings[OUTCOMES + 1];
extern value_string connect_result_strings[CONNECT_RESULTS + 1];
extern value_string tls_result_strings[TLS_RESULTS + 1];

/* To be called before fields with these strings are registered. */
void names_fill(void);

/* An address, by name where the user asked for names. Allocated in `scope`. */
char *names_address(wmem_allocator_t *scope, const struct endpoint *endpoint, bool ipv6);

#endif
