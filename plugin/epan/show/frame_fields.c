/* frame_fields.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "frame_fields.h"

#include "../../table/names.h"
#include "../intake/intake.h"
#include "connect_fields.h"

static int hf_request = -1;
static int hf_operation = -1;
static int hf_status = -1;
static int hf_duration = -1;
static int hf_first_byte = -1;
static int hf_server_time = -1;
static int hf_elapsed = -1;
static int hf_requests = -1;
static int hf_longest = -1;
static int hf_duration_ms = -1;
static int hf_first_byte_ms = -1;
static int hf_server_time_ms = -1;

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
        request->ending == ENDING_TRUNCATED && frame == request->response.last_frame && PINFO_FD_VISITED(view->pinfo);
    facts->elapsed_ns = request_elapsed(request, view->now_ns);
    facts->is_wrong = request->response.failed || breaks_off;
    facts->status =
        breaks_off && !*request->response.status ? outcome_name(OUTCOME_TRUNCATED) : request->response.status;
    const bool is_over = PINFO_FD_VISITED(view->pinfo) || (request->by_messages && !request_goes_on(request));
    if (frame == request->response.last_frame && is_over)
        facts->duration_ns = request_last_byte(request);
    if (frame != request->response.first_frame)
        return;
    facts->first_byte_ns = request_first_byte(request);
    facts->server_time_ns = request_server_time(request);
}

static struct frame_facts
facts_of(const struct view *view, const struct item *item)
{
    const struct request *request = item->request;
    struct frame_facts facts = { request, request->operation, "", -1, -1, -1, -1, false };
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
    *facts = (struct frame_facts){ NULL, "TCP connect", failure ? failure : "", -1, -1, -1, -1, failure != NULL };
    if (is_answer)
        facts->duration_ns = facts->elapsed_ns = connect->time_ns;
    return is_answer || failure;
}

/* Whether a later request of the frame is the one for columns, instead of an earlier one. */
static bool
goes_before(const struct frame_facts *later, const struct frame_facts *earlier)
{
    if (later->is_wrong != earlier->is_wrong)
        return later->is_wrong;
    if (later->duration_ns != earlier->duration_ns)
        return later->duration_ns > earlier->duration_ns;
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
add_time(const struct view *view, int hf, int64_t ns)
{
    if (ns >= 0)
        view_finish(view_put_time(view->parent, view->pinfo, hf, view->tvb, ns), true);
}

static void
add_ms(const struct view *view, int hf, int64_t ns)
{
    if (ns >= 0)
        view_finish(view_put_ms(view->parent, hf, view->tvb, ns), true);
}

static void
add_text(const struct view *view, int hf, const char *text)
{
    if (*text)
        view_finish(proto_tree_add_string(view->parent, hf, view->tvb, 0, 0, text), true);
}

static void
add_number(const struct view *view, int hf, uint32_t number)
{
    view_finish(proto_tree_add_uint(view->parent, hf, view->tvb, 0, 0, number), true);
}

void
frame_fields_show(const struct frame_choice *choice, const struct view *view)
{
    const struct frame_facts *facts = &choice->facts;
    if (!choice->is_made)
        return;
    if (choice->requests > 1)
        add_number(view, hf_requests, choice->requests);
    if (facts->request)
        add_number(view, hf_request, facts->request->number);
    add_text(view, hf_operation, facts->operation);
    add_text(view, hf_status, facts->status);
    add_time(view, hf_duration, facts->duration_ns);
    add_time(view, hf_first_byte, facts->first_byte_ns);
    add_time(view, hf_server_time, facts->server_time_ns);
    add_time(view, hf_elapsed, facts->elapsed_ns);
    if (choice->has_longest)
        add_time(view, hf_longest, choice->longest_ns);
    add_ms(view, hf_duration_ms, facts->duration_ns);
    add_ms(view, hf_first_byte_ms, facts->first_byte_ns);
    add_ms(view, hf_server_time_ms, facts->server_time_ns);
}

void
frame_fields_register(int proto)
{
    static hf_register_info hf[] = {
        UINT_FIELD(hf_request, "Request", "latency.frame.request",
                   "Number of the request whose figures the columns show: the one that went wrong, else the slowest"),
        TEXT_FIELD(hf_operation, "Operation", "latency.frame.operation", "What that request asks for"),
        TEXT_FIELD(hf_status, "Status", "latency.frame.status", "The status of its response, or why there is none"),
        TIME_FIELD(hf_duration, "Duration", "latency.frame.duration",
                   "Duration of that request, on its response's last frame; of a connection attempt, on its answer"),
        TIME_FIELD(hf_first_byte, "Time to first byte", "latency.frame.first_byte",
                   "Time to first byte of that request"),
        TIME_FIELD(hf_server_time, "Server time", "latency.frame.server_time", "Server time of that request"),
        TIME_FIELD(hf_elapsed, "Elapsed", "latency.frame.elapsed", "From that request's first frame to this one"),
        UINT_FIELD(hf_requests, "Requests", "latency.frame.requests",
                   "How many requests and responses the frame has, if it has several"),
        TIME_FIELD(hf_longest, "Longest time to first byte", "latency.frame.longest",
                   "The longest of all responses that begin in the frame"),
        COLUMN_FIELD(hf_duration_ms, "Duration (ms)", "latency.frame.duration_ms",
                     "The same in milliseconds, for a column"),
        COLUMN_FIELD(hf_first_byte_ms, "Time to first byte (ms)", "latency.frame.first_byte_ms",
                     "The same in milliseconds, for a column"),
        COLUMN_FIELD(hf_server_time_ms, "Server time (ms)", "latency.frame.server_time_ms",
                     "The same in milliseconds, for a column"),
    };
    proto_register_field_array(proto, hf, G_N_ELEMENTS(hf));
}
