/* tap-latency-srt.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "tap-latency-srt.h"

#include <epan/proto.h>
#include <epan/srt_table.h>

#include "../../core/request/request.h"
#include "../show/operation_number.h"
#include "../show/packet-latency.h"

/* The first row is of the operations that have no number of their own. */
static void
open_table(struct register_srt *srt _U_, GArray *tables)
{
    srt_stat_table *table =
        init_srt_table("Operations", NULL, tables, 1, "Operation", "latency.operation.number", NULL);
    init_srt_table_row(table, 0, "(others)");
}

/* The first frame of a response, whichever item of the frame it is. */
static bool
begins_response(const struct item *item, uint32_t frame)
{
    return item->kind == ITEM_RESPONSE && item->flags & ITEM_FIRST && item->request->response.p0_frame == frame &&
           tls_turn_role(item->request) == TLS_NONE;
}

static void
take_response(srt_stat_table *table, const struct request *request, packet_info *pinfo)
{
    const char *name;
    unsigned number = operation_number(request, &name);
    if (number >= (unsigned)table->num_procs || !table->procedures[number].procedure)
        init_srt_table_row(table, (int)number, *name ? name : "(unknown)");
    /* Wireshark takes the time from the request to this frame: of what was put in order late, and of a clock that was
     * set back, that is not the latency. */
    int64_t latency_ns = request_first_byte(request);
    nstime_t latency = { .secs = (time_t)(latency_ns / 1000000000), .nsecs = (int)(latency_ns % 1000000000) };
    nstime_t asked;
    nstime_delta(&asked, &pinfo->abs_ts, &latency);
    add_srt_table_data(table, (int)number, &asked, pinfo);
}

static tap_packet_status
take_item(void *data, packet_info *pinfo, epan_dissect_t *edt _U_, const void *record, tap_flags_t flags _U_)
{
    srt_stat_table *table = g_array_index(((const srt_data_t *)data)->srt_array, srt_stat_table *, 0);
    const struct item *item = record;
    unsigned count = 0;
    const struct late_item *late = latency_tap_late(record, &count);
    for (unsigned i = 0; i < count; i++)
        if (begins_response(&late[i].item, late[i].frame))
            take_response(table, late[i].item.request, pinfo);
    if (!late && begins_response(item, pinfo->num)) {
        take_response(table, item->request, pinfo);
        return TAP_PACKET_REDRAW;
    }
    return late ? TAP_PACKET_REDRAW : TAP_PACKET_DONT_REDRAW;
}

void
register_tap_latency_srt(void)
{
    register_srt_table(proto_get_id_by_filter_name("latency"), LATENCY_TAP, 1, take_item, open_table, NULL);
}
