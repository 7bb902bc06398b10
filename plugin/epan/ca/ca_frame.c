/* ca_frame.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "ca_frame.h"

#include <epan/strutil.h>
#include <epan/tap.h>
#include <wsutil/str_util.h>

#include "../../compat.h"
#include "../../table/ca_events.h"
#include "../intake/intake.h"
#include "ca_dissector.h"
#include "ca_latency.h"
#include "packet-ca.h"

/* The most messages that are shown with one frame: Wireshark stops at a million items. */
enum { MESSAGES_MOST = 10000 };

static int tap_ca;

int
ca_frame_tap(void)
{
    if (!tap_ca)
        tap_ca = register_tap(CA_TAP);
    return tap_ca;
}

void
ca_frame_tap_event(packet_info *pinfo, const struct ca_event *event)
{
    if (event->kind != CA_NO_EVENT && have_tap_listener(tap_ca))
        tap_queue_packet(tap_ca, pinfo, wmem_memdup(pinfo->pool, event, sizeof *event));
}

/* Where messages of a frame are shown. */
struct sink {
    proto_tree *tree;
    tvbuff_t *tvb;
    packet_info *pinfo;
    unsigned shown;
};

/* Calls for each item of the frame; if `has_late`, for what has become known of earlier frames before. */
static void
each_item(struct sink *sink, bool has_late, void (*call)(struct sink *sink, const struct item *item))
{
    struct items *items = intake_analysis()->items;
    unsigned count = 0;
    uint32_t position;
    const struct late_item *late = has_late ? items_late(items, &count) : NULL;
    for (unsigned i = 0; i < count; i++)
        call(sink, &late[i].item);
    for (const struct item *item = items_first(items, sink->pinfo->num, &position); item;
         item = items_next(items, &position))
        call(sink, item);
}

static void
queue(void *data, const struct ca_event *event)
{
    ca_frame_tap_event(data, event);
}

static void
tap_item(struct sink *sink, const struct item *item)
{
    ca_events_note_item(intake_source(), item);
    if (item->kind == ITEM_HELD)
        ca_frame_tap_event(sink->pinfo, &(struct ca_event){ .kind = CA_HELD });
    ca_events_each(intake_analysis()->channels, item, queue, sink->pinfo);
}

/* Whether somebody looks at the protocol's messages. */
static bool
is_shown(const struct sink *sink, const struct ca_dissector *dissector)
{
    return (intake_is_shown(sink->tree, dissector->proto) || intake_experts_are_listed()) &&
           proto_is_protocol_enabled(find_protocol_by_id(dissector->proto));
}

static void
show_message(struct sink *sink, const struct ca_dissector *dissector, const struct ca_event *event)
{
    const char *pv = ca_subject_pv(&event->subject), *name = event->protocol->command_name(event->command);
    if ((!pv && event->kind == CA_NO_EVENT) || sink->shown == MESSAGES_MOST)
        return;
    proto_item *item = proto_tree_add_protocol_format(
        sink->tree, dissector->proto, sink->tvb, 0, 0, "%s, %s%s%s, not handed over by TCP", dissector->title,
        name ? name : "message", pv ? ", " : "", pv ? compat_printable(sink->pinfo->pool, pv) : "");
    proto_item_set_generated(item);
    ca_latency_show(proto_item_add_subtree(item, dissector->tree_type), item, sink->tvb, sink->pinfo, event);
    sink->shown++;
}

/* A message about several channels is noted once for each, and the first of them says which frame shows it. */
static void
show_item(struct sink *sink, const struct item *item)
{
    if (item->kind != ITEM_CIRCUIT)
        return;
    struct ca_dissector *const *of = ca_dissectors();
    const struct ca_noted *noted = &item->circuit->flow[item->from_client].noted[item->first_message];
    bool is_delivered = false;
    while (*of && (*of)->protocol != item->circuit->protocol)
        of++;
    if (!*of || !is_shown(sink, *of))
        return;
    for (uint32_t i = 0; i < item->n_messages; i++) {
        if (i == 0 || noted[i].start != noted[i - 1].start)
            is_delivered = noted[i].shown_frame != 0;
        const struct ca_event event =
            ca_event_of_noted(intake_analysis()->channels, item->circuit, item->from_client, &noted[i]);
        if (!is_delivered && event.command != CA_PART)
            show_message(sink, *of, &event);
    }
}

void
ca_frame_show(proto_tree *tree, tvbuff_t *tvb, packet_info *pinfo)
{
    struct sink sink = { .tree = tree, .tvb = tvb, .pinfo = pinfo };
    bool anybody = false;
    if (have_tap_listener(tap_ca))
        each_item(&sink, !PINFO_FD_VISITED(pinfo), tap_item);
    const bool may_be_seen = tree || intake_experts_are_listed();
    for (struct ca_dissector *const *of = ca_dissectors(); may_be_seen && *of; of++)
        anybody |= is_shown(&sink, *of);
    /* Where no frame is visited again, what has become known of earlier ones is shown with this. */
    if (anybody)
        each_item(&sink, intake_is_read_once(), show_item);
    ca_latency_show_frame(tree, tvb, pinfo);
}
