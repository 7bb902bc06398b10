/* packet-latency.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "packet-latency.h"

#include <epan/expert.h>
#include <epan/packet.h>
#include <epan/tap.h>

#include "../ca/ca_tap.h"
#include "../intake/intake.h"
#include "../../table/names.h"
#include "names.h"
#include "source_texts.h"
#include "preferences.h"
#include "sighting_fields.h"
#include "tls_fields.h"
#include "stream_fields.h"
#include "two_passes.h"
#include "view.h"

static int proto_latency = -1;
static int tap_latency = -1;

static int hf_request = -1;
static int hf_operation = -1;
static int hf_response_in = -1;
static int hf_request_in = -1;
static int hf_first_byte = -1;
static int hf_service = -1;
static int hf_request_spread = -1;
static int hf_server_time = -1;
static int hf_elapsed = -1;
static int hf_last_byte = -1;
static int hf_response_spread = -1;
static int hf_request_bytes = -1;
static int hf_response_bytes = -1;
static int hf_framing = -1;
static int hf_status = -1;
static int hf_outcome = -1;
static int hf_cut = -1;
static int hf_reordered = -1;
static int hf_spacing = -1;
static int hf_byte_offset = -1;
static int hf_ipid_delta = -1;
static int hf_flags = -1;
static int hf_flags_ipid_gap = -1;
static int hf_flags_out_of_order = -1;
static int hf_flags_retransmission = -1;
static int hf_flags_short = -1;
static int hf_flags_after_short = -1;
static int hf_flags_chunk_boundary = -1;
static int hf_connect_time = -1;
static int hf_connect_result = -1;
static int hf_connect_syn_retries = -1;
static int hf_connect_syn_in = -1;
static int hf_network_server = -1;
static int hf_network_client = -1;

static expert_field ei_unanswered;
static expert_field ei_truncated;

static void
show_flags(struct view *view, const struct item *item)
{
    const struct {
        uint16_t flag;
        int hf;
        const char *name;
    } flags[] = {
        { ITEM_RETRANSMISSION, hf_flags_retransmission, "retransmission" },
        { ITEM_IPID_GAP, hf_flags_ipid_gap, "IP ID gap" },
        { ITEM_OUT_OF_ORDER, hf_flags_out_of_order, "out of order" },
        { ITEM_SHORT, hf_flags_short, "short" },
        { ITEM_AFTER_SHORT, hf_flags_after_short, "after short" },
        { ITEM_CHUNK_BOUNDARY, hf_flags_chunk_boundary, "chunk boundary" },
    };
    wmem_strbuf_t *names = wmem_strbuf_new(view->pinfo->pool, "");
    for (unsigned i = 0; i < G_N_ELEMENTS(flags); i++) {
        if (!(item->flags & flags[i].flag))
            continue;
        view_add_flag(view, flags[i].hf);
        /* Said already by the word before. */
        if (flags[i].flag == ITEM_OUT_OF_ORDER && item->flags & ITEM_RETRANSMISSION)
            continue;
        wmem_strbuf_append_printf(names, "%s%s", wmem_strbuf_get_len(names) ? ", " : "", flags[i].name);
    }
    if (wmem_strbuf_get_len(names))
        view_add_string(view, hf_flags, wmem_strbuf_get_str(names));
}

static void
show_sequence(struct view *view, const struct item *item)
{
    if (item->flags & ITEM_IPID)
        proto_item_set_generated(proto_tree_add_int(view_tree(view), hf_ipid_delta, view->tvb, 0, 0, item->ipid_delta));
    show_flags(view, item);
}

static void
show_packet(struct view *view, const struct item *item)
{
    if (item->flags & ITEM_FIRST)
        return;
    view_add_time(view, hf_spacing, item->spacing_ns);
    view_add_bytes(view, hf_byte_offset, item->byte_offset);
    show_sequence(view, item);
}

/* Of one whose request is not known yet. */
static void
show_held(struct view *view, const struct item *item)
{
    if (item->flags & ITEM_FIRST)
        return;
    view_add_time(view, hf_spacing, item->spacing_ns);
    show_sequence(view, item);
}

