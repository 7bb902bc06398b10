/* view.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "view.h"

#include <epan/address.h>
#include <epan/expert.h>
#include <epan/to_str.h>

#include "../../table/names.h"
#include "../intake/intake.h"

enum { NS_PER_MS = 1000000 };

value_string outcome_strings[OUTCOMES + 1];
value_string connect_result_strings[CONNECT_RESULTS + 1];
value_string tls_result_strings[TLS_RESULTS + 1];

static int proto_owner;
static int ett_latency = -1;
static int hf_waited = -1;
static int hf_reordered = -1;
static expert_field ei_slow;

void
view_register(int proto)
{
    static int *ett[] = { &ett_latency };
    static hf_register_info hf[] = {
        TIME_FIELD(
            hf_waited, "Waited", "latency.waited",
            "From the request's first frame, or the first SYN, to the capture's latest, where neither was answered"),
        FLAG_FIELD(hf_reordered, "Reordered", "latency.reordered",
                   "The capture has the response before its request: a time that would be negative is 0"),
    };
    static ei_register_info ei[] = {
        { &ei_slow, { "latency.slow", PI_SEQUENCE, PI_NOTE, "Slow", EXPFILL } },
    };
    proto_owner = proto;
    expert_register_field_array(expert_register_protocol(proto), ei, G_N_ELEMENTS(ei));
    proto_register_field_array(proto, hf, G_N_ELEMENTS(hf));
    proto_register_subtree_array(ett, G_N_ELEMENTS(ett));
}

proto_tree *
view_tree(struct view *view)
{
    if (!view->tree) {
        view->item = proto_tree_add_protocol_format(view->parent, proto_owner, view->tvb, 0, 0, "Latency");
        proto_item_set_generated(view->item);
        view->tree = proto_item_add_subtree(view->item, ett_latency);
    }
    return view->tree;
}

void
view_add_time(struct view *view, int hf, int64_t ns)
{
    nstime_t time = { .secs = (time_t)(ns / 1000000000), .nsecs = (int)(ns % 1000000000) };
    proto_item_set_generated(proto_tree_add_time(view_tree(view), hf, view->tvb, 0, 0, &time));
}

void
view_add_uint(struct view *view, int hf, uint32_t value)
{
    proto_item_set_generated(proto_tree_add_uint(view_tree(view), hf, view->tvb, 0, 0, value));
}

void
view_add_bytes(struct view *view, int hf, uint64_t bytes)
{
    proto_item_set_generated(proto_tree_add_uint64(view_tree(view), hf, view->tvb, 0, 0, bytes));
}

void
view_add_string(struct view *view, int hf, const char *text)
{
    proto_item_set_generated(proto_tree_add_string(view_tree(view), hf, view->tvb, 0, 0, text));
}

void
view_add_flag(struct view *view, int hf)
{
    proto_item_set_generated(proto_tree_add_boolean(view_tree(view), hf, view->tvb, 0, 0, true));
}

void
view_add_waited(struct view *view, int64_t ns)
{
    view_add_time(view, hf_waited, MAX(ns, 0));
}

void
view_add_reordered(struct view *view)
{
    view_add_flag(view, hf_reordered);
}

void
view_note_slow_response(struct view *view, int64_t wait_ns, int64_t first_byte_ns)
{
    const double wait_ms = (double)wait_ns / NS_PER_MS, first_byte_ms = (double)first_byte_ns / NS_PER_MS;
    if (!intake_is_slow(wait_ns))
        return;
    if (wait_ns == first_byte_ns)
        expert_add_info_format(view->pinfo, view->item, &ei_slow, "Slow: %.1f ms", wait_ms);
    else
        expert_add_info_format(view->pinfo, view->item, &ei_slow, "Slow: %.1f ms, TTFB %.1f ms", wait_ms,
                               first_byte_ms);
}

void
view_note_slow_connect(struct view *view, int64_t ns)
{
    if (intake_is_slow(ns))
        expert_add_info_format(view->pinfo, view->item, &ei_slow, "Slow to connect: %.1f ms", (double)ns / NS_PER_MS);
}

void
view_finish(proto_item *field, bool is_hidden)
{
    proto_item_set_generated(field);
    if (is_hidden)
        proto_item_set_hidden(field);
}

void
view_fill_names(void)
{
    for (unsigned i = 0; i < OUTCOMES; i++)
        outcome_strings[i] = (value_string){ i, outcome_name(i) };
    for (unsigned i = 0; i < CONNECT_RESULTS; i++)
        connect_result_strings[i] = (value_string){ i, connect_result_name(i) };
    for (unsigned i = 0; i < TLS_RESULTS; i++)
        tls_result_strings[i] = (value_string){ i, tls_result_name(i) };
}

char *
view_address(wmem_allocator_t *scope, const struct endpoint *endpoint, bool ipv6)
{
    address addr = ADDRESS_INIT(ipv6 ? AT_IPv6 : AT_IPv4, ipv6 ? 16 : 4, endpoint->address);
    return address_to_display(scope, &addr);
}
