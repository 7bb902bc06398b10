/* ca_reader.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "ca_reader.h"

#include <epan/expert.h>
#include <epan/prefs.h>
#include <epan/strutil.h>
#include <epan/tap.h>
#include <wsutil/report_message.h>
#include <wsutil/str_util.h>

#include "../../core/ca/ca_names.h"
#include "ca_fields.h"
#include "ca_latency.h"
#include "ca_tap.h"
#include "ca_value.h"
#include "../../compat.h"
#include "../intake/intake.h"

enum { VALUES_LIMIT = 10000 };

static int proto_ca;
static int tap_expert;
static int ett_message = -1;
static expert_field ei_skipped;
static expert_field ei_repeated;
static range_t *values_shown; /* as many as its highest number */

const uint8_t *
ca_reader_bytes(tvbuff_t *tvb, unsigned offset, size_t *available)
{
    *available = (size_t)tvb_captured_length_remaining(tvb, (int)offset);
    return *available ? tvb_get_ptr(tvb, (int)offset, (int)*available) : NULL;
}

static uint32_t
take_in_datagram(struct ca_reader *reader, const struct ca_message *message, const uint8_t *payload, size_t captured)
{
    struct ca_datagram *datagram = &reader->datagram;
    datagram->source = ca_state_source(reader->pinfo);
    datagram->destination = ca_state_destination(reader->pinfo);
    datagram->ipv6 = reader->pinfo->src.type == AT_IPv6;
    datagram->from_client = reader->from_client;
    datagram->arrival = (struct ca_arrival){ intake_time_ns(reader->pinfo), reader->pinfo->num };
    return ca_datagram_take(datagram, ca_state_channels(), message, payload, captured);
}

/* On the first visit, what the message is about follows from it; on later ones it was noted. */
static struct ca_event
event_in_datagram(struct ca_reader *reader, unsigned offset, const struct ca_message *message)
{
    uint32_t reference;
    if (reader->references.first) {
        size_t available;
        const uint8_t *payload = ca_reader_bytes(reader->tvb, offset + message->header_bytes, &available);
        reference = take_in_datagram(reader, message, payload, MIN(available, message->size));
        ca_state_add(&reader->references, reference);
        ca_state_note_message();
    } else {
        reference = ca_state_next(&reader->references);
    }
    const struct ca_event event = ca_event_of(message->command, NULL, ca_subject(ca_state_channels(), reference),
                                              reader->from_client, reader->pinfo->num);
    ca_tap_event(reader->pinfo, &event);
    return event;
}

/* Whether somebody looks at messages. The list of what experts say has no tree. */
static bool
is_shown(const struct ca_reader *reader)
{
    return intake_is_shown(reader->tree, proto_ca) || have_tap_listener(tap_expert);
}

/* What is only counted, as in the protocol hierarchy, is there once. */
static void
show_protocol(const struct ca_reader *reader)
{
    if (!is_shown(reader))
        proto_tree_add_item(reader->tree, proto_ca, reader->tvb, 0, (int)tvb_captured_length(reader->tvb), ENC_NA);
}

static unsigned
most_values(void)
{
    return values_shown->nranges ? values_shown->ranges[values_shown->nranges - 1].high : 0;
}

static void
show_message(const struct ca_reader *reader, unsigned offset, unsigned bytes, const struct ca_message *message,
             const struct ca_event *event)
{
    const char *pv = ca_subject_pv(&event->subject);
    tvbuff_t *tvb = tvb_new_subset_length(reader->tvb, (int)offset, (int)bytes);
    proto_item *item = proto_tree_add_protocol_format(
        reader->tree, proto_ca, tvb, 0, (int)tvb_captured_length(tvb), "EPICS Channel Access, %s%s%s",
        ca_command_name(message->command), pv ? ", " : "", pv ? compat_printable(reader->pinfo->pool, pv) : "");
    proto_tree *tree = proto_item_add_subtree(item, ett_message);
    ca_fields_show(tree, tvb, reader->pinfo, message, reader->from_client, reader->is_datagram, most_values());
    ca_latency_show(tree, item, tvb, reader->pinfo, event);
}

static void
show_repeated(const struct ca_reader *reader, unsigned offset, unsigned bytes, const struct ca_message *message)
{
    tvbuff_t *tvb = tvb_new_subset_length(reader->tvb, (int)offset, (int)bytes);
    proto_item *item =
        proto_tree_add_protocol_format(reader->tree, proto_ca, tvb, 0, (int)tvb_captured_length(tvb),
                                       "EPICS Channel Access, %s, repeated", ca_command_name(message->command));
    expert_add_info(reader->pinfo, item, &ei_repeated);
}

static const struct ca_flow *
flow_of(const struct ca_reader *reader)
{
    return &reader->circuit->flow[reader->from_client];
}

/* What the core has at the offset; `noted` as in ca_flow_place(). */
static enum ca_place
place_of(const struct ca_reader *reader, unsigned offset, struct ca_noted **noted)
{
    *noted = NULL;
    if (!reader->circuit)
        return CA_AHEAD;
    return ca_flow_place(flow_of(reader), reader->seq + offset, reader->pinfo->num, noted);
}

/* The message is shown in one frame: the first to which TCP hands it over. */
static bool
is_repeated(const struct ca_reader *reader, enum ca_place place, struct ca_noted *noted)
{
    if (noted && noted->shown_frame == 0)
        noted->shown_frame = reader->pinfo->num;
    return place == CA_FORGOTTEN || (noted && noted->shown_frame != reader->pinfo->num);
}