static void
show_request_frame(struct view *view, const struct request *request)
{
    if (request->p0_frame) {
        view_add_uint(view, hf_response_in, request->p0_frame);
        two_passes_has_response_in();
    }
    if (!PINFO_FD_VISITED(view->pinfo))
        return;
    enum outcome outcome = request_outcome(&intake_analysis()->requests, request);
    view_add_uint(view, hf_outcome, outcome);
    if (!request->p0_frame && outcome != OUTCOME_CLOSED_BY_CLIENT && view->pinfo->num == request->q0_frame &&
        tls_turn_role(request) == TLS_NONE)
        expert_add_info_format(view->pinfo, view->item, &ei_unanswered, "No response: %s", outcome_name(outcome));
}

static void
show_first_response(struct view *view, const struct request *request)
{
    int64_t server_ns = request_server_time(request);
    view_add_time(view, hf_first_byte, request_first_byte(request));
    view_add_time(view, hf_service, request_service(request));
    view_add_time(view, hf_request_spread, request->q1_ns - request->q0_ns);
    if (server_ns >= 0)
        view_add_time(view, hf_server_time, server_ns);
}

static void
show_response_frame(struct view *view, const struct request *request, const struct item *item)
{
    uint32_t frame = view->pinfo->num;
    view_add_uint(view, hf_request_in, request->q0_frame);
    if (frame == request->p0_frame)
        show_first_response(view, request);
    view_add_time(view, hf_elapsed, request_elapsed(request, view->now_ns));
    if (*request->status)
        view_add_string(view, hf_status, request->status);
    if (frame == request->p0_frame)
        view_add_bytes(view, hf_request_bytes, request->request_bytes);
    if (frame == request->p1_frame && PINFO_FD_VISITED(view->pinfo)) {
        if (request->truncated)
            expert_add_info(view->pinfo, view->item, &ei_truncated);
        view_add_time(view, hf_last_byte, request_last_byte(request));
        view_add_time(view, hf_response_spread, request->p1_ns - request->p0_ns);
        view_add_bytes(view, hf_response_bytes, request->response_bytes);
    }
    if (frame < request->q0_frame || view->now_ns < request->q0_ns || (item->flags & ITEM_FIRST && request->reordered))
        view_add_flag(view, hf_reordered);
}

static void
show_payload(struct view *view, const struct item *item)
{
    const struct request *request = item->request;
    view_add_uint(view, hf_request, request->number);
    proto_item_append_text(view->item, ": request %u", request->number);
    if (*request->operation) {
        view_add_string(view, hf_operation, request->operation);
        proto_item_append_text(view->item, ", %s", request->operation);
    }
    if (request->framing)
        view_add_string(view, hf_framing, framing_name(request->framing));
    stream_fields_show(view, request);
    if (request->cut)
        view_add_flag(view, hf_cut);
    if (item->kind == ITEM_REQUEST)
        show_request_frame(view, request);
    else
        show_response_frame(view, request, item);
    show_packet(view, item);
}

static void
show_unanswered(struct view *view, const struct connect *connect)
{
    if (!PINFO_FD_VISITED(view->pinfo) || connect->result != CONNECT_UNANSWERED)
        return;
    view_add_uint(view, hf_connect_result, CONNECT_UNANSWERED);
    view_add_uint(view, hf_connect_syn_retries, connect->syn_retries);
}

static void
show_answer(struct view *view, const struct connect *connect)
{
    if (view->pinfo->num != connect->answer_frame)
        return;
    view_add_time(view, hf_connect_time, connect->time_ns);
    view_add_uint(view, hf_connect_result, connect->result);
    view_add_uint(view, hf_connect_syn_retries, connect->syn_retries);
    view_add_uint(view, hf_connect_syn_in, connect->syn_frame);
    if (connect->network_server_ns >= 0)
        view_add_time(view, hf_network_server, connect->network_server_ns);
    if (connect->answer_frame < connect->syn_frame)
        view_add_flag(view, hf_reordered);
}

