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
#include "../../core/ca/ca_names.h"
#include "../intake/intake.h"
#include "../view.h"

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
    /* Of a frame, of the one of its messages that columns are about: */
    FRAME_PV,
    FRAME_STATUS,
    FRAME_SEARCH,
    FRAME_CONNECT,
    FRAME_CREATE,
    FRAME_FIRST_VALUE,
    FRAME_RESPONSE,
    FRAME_WAITED,
    FRAME_MESSAGES,
    /* The times among them again, for columns: */
    FRAME_SEARCH_MS,
    FRAME_CONNECT_MS,
    FRAME_CREATE_MS,
    FRAME_FIRST_VALUE_MS,
    FRAME_RESPONSE_MS,
    /* Of pvAccess alone: */
    UPDATE_SPACING,
    UPDATE_PREVIOUS_IN,
    FIELDS
};

/* The field of a frame that says the same as one of a message; 0 for none. */
static const uint8_t field_of_frame[FIELDS] = {
    [RESPONSE_TIME] = FRAME_RESPONSE, [CREATE_TIME] = FRAME_CREATE, [CREATE_WAITED] = FRAME_WAITED,
    [CONNECT_TIME] = FRAME_CONNECT,   [SEARCH_TIME] = FRAME_SEARCH, [FIRST_VALUE_TIME] = FRAME_FIRST_VALUE,
};

/* Of Channel Access, and of pvAccess. */
static struct fields {
    int hf[FIELDS];
    int tree;
    expert_field failed, unanswered, orphan, slow, answered_again;
} fields[2] = { { .tree = -1 }, { .tree = -1 } };

/* What columns say of a message. Times are in nanoseconds, -1 where it has none. */
struct facts {
    const char *pv;          /* NULL if unknown */
    const char *status;      /* why it went wrong; NULL if it did not */
    int64_t time_ns[FIELDS]; /* those of a frame */
    int64_t longest_ns;      /* of its times */
};

/* The frame being dissected, by protocol. */
static struct chosen {
    uint32_t messages; /* noted so far that have a channel's name, or a time */
    struct facts facts;
} chosen[2];
static uint32_t chosen_frame; /* 0: nothing has been noted */

static unsigned
index_of(const struct circuit_protocol *protocol)
{
    return protocol != &circuit_of_channel_access;
}

#define RESULT_WORD(name, word) { CA_RESULT_##name, word },
static const value_string result_names[] = { CA_RESULTS(RESULT_WORD){ 0, NULL } };

#define SILENCE_WORD(name, word) { CA_SILENCE_##name, word },
static const value_string reason_names[] = { CA_SILENCES(SILENCE_WORD){ 0, NULL } };

/* A message being shown. */
struct message_view {
    const struct circuit_protocol *protocol;
    struct fields *fields;
    proto_tree *tree;
    proto_item *item;
    tvbuff_t *tvb;
    packet_info *pinfo;
    struct facts facts; /* as they are shown */
};

static void
add_time(struct message_view *view, enum field field, int64_t ns)
{
    if (ns < 0)
        return;
    view_put_time(view->tree, view->pinfo, view->fields->hf[field], view->tvb, ns);
    if (field_of_frame[field]) {
        view->facts.time_ns[field_of_frame[field]] = ns;
        view->facts.longest_ns = MAX(view->facts.longest_ns, ns);
    }
}

static void
add_uint(const struct message_view *view, enum field field, uint32_t value)
{
    proto_item_set_generated(proto_tree_add_uint(view->tree, view->fields->hf[field], view->tvb, 0, 0, value));
}

/* Shows the word that the number stands for. */
static void
add_word(const struct message_view *view, enum field field, uint32_t value, const char *word)
{
    proto_item_set_generated(
        proto_tree_add_uint_format_value(view->tree, view->fields->hf[field], view->tvb, 0, 0, value, "%s", word));
}

static void
note_slow(const struct message_view *view, const char *what, int64_t ns)
{
    if (intake_is_slow(ns))
        expert_add_info_format(view->pinfo, view->item, &view->fields->slow, "%s: after %.3f s", what,
                               (double)ns / 1000000000);
}

