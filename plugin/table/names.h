/* names.h
 * How the core's values read.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_NAMES_H
#define LATENCY_NAMES_H

#include "../core/util/vocabulary.h"
#include "table_source.h"

struct group_key;
struct points;

const char *protocol_name(unsigned protocol); /* an enum protocol */

/* An address, as source_texts has it where nobody asked for names. Allocated in `scope`. */
char *address_text(wmem_allocator_t *scope, const struct endpoint *endpoint, bool ipv6);

/* An address, by name where the user asked for names. Allocated in `scope`. */
char *address_name(wmem_allocator_t *scope, const struct table_source *source, const struct endpoint *endpoint,
                   bool ipv6);

/* "address:port", with brackets around an IPv6 address. Allocated in `scope`. */
char *endpoint_name(wmem_allocator_t *scope, const struct table_source *source, const struct endpoint *endpoint,
                    bool ipv6);

/* A host (core/stats/host_tally.h): its name and port, or "address:port". Allocated in `scope`. */
char *host_name(wmem_allocator_t *scope, const struct table_source *source, const struct group_key *key);

/* "from→to", of two of the capture points. Allocated in `scope`. */
char *stage_name(wmem_allocator_t *scope, const struct points *points, uint16_t from, uint16_t to);

#endif
