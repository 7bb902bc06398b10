/* packet-latency.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "packet-latency.h"

#include <epan/expert.h>
#include <epan/packet.h>
#include <epan/tap.h>

#include "../ca/ca_frame.h"
#include "../intake/intake.h"
#include "../protocols/protocol_pairs.h"
#include "../../table/names.h"
#include "calls_fields.h"
#include "connect_fields.h"
#include "frame_fields.h"
#include "operation_number.h"
#include "request_filter.h"
#include "source_texts.h"
#include "packet_fields.h"
#include "preferences.h"
#include "sighting_fields.h"
#include "tls_fields.h"
#include "transport_fields.h"
#include "two_passes.h"
#include "../view.h"

static dissector_handle_t latency_handle;

static int proto_latency = -1;
static int tap_latency = -1;
static void (*on_frame)(bool is_end); /* see latency_on_frame() */

static int hf_request = -1;
static int hf_operation = -1;
static int hf_operation_number = -1;
static int hf_response_in = -1;
static int hf_request_in = -1;
static int hf_first_byte = -1;
static int hf_service = -1;
static int hf_request_spread = -1;
static int hf_server_time = -1;
static int hf_elapsed = -1;
static int hf_last_byte = -1;
static int hf_transfer = -1;
static int hf_request_bytes = -1;
static int hf_response_bytes = -1;
static int hf_protocol = -1;
static int hf_status = -1;
static int hf_outcome = -1;
static int hf_error = -1;
static int hf_cut = -1;

static expert_field ei_unanswered;
static expert_field ei_truncated;
static expert_field ei_error;

static void
show_request_frame(struct view *view, const struct request *request)
{
    if (request->response.first_frame) {
        view_add_uint(view, hf_response_in, request->response.first_frame);
        two_passes_has_response_in();
    }
    if (!PINFO_FD_VISITED(view->pinfo))
        return;
    enum outcome outcome = request_outcome(&intake_analysis()->requests, request);
    view_add_word(view, hf_outcome, outcome, outcome_name(outcome), outcome == OUTCOME_ANSWERED);
    if (outcome == OUTCOME_WAITING)
        view_add_waited(view, intake_source()->last_ns - request->first_ns);
    if (outcome_says(outcome) & OUTCOME_IS_UNANSWERED && view->pinfo->num == request->first_frame &&
        tls_turn_role(request) == TLS_NONE)
        expert_add_info_format(view->pinfo, view->item, &ei_unanswered, "No response: %s", outcome_name(outcome));
}

static void
show_first_response(struct view *view, const struct request *request)
{
    int64_t server_ns = request_server_time(request);
    view_add_time(view, hf_first_byte, request_first_byte(request));
    view_add_time(view, hf_service, request_service(request));
    view_add_spread(view, hf_request_spread, request->last_ns - request->first_ns);
    if (server_ns >= 0)
        view_add_time(view, hf_server_time, server_ns);
}

/* Whether the client's wait ends with the frame, as far as that is known. Second passes know the response's last frame.
 * In one pass a message says where it ends; by turns what is seen first may be all. */
static bool
ends_wait(const struct view *view, const struct request *request)
{
    const bool is_visited = PINFO_FD_VISITED(view->pinfo);
    const uint32_t frame = view->pinfo->num;
    if (request_wait(request) == WAIT_FOR_FIRST_BYTE || (!is_visited && !request->by_messages))
        return frame == request->response.first_frame;
    return frame == request->response.last_frame && (is_visited || !request_goes_on(request));
}

/* On the frame with which it is known: the response's status line may be in any of its frames, its head in the first.
 */
static void
show_error(struct view *view, const struct request *request)
{
    view_add_flag(view, hf_error);
    if (view->pinfo->num == request->response.first_frame)
        expert_add_info_format(view->pinfo, view->item, &ei_error, "Error response%s%s",
                               *request->response.status ? ": " : "", request->response.status);
}

