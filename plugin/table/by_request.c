/* by_request.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "by_request.h"

#include <string.h>

/* What stands before an entry; as long as what must be aligned behind it. */
struct slot {
    uint64_t number; /* 0: nobody's */
};

void
by_request_init(struct by_request *by_request, const struct table_source *source, unsigned bytes)
{
    by_number_init(&by_request->slots, source, (unsigned)sizeof(struct slot) + bytes);
}

void
by_request_clear(struct by_request *by_request)
{
    by_number_clear(&by_request->slots);
}

void *
by_request_at(struct by_request *by_request, const struct request *request)
{
    struct slot *slot = by_number_at(&by_request->slots, request->slot);
    if (slot->number != request->number) {
        memset(slot, 0, by_request->slots.bytes);
        slot->number = request->number;
    }
    return slot + 1;
}
