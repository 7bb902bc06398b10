/* view.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "view.h"

#include <epan/address.h>
#include <epan/expert.h>
#include <epan/to_str.h>

#include "../table/names.h"
#include "intake/intake.h"

enum { NS_PER_S = 1000000000, NS_PER_MS = 1000000, NS_PER_US = 1000, TREE_TYPES = 16 };

value_string outcome_strings[OUTCOMES + 1];
value_string connect_result_strings[CONNECT_RESULTS + 1];
value_string tls_result_strings[TLS_RESULTS + 1];

static int proto_owner;
static int ett_latency[TREE_TYPES];
static int hf_waited = -1;
static int hf_reordered = -1;
static expert_field ei_slow;

void
view_register(int proto)
{
    static int *ett[TREE_TYPES];
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
    for (unsigned i = 0; i < TREE_TYPES; i++) {
        ett_latency[i] = -1;
        ett[i] = &ett_latency[i];
    }
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
        view->tree_type = ett_latency[MIN(view->trees, TREE_TYPES - 1)];
        view->tree = proto_item_add_subtree(view->item, view->tree_type);
        view->trees++;
    }
    return view->tree;
}

void
view_end_tree(struct view *view)
{
    if (view->tree)
        view->tree = proto_item_add_subtree(view->item, view->tree_type);
}

/* Writes whole units and three decimals, with a point whatever the locale. */
static char *
in_unit(wmem_allocator_t *scope, int64_t ns, int64_t unit_ns, const char *unit)
{
    const int64_t size_ns = ns < 0 ? -ns : ns, part_ns = unit_ns / 1000, parts = (size_ns + part_ns / 2) / part_ns;
    return wmem_strdup_printf(scope, "%s%" PRId64 ".%03d %s", ns < 0 && parts > 0 ? "-" : "", parts / 1000,
                              (int)(parts % 1000), unit);
}

char *
view_ms(wmem_allocator_t *scope, int64_t ns)
{
    return in_unit(scope, ns, NS_PER_MS, "ms");
}

char *
view_us(wmem_allocator_t *scope, int64_t ns)
{
    return in_unit(scope, ns, NS_PER_US, "µs");
}

static proto_item *
put_time(proto_tree *tree, int hf, tvbuff_t *tvb, int64_t ns, const char *text)
{
    nstime_t time = { .secs = (time_t)(ns / NS_PER_S), .nsecs = (int)(ns % NS_PER_S) };
    proto_item *item = proto_tree_add_time_format_value(tree, hf, tvb, 0, 0, &time, "%s", text);
    proto_item_set_generated(item);
    return item;
}

proto_item *
view_put_time(proto_tree *tree, packet_info *pinfo, int hf, tvbuff_t *tvb, int64_t ns)
{
    return put_time(tree, hf, tvb, ns, view_ms(pinfo->pool, ns));
}

/* Rounds to three decimals, as texts are. */
static proto_item *
put_number(proto_tree *tree, int hf, tvbuff_t *tvb, int64_t parts)
{
    return proto_tree_add_double(tree, hf, tvb, 0, 0, (double)parts / 1000);
}

proto_item *
view_put_ms(proto_tree *tree, int hf, tvbuff_t *tvb, int64_t ns)
{
    return put_number(tree, hf, tvb, (ns + NS_PER_US / 2) / NS_PER_US);
}

proto_item *
view_put_us(proto_tree *tree, int hf, tvbuff_t *tvb, int64_t ns)
{
    return put_number(tree, hf, tvb, ns);
}

void
view_write_column(char *text, double number)
{
    enum { WIDTH = 11 };
    char digits[G_ASCII_DTOSTR_BUF_SIZE];
    snprintf(text, ITEM_LABEL_LENGTH, "%*s", WIDTH, g_ascii_formatd(digits, sizeof digits, "%.3f", number));
}

void
view_add_time(struct view *view, int hf, int64_t ns)
{
    view_put_time(view_tree(view), view->pinfo, hf, view->tvb, ns);
}

void
view_add_stage(struct view *view, int hf, int64_t ns)
{
    put_time(view_tree(view), hf, view->tvb, ns, view_us(view->pinfo->pool, ns));
}

void
view_add_spread(struct view *view, int hf, int64_t ns)
{
    view_finish(view_put_time(view_tree(view), view->pinfo, hf, view->tvb, ns), ns == 0);
}

void
view_add_word(struct view *view, int hf, uint32_t value, const char *word, bool is_hidden)
{
    view_finish(proto_tree_add_uint_format_value(view_tree(view), hf, view->tvb, 0, 0, value, "%s", word), is_hidden);
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
