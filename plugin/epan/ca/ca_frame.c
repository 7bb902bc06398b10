/* ca_frame.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "ca_frame.h"

#include <epan/strutil.h>
#include <wsutil/str_util.h>

#include "../../compat.h"
#include "../../core/ca/ca_names.h"
#include "../../core/ca/ca_phases.h"
#include "../intake/intake.h"
#include "../show/view.h"
#include "ca_state.h"

enum field { PV, STATUS, SEARCH, CONNECT, CREATE, FIRST_VALUE, RESPONSE, WAITED, MESSAGES, FIELDS };

/* Of Channel Access, and of pvAccess. */
static struct fields {
    int hf[FIELDS];
    int tree;
} fields[2];

/* What columns say of a message. Times are in nanoseconds, -1 where it has none. */
struct facts {
    const char *pv;     /* NULL if unknown */
    const char *status; /* why it went wrong; NULL if it did not */
    int64_t time_ns[FIELDS];
    int64_t longest_ns; /* of its times */
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

static const char *
status_of_request(const struct ca_request *request)
{
    if (request->circuit->protocol != &circuit_of_channel_access)
        return ca_reason(&ca_state_channels()->reasons, request->status);
    const char *name = ca_status_name(request->status);
    return name ? name : "";
}

static void
find_create_answer(struct facts *facts, const struct ca_channel *channel)
{
    const struct ca_request *create = &channel->create;
    if (create->outcome == CA_ORPHAN)
        return;
    facts->time_ns[CREATE] = ca_request_latency(create);
    facts->time_ns[CONNECT] = ca_channel_connect(ca_state_channels(), channel);
    if (create->outcome != CA_OK)
        facts->status = ca_channel_reason(ca_state_channels(), channel, intake_source()->last_ns);
}

static void
find_answer(struct facts *facts, const struct ca_subject *subject)
{
    const struct ca_request *request = &subject->exchange->request;
    facts->time_ns[RESPONSE] = ca_request_latency(request);
    if (ca_subject_is_first_value(subject))
        facts->time_ns[FIRST_VALUE] = ca_channel_first_value(subject->channel);
    if (request->outcome != CA_OK)
        facts->status = status_of_request(request);
}

/* Known only where the whole capture has been read. */
static void
find_wait(struct facts *facts, const struct ca_channel *channel, const packet_info *pinfo)
{
    const int64_t now_ns = intake_source()->last_ns;
    if (channel->create.outcome != CA_WAITING || !PINFO_FD_VISITED(pinfo))
        return;
    if (ca_channel_result(channel, now_ns) == CA_RESULT_UNANSWERED)
        facts->status = ca_channel_reason(ca_state_channels(), channel, now_ns);
    facts->time_ns[WAITED] = ca_request_waited(&channel->create, now_ns);
}

static struct facts
facts_of(const struct ca_event *event, const packet_info *pinfo)
{
    const struct ca_subject *subject = &event->subject;
    struct facts facts = { .pv = ca_subject_pv(subject), .longest_ns = -1 };
    for (unsigned i = 0; i < FIELDS; i++)
        facts.time_ns[i] = -1;
    switch (event->kind) {
    case CA_CREATE_ASKED:
        find_wait(&facts, subject->channel, pinfo);
        break;
    case CA_CREATE_ANSWERED:
        find_create_answer(&facts, subject->channel);
        break;
    case CA_SEARCH_ANSWERED:
        facts.time_ns[SEARCH] = ca_search_time(subject->search);
        facts.time_ns[RESPONSE] = ca_search_latency(subject->search);
        break;
    case CA_REQUEST_ANSWERED:
        find_answer(&facts, subject);
        break;
    default:
        break;
    }
    for (unsigned i = 0; i < FIELDS; i++)
        facts.longest_ns = MAX(facts.longest_ns, facts.time_ns[i]);
    return facts;
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
static wireshark_bool
forget(wmem_allocator_t *scope _U_, wmem_cb_event_t event _U_, void *data _U_)
{
    chosen_frame = 0;
    return false;
}

void
ca_frame_note(const packet_info *pinfo, const struct ca_event *event)
{
    struct chosen *of = &chosen[index_of(event->protocol)];
    if (chosen_frame != pinfo->num) {
        memset(chosen, 0, sizeof chosen);
        wmem_register_callback(pinfo->pool, forget, NULL);
    }
    chosen_frame = pinfo->num;
    const struct facts facts = facts_of(event, pinfo);
    if (!facts.pv && facts.longest_ns < 0)
        return;
    if (of->messages++ == 0 || goes_before(&facts, &of->facts))
        of->facts = facts;
}

static void
show(const struct fields *of, const struct chosen *from, proto_tree *tree, tvbuff_t *tvb, packet_info *pinfo)
{
    const struct facts *facts = &from->facts;
    const bool is_one = from->messages == 1;
    proto_item *item;
    if (!is_one) {
        tree = proto_tree_add_subtree_format(tree, tvb, 0, 0, of->tree, &item, "Latency: of %u messages%s%s",
                                             from->messages, facts->pv ? ", " : "",
                                             facts->pv ? compat_printable(pinfo->pool, facts->pv) : "");
        proto_item_set_generated(item);
        view_finish(proto_tree_add_uint(tree, of->hf[MESSAGES], tvb, 0, 0, from->messages), false);
    }
    if (facts->pv)
        view_finish(proto_tree_add_string(tree, of->hf[PV], tvb, 0, 0, facts->pv), is_one);
    if (facts->status)
        view_finish(proto_tree_add_string(tree, of->hf[STATUS], tvb, 0, 0, facts->status), is_one);
    for (unsigned i = 0; i < FIELDS; i++) {
        const int64_t ns = facts->time_ns[i];
        nstime_t time = { .secs = (time_t)(ns / 1000000000), .nsecs = (int)(ns % 1000000000) };
        if (ns >= 0)
            view_finish(proto_tree_add_time(tree, of->hf[i], tvb, 0, 0, &time), is_one);
    }
}

void
ca_frame_show(proto_tree *tree, tvbuff_t *tvb, packet_info *pinfo)
{
    if (chosen_frame != pinfo->num)
        return;
    for (unsigned i = 0; tree && i < G_N_ELEMENTS(chosen); i++) {
        if (chosen[i].messages > 0)
            show(&fields[i], &chosen[i], tree, tvb, pinfo);
    }
    chosen_frame = 0;
}

#define TIME_INFO(name, abbreviation, blurb)                                                                           \
    {                                                                                                                  \
        name, abbreviation, FT_RELATIVE_TIME, BASE_NONE, NULL, 0, blurb, HFILL                                         \
    }

void
ca_frame_register(int proto, const struct circuit_protocol *protocol)
{
    static const header_field_info infos[FIELDS] = {
        [PV] = { "Channel", "frame.pv", FT_STRING, BASE_NONE, NULL, 0,
                 "Of the frame's message that went wrong, else of the slowest: the channel", HFILL },
        [STATUS] = { "Status", "frame.status", FT_STRING, BASE_NONE, NULL, 0, "Why that message went wrong", HFILL },
        [SEARCH] = TIME_INFO("Search", "frame.search", "Search time of that message"),
        [CONNECT] = TIME_INFO("Connect", "frame.connect", "Connect time of that message"),
        [CREATE] = TIME_INFO("Create", "frame.create", "Create time of that message"),
        [FIRST_VALUE] = TIME_INFO("First value", "frame.first_value", "First value time of that message"),
        [RESPONSE] = TIME_INFO("Response", "frame.response", "Response time of that message"),
        [WAITED] = TIME_INFO("Waited", "frame.waited", "How long that request to create a channel waited"),
        [MESSAGES] = { "Messages", "frame.messages", FT_UINT32, BASE_DEC, NULL, 0,
                       "How many messages the frame has, if several", HFILL },
    };
    struct fields *of = &fields[index_of(protocol)];
    int *trees[] = { &of->tree };
    /* Wireshark keeps them. */
    hf_register_info *registered = wmem_alloc0_array(wmem_epan_scope(), hf_register_info, FIELDS);
    for (unsigned i = 0; i < FIELDS; i++) {
        of->hf[i] = -1;
        registered[i] = (hf_register_info){ &of->hf[i], infos[i] };
        registered[i].hfinfo.abbrev = wmem_strdup_printf(wmem_epan_scope(), "%s.%s", protocol->prefix, infos[i].abbrev);
    }
    of->tree = -1;
    proto_register_field_array(proto, registered, FIELDS);
    proto_register_subtree_array(trees, G_N_ELEMENTS(trees));
}
