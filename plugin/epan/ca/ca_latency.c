/* ca_latency.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "ca_latency.h"

#include <epan/expert.h>
#include <epan/strutil.h>
#include <wsutil/str_util.h>

#include "../../compat.h"
#include "../../core/ca/ca_phases.h"
#include "ca_frame.h"
#include "ca_state.h"
#include "../intake/intake.h"

enum field {
    PV,
    REQUEST_IN,
    RESPONSE_IN,
    RESPONSE_TIME,
    CREATE_TIME,
    CREATE_RESULT,
    CREATE_REASON,
    CREATE_WAITED,
    CREATE_REQUEST_IN,
    CREATE_RESPONSE_IN,
    CONNECT_TIME,
    SEARCH_TIME,
    SEARCH_ATTEMPTS,
    SEARCH_AMBIGUOUS,
    HELLO_TIME,
    TCP_CONNECT_TIME,
    FIRST_VALUE_TIME,
    /* Of pvAccess alone: */
    UPDATE_SPACING,
    UPDATE_PREVIOUS_IN,
    FIELDS
};

/* Of Channel Access, and of pvAccess. */
static struct fields {
    int hf[FIELDS];
    int tree;
    expert_field failed, unanswered, orphan, slow, answered_again;
} fields[2];

static struct fields *
fields_of(const struct circuit_protocol *protocol)
{
    return &fields[protocol != &circuit_of_channel_access];
}

#define RESULT_WORD(name, word) { CA_RESULT_##name, word },
static const value_string result_names[] = { CA_RESULTS(RESULT_WORD){ 0, NULL } };

#define SILENCE_WORD(name, word) { CA_SILENCE_##name, word },
static const value_string reason_names[] = { CA_SILENCES(SILENCE_WORD){ 0, NULL } };

struct view {
    const struct circuit_protocol *protocol;
    struct fields *fields;
    proto_tree *tree;
    proto_item *item;
    tvbuff_t *tvb;
    packet_info *pinfo;
};

static void
add_time(const struct view *view, enum field field, int64_t ns)
{
    nstime_t time = { .secs = (time_t)(ns / 1000000000), .nsecs = (int)(ns % 1000000000) };
    if (ns >= 0)
        proto_item_set_generated(proto_tree_add_time(view->tree, view->fields->hf[field], view->tvb, 0, 0, &time));
}

static void
add_uint(const struct view *view, enum field field, uint32_t value)
{
    proto_item_set_generated(proto_tree_add_uint(view->tree, view->fields->hf[field], view->tvb, 0, 0, value));
}

static void
note_slow(const struct view *view, const char *what, int64_t ns)
{
    if (intake_is_slow(ns))
        expert_add_info_format(view->pinfo, view->item, &view->fields->slow, "%s: after %.3f s", what,
                               (double)ns / 1000000000);
}

static void
show_silence(const struct view *view, enum ca_silence silence)
{
    add_uint(view, CREATE_REASON, silence);
    expert_add_info_format(view->pinfo, view->item, &view->fields->unanswered, "No response to %s: %s",
                           view->protocol->command_name(view->protocol->create), ca_silence_name(silence));
}

/* Known only where the whole capture has been read. */
static void
show_without_answer(const struct view *view, const struct ca_channel *channel)
{
    const int64_t now_ns = intake_source()->last_ns;
    const enum ca_result result = ca_channel_result(channel, now_ns);
    if (!PINFO_FD_VISITED(view->pinfo))
        return;
    add_uint(view, CREATE_RESULT, result);
    add_time(view, CREATE_WAITED, ca_request_waited(&channel->create, now_ns));
    if (result == CA_RESULT_UNANSWERED)
        show_silence(view, ca_channel_silence(channel, now_ns));
}

static const char *
why_failed(const struct view *view, const struct ca_channel *channel)
{
    if (view->protocol != &circuit_of_channel_access)
        return ca_channel_reason(ca_state_channels(), channel, intake_source()->last_ns);
    return channel->create.outcome == CA_FAILED ? "CREATE_CH_FAIL" : "ERROR";
}