static void
show_silence(struct message_view *view, const struct ca_channel *channel)
{
    const int64_t now_ns = intake_source()->last_ns;
    const enum ca_silence silence = ca_channel_silence(channel, now_ns);
    view->facts.status = ca_channel_reason(intake_analysis()->channels, channel, now_ns);
    add_word(view, CREATE_REASON, silence, ca_silence_name(silence));
    expert_add_info_format(view->pinfo, view->item, &view->fields->unanswered, "No response to %s: %s",
                           view->protocol->command_name(view->protocol->create), ca_silence_name(silence));
}

/* Known only where the whole capture has been read. */
static void
show_without_answer(struct message_view *view, const struct ca_channel *channel)
{
    const int64_t now_ns = intake_source()->last_ns;
    const enum ca_result result = ca_channel_result(channel, now_ns);
    if (!PINFO_FD_VISITED(view->pinfo))
        return;
    add_word(view, CREATE_RESULT, result, ca_result_name(result));
    add_time(view, CREATE_WAITED, ca_request_waited(&channel->create, now_ns));
    if (result == CA_RESULT_UNANSWERED)
        show_silence(view, channel);
}

static void
show_not_created(struct message_view *view, const struct ca_channel *channel)
{
    const char *reason = ca_channel_reason(intake_analysis()->channels, channel, intake_source()->last_ns);
    view->facts.status = reason;
    if (view->protocol == &circuit_of_channel_access)
        reason = channel->create.outcome == CA_FAILED ? "CREATE_CH_FAIL" : "ERROR";
    expert_add_info_format(view->pinfo, view->item, &view->fields->failed, "The channel was not created: %s", reason);
}

static void
show_create_answer(struct message_view *view, const struct ca_channel *channel)
{
    const struct ca_request *create = &channel->create;
    const enum ca_result result = ca_channel_result(channel, intake_source()->last_ns);
    if (create->outcome == CA_ORPHAN) {
        expert_add_info(view->pinfo, view->item, &view->fields->orphan);
        return;
    }
    add_uint(view, CREATE_REQUEST_IN, create->request_frame);
    add_time(view, CREATE_TIME, ca_request_latency(create));
    note_slow(view, "Slow to create", ca_request_latency(create));
    add_word(view, CREATE_RESULT, result, ca_result_name(result));
    add_time(view, CONNECT_TIME, ca_channel_connect(intake_analysis()->channels, channel));
    if (channel->ambiguous)
        proto_item_set_generated(
            proto_tree_add_boolean(view->tree, view->fields->hf[SEARCH_AMBIGUOUS], view->tvb, 0, 0, true));
    if (create->outcome != CA_OK)
        show_not_created(view, channel);
}

static void
show_create(struct message_view *view, const struct ca_channel *channel)
{
    if (channel->create.outcome == CA_WAITING)
        show_without_answer(view, channel);
    else
        add_uint(view, CREATE_RESPONSE_IN, channel->create.answer_frame);
}

static const char *
status_of_request(const struct ca_request *request)
{
    if (request->circuit->protocol != &circuit_of_channel_access)
        return ca_reason(&intake_analysis()->channels->reasons, request->status);
    const char *name = ca_status_name(request->status);
    return name ? name : "";
}

static void
show_answer(struct message_view *view, const struct ca_request *request)
{
    add_uint(view, REQUEST_IN, request->request_frame);
    add_time(view, RESPONSE_TIME, ca_request_latency(request));
    if (request->outcome == CA_OK)
        return;
    view->facts.status = status_of_request(request);
    expert_add_info_format(view->pinfo, view->item, &view->fields->failed, "%s failed",
                           view->protocol->command_name(request->command));
}

static void
show_search_answer(struct message_view *view, const struct ca_search *search)
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
show_search_answered_again(const struct message_view *view, const struct ca_search *search)
{
    if (view->protocol == &circuit_of_channel_access)
        return;
    add_uint(view, REQUEST_IN, search->attempt_frame);
    expert_add_info_format(view->pinfo, view->item, &view->fields->answered_again,
                           "This search had already been answered in frame %u", search->answer_frame);
}