static void
show_item(struct view *view, const struct item *item)
{
    switch (item->kind) {
    case ITEM_SIGHTING:
        sighting_fields_show(view, item->sighting);
        break;
    case ITEM_SYN:
        show_unanswered(view, &item->connection->connect);
        break;
    case ITEM_ANSWER:
        show_answer(view, &item->connection->connect);
        break;
    case ITEM_ACK:
        view_add_time(view, hf_network_client, item->connection->connect.network_client_ns);
        break;
    case ITEM_REQUEST:
    case ITEM_RESPONSE:
        /* each request has a tree of its own */
        view->tree = NULL;
        show_payload(view, item);
        break;
    case ITEM_HELD:
        view->tree = NULL;
        show_held(view, item);
        break;
    case ITEM_TLS:
        view->tree = NULL;
        view->item = NULL;
        tls_fields_show(view, item->connection->handshake);
        break;
    default:
        break;
    }
}

/* In the tap's queue, for items_late(). */
static const struct item late_ones = { .kind = ITEM_UPDATED };

const struct late_item *
latency_tap_late(const void *packet, unsigned *count)
{
    return packet == &late_ones ? items_late(intake_analysis()->items, count) : NULL;
}

/* What has become known of frames that the listeners have been told of. */
static void
tap_late(const struct items *items, packet_info *pinfo)
{
    unsigned count;
    if (items_late(items, &count))
        tap_queue_packet(tap_latency, pinfo, &late_ones);
}

static int
dissect_latency(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data _U_)
{
    struct items *items = intake_analysis()->items;
    bool tapped = have_tap_listener(tap_latency);
    bool shown = intake_is_shown(tree, proto_latency);
    struct view view = { .tvb = tvb, .pinfo = pinfo, .now_ns = intake_time_ns(pinfo), .parent = tree };
    uint32_t position;
    if (!PINFO_FD_VISITED(pinfo))
        intake_end_frame(pinfo, tvb, tree);
    if (intake_is_read_once())
        two_passes_look();
    ca_tap_frame(pinfo);
    if (!shown && !tapped)
        return 0;
    /* First, for with the frame's own a request may be over. */
    if (tapped && !PINFO_FD_VISITED(pinfo))
        tap_late(items, pinfo);
    for (struct item *item = items_first(items, pinfo->num, &position); item; item = items_next(items, &position)) {
        if (tapped)
            tap_queue_packet(tap_latency, pinfo, item);
        if (shown)
            show_item(&view, item);
    }
    /* 0: the frame's list of protocols stays what it was. */
    return 0;
}