static void
show_response_frame(struct view *view, const struct request *request, const struct item *item)
{
    uint32_t frame = view->pinfo->num;
    view_add_uint(view, hf_request_in, request->first_frame);
    if (frame == request->response.first_frame)
        show_first_response(view, request);
    if (ends_wait(view, request) && tls_turn_role(request) == TLS_NONE)
        view_note_slow_response(view, request_wait_ns(request), request_first_byte(request));
    view_add_time(view, hf_elapsed, request_elapsed(request, view->now_ns));
    if (*request->response.status)
        view_add_string(view, hf_status, request->response.status);
    if (request->response.failed)
        show_error(view, request);
    if (frame == request->response.first_frame)
        view_add_bytes(view, hf_request_bytes, request->request_bytes);
    if (frame == request->response.last_frame && PINFO_FD_VISITED(view->pinfo)) {
        if (request->ending == ENDING_TRUNCATED)
            expert_add_info(view->pinfo, view->item, &ei_truncated);
        view_add_time(view, hf_last_byte, request_last_byte(request));
        view_add_spread(view, hf_transfer, request->response.last_ns - request->response.first_ns);
        view_add_bytes(view, hf_response_bytes, request->response.bytes);
    }
    if (frame < request->first_frame || view->now_ns < request->first_ns ||
        (item->flags & ITEM_FIRST && request->reordered))
        view_add_reordered(view);
}

/* Returns what the request took: its duration or, where its end is not known yet, the time to its response's first
 * byte. NULL if neither is known. */
static const char *
time_taken(const struct view *view, const struct request *request)
{
    wmem_allocator_t *scope = view->pinfo->pool;
    if (!request->response.first_frame)
        return NULL;
    if (PINFO_FD_VISITED(view->pinfo))
        return view_ms(scope, request_last_byte(request));
    if (view->pinfo->num != request->response.first_frame)
        return NULL;
    return wmem_strdup_printf(scope, "TTFB %s", view_ms(scope, request_first_byte(request)));
}

static void
append(const struct view *view, const char *text)
{
    if (text && *text)
        proto_item_append_text(view->item, ", %s", text);
}

/* Appends what came of the request: how long it took and what was answered, or why nothing was. */
static void
append_result(const struct view *view, const struct request *request)
{
    const bool is_read = PINFO_FD_VISITED(view->pinfo);
    const enum outcome outcome = request_outcome(&intake_analysis()->requests, request);
    append(view, time_taken(view, request));
    if (request->response.first_frame)
        append(view, request->response.status);
    if (is_read && outcome != OUTCOME_ANSWERED)
        append(view, outcome_name(outcome));
    else if (request->response.failed && !*request->response.status)
        append(view, "error");
}

/* Appends what was asked; as much of it as leaves room for the rest in the 240 bytes that Wireshark shows of a line. */
static void
append_operation(const struct view *view, const char *operation)
{
    enum { CHARACTERS_MOST = 120 };
    if (g_utf8_strlen(operation, -1) <= CHARACTERS_MOST)
        proto_item_append_text(view->item, ": %s", operation);
    else
        proto_item_append_text(view->item, ": %.*s…",
                               (int)(g_utf8_offset_to_pointer(operation, CHARACTERS_MOST) - operation), operation);
}

/* Says in the tree's own line what was asked, what came of it, and where the other side stands. */
static void
summarize(const struct view *view, const struct item *item)
{
    const struct request *request = item->request;
    if (*request->operation)
        append_operation(view, request->operation);
    else
        proto_item_append_text(view->item, ": request %u", request->number);
    append_result(view, request);
    if (item->kind == ITEM_RESPONSE)
        proto_item_append_text(view->item, ", request in %u", request->first_frame);
    else if (request->response.first_frame)
        proto_item_append_text(view->item, ", answered in %u", request->response.first_frame);
}

static void
show_payload(struct view *view, const struct item *item)
{
    const struct request *request = item->request;
    view_add_uint(view, hf_request, request->number);
    summarize(view, item);
    if (*request->operation)
        view_add_string(view, hf_operation, request->operation);
    if (tls_turn_role(request) == TLS_NONE)
        view_finish(
            proto_tree_add_uint(view->tree, hf_operation_number, view->tvb, 0, 0, operation_number(request, NULL)),
            true);
    if (request->protocol)
        view_add_string(view, hf_protocol, protocol_name(request->protocol));
    transport_fields_show(view, request);
    if (request->cut)
        view_add_flag(view, hf_cut);
    if (item->kind == ITEM_REQUEST)
        show_request_frame(view, request);
    else
        show_response_frame(view, request, item);
    calls_fields_show(view, request);
    packet_fields_show(view, item);
}

