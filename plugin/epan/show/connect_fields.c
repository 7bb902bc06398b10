/* connect_fields.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "connect_fields.h"

#include <epan/expert.h>

#include "../../table/names.h"
#include "../intake/intake.h"

static int hf_connect_time = -1;
static int hf_connect_result = -1;
static int hf_connect_syn_retries = -1;
static int hf_connect_syn_in = -1;
static int hf_network_server = -1;
static int hf_network_client = -1;

static expert_field ei_failed;
static expert_field ei_unanswered;

static enum connect_result
result_so_far(const struct connection *connection)
{
    return connection_connect_result(connection, intake_source()->last_ns);
}

/* A client that acknowledges something has the SYN-ACK, which the capture lacks. */
static bool
may_be_answered(const struct connection *connection)
{
    return connection->tcp->sender[connection->client].has_acked || result_so_far(connection) == CONNECT_WAITING;
}

const char *
connect_fields_failure(const struct view *view, const struct item *item)
{
    const struct connect *connect = &item->connection->tcp->connect;
    switch (connect->result) {
    case CONNECT_UNANSWERED:
        if (item->kind != ITEM_SYN || !PINFO_FD_VISITED(view->pinfo) || may_be_answered(item->connection))
            return NULL;
        break;
    case CONNECT_REFUSED:
    case CONNECT_UNREACHABLE:
        if (item->kind != ITEM_ANSWER || view->pinfo->num != connect->answer_frame)
            return NULL;
        break;
    default:
        return NULL;
    }
    return connect_result_name(connect->result);
}

/* Returns what the attempt to connect is called. */
static const char *
attempt_name(const struct connection *connection)
{
    return connection->tcp->quic ? "QUIC connect" : "TCP connect";
}

static const char *
first_packet_name(const struct connection *connection)
{
    return connection->tcp->quic ? "Initial" : "SYN";
}

static void
show_unanswered(struct view *view, const struct connection *connection)
{
    const struct connect *connect = &connection->tcp->connect;
    if (!PINFO_FD_VISITED(view->pinfo) || connect->result != CONNECT_UNANSWERED)
        return;
    const enum connect_result result = result_so_far(connection);
    view_add_word(view, hf_connect_result, result, connect_result_name(result), false);
    view_add_uint(view, hf_connect_syn_retries, connect->syn_retries);
    proto_item_append_text(view->item, ": %s, %s", attempt_name(connection), connect_result_name(result));
    view_add_waited(view, intake_source()->last_ns - connect->syn_ns);
}

static void
show_answer(struct view *view, const struct connection *connection)
{
    const struct connect *connect = &connection->tcp->connect;
    if (view->pinfo->num != connect->answer_frame)
        return;
    view_add_time(view, hf_connect_time, connect->time_ns);
    proto_item_append_text(view->item, ": %s, %s%s%s, %s in %u", attempt_name(connection),
                           view_ms(view->pinfo->pool, connect->time_ns),
                           connect->result == CONNECT_ACCEPTED ? "" : ", ",
                           connect->result == CONNECT_ACCEPTED ? "" : connect_result_name(connect->result),
                           first_packet_name(connection), connect->syn_frame);
    view_note_slow_connect(view, connect->time_ns);
    view_add_word(view, hf_connect_result, connect->result, connect_result_name(connect->result), false);
    view_add_uint(view, hf_connect_syn_retries, connect->syn_retries);
    view_add_uint(view, hf_connect_syn_in, connect->syn_frame);
    if (connect->network_server_ns >= 0)
        view_add_time(view, hf_network_server, connect->network_server_ns);
    if (connect->answer_frame < connect->syn_frame)
        view_add_reordered(view);
}

static void
show_acknowledged(struct view *view, const struct connection *connection)
{
    const struct connect *connect = &connection->tcp->connect;
    view_add_time(view, hf_network_client, connect->network_client_ns);
    proto_item_append_text(view->item, ": %s, RTT to client %s", attempt_name(connection),
                           view_ms(view->pinfo->pool, connect->network_client_ns));
}

void
connect_fields_show(struct view *view, const struct item *item)
{
    const struct connect *connect = &item->connection->tcp->connect;
    const char *failure = connect_fields_failure(view, item);
    if (item->kind == ITEM_SYN)
        show_unanswered(view, item->connection);
    else if (item->kind == ITEM_ANSWER)
        show_answer(view, item->connection);
    else
        show_acknowledged(view, item->connection);
    if (failure && item->kind == ITEM_SYN)
        expert_add_info_format(view->pinfo, view->item, &ei_unanswered, "Connection attempt unanswered, %s sent %u×",
                               first_packet_name(item->connection), connect->syn_retries + 1);
    else if (failure)
        expert_add_info_format(view->pinfo, view->item, &ei_failed, "Connection attempt failed: %s", failure);
}

void
connect_fields_register(int proto)
{
    static hf_register_info hf[] = {
        TIME_FIELD(hf_connect_time, "Connect time", "latency.connect.time", "From the first SYN to its answer"),
        { &hf_connect_result,
          { "Connect result", "latency.connect.result", FT_UINT8, BASE_DEC, VALS(connect_result_strings), 0,
            "How the connection attempt ended", HFILL } },
        UINT_FIELD(hf_connect_syn_retries, "SYN retries", "latency.connect.syn_retries",
                   "How often the SYN was sent again before the answer"),
        FRAME_FIELD(hf_connect_syn_in, "SYN in", "latency.connect.syn_in", FRAMENUM_TYPE(FT_FRAMENUM_REQUEST),
                    "The first SYN"),
        TIME_FIELD(hf_network_server, "RTT to server", "latency.network.server",
                   "From the last SYN to the SYN-ACK: capture point to server and back"),
        TIME_FIELD(hf_network_client, "RTT to client", "latency.network.client",
                   "From the SYN-ACK to its ACK: capture point to client and back"),
    };
    static ei_register_info ei[] = {
        { &ei_failed,
          { "latency.connect.failed", PI_SEQUENCE, PI_NOTE, "Connection attempt refused, or the server unreachable",
            EXPFILL } },
        { &ei_unanswered,
          { "latency.connect.unanswered", PI_SEQUENCE, PI_NOTE, "Connection attempt unanswered", EXPFILL } },
    };
    proto_register_field_array(proto, hf, G_N_ELEMENTS(hf));
    expert_register_field_array(expert_register_protocol(proto), ei, G_N_ELEMENTS(ei));
}
