/* tap-latency-srt.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "tap-latency-srt.h"

#include <epan/proto.h>
#include <epan/srt_table.h>

#include "../../core/ca/ca_event.h"
#include "../../core/pva/pva_protocol.h"
#include "../../core/request/request.h"
#include "../ca/packet-ca.h"
#include "../show/operation_number.h"
#include "../show/packet-latency.h"

/* The first row is of the operations that have no number of their own. */
static void
open_table(struct register_srt *srt _U_, GArray *tables)
{
    operation_numbers_want();
    srt_stat_table *table =
        init_srt_table("Operations", NULL, tables, 1, "Operation", "latency.operation.number", NULL);
    init_srt_table_row(table, 0, "(others)");
}

/* The first frame of a response, whichever item of the frame it is. */
static bool
begins_response(const struct item *item, uint32_t frame)
{
    return item->kind == ITEM_RESPONSE && item->flags & ITEM_FIRST && item->request->response.first_frame == frame &&
           tls_turn_role(item->request) == TLS_NONE;
}

/* Adds a response that came so long after its request. Wireshark takes the time from the request to this frame: of what
 * was put in order late, and of a clock that was set back, that is not the latency. */
static void
add_latency(srt_stat_table *table, unsigned row, int64_t latency_ns, packet_info *pinfo)
{
    nstime_t latency = { .secs = (time_t)(latency_ns / 1000000000), .nsecs = (int)(latency_ns % 1000000000) };
    nstime_t request;
    nstime_delta(&request, &pinfo->abs_ts, &latency);
    add_srt_table_data(table, (int)row, &request, pinfo);
}

static srt_stat_table *
table_of(const srt_data_t *data)
{
    return g_array_index(data->srt_array, srt_stat_table *, 0);
}

static void
take_response(srt_stat_table *table, const struct request *request, packet_info *pinfo)
{
    const char *name;
    unsigned number = operation_number(request, &name);
    if (number >= (unsigned)table->num_procs || !table->procedures[number].procedure)
        init_srt_table_row(table, (int)number, *name ? name : "(unknown)");
    add_latency(table, number, request_first_byte(request), pinfo);
}

static tap_packet_status
take_item(void *data, packet_info *pinfo, epan_dissect_t *edt _U_, const void *record, tap_flags_t flags _U_)
{
    srt_stat_table *table = table_of(data);
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
    add_latency(table_of(data), command, latency_ns, pinfo);
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
register_tap_latency_srt(void)
{
    register_srt_table(proto_get_id_by_filter_name("latency"), LATENCY_TAP, 1, take_item, open_table, NULL);
    register_srt_table(proto_get_id_by_filter_name("ca"), CA_TAP, 1, take_ca_event, open_ca_table, NULL);
    register_srt_table(proto_get_id_by_filter_name("pva"), CA_TAP, 1, take_pva_event, open_pva_table, NULL);
}
