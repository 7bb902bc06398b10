/* frame_fields.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "frame_fields.h"

#include <epan/strutil.h>
#include <wsutil/str_util.h>

#include "../../compat.h"
#include "../../table/names.h"
#include "../intake/intake.h"
#include "connect_fields.h"

static int ett_frame = -1;
static int hf_request = -1;
static int hf_operation = -1;
static int hf_status = -1;
static int hf_first_byte = -1;
static int hf_server_time = -1;
static int hf_elapsed = -1;
static int hf_requests = -1;
static int hf_longest = -1;

/* A request's frame says what became of it, which is known when the whole capture has been read. */
static void
find_request(struct frame_facts *facts, const struct request *request, const packet_info *pinfo)
{
    if (!PINFO_FD_VISITED(pinfo) || tls_turn_role(request) != TLS_NONE)
        return;
    const enum outcome outcome = request_outcome(&intake_analysis()->requests, request);
    if (!(outcome_says(outcome) & (OUTCOME_IS_UNANSWERED | OUTCOME_IS_ERROR)))
        return;
    facts->is_wrong = true;
    facts->status = outcome_name(outcome);
}

static void
find_response(struct frame_facts *facts, const struct request *request, const struct view *view)
{
    const uint32_t frame = view->pinfo->num;
    const bool breaks_off =
        request->ending == ENDING_TRUNCATED && frame == request->response.p1_frame && PINFO_FD_VISITED(view->pinfo);
    facts->elapsed_ns = request_elapsed(request, view->now_ns);
    facts->is_wrong = request->response.failed || breaks_off;
    facts->status =
        breaks_off && !*request->response.status ? outcome_name(OUTCOME_TRUNCATED) : request->response.status;
    if (frame != request->response.p0_frame)
        return;
    facts->first_byte_ns = request_first_byte(request);
    facts->server_time_ns = request_server_time(request);
}

static struct frame_facts
facts_of(const struct view *view, const struct item *item)
{
    const struct request *request = item->request;
    struct frame_facts facts = { request, request->operation, "", -1, -1, -1, false };
    if (item->kind == ITEM_REQUEST)
        find_request(&facts, request, view->pinfo);
    else
        find_response(&facts, request, view);
    return facts;
}

/* On the frame of its answer, or of the SYN that nothing answered. */
static bool
find_connect(struct frame_facts *facts, const struct view *view, const struct item *item)
{
    const struct connect *connect = &item->connection->tcp->connect;
    const char *failure = connect_fields_failure(view, item);
    const bool is_answer = item->kind == ITEM_ANSWER && view->pinfo->num == connect->answer_frame;
    *facts = (struct frame_facts){ NULL, "TCP connect", failure ? failure : "", -1, -1, -1, failure != NULL };
    if (is_answer)
        facts->elapsed_ns = connect->time_ns;
    return is_answer || failure;
}

/* Whether a later request of the frame is the one for columns, instead of an earlier one. */
static bool
goes_before(const struct frame_facts *later, const struct frame_facts *earlier)
{
    if (later->is_wrong != earlier->is_wrong)
        return later->is_wrong;
    if (later->first_byte_ns != earlier->first_byte_ns)
        return later->first_byte_ns > earlier->first_byte_ns;
    return later->elapsed_ns > earlier->elapsed_ns;
}

void
frame_fields_note(struct frame_choice *choice, const struct view *view, const struct item *item)
{
    struct frame_facts facts;
    if (item->kind == ITEM_REQUEST || item->kind == ITEM_RESPONSE) {
        facts = facts_of(view, item);
        choice->requests++;
    } else if ((item->kind != ITEM_SYN && item->kind != ITEM_ANSWER) || !find_connect(&facts, view, item)) {
        return;
    }
    if (facts.first_byte_ns >= 0) {
        choice->longest_ns = choice->has_longest ? MAX(choice->longest_ns, facts.first_byte_ns) : facts.first_byte_ns;
        choice->has_longest = true;
    }
    if (!choice->is_made || goes_before(&facts, &choice->facts))
        choice->facts = facts;
    choice->is_made = true;
}

static void
add_time(proto_tree *tree, int hf, tvbuff_t *tvb, int64_t ns, bool is_hidden)
{
    nstime_t time = { .secs = (time_t)(ns / 1000000000), .nsecs = (int)(ns % 1000000000) };
    if (ns >= 0)
        view_finish(proto_tree_add_time(tree, hf, tvb, 0, 0, &time), is_hidden);
}

static void
add_text(proto_tree *tree, int hf, tvbuff_t *tvb, const char *text, bool is_hidden)
{
    if (*text)
        view_finish(proto_tree_add_string(tree, hf, tvb, 0, 0, text), is_hidden);
}

void
frame_fields_show(const struct frame_choice *choice, const struct view *view)
{
    const struct frame_facts *facts = &choice->facts;
    const bool is_one = choice->requests <= 1;
    proto_tree *tree = view->parent;
    tvbuff_t *tvb = view->tvb;
    proto_item *item;
    if (!choice->is_made)
        return;
    if (!is_one) {
        tree = proto_tree_add_subtree_format(tree, tvb, 0, 0, ett_frame, &item, "Latency: of %u requests%s%s",
                                             choice->requests, *facts->operation ? ", " : "",
                                             compat_printable(view->pinfo->pool, facts->operation));
        proto_item_set_generated(item);
        view_finish(proto_tree_add_uint(tree, hf_requests, tvb, 0, 0, choice->requests), false);
    }
    if (facts->request)
        view_finish(proto_tree_add_uint(tree, hf_request, tvb, 0, 0, facts->request->number), is_one);
    add_text(tree, hf_operation, tvb, facts->operation, is_one);
    add_text(tree, hf_status, tvb, facts->status, is_one);
    add_time(tree, hf_first_byte, tvb, facts->first_byte_ns, is_one);
    add_time(tree, hf_server_time, tvb, facts->server_time_ns, is_one);
    add_time(tree, hf_elapsed, tvb, facts->elapsed_ns, is_one);
    if (choice->has_longest)
        add_time(tree, hf_longest, tvb, choice->longest_ns, is_one);
}

void
frame_fields_register(int proto)
{
    static int *ett[] = { &ett_frame };
    static hf_register_info hf[] = {
        UINT_FIELD(hf_request, "Request", "latency.frame.request",
                   "Of the frame's requests and responses the one that went wrong, else the slowest: its number"),
        TEXT_FIELD(hf_operation, "Operation", "latency.frame.operation", "What that request asks for"),
        TEXT_FIELD(hf_status, "Status", "latency.frame.status", "The status of that response, or why there is none"),
        TIME_FIELD(hf_first_byte, "Time to first byte", "latency.frame.first_byte", "Of that response"),
        TIME_FIELD(hf_server_time, "Server time", "latency.frame.server_time", "Of that response"),
        TIME_FIELD(hf_elapsed, "Elapsed", "latency.frame.elapsed", "From that request's first frame to this one"),
        UINT_FIELD(hf_requests, "Requests", "latency.frame.requests",
                   "How many requests and responses the frame has, if several"),
        TIME_FIELD(hf_longest, "Longest time to first byte", "latency.frame.longest",
                   "Of all responses that begin in the frame"),
    };
    proto_register_field_array(proto, hf, G_N_ELEMENTS(hf));
    proto_register_subtree_array(ett, G_N_ELEMENTS(ett));
}
