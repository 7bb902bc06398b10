/* http2_connection.c
 * What is kept of a connection of HTTP/2.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "http2.h"

struct http2 *
http2_of(struct reading *reading)
{
    struct http2 *http2 = reading_own(reading, sizeof *http2);
    if (!http2->streams.scope) {
        wmem_allocator_t *scope = reading_scope(reading);
        http2->memory = http2_memory(scope);
        http2->streams.scope = scope;
        http2->side[false].decoder.is_unknown = http2->side[true].decoder.is_unknown = true;
        http2->last_accepted = UINT32_MAX;
        http2->has_greeted = reading_is_greeted(reading);
        if (reading_wants_ids(reading))
            http2->side[true].decoder.ids = wmem_new0(scope, struct http2_ids);
    }
    return http2;
}

void
http2_begin(struct http2 *http2)
{
    http2->from_beginning = true;
    http2->side[false].decoder.is_unknown = http2->side[true].decoder.is_unknown = false;
}
