/* ca_undelivered.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "ca_undelivered.h"

#include <epan/strutil.h>
#include <wsutil/str_util.h>

#include "../../compat.h"
#include "../intake/intake.h"
#include "ca_latency.h"

/* With one frame so many messages are shown at most: Wireshark stops at a million items. */
enum { MESSAGES_MOST = 10000 };

static const struct ca_dissector *dissectors[2];
static unsigned n_dissectors;

/* Where messages of a frame are shown. */
struct sink {
    proto_tree *tree;
    tvbuff_t *tvb;
    packet_info *pinfo;
    unsigned shown;
};

void
ca_undelivered_register(const struct ca_dissector *dissector)
{
    dissectors[n_dissectors++] = dissector;
}

/* Whether somebody looks at the protocol's messages. */
static bool
is_shown(const struct sink *sink, const struct ca_dissector *dissector)
{
    return proto_is_protocol_enabled(find_protocol_by_id(dissector->proto)) &&
           (intake_is_shown(sink->tree, dissector->proto) || intake_experts_are_listed());
}

static const struct ca_dissector *
dissector_of(const struct circuit_protocol *protocol)
{
    for (unsigned i = 0; i < n_dissectors; i++) {
        if (dissectors[i]->protocol == protocol)
            return dissectors[i];
    }
    return NULL;
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
    const struct ca_dissector *dissector = dissector_of(item->circuit->protocol);
    const struct ca_noted *noted = &item->circuit->flow[item->from_client].noted[item->first_message];
    bool is_delivered = false;
    if (!dissector || !is_shown(sink, dissector))
        return;
    for (uint32_t i = 0; i < item->n_messages; i++) {
        if (i == 0 || noted[i].start != noted[i - 1].start)
            is_delivered = noted[i].shown_frame != 0;
        const struct ca_event event =
            ca_event_of_noted(intake_analysis()->channels, item->circuit, item->from_client, &noted[i]);
        if (!is_delivered && event.command != CA_PART)
            show_message(sink, dissector, &event);
    }
}

/* Where no frame is visited again, what has become known of earlier ones is shown with this. */
static void
show_late(struct sink *sink)
{
    unsigned count = 0;
    const struct late_item *late = intake_is_read_once() ? items_late(intake_analysis()->items, &count) : NULL;
    for (unsigned i = 0; i < count; i++)
        show_item(sink, &late[i].item);
}

void
ca_undelivered_show(proto_tree *tree, tvbuff_t *tvb, packet_info *pinfo)
{
    struct sink sink = { .tree = tree, .tvb = tvb, .pinfo = pinfo };
    struct items *items = intake_analysis()->items;
    bool anybody = false;
    uint32_t position;
    for (unsigned i = 0; i < n_dissectors; i++)
        anybody |= is_shown(&sink, dissectors[i]);
    if (!anybody)
        return;
    show_late(&sink);
    for (const struct item *item = items_first(items, pinfo->num, &position); item; item = items_next(items, &position))
        show_item(&sink, item);
}
