/* ca_latency.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "ca_latency.h"

#include <epan/expert.h>

#include "../../core/ca/ca_names.h"
#include "ca_state.h"
#include "../intake/intake.h"

static int hf_pv = -1;
static int hf_request_in = -1;
static int hf_response_in = -1;
static int hf_response_time = -1;
static int hf_create_time = -1;
static int hf_create_result = -1;
static int hf_create_reason = -1;
static int hf_create_waited = -1;
static int hf_create_request_in = -1;
static int hf_create_response_in = -1;
static int hf_connect_time = -1;
static int hf_search_time = -1;
static int hf_search_attempts = -1;
static int hf_search_ambiguous = -1;
static int hf_hello_time = -1;
static int hf_tcp_connect_time = -1;

static expert_field ei_failed;
static expert_field ei_unanswered;
static expert_field ei_orphan;

enum create_result { RESULT_OK, RESULT_FAILED, RESULT_ERROR, RESULT_UNANSWERED };

static const value_string result_names[] = {
    { RESULT_OK, "ok" }, { RESULT_FAILED, "failed" }, { RESULT_ERROR, "error" }, { RESULT_UNANSWERED, "unanswered" },
    { 0, NULL },
};

enum unanswered_reason { REASON_CAPTURE_ENDED, REASON_CONNECTION_CLOSED };

static const value_string reason_names[] = {
    { REASON_CAPTURE_ENDED, "capture ended" },
    { REASON_CONNECTION_CLOSED, "connection closed" },
    { 0, NULL },
};

struct view {
    proto_tree *tree;
    proto_item *item;
    tvbuff_t *tvb;
    packet_info *pinfo;
};

static void
add_time(const struct view *view, int hf, int64_t ns)
{
    nstime_t time = { .secs = (time_t)(ns / 1000000000), .nsecs = (int)(ns % 1000000000) };
    if (ns >= 0)
        proto_item_set_generated(proto_tree_add_time(view->tree, hf, view->tvb, 0, 0, &time));
}

static void
add_uint(const struct view *view, int hf, uint32_t value)
{
    proto_item_set_generated(proto_tree_add_uint(view->tree, hf, view->tvb, 0, 0, value));
}

/* Known only where the whole capture has been read. */
static void
show_unanswered(const struct view *view, const struct ca_request *create)
{
    if (!PINFO_FD_VISITED(view->pinfo))
        return;
    enum unanswered_reason reason =
        ca_circuit_has_ended(create->circuit) ? REASON_CONNECTION_CLOSED : REASON_CAPTURE_ENDED;
    add_uint(view, hf_create_result, RESULT_UNANSWERED);
    add_uint(view, hf_create_reason, reason);
    add_time(view, hf_create_waited, ca_request_waited(create, intake_source()->last_ns));
    expert_add_info_format(view->pinfo, view->item, &ei_unanswered, "No response to CREATE_CHAN: %s",
                           val_to_str_const(reason, reason_names, ""));
}

static void
show_create_answer(const struct view *view, const struct ca_channel *channel)
{
    static const enum create_result results[] = {
        [CA_OK] = RESULT_OK, [CA_FAILED] = RESULT_FAILED, [CA_REFUSED] = RESULT_ERROR
    };
    const struct ca_request *create = &channel->create;
    if (create->outcome == CA_ORPHAN) {
        expert_add_info(view->pinfo, view->item, &ei_orphan);
        return;
    }
    add_uint(view, hf_create_request_in, create->request_frame);
    add_time(view, hf_create_time, ca_request_latency(create));
    add_uint(view, hf_create_result, results[create->outcome]);
    add_time(view, hf_connect_time, ca_channel_connect(ca_state_channels(), channel));
    if (channel->ambiguous)
        proto_item_set_generated(proto_tree_add_boolean(view->tree, hf_search_ambiguous, view->tvb, 0, 0, true));
    if (create->outcome != CA_OK)
        expert_add_info_format(view->pinfo, view->item, &ei_failed, "The channel was not created: %s",
                               create->outcome == CA_FAILED ? "CREATE_CH_FAIL" : "ERROR");
}

static void
show_create(const struct view *view, const struct ca_request *create)
{
    if (create->outcome == CA_WAITING)
        show_unanswered(view, create);
    else
        add_uint(view, hf_create_response_in, create->answer_frame);
}

static void
show_answer(const struct view *view, const struct ca_request *request)
{
    add_uint(view, hf_request_in, request->request_frame);
    add_time(view, hf_response_time, ca_request_latency(request));
    if (request->outcome != CA_OK)
        expert_add_info_format(view->pinfo, view->item, &ei_failed, "%s failed", ca_command_name(request->command));
}

static void
show_search_answer(const struct view *view, const struct ca_search *search)
{
    add_uint(view, hf_request_in, search->attempt_frame);
    add_time(view, hf_response_time, ca_search_latency(search));
    add_time(view, hf_search_time, ca_search_time(search));
    add_uint(view, hf_search_attempts, search->attempts);
}

