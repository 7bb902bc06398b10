/* names.h
 * How the core's values read.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_NAMES_H
#define LATENCY_NAMES_H

#include <epan/proto.h>
#include <wsutil/wmem/wmem.h>

#include "../../core/tcp/segment.h"

extern const value_string framing_names[];        /* of enum framing_kind */
extern const value_string outcome_names[];        /* of enum outcome */
extern const value_string connect_result_names[]; /* of enum connect_result */
extern const value_string ipid_names[];           /* of enum ipid_behaviour */
extern const value_string heading_names[];        /* of enum heading */

/* An address, by name where the user asked for names. Allocated in `scope`. */
char *address_name(wmem_allocator_t *scope, const struct endpoint *endpoint, bool ipv6);

/* "address:port", with brackets around an IPv6 address. Allocated in `scope`. */
char *endpoint_name(wmem_allocator_t *scope, const struct endpoint *endpoint, bool ipv6);

/* "from→to", of two capture points of the capture being read. Allocated in `scope`. */
char *stage_name(wmem_allocator_t *scope, uint16_t from, uint16_t to);

/* What a capture says, without what would spoil a line: control characters and what is no UTF-8. Allocated in `scope`.
 */
char *text_name(wmem_allocator_t *scope, const char *text);

#endif
