/* calls_fields.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "calls_fields.h"

#include "../../table/call_name.h"
#include "../../table/call_source.h"
#include "../intake/intake.h"
#include "preferences.h"

static int hf_caused_by = -1;
static int hf_cause = -1;
static int hf_calls = -1;
static int hf_call_time = -1;
static int hf_own_time = -1;

/* Whether the user wants it, and frames are kept. */
static bool
may_be_told(void)
{
    if (!preferences_has_calls() || !intake_analysis() || intake_is_read_once())
        return false;
    intake_keep_calls(true);
    return true;
}

const struct calls *
calls_fields_told(void)
{
    return may_be_told() ? call_source_told(intake_source()) : NULL;
}

static bool
is_asked_for(int field)
{
    return proto_registrar_get_nth((unsigned)field)->ref_type != HF_REF_TYPE_NONE;
}

/* Telling causes takes a time that nobody has asked for: the tree alone does it of so many requests at most. */
enum { UNASKED_MOST = 100000 };

/* Whether the tree is shown, or a column, a filter or -e has one of the fields. */
static bool
are_wanted(const struct view *view)
{
    return (view->parent && view->parent->tree_data->visible && intake_analysis()->requests.count <= UNASKED_MOST) ||
           is_asked_for(hf_caused_by) || is_asked_for(hf_cause) || is_asked_for(hf_calls) ||
           is_asked_for(hf_call_time) || is_asked_for(hf_own_time);
}

/* "id", and of what is likely only "worker, 93 %". */
static const char *
rule_text(const struct view *view, const struct call *call)
{
    const char *rule = call_rule_name(call->rule);
    if (call->rule != CALL_WORKER)
        return rule;
    return wmem_strdup_printf(view->pinfo->pool, "%s, %u %%", rule, call->probability);
}

static void
show_cause(struct view *view, const struct calls *calls, const struct call *call)
{
    const struct call *cause = call->cause ? calls_find(calls, call->cause) : NULL;
    if (cause) {
        const char *kind = calls_operation(calls, cause->operation)->kind;
        view_finish(proto_tree_add_uint_format(view_tree(view), hf_caused_by, view->tvb, 0, 0, cause->frame,
                                               "Called by: %s in %u (%s)", *kind ? kind : CALL_UNKNOWN, cause->frame,
                                               rule_text(view, call)),
                    false);
        view_finish(proto_tree_add_string(view_tree(view), hf_cause, view->tvb, 0, 0, call_rule_name(call->rule)),
                    true);
    } else if (call->rule == CALL_SEVERAL) {
        view_finish(proto_tree_add_string_format(view_tree(view), hf_cause, view->tvb, 0, 0, call_rule_name(call->rule),
                                                 "Called by: one of %u requests", call->candidates),
                    false);
    }
}

/* Of a request that calls nobody its own time is what it took: that is for filters and columns. */
static void
show_calls(struct view *view, const struct call *call, const struct call_times *times)
{
    wmem_allocator_t *scope = view->pinfo->pool;
    const bool has_times = call->end_frame != 0;
    if (times->calls > 0 && has_times)
        view_finish(proto_tree_add_uint_format(view_tree(view), hf_calls, view->tvb, 0, 0, times->calls,
                                               "Calls: %u, %s; own time %s", times->calls,
                                               view_ms(scope, times->call_ns), view_ms(scope, times->own_ns)),
                    false);
    else if (times->calls > 0)
        view_add_uint(view, hf_calls, times->calls);
    if (times->calls > 0 && has_times)
        view_finish(view_put_time(view_tree(view), view->pinfo, hf_call_time, view->tvb, times->call_ns), true);
    if (has_times)
        view_finish(view_put_time(view_tree(view), view->pinfo, hf_own_time, view->tvb, times->own_ns), true);
}

void
calls_fields_show(struct view *view, const struct request *request)
{
    if (!PINFO_FD_VISITED(view->pinfo) || !are_wanted(view))
        return;
    const struct calls *calls = may_be_told() ? call_source_told_lately(intake_source()) : NULL;
    const struct call *call = calls ? calls_find(calls, request->number) : NULL;
    if (!call)
        return;
    const struct call_times times = calls_times(calls, request->number);
    show_cause(view, calls, call);
    show_calls(view, call, &times);
}

void
calls_fields_register(int proto)
{
    static hf_register_info hf[] = {
        FRAME_FIELD(hf_caused_by, "Called by", "latency.caused_by", FRAMENUM_TYPE(FT_FRAMENUM_REQUEST),
                    "First frame of the request that caused this one"),
        TEXT_FIELD(hf_cause, "Cause", "latency.cause",
                   "The rule that found the request's cause: id, same, thread, only, worker or after; or several"),
        UINT_FIELD(hf_calls, "Calls", "latency.calls", "How many requests this one caused"),
        TIME_FIELD(hf_call_time, "Call time", "latency.call_time",
                   "How long at least one of the request's calls was outstanding"),
        TIME_FIELD(hf_own_time, "Own time", "latency.own_time", "The duration of the request, minus its call time"),
    };
    proto_register_field_array(proto, hf, G_N_ELEMENTS(hf));
}