static void
show_item(struct view *view, const struct item *item)
{
    switch (item->kind) {
    case ITEM_SIGHTING:
        sighting_fields_show(view, item->sighting);
        break;
    case ITEM_SYN:
    case ITEM_ANSWER:
    case ITEM_ACK:
        connect_fields_show(view, item);
        break;
    case ITEM_REQUEST:
    case ITEM_RESPONSE:
        /* each request has a tree of its own */
        view->tree = NULL;
        show_payload(view, item);
        break;
    case ITEM_HELD:
        view->tree = NULL;
        packet_fields_show(view, item);
        break;
    case ITEM_TLS:
        view->tree = NULL;
        view->item = NULL;
        tls_fields_show(view, item->connection);
        break;
    case ITEM_SPIN:
        view->tree = NULL;
        view->item = NULL;
        tls_fields_show_spin(view, item);
        break;
    case ITEM_UNREQUESTED:
        view->tree = NULL;
        transport_fields_show_prelude(view, item->connection);
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

/* Whether all frames there are so far have been visited once, and this is their last. */
static bool
is_end(const packet_info *pinfo)
{
    static uint32_t last_frame;
    if (!PINFO_FD_VISITED(pinfo))
        last_frame = pinfo->num;
    return PINFO_FD_VISITED(pinfo) && pinfo->num == last_frame;
}

/* Shows what the frame means: in the tree, if there is one, and as experts. */
static void
show_items(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, bool tapped)
{
    struct items *items = intake_analysis()->items;
    struct view view = { .tvb = tvb, .pinfo = pinfo, .now_ns = intake_time_ns(pinfo), .parent = tree };
    struct frame_choice choice = { .is_made = false };
    uint32_t position;
    for (struct item *item = items_first(items, pinfo->num, &position); item; item = items_next(items, &position)) {
        if (tapped)
            tap_queue_packet(tap_latency, pinfo, item);
        frame_fields_note(&choice, &view, item);
        show_item(&view, item);
        view_end_tree(&view);
    }
    frame_fields_show(&choice, &view);
}

static void
tap_items(packet_info *pinfo)
{
    struct items *items = intake_analysis()->items;
    uint32_t position;
    for (struct item *item = items_first(items, pinfo->num, &position); item; item = items_next(items, &position))
        tap_queue_packet(tap_latency, pinfo, item);
}

void
latency_on_frame(void (*take)(bool is_end))
{
    on_frame = take;
}

static int
dissect_latency(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data _U_)
{
    struct items *items = intake_analysis()->items;
    const bool tapped = have_tap_listener(tap_latency);
    const bool in_tree = tree && intake_is_shown(tree, proto_latency);
    const bool shown = in_tree || intake_experts_are_listed();
    if (!PINFO_FD_VISITED(pinfo))
        intake_end_frame(pinfo, tree);
    if (intake_is_read_once())
        two_passes_look();
    ca_frame_show(tree, tvb, pinfo);
    protocol_pairs_take(pinfo, tree);
    if (on_frame)
        on_frame(is_end(pinfo));
    if (!PINFO_FD_VISITED(pinfo))
        operation_numbers_take(items, pinfo->num, shown || !intake_is_read_once());
    if (!shown && !tapped)
        return 0;
    /* First, for with the frame's own a request may be over. */
    if (tapped && !PINFO_FD_VISITED(pinfo))
        tap_late(items, pinfo);
    intake_source()->frame = pinfo->num;
    intake_source()->is_visited = PINFO_FD_VISITED(pinfo);
    if (shown)
        show_items(tvb, pinfo, in_tree ? tree : NULL, tapped);
    else
        tap_items(pinfo);
    /* 0: the frame's list of protocols stays what it was. */
    return 0;
}

/* Ends a frame. Its protocol is one in name only, so that where nobody asks no layer is added to the frame and taken
 * away again; nor where nobody sees it, for lack of a tree. What experts say is listed with the layer's protocol. */
static int
dissect_frame_end(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data _U_)
{
    const bool is_idle = intake_is_idle(pinfo, tree);
    int dissected = 0;
    intake_rest(is_idle);
    if (!is_idle && (tree || intake_experts_are_listed()))
        dissected = call_dissector_only(latency_handle, tvb, pinfo, tree, NULL);
    else if (!is_idle)
        dissected = dissect_latency(tvb, pinfo, NULL, NULL);
    intake_leave_frame();
    return dissected;
}

static void
register_fields(void)
{
    static hf_register_info hf[] = {
        UINT_FIELD(hf_request, "Request", "latency.request", "Number of the request in the capture, from 1"),
        TEXT_FIELD(hf_operation, "Operation", "latency.operation", "What the request asks for"),
        UINT_FIELD(hf_operation_number, "Number of the operation", "latency.operation.number",
                   "Its row in -z latency,srt, counted from 1; 0 after the first ten thousand"),
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
                   "Service minus the RTT to the server, as the handshake shows it"),
        TIME_FIELD(hf_elapsed, "Elapsed", "latency.elapsed", "From the request's first frame to this one"),
        TIME_FIELD(hf_last_byte, "Last byte", "latency.last_byte",
                   "From the request's first frame to the response's last"),
        TIME_FIELD(hf_transfer, "Transfer", "latency.transfer", "From the response's first frame to its last"),
        BYTES_FIELD(hf_request_bytes, "Request bytes", "latency.request_bytes",
                    "Payload of the request, each byte counted once"),
        BYTES_FIELD(hf_response_bytes, "Response bytes", "latency.response_bytes",
                    "Payload of the response, each byte counted once"),
        TEXT_FIELD(hf_protocol, "Framing", "latency.framing",
                   "The protocol whose messages were read; absent where client and server take turns"),
        TEXT_FIELD(hf_status, "Status", "latency.status",
                   "The status in the response: an HTTP status, an error, a miss"),
        { &hf_outcome,
          { "Outcome", "latency.outcome", FT_UINT8, BASE_DEC, VALS(outcome_strings), 0,
            "Whether the request was answered, or why not", HFILL } },
        FLAG_FIELD(hf_error, "Error", "latency.error", "The response is an error, as its status says"),
        FLAG_FIELD(hf_cut, "Cut", "latency.cut",
                   "The snap length cut off what says where the request or its response ends; segments decide instead"),
    };
    static ei_register_info ei[] = {
        { &ei_unanswered, { "latency.unanswered", PI_SEQUENCE, PI_NOTE, "Request without response", EXPFILL } },
        { &ei_truncated,
          { "latency.truncated", PI_SEQUENCE, PI_WARN, "The response ends before its length", EXPFILL } },
        { &ei_error, { "latency.failed", PI_RESPONSE_CODE, PI_NOTE, "Error response", EXPFILL } },
    };
    proto_register_field_array(proto_latency, hf, G_N_ELEMENTS(hf));
    expert_register_field_array(expert_register_protocol(proto_latency), ei, G_N_ELEMENTS(ei));
}

void
proto_register_latency(void)
{
    proto_latency = proto_register_protocol("Latency", "Latency", "latency");
    /* disabled and enabled with the protocol */
    const int proto_frames = proto_register_protocol_in_name_only("Latency, at the end of frames", "Latency (frames)",
                                                                  "latency.frames", proto_latency, FT_PROTOCOL);
    tap_latency = register_tap(LATENCY_TAP);
    protocol_pairs_register();
    view_fill_names();
    register_fields();
    source_texts_register();
    view_register(proto_latency);
    frame_fields_register(proto_latency);
    packet_fields_register(proto_latency);
    connect_fields_register(proto_latency);
    sighting_fields_register(proto_latency);
    tls_fields_register(proto_latency);
    transport_fields_register(proto_latency);
    calls_fields_register(proto_latency);
    preferences_register(proto_latency);
    intake_register();
    intake_want(proto_latency, tap_latency);
    operation_number_register();
    request_filter_register();
    two_passes_register();
    latency_handle = register_dissector("latency", dissect_latency, proto_latency);
    register_postdissector(create_dissector_handle(dissect_frame_end, proto_frames));
}

void
proto_reg_handoff_latency(void)
{
    preferences_handoff();
    intake_handoff();
}
