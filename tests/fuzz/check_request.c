/* check_request.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "check_request.h"

#include <string.h>

void
check_request(const struct requests *requests, const struct request *request)
{
    g_assert(request->number > 0 && request->number <= requests->count);
    g_assert(request->first_frame > 0 && request->operation && request->protocol < PROTOCOL_COUNT);
    g_assert(memchr(request->response.status, '\0', sizeof request->response.status));
    g_assert(request_outcome(requests, request) < OUTCOMES);
    if (request->response.first_frame)
        g_assert(request_first_byte(request) >= 0 && request_service(request) >= 0);
}

void
check_requests(struct analysis *analysis, uint32_t frame, enum protocol protocol)
{
    uint32_t at;
    for (struct item *item = items_first(analysis->items, frame, &at); item; item = items_next(analysis->items, &at)) {
        const struct request *request = item_request(item);
        if (!request)
            continue;
        check_request(&analysis->requests, request);
        g_assert(protocol == PROTOCOL_COUNT || request->protocol == protocol);
        g_assert(!request->response.first_frame || request->response.last_frame >= request->response.first_frame);
    }
}
