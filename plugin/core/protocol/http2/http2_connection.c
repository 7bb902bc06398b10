/* http2_connection.c
 * What is kept of a connection of HTTP/2.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "http2.h"

struct http2 *
http2_of(struct reading *reading)
{
    void **own = reading_own(reading);
    if (!*own) {
        wmem_allocator_t *scope = reading_scope(reading);
        struct http2 *http2 = *own = wmem_new0(scope, struct http2);
        http2->memory = http2_memory(scope);
        http2->streams.scope = scope;
        http2->side[false].decoder.is_unknown = http2->side[true].decoder.is_unknown = true;
        http2->last_accepted = UINT32_MAX;
        http2->has_greeted = reading_is_greeted(reading);
        if (reading_wants_ids(reading)) {
            http2->side[true].decoder.ids = wmem_new0(scope, struct http2_ids);
            http2->side[true].decoder.ids->more = reading_id_headers(reading);
        }
    }
    return *own;
}

void
http2_begin(struct http2 *http2)
{
    http2->from_beginning = true;
    http2->side[false].decoder.is_unknown = http2->side[true].decoder.is_unknown = false;
}