/* Of a message that is not all there, `bytes` are. */
static void
read_message(struct ca_reader *reader, unsigned offset, unsigned bytes, const struct ca_message *message)
{
    struct ca_noted *noted;
    enum ca_place place = place_of(reader, offset, &noted);
    struct ca_event event = { .kind = CA_NO_EVENT };
    if (is_repeated(reader, place, noted)) {
        if (is_shown(reader))
            show_repeated(reader, offset, bytes, message);
        return;
    }
    if (reader->is_datagram)
        event = event_in_datagram(reader, offset, message);
    else if (noted)
        event = ca_event_of_noted(ca_state_channels(), reader->circuit, reader->from_client, noted);
    ca_info_add(&reader->info, message->command, ca_subject_pv(&event.subject));
    if (is_shown(reader))
        show_message(reader, offset, bytes, message, &event);
}

/* From `offset` on there is no message, or nobody can tell where one begins, up to the next one that the core has.
 * Returns how many bytes that are. */
static unsigned
skip(struct ca_reader *reader, unsigned offset)
{
    uint32_t bytes = tvb_reported_length(reader->tvb) - offset;
    if (reader->circuit)
        bytes = MIN(bytes, ca_flow_distance(flow_of(reader), reader->seq + offset));
    reader->info.skipped_bytes += bytes;
    if (!is_shown(reader))
        return bytes;
    tvbuff_t *tvb = tvb_new_subset_length(reader->tvb, (int)offset, (int)bytes);
    proto_item *item = proto_tree_add_protocol_format(reader->tree, proto_ca, tvb, 0, (int)tvb_captured_length(tvb),
                                                      "EPICS Channel Access, %u bytes skipped", bytes);
    ca_fields_show_skipped(proto_item_add_subtree(item, ett_message), tvb);
    expert_add_info(reader->pinfo, item, &ei_skipped);
    return bytes;
}

/* Whether a message may begin where the row does, as far as `available` bytes tell. */
static bool
can_begin(const struct ca_reader *reader, unsigned offset, const uint8_t *bytes, size_t available)
{
    struct ca_noted *noted;
    if (reader->is_datagram)
        return true;
    switch (place_of(reader, offset, &noted)) {
    case CA_NOWHERE:
        return false;
    case CA_AHEAD:
        return offset > 0 || ca_messages_are_plausible(bytes, available);
    default:
        return true;
    }
}

void
ca_reader_read(struct ca_reader *reader)
{
    unsigned length = tvb_reported_length(reader->tvb);
    show_protocol(reader);
    for (unsigned offset = 0; offset < length;) {
        struct ca_message message;
        size_t available;
        const uint8_t *bytes = ca_reader_bytes(reader->tvb, offset, &available);
        if (!can_begin(reader, offset, bytes, available)) {
            offset += skip(reader, offset);
            continue;
        }
        enum ca_reading header = ca_message_read(bytes, available, &message);
        uint64_t needed = header == CA_COMPLETE ? message.header_bytes + (uint64_t)message.size : 0;
        bool cut = needed > length - offset || (header == CA_CUT && available == length - offset);
        if (cut && !reader->is_datagram && reader->pinfo->can_desegment) {
            reader->pinfo->desegment_offset = (int)offset;
            reader->pinfo->desegment_len = needed ? (uint32_t)needed - (length - offset) : DESEGMENT_ONE_MORE_SEGMENT;
            return;
        }
        if (header != CA_COMPLETE) {
            offset += skip(reader, offset);
            continue;
        }
        unsigned there = (unsigned)MIN(needed, length - offset);
        read_message(reader, offset, there, &message);
        offset += there;
    }
}

/* Registered after all protocols. */
static void
find_expert_tap(void)
{
    tap_expert = find_tap_id("expert");
}

static void
check_values(void)
{
    if (values_shown->nranges != 1 || values_shown->ranges[0].low != values_shown->ranges[0].high)
        report_failure("The preference ca.values must be one number, at most %d; the first %u values of an array are "
                       "shown now.",
                       VALUES_LIMIT, most_values());
}

void
ca_reader_register(int proto)
{
    static int *ett[] = { &ett_message };
    static ei_register_info ei[] = {
        { &ei_skipped,
          { "ca.misaligned", PI_MALFORMED, PI_WARN, "No message begins here; going on where a segment begins with one",
            EXPFILL } },
        { &ei_repeated, { "ca.repeated", PI_SEQUENCE, PI_CHAT, "This message was there before", EXPFILL } },
    };
    proto_ca = proto;
    register_init_routine(find_expert_tap);
    proto_register_subtree_array(ett, G_N_ELEMENTS(ett));
    expert_register_field_array(expert_register_protocol(proto), ei, G_N_ELEMENTS(ei));
    module_t *module = prefs_register_protocol(proto, check_values);
    /* A range, for Wireshark refuses one that goes too far, and knows no limit of a number. */
    range_convert_str(wmem_epan_scope(), &values_shown, "100", VALUES_LIMIT);
    prefs_register_range_preference(module, "values", "Values shown of an array",
                                    "So many values of an array are shown, and can be filtered for; 10000 at most.",
                                    &values_shown, VALUES_LIMIT);
}