static void
show_create_answer(const struct view *view, const struct ca_channel *channel)
{
    const struct ca_request *create = &channel->create;
    if (create->outcome == CA_ORPHAN) {
        expert_add_info(view->pinfo, view->item, &view->fields->orphan);
        return;
    }
    add_uint(view, CREATE_REQUEST_IN, create->request_frame);
    add_time(view, CREATE_TIME, ca_request_latency(create));
    note_slow(view, "Slow to create", ca_request_latency(create));
    add_uint(view, CREATE_RESULT, ca_channel_result(channel, intake_source()->last_ns));
    add_time(view, CONNECT_TIME, ca_channel_connect(ca_state_channels(), channel));
    if (channel->ambiguous)
        proto_item_set_generated(
            proto_tree_add_boolean(view->tree, view->fields->hf[SEARCH_AMBIGUOUS], view->tvb, 0, 0, true));
    if (create->outcome != CA_OK)
        expert_add_info_format(view->pinfo, view->item, &view->fields->failed, "The channel was not created: %s",
                               why_failed(view, channel));
}

static void
show_create(const struct view *view, const struct ca_channel *channel)
{
    if (channel->create.outcome == CA_WAITING)
        show_without_answer(view, channel);
    else
        add_uint(view, CREATE_RESPONSE_IN, channel->create.answer_frame);
}

static void
show_answer(const struct view *view, const struct ca_request *request)
{
    add_uint(view, REQUEST_IN, request->request_frame);
    add_time(view, RESPONSE_TIME, ca_request_latency(request));
    if (request->outcome != CA_OK)
        expert_add_info_format(view->pinfo, view->item, &view->fields->failed, "%s failed",
                               view->protocol->command_name(request->command));
}

static void
show_search_answer(const struct view *view, const struct ca_search *search)
{
    add_uint(view, REQUEST_IN, search->attempt_frame);
    add_time(view, RESPONSE_TIME, ca_search_latency(search));
    add_time(view, SEARCH_TIME, ca_search_time(search));
    note_slow(view, "Slow to find", ca_search_time(search));
    add_uint(view, SEARCH_ATTEMPTS, search->attempts);
}

/* Of pvAccess, whose clients ask no more when they have an answer. The text has no name, so that lists of expert items
 * count the names of one answer together. */
static void
show_search_answered_again(const struct view *view, const struct ca_search *search)
{
    if (view->protocol == &circuit_of_channel_access)
        return;
    add_uint(view, REQUEST_IN, search->attempt_frame);
    expert_add_info_format(view->pinfo, view->item, &view->fields->answered_again,
                           "This search had been answered in frame %u", search->answer_frame);
}

static void
show_update(const struct view *view, const struct ca_update *update)
{
    const struct ca_update *before = ca_update_before(ca_state_channels(), update);
    if (!before)
        return;
    add_uint(view, UPDATE_PREVIOUS_IN, before->frame);
    add_time(view, UPDATE_SPACING, ca_update_spacing(ca_state_channels(), update));
}

static void
show_event(const struct view *view, const struct ca_event *event)
{
    const struct ca_subject *subject = &event->subject;
    const char *pv = ca_subject_pv(subject);
    if (pv)
        proto_item_set_generated(proto_tree_add_string(view->tree, view->fields->hf[PV], view->tvb, 0, 0, pv));
    switch (event->kind) {
    case CA_CREATE_ASKED:
        show_create(view, subject->channel);
        break;
    case CA_CREATE_ANSWERED:
        show_create_answer(view, subject->channel);
        break;
    case CA_SEARCH_ASKED:
        if (subject->search->server)
            add_uint(view, RESPONSE_IN, subject->search->answer_frame);
        break;
    case CA_SEARCH_ANSWERED:
        show_search_answer(view, subject->search);
        break;
    case CA_SEARCH_ANSWERED_MORE:
        show_search_answered_again(view, subject->search);
        break;
    case CA_REQUEST_ASKED:
        if (ca_request_is_answered(&subject->exchange->request))
            add_uint(view, RESPONSE_IN, subject->exchange->request.answer_frame);
        break;
    case CA_REQUEST_ANSWERED:
        show_answer(view, &subject->exchange->request);
        if (ca_subject_is_first_value(subject))
            add_time(view, FIRST_VALUE_TIME, ca_channel_first_value(subject->channel));
        break;
    case CA_UPDATED:
        show_update(view, subject->update);
        break;
    case CA_HELLO:
        add_time(view, TCP_CONNECT_TIME, ca_circuit_tcp_connect(event->circuit));
        add_time(view, HELLO_TIME, ca_circuit_hello(event->circuit));
        break;
    default:
        break;
    }
}