static void
show_update(struct message_view *view, const struct ca_update *update)
{
    const struct ca_update *before = ca_update_before(intake_analysis()->channels, update);
    if (!before)
        return;
    add_uint(view, UPDATE_PREVIOUS_IN, before->frame);
    add_time(view, UPDATE_SPACING, ca_update_spacing(intake_analysis()->channels, update));
}

static void
show_event(struct message_view *view, const struct ca_event *event)
{
    const struct ca_subject *subject = &event->subject;
    if (view->facts.pv)
        proto_item_set_generated(
            proto_tree_add_string(view->tree, view->fields->hf[PV], view->tvb, 0, 0, view->facts.pv));
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

/* Whether a later message of the frame is the one for columns, instead of an earlier one. */
static bool
goes_before(const struct facts *later, const struct facts *earlier)
{
    if (!later->status != !earlier->status)
        return later->status;
    if (later->longest_ns != earlier->longest_ns)
        return later->longest_ns > earlier->longest_ns;
    return later->pv && !earlier->pv;
}

/* Forgets what was noted of a frame that nobody has shown, as where the post-dissector is disabled: the same frame, or
 * that of another file, may be next. */
static wmem_callback_result
forget(wmem_allocator_t *scope _U_, wmem_cb_event_t event _U_, void *data _U_)
{
    chosen_frame = 0;
    return false;
}

static void
note(const packet_info *pinfo, const struct circuit_protocol *protocol, const struct facts *facts)
{
    struct chosen *of = &chosen[index_of(protocol)];
    if (chosen_frame != pinfo->num) {
        memset(chosen, 0, sizeof chosen);
        wmem_register_callback(pinfo->pool, forget, NULL);
    }
    chosen_frame = pinfo->num;
    if (!facts->pv && facts->longest_ns < 0)
        return;
    if (of->messages++ == 0 || goes_before(facts, &of->facts))
        of->facts = *facts;
}

void
ca_latency_show(proto_tree *tree, proto_item *item, tvbuff_t *tvb, packet_info *pinfo, const struct ca_event *event)
{
    struct message_view view = { .protocol = event->protocol,
                                 .fields = &fields[index_of(event->protocol)],
                                 .tree = tree,
                                 .item = item,
                                 .tvb = tvb,
                                 .pinfo = pinfo,
                                 .facts = { .pv = ca_subject_pv(&event->subject), .longest_ns = -1 } };
    for (unsigned i = 0; i < FIELDS; i++)
        view.facts.time_ns[i] = -1;
    show_event(&view, event);
    note(pinfo, event->protocol, &view.facts);
}

void
ca_latency_show_one(proto_tree *tree, tvbuff_t *tvb, packet_info *pinfo, const struct ca_event *event)
{
    const char *pv = ca_subject_pv(&event->subject);
    proto_item *item = NULL;
    if (!pv)
        return;
    proto_tree *under = proto_tree_add_subtree(tree, tvb, 0, 0, fields[index_of(event->protocol)].tree, &item,
                                               compat_printable(pinfo->pool, pv));
    proto_item_set_generated(item);
    ca_latency_show(under, item, tvb, pinfo, event);
}

/* Shows what is for columns and filters alone: the messages' own trees have it, too. */
static void
show_frame(const struct fields *of, const struct chosen *from, proto_tree *tree, tvbuff_t *tvb, packet_info *pinfo)
{
    const struct facts *facts = &from->facts;
    if (from->messages > 1)
        view_finish(proto_tree_add_uint(tree, of->hf[FRAME_MESSAGES], tvb, 0, 0, from->messages), true);
    if (facts->pv)
        view_finish(proto_tree_add_string(tree, of->hf[FRAME_PV], tvb, 0, 0, facts->pv), true);
    if (facts->status)
        view_finish(proto_tree_add_string(tree, of->hf[FRAME_STATUS], tvb, 0, 0, facts->status), true);
    for (unsigned i = FRAME_SEARCH; i <= FRAME_WAITED; i++)
        if (facts->time_ns[i] >= 0)
            view_finish(view_put_time(tree, pinfo, of->hf[i], tvb, facts->time_ns[i]), true);
    for (unsigned i = FRAME_SEARCH; i <= FRAME_RESPONSE; i++)
        if (facts->time_ns[i] >= 0)
            view_finish(view_put_ms(tree, of->hf[FRAME_SEARCH_MS + i - FRAME_SEARCH], tvb, facts->time_ns[i]), true);
}

void
ca_latency_show_frame(proto_tree *tree, tvbuff_t *tvb, packet_info *pinfo)
{
    if (chosen_frame != pinfo->num)
        return;
    for (unsigned i = 0; tree && i < G_N_ELEMENTS(chosen); i++) {
        if (chosen[i].messages > 0)
            show_frame(&fields[i], &chosen[i], tree, tvb, pinfo);
    }
    chosen_frame = 0;
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
    struct fields *of = &fields[index_of(protocol)];
    const ei_register_info registered[] = {
        { &of->failed, { "failed", PI_RESPONSE_CODE, PI_WARN, "The request failed", EXPFILL } },
        { &of->unanswered, { "unanswered", PI_SEQUENCE, PI_WARN, "Request without response", EXPFILL } },
        { &of->orphan,
          { "orphan", PI_SEQUENCE, PI_NOTE, "The request to create this channel is not in the capture", EXPFILL } },
        { &of->slow, { "slow", PI_SEQUENCE, PI_NOTE, "Slow", EXPFILL } },
        { &of->answered_again,
          { "answered_again", PI_SEQUENCE, PI_NOTE, "This search had already been answered", EXPFILL } },
    };
    ei_register_info *expert = wmem_memdup(wmem_epan_scope(), registered, sizeof registered);
    for (unsigned i = 0; i < G_N_ELEMENTS(registered); i++)
        expert[i].eiinfo.name = abbreviation_of(protocol, registered[i].eiinfo.name);
    /* A client of Channel Access asks again until it has the answer: the last is none of its fields. */
    unsigned count = G_N_ELEMENTS(registered) - (protocol == &circuit_of_channel_access);
    expert_register_field_array(expert_register_protocol(proto), expert, (int)count);
}

#define FIELD(name, abbreviation, type, base, strings, blurb)                                                          \
    {                                                                                                                  \
        name, abbreviation, type, base, strings, 0, blurb, HFILL                                                       \
    }
#define TIME(name, abbreviation, blurb) FIELD(name, abbreviation, FT_RELATIVE_TIME, BASE_NONE, NULL, blurb IN_FILTERS)
#define MS(name, abbreviation)                                                                                         \
    FIELD(name, abbreviation, FT_DOUBLE, BASE_CUSTOM, CF_FUNC(view_write_column),                                      \
          "The same in milliseconds, for a column")
#define FRAME(name, abbreviation, type, blurb)                                                                         \
    FIELD(name, abbreviation, FT_FRAMENUM, BASE_NONE, FRAMENUM_TYPE(type), blurb)

void
ca_latency_register(int proto, const struct circuit_protocol *protocol)
{
    static const header_field_info infos[FIELDS] = {
        [PV] = FIELD("Channel", "pv", FT_STRING, BASE_NONE, NULL, "Name of the channel that the message is about"),
        [REQUEST_IN] = FRAME("Request in", "request_in", FT_FRAMENUM_REQUEST, "What this message answers"),
        [RESPONSE_IN] = FRAME("Response in", "response_in", FT_FRAMENUM_RESPONSE, "The answer to this message"),
        [RESPONSE_TIME] = TIME("Response time", "response_time", "From the request to this answer"),
        [CREATE_TIME] = TIME("Create time", "create.time", "From the request to create a channel to its answer"),
        [CREATE_RESULT] = FIELD("Create result", "create.result", FT_UINT8, BASE_DEC, VALS(result_names),
                                "How the request to create the channel ended"),
        [CREATE_REASON] = FIELD("Reason", "create.reason", FT_UINT8, BASE_DEC, VALS(reason_names),
                                "Why the request to create the channel was not answered"),
        [CREATE_WAITED] = TIME("Waited", "create.waited",
                               "From the request to create a channel to the end of the connection or of the capture"),
        [CREATE_REQUEST_IN] = FRAME("Create request in", "create.request_in", FT_FRAMENUM_REQUEST,
                                    "The request to create a channel that this message answers"),
        [CREATE_RESPONSE_IN] = FRAME("Create response in", "create.response_in", FT_FRAMENUM_RESPONSE,
                                     "The answer to this request to create a channel"),
        [CONNECT_TIME] =
            TIME("Connect time", "connect.time",
                 "From the first SEARCH or, without one, the request to create the channel, to its answer"),
        [SEARCH_TIME] = TIME("Search time", "search.time", "From the first SEARCH to its first reply"),
        [SEARCH_ATTEMPTS] = FIELD("Attempts", "search.attempts", FT_UINT32, BASE_DEC, NULL,
                                  "How often the name was searched for before the reply"),
        [SEARCH_AMBIGUOUS] = FIELD("Ambiguous search", "search.ambiguous", FT_BOOLEAN, BASE_NONE, NULL,
                                   "Several searches of this host may have led to this channel"),
        [HELLO_TIME] = TIME("Hello time", "hello.time", "From SYN-ACK to the end of the server's hello"),
        [TCP_CONNECT_TIME] = TIME("TCP connect time", "tcp_connect.time", "From SYN to SYN-ACK"),
        [FIRST_VALUE_TIME] = TIME("First value time", "first_value.time",
                                  "From the first answered request for the channel's value to its answer"),
        [FRAME_PV] = FIELD("Channel", "frame.pv", FT_STRING, BASE_NONE, NULL,
                           "Channel of the frame's message that went wrong, else of the slowest one"),
        [FRAME_STATUS] = FIELD("Status", "frame.status", FT_STRING, BASE_NONE, NULL, "Why that message went wrong"),
        [FRAME_SEARCH] = TIME("Search", "frame.search", "Search time of that message"),
        [FRAME_CONNECT] = TIME("Connect", "frame.connect", "Connect time of that message"),
        [FRAME_CREATE] = TIME("Create", "frame.create", "Create time of that message"),
        [FRAME_FIRST_VALUE] = TIME("First value", "frame.first_value", "First value time of that message"),
        [FRAME_RESPONSE] = TIME("Response", "frame.response", "Response time of that message"),
        [FRAME_WAITED] = TIME("Waited", "frame.waited", "How long that request to create a channel waited"),
        [FRAME_MESSAGES] = FIELD("Messages", "frame.messages", FT_UINT32, BASE_DEC, NULL,
                                 "How many messages the frame has, if it has several"),
        [FRAME_SEARCH_MS] = MS("Search (ms)", "frame.search_ms"),
        [FRAME_CONNECT_MS] = MS("Connect (ms)", "frame.connect_ms"),
        [FRAME_CREATE_MS] = MS("Create (ms)", "frame.create_ms"),
        [FRAME_FIRST_VALUE_MS] = MS("First value (ms)", "frame.first_value_ms"),
        [FRAME_RESPONSE_MS] = MS("Response (ms)", "frame.response_ms"),
        [UPDATE_SPACING] = TIME("Update spacing", "update.spacing", "From the monitor's previous update to this one"),
        [UPDATE_PREVIOUS_IN] =
            FRAME("Previous update in", "update.previous_in", FT_FRAMENUM_NONE, "The monitor's previous update"),
    };
    struct fields *of = &fields[index_of(protocol)];
    int *trees[] = { &of->tree };
    const unsigned count = protocol == &circuit_of_channel_access ? UPDATE_SPACING : FIELDS;
    /* Wireshark keeps them. */
    hf_register_info *registered = wmem_alloc0_array(wmem_epan_scope(), hf_register_info, count);
    for (unsigned i = 0; i < count; i++) {
        registered[i] = (hf_register_info){ &of->hf[i], infos[i] };
        registered[i].hfinfo.abbrev = abbreviation_of(protocol, infos[i].abbrev);
    }
    proto_register_field_array(proto, registered, (int)count);
    proto_register_subtree_array(trees, G_N_ELEMENTS(trees));
    register_expert(proto, protocol);
}
