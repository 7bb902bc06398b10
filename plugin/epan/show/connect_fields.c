/* connect_fields.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "connect_fields.h"

#include "../intake/intake.h"
#include "names.h"

static int hf_connect_time = -1;
static int hf_connect_result = -1;
static int hf_connect_syn_retries = -1;
static int hf_connect_syn_in = -1;
static int hf_network_server = -1;
static int hf_network_client = -1;

static void
show_unanswered(struct view *view, const struct connect *connect)
{
    if (!PINFO_FD_VISITED(view->pinfo) || connect->result != CONNECT_UNANSWERED)
        return;
    view_add_uint(view, hf_connect_result, CONNECT_UNANSWERED);
    view_add_uint(view, hf_connect_syn_retries, connect->syn_retries);
    view_add_waited(view, intake_source()->last_ns - connect->syn_ns);
}

static void
show_answer(struct view *view, const struct connect *connect)
{
    if (view->pinfo->num != connect->answer_frame)
        return;
    view_add_time(view, hf_connect_time, connect->time_ns);
    view_note_slow(view, "Slow to connect", connect->time_ns);
    view_add_uint(view, hf_connect_result, connect->result);
    view_add_uint(view, hf_connect_syn_retries, connect->syn_retries);
    view_add_uint(view, hf_connect_syn_in, connect->syn_frame);
    if (connect->network_server_ns >= 0)
        view_add_time(view, hf_network_server, connect->network_server_ns);
    if (connect->answer_frame < connect->syn_frame)
        view_add_reordered(view);
}

void
connect_fields_show(struct view *view, const struct item *item)
{
    const struct connect *connect = &item->connection->tcp->connect;
    if (item->kind == ITEM_SYN)
        show_unanswered(view, connect);
    else if (item->kind == ITEM_ANSWER)
        show_answer(view, connect);
    else
        view_add_time(view, hf_network_client, connect->network_client_ns);
}

void
connect_fields_register(int proto)
{
    static hf_register_info hf[] = {
        TIME_FIELD(hf_connect_time, "Connect time", "latency.connect.time", "From the first SYN to its first answer"),
        { &hf_connect_result,
          { "Connect result", "latency.connect.result", FT_UINT8, BASE_DEC, VALS(connect_result_strings), 0,
            "What the attempt to connect came to", HFILL } },
        { &hf_connect_syn_retries,
          { "SYN retries", "latency.connect.syn_retries", FT_UINT32, BASE_DEC, NULL, 0,
            "SYNs sent again before the answer", HFILL } },
        FRAME_FIELD(hf_connect_syn_in, "SYN in", "latency.connect.syn_in", FRAMENUM_TYPE(FT_FRAMENUM_REQUEST),
                    "The first SYN"),
        TIME_FIELD(hf_network_server, "RTT to server", "latency.network.server",
                   "From the last SYN to the SYN-ACK: capture point to server and back"),
        TIME_FIELD(hf_network_client, "RTT to client", "latency.network.client",
                   "From the SYN-ACK to its ACK: capture point to client and back"),
    };
    proto_register_field_array(proto, hf, G_N_ELEMENTS(hf));
}