void
ca_latency_show(proto_tree *tree, proto_item *item, tvbuff_t *tvb, packet_info *pinfo, const struct ca_event *event)
{
    const struct view view = { event->protocol, fields_of(event->protocol), tree, item, tvb, pinfo };
    show_event(&view, event);
    ca_frame_note(pinfo, event);
}

void
ca_latency_show_one(proto_tree *tree, tvbuff_t *tvb, packet_info *pinfo, const struct ca_event *event)
{
    const char *pv = ca_subject_pv(&event->subject);
    proto_item *item = NULL;
    if (!pv)
        return;
    proto_tree *under = proto_tree_add_subtree(tree, tvb, 0, 0, fields_of(event->protocol)->tree, &item,
                                               compat_printable(pinfo->pool, pv));
    proto_item_set_generated(item);
    ca_latency_show(under, item, tvb, pinfo, event);
}

/* "PREFIX.NAME" of a protocol, kept as long as its fields. */
static const char *
abbreviation_of(const struct circuit_protocol *protocol, const char *name)
{
    return wmem_strdup_printf(wmem_epan_scope(), "%s.%s", protocol->prefix, name);
}

static void
register_expert(int proto, const struct circuit_protocol *protocol)
{
    struct fields *of = fields_of(protocol);
    const ei_register_info registered[] = {
        { &of->failed, { "failed", PI_RESPONSE_CODE, PI_WARN, "The request failed", EXPFILL } },
        { &of->unanswered, { "unanswered", PI_SEQUENCE, PI_WARN, "Request without response", EXPFILL } },
        { &of->orphan,
          { "orphan", PI_SEQUENCE, PI_NOTE, "The request to create this channel is not in the capture", EXPFILL } },
        { &of->slow, { "slow", PI_SEQUENCE, PI_NOTE, "Slow", EXPFILL } },
        { &of->answered_again, { "answered_again", PI_SEQUENCE, PI_NOTE, "This search had been answered", EXPFILL } },
    };
    ei_register_info *expert = wmem_memdup(wmem_epan_scope(), registered, sizeof registered);
    for (unsigned i = 0; i < G_N_ELEMENTS(registered); i++)
        expert[i].eiinfo.name = abbreviation_of(protocol, registered[i].eiinfo.name);
    /* A client of Channel Access asks again until it has the answer: the last is none of its fields. */
    unsigned count = G_N_ELEMENTS(registered) - (protocol == &circuit_of_channel_access);
    expert_register_field_array(expert_register_protocol(proto), expert, (int)count);
}

#define TIME_FIELD(name, abbreviation, blurb)                                                                          \
    {                                                                                                                  \
        name, abbreviation, FT_RELATIVE_TIME, BASE_NONE, NULL, 0, blurb, HFILL                                         \
    }
#define FRAME_FIELD(name, abbreviation, type, blurb)                                                                   \
    {                                                                                                                  \
        name, abbreviation, FT_FRAMENUM, BASE_NONE, FRAMENUM_TYPE(type), 0, blurb, HFILL                               \
    }