static void
register_fields(void)
{
    static hf_register_info hf[] = {
        { &hf_request,
          { "Request", "latency.request", FT_UINT32, BASE_DEC, NULL, 0, "Number of the request in the capture, from 1",
            HFILL } },
        { &hf_operation,
          { "Operation", "latency.operation", FT_STRING, BASE_NONE, NULL, 0, "What the request asks for", HFILL } },
        FRAME_FIELD(hf_response_in, "Response in", "latency.response_in", FRAMENUM_TYPE(FT_FRAMENUM_RESPONSE),
                    "First frame of the response"),
        FRAME_FIELD(hf_request_in, "Request in", "latency.request_in", FRAMENUM_TYPE(FT_FRAMENUM_REQUEST),
                    "First frame of the request"),
        TIME_FIELD(hf_first_byte, "Time to first byte", "latency.first_byte",
                   "From the request's first frame to the response's first"),
        TIME_FIELD(hf_service, "Service", "latency.service", "From the request's last frame to the response's first"),
        TIME_FIELD(hf_request_spread, "Request spread", "latency.request_spread",
                   "From the request's first frame to its last"),
        TIME_FIELD(hf_server_time, "Server time", "latency.server_time",
                   "Service less the RTT to the server, as the handshake had it"),
        TIME_FIELD(hf_elapsed, "Elapsed", "latency.elapsed", "From the request's first frame to this one"),
        TIME_FIELD(hf_last_byte, "Last byte", "latency.last_byte",
                   "From the request's first frame to the response's last"),
        TIME_FIELD(hf_response_spread, "Response spread", "latency.response_spread",
                   "From the response's first frame to its last"),
        BYTES_FIELD(hf_request_bytes, "Request bytes", "latency.request_bytes", "New payload of the request"),
        BYTES_FIELD(hf_response_bytes, "Response bytes", "latency.response_bytes", "New payload of the response"),
        { &hf_framing,
          { "Framing", "latency.framing", FT_STRING, BASE_NONE, NULL, 0, "How the request was told from others",
            HFILL } },
        { &hf_status,
          { "Status", "latency.status", FT_STRING, BASE_NONE, NULL, 0,
            "What the response says of its success: an HTTP status, an error, a miss", HFILL } },
        { &hf_outcome,
          { "Outcome", "latency.outcome", FT_UINT8, BASE_DEC, VALS(outcome_strings), 0,
            "Whether the request was answered, or why not", HFILL } },
        FLAG_FIELD(hf_cut, "Cut", "latency.cut",
                   "The snap length cut what would say where the request or its response ends: segments decided"),
        FLAG_FIELD(hf_reordered, "Reordered", "latency.reordered",
                   "The capture has the response before its request: a time that would be negative is 0"),
        TIME_FIELD(hf_spacing, "Spacing", "latency.spacing",
                   "Since the payload frame before in the same request or response"),
        BYTES_FIELD(hf_byte_offset, "Byte offset", "latency.byte_offset",
                    "Bytes from the first of the request or response to the end of this frame"),
        { &hf_ipid_delta,
          { "IP ID delta", "latency.ipid.delta", FT_INT16, BASE_DEC, NULL, 0, "IP ID less the expected one", HFILL } },
        { &hf_flags,
          { "Flags", "latency.flags", FT_STRING, BASE_NONE, NULL, 0, "The flags that are set, in words", HFILL } },
        FLAG_FIELD(hf_flags_ipid_gap, "IP ID gap", "latency.flags.ipid_gap",
                   "IP IDs of this sender are missing before this frame"),
        FLAG_FIELD(hf_flags_out_of_order, "Out of order", "latency.flags.out_of_order",
                   "Does not begin at the next expected sequence number"),
        FLAG_FIELD(hf_flags_retransmission, "Retransmission", "latency.flags.retransmission",
                   "Carries only bytes seen before"),
        FLAG_FIELD(hf_flags_short, "Short", "latency.flags.short", "Not filled up to the full segment size"),
        FLAG_FIELD(hf_flags_after_short, "After short", "latency.flags.after_short",
                   "The payload frame before was short: the sender had run dry"),
        FLAG_FIELD(hf_flags_chunk_boundary, "Chunk boundary", "latency.flags.chunk_boundary",
                   "Begins at a multiple of the chunk size"),
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
    static ei_register_info ei[] = {
        { &ei_unanswered, { "latency.unanswered", PI_SEQUENCE, PI_NOTE, "Request without response", EXPFILL } },
        { &ei_truncated,
          { "latency.truncated", PI_SEQUENCE, PI_WARN, "The response ends before its length", EXPFILL } },
    };
    proto_register_field_array(proto_latency, hf, G_N_ELEMENTS(hf));
    expert_register_field_array(expert_register_protocol(proto_latency), ei, G_N_ELEMENTS(ei));
}

void
proto_register_latency(void)
{
    proto_latency = proto_register_protocol("Latency", "Latency", "latency");
    tap_latency = register_tap(LATENCY_TAP);
    names_fill();
    register_fields();
    source_texts_register();
    view_register(proto_latency);
    sighting_fields_register(proto_latency);
    tls_fields_register(proto_latency);
    stream_fields_register(proto_latency);
    preferences_register(proto_latency);
    intake_register();
    intake_want(proto_latency, tap_latency);
    two_passes_register();
    register_postdissector(register_dissector("latency", dissect_latency, proto_latency));
}

void
proto_reg_handoff_latency(void)
{
    preferences_handoff();
    intake_handoff();
}