void
ca_latency_show(proto_tree *tree, proto_item *item, tvbuff_t *tvb, packet_info *pinfo, const struct ca_event *event)
{
    const struct view view = { tree, item, tvb, pinfo };
    const struct ca_subject *subject = &event->subject;
    const char *pv = ca_subject_pv(subject);
    if (pv)
        proto_item_set_generated(proto_tree_add_string(tree, hf_pv, tvb, 0, 0, pv));
    switch (event->kind) {
    case CA_CREATE_ASKED:
        show_create(&view, &subject->channel->create);
        break;
    case CA_CREATE_ANSWERED:
        show_create_answer(&view, subject->channel);
        break;
    case CA_SEARCH_ASKED:
        if (subject->search->server)
            add_uint(&view, hf_response_in, subject->search->answer_frame);
        break;
    case CA_SEARCH_ANSWERED:
        show_search_answer(&view, subject->search);
        break;
    case CA_REQUEST_ASKED:
        if (ca_request_is_answered(&subject->exchange->request))
            add_uint(&view, hf_response_in, subject->exchange->request.answer_frame);
        break;
    case CA_REQUEST_ANSWERED:
        show_answer(&view, &subject->exchange->request);
        break;
    case CA_HELLO:
        add_time(&view, hf_tcp_connect_time, ca_circuit_tcp_connect(event->circuit));
        add_time(&view, hf_hello_time, ca_circuit_hello(event->circuit));
        break;
    default:
        break;
    }
}

#define TIME_FIELD(id, name, abbreviation, blurb)                                                                      \
    {                                                                                                                  \
        &id,                                                                                                           \
        {                                                                                                              \
            name, abbreviation, FT_RELATIVE_TIME, BASE_NONE, NULL, 0, blurb, HFILL                                     \
        }                                                                                                              \
    }
#define FRAME_FIELD(id, name, abbreviation, type, blurb)                                                               \
    {                                                                                                                  \
        &id,                                                                                                           \
        {                                                                                                              \
            name, abbreviation, FT_FRAMENUM, BASE_NONE, FRAMENUM_TYPE(type), 0, blurb, HFILL                           \
        }                                                                                                              \
    }

void
ca_latency_register(int proto)
{
    static hf_register_info hf[] = {
        { &hf_pv,
          { "Channel", "ca.pv", FT_STRING, BASE_NONE, NULL, 0, "Name of the channel that the message is about",
            HFILL } },
        FRAME_FIELD(hf_request_in, "Request in", "ca.request_in", FT_FRAMENUM_REQUEST, "What this message answers"),
        FRAME_FIELD(hf_response_in, "Response in", "ca.response_in", FT_FRAMENUM_RESPONSE,
                    "The answer to this message"),
        TIME_FIELD(hf_response_time, "Response time", "ca.response_time", "From the request to this answer"),
        TIME_FIELD(hf_create_time, "Create time", "ca.create.time", "From CREATE_CHAN to its answer"),
        { &hf_create_result,
          { "Create result", "ca.create.result", FT_UINT8, BASE_DEC, VALS(result_names), 0,
            "What the request to create the channel came to", HFILL } },
        { &hf_create_reason,
          { "Reason", "ca.create.reason", FT_UINT8, BASE_DEC, VALS(reason_names), 0,
            "What kept the request to create the channel from being answered", HFILL } },
        TIME_FIELD(hf_create_waited, "Waited", "ca.create.waited",
                   "From CREATE_CHAN to the connection's end, or the capture's"),
        FRAME_FIELD(hf_create_request_in, "Create request in", "ca.create.request_in", FT_FRAMENUM_REQUEST,
                    "The CREATE_CHAN that this message answers"),
        FRAME_FIELD(hf_create_response_in, "Create response in", "ca.create.response_in", FT_FRAMENUM_RESPONSE,
                    "The answer to this CREATE_CHAN"),
        TIME_FIELD(hf_connect_time, "Connect time", "ca.connect.time",
                   "From the first SEARCH or, failing that, CREATE_CHAN to the channel's answer"),
        TIME_FIELD(hf_search_time, "Search time", "ca.search.time", "From the first SEARCH to its first reply"),
        { &hf_search_attempts,
          { "Attempts", "ca.search.attempts", FT_UINT32, BASE_DEC, NULL, 0, "How often it was searched until the reply",
            HFILL } },
        { &hf_search_ambiguous,
          { "Ambiguous search", "ca.search.ambiguous", FT_BOOLEAN, BASE_NONE, NULL, 0,
            "Several searches of this host may have led to this channel", HFILL } },
        TIME_FIELD(hf_hello_time, "Hello time", "ca.hello.time", "From SYN-ACK to the server's VERSION"),
        TIME_FIELD(hf_tcp_connect_time, "TCP connect time", "ca.tcp_connect.time", "From SYN to SYN-ACK"),
    };
    static ei_register_info ei[] = {
        { &ei_failed, { "ca.failed", PI_RESPONSE_CODE, PI_WARN, "The request failed", EXPFILL } },
        { &ei_unanswered, { "ca.unanswered", PI_SEQUENCE, PI_WARN, "Request without response", EXPFILL } },
        { &ei_orphan,
          { "ca.orphan", PI_SEQUENCE, PI_NOTE, "The request to create this channel is not in the capture", EXPFILL } },
    };
    proto_register_field_array(proto, hf, G_N_ELEMENTS(hf));
    expert_register_field_array(expert_register_protocol(proto), ei, G_N_ELEMENTS(ei));
}
