/* request_filter.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "request_filter.h"

#include <epan/packet.h>

#include <epan/conversation_filter.h> /* after packet.h, whose types it names */

#include "../../compat.h"
#include "../../core/item_subject.h"
#include "../intake/intake.h"

/* The first of the frame's; NULL if it has none. */
static const struct request *
request_of(const packet_info *pinfo)
{
    uint32_t position;
    if (!intake_analysis())
        return NULL;
    struct items *items = intake_analysis()->items;
    for (const struct item *item = items_first(items, pinfo->num, &position); item; item = items_next(items, &position))
        if (item->kind == ITEM_REQUEST || item->kind == ITEM_RESPONSE)
            return item->request;
    return NULL;
}

static wireshark_bool
has_request(packet_info *pinfo COMPAT_FILTER_DATA)
{
    return request_of(pinfo) != NULL;
}

static char *
filter_of_request(packet_info *pinfo COMPAT_FILTER_DATA)
{
    const struct request *request = request_of(pinfo);
    return request ? g_strdup_printf("latency.request == %u", request->number) : NULL;
}

void
request_filter_register(void)
{
    compat_register_filter("latency", "Latency: request", has_request, filter_of_request);
}
