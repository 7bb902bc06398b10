/* tap-ca-srt.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "tap-ca-srt.h"

#include <epan/proto.h>
#include <epan/srt_table.h>

#include "../../core/ca/ca_event.h"
#include "../../core/pva/pva_protocol.h"
#include "../ca/packet-ca.h"

/* A row for each kind of request; those that are none have none. */
static void
open_table_of(const struct circuit_protocol *protocol, const char *title, const char *field, GArray *tables)
{
    srt_stat_table *table = init_srt_table(title, NULL, tables, protocol->commands, "Command", field, NULL);
    for (int command = 0; command < protocol->commands; command++) {
        const char *name = protocol->command_name((unsigned)command);
        init_srt_table_row(table, command, name ? name : "");
    }
}

static void
open_ca_table(struct register_srt *srt _U_, GArray *tables)
{
    open_table_of(&circuit_of_channel_access, "Channel Access Commands", "ca.command", tables);
}

static void
open_pva_table(struct register_srt *srt _U_, GArray *tables)
{
    open_table_of(&circuit_of_pvaccess, "pvAccess Commands", NULL, tables);
}

static tap_packet_status
take_event(const srt_data_t *data, packet_info *pinfo, const struct ca_event *record,
           const struct circuit_protocol *protocol)
{
    unsigned command;
    if (record->protocol != protocol)
        return TAP_PACKET_DONT_REDRAW;
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

static tap_packet_status
take_ca_event(void *data, packet_info *pinfo, epan_dissect_t *edt _U_, const void *record, tap_flags_t flags _U_)
{
    return take_event(data, pinfo, record, &circuit_of_channel_access);
}

static tap_packet_status
take_pva_event(void *data, packet_info *pinfo, epan_dissect_t *edt _U_, const void *record, tap_flags_t flags _U_)
{
    return take_event(data, pinfo, record, &circuit_of_pvaccess);
}

void
register_tap_ca_srt(void)
{
    register_srt_table(proto_get_id_by_filter_name("ca"), CA_TAP, 1, take_ca_event, open_ca_table, NULL);
    register_srt_table(proto_get_id_by_filter_name("pva"), CA_TAP, 1, take_pva_event, open_pva_table, NULL);
}