void
ca_latency_register(int proto, const struct circuit_protocol *protocol)
{
    static const header_field_info infos[FIELDS] = {
        [PV] = { "Channel", "pv", FT_STRING, BASE_NONE, NULL, 0, "Name of the channel that the message is about",
                 HFILL },
        [REQUEST_IN] = FRAME_FIELD("Request in", "request_in", FT_FRAMENUM_REQUEST, "What this message answers"),
        [RESPONSE_IN] = FRAME_FIELD("Response in", "response_in", FT_FRAMENUM_RESPONSE, "The answer to this message"),
        [RESPONSE_TIME] = TIME_FIELD("Response time", "response_time", "From the request to this answer"),
        [CREATE_TIME] = TIME_FIELD("Create time", "create.time", "From the request to create a channel to its answer"),
        [CREATE_RESULT] = { "Create result", "create.result", FT_UINT8, BASE_DEC, VALS(result_names), 0,
                            "What the request to create the channel came to", HFILL },
        [CREATE_REASON] = { "Reason", "create.reason", FT_UINT8, BASE_DEC, VALS(reason_names), 0,
                            "What kept the request to create the channel from being answered", HFILL },
        [CREATE_WAITED] = TIME_FIELD("Waited", "create.waited",
                                     "From the request to create a channel to the connection's end, or the capture's"),
        [CREATE_REQUEST_IN] = FRAME_FIELD("Create request in", "create.request_in", FT_FRAMENUM_REQUEST,
                                          "The request to create a channel that this message answers"),
        [CREATE_RESPONSE_IN] = FRAME_FIELD("Create response in", "create.response_in", FT_FRAMENUM_RESPONSE,
                                           "The answer to this request to create a channel"),
        [CONNECT_TIME] =
            TIME_FIELD("Connect time", "connect.time",
                       "From the first SEARCH or, failing that, the request to create the channel, to its answer"),
        [SEARCH_TIME] = TIME_FIELD("Search time", "search.time", "From the first SEARCH to its first reply"),
        [SEARCH_ATTEMPTS] = { "Attempts", "search.attempts", FT_UINT32, BASE_DEC, NULL, 0,
                              "How often it was searched until the reply", HFILL },
        [SEARCH_AMBIGUOUS] = { "Ambiguous search", "search.ambiguous", FT_BOOLEAN, BASE_NONE, NULL, 0,
                               "Several searches of this host may have led to this channel", HFILL },
        [HELLO_TIME] = TIME_FIELD("Hello time", "hello.time", "From SYN-ACK to the end of the server's hello"),
        [TCP_CONNECT_TIME] = TIME_FIELD("TCP connect time", "tcp_connect.time", "From SYN to SYN-ACK"),
        [FIRST_VALUE_TIME] =
            TIME_FIELD("First value time", "first_value.time",
                       "From the first request for the channel's value that was answered to this answer"),
        [UPDATE_SPACING] =
            TIME_FIELD("Update spacing", "update.spacing", "From the monitor's update before to this one"),
        [UPDATE_PREVIOUS_IN] = FRAME_FIELD("Previous update in", "update.previous_in", FT_FRAMENUM_NONE,
                                           "The monitor's update before this one"),
    };
    struct fields *of = fields_of(protocol);
    int *trees[] = { &of->tree };
    /* Wireshark keeps them. */
    const unsigned count = protocol == &circuit_of_channel_access ? UPDATE_SPACING : FIELDS;
    hf_register_info *registered = wmem_alloc0_array(wmem_epan_scope(), hf_register_info, count);
    for (unsigned i = 0; i < count; i++) {
        of->hf[i] = -1;
        registered[i] = (hf_register_info){ &of->hf[i], infos[i] };
        registered[i].hfinfo.abbrev = abbreviation_of(protocol, infos[i].abbrev);
    }
    of->tree = -1;
    proto_register_field_array(proto, registered, (int)count);
    proto_register_subtree_array(trees, G_N_ELEMENTS(trees));
    register_expert(proto, protocol);
    ca_frame_register(proto, protocol);
}
