/* tap-ca-srt.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "tap-ca-srt.h"

#include <epan/proto.h>
#include <epan/srt_table.h>

#include "../../core/ca/ca_event.h"
#include "../../core/ca/ca_names.h"
#include "../ca/packet-ca.h"

static void
open_table(struct register_srt *srt _U_, GArray *tables)
{
    srt_stat_table *table =
        init_srt_table("Channel Access Commands", NULL, tables, CA_COMMANDS, "Command", "ca.command", NULL);
    for (int command = 0; command < CA_COMMANDS; command++)
        init_srt_table_row(table, command, ca_command_name((unsigned)command));
}

static tap_packet_status
take_event(void *tapdata, packet_info *pinfo, epan_dissect_t *edt _U_, const void *record, tap_flags_t flags _U_)
{
    const srt_data_t *data = tapdata;
    unsigned command;
    int64_t latency_ns = ca_event_latency(record, &command);
    if (latency_ns < 0)
        return TAP_PACKET_DONT_REDRAW;
    /* Wireshark takes the time from the request to this frame: of what was put in order late, and of a clock that was
     * set back, that is not the latency. */
    nstime_t latency = { .secs = (time_t)(latency_ns / 1000000000), .nsecs = (int)(latency_ns % 1000000000) };
    nstime_t request;
    nstime_delta(&request, &pinfo->abs_ts, &latency);
    add_srt_table_data(g_array_index(data->srt_array, srt_stat_table *, 0), (int)command, &request, pinfo);
    return TAP_PACKET_REDRAW;
}

void
register_tap_ca_srt(void)
{
    register_srt_table(proto_get_id_by_filter_name("ca"), CA_TAP, 1, take_event, open_table, NULL);
}
