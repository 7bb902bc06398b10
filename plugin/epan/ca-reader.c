/* ca-reader.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "ca-reader.h"

#include <epan/expert.h>
#include <epan/prefs.h>
#include <epan/tap.h>
#include <wsutil/report_message.h>

#include "../core/ca_event.h"
#include "../core/ca_names.h"
#include "../core/ca_take.h"
#include "ca-fields.h"
#include "ca-latency.h"
#include "ca-requests.h"
#include "ca-value.h"
#include "intake.h"

/* LARGE: in bytes, of messages that are left to Wireshark's reassembly alone. */
enum { VALUES_LIMIT = 10000, LARGE = 1 << 16 };

static int proto_ca;
static int tap_ca;
static int tap_expert;
static int ett_message = -1;
static expert_field ei_skipped;
static expert_field ei_held;
static expert_field ei_repeated;
static range_t *values_shown; /* as many as its highest number */

struct ca_stream *
ca_reader_stream(const struct ca_reader *reader)
{
    return &reader->circuit->streams[reader->from_client];
}

const uint8_t *
ca_reader_bytes(tvbuff_t *tvb, unsigned offset, size_t *available)
{
    *available = (size_t)tvb_captured_length_remaining(tvb, (int)offset);
    return *available ? tvb_get_ptr(tvb, (int)offset, (int)*available) : NULL;
}

static uint32_t
take_in_circuit(const struct ca_reader *reader, unsigned offset, const struct ca_message *message,
                const uint8_t *payload, size_t captured)
{
    uint32_t seq = reader->seq + offset;
    if (!ca_stream_take(ca_reader_stream(reader), seq, seq + message->header_bytes + message->size, true))
        return CA_REPEATED;
    return ca_take(ca_state_channels(), reader->circuit, message, payload, captured, reader->from_client,
                   &reader->frame->arrival);
}

static uint32_t
take_in_datagram(struct ca_reader *reader, const struct ca_message *message, const uint8_t *payload, size_t captured)
{
    struct endpoint source = ca_state_source(reader->pinfo);
    struct endpoint searcher = reader->from_client ? source : ca_state_destination(reader->pinfo);
    bool ipv6 = reader->pinfo->src.type == AT_IPv6;
    if (message->command == CA_SEARCH || message->command == CA_NOT_FOUND)
        reader->batch.searcher = ca_party(&ca_state_channels()->searches.parties, CA_UDP_SEARCHER, &searcher, ipv6);
    return ca_take_datagram(ca_state_channels(), &reader->batch, message, payload, captured, &source, ipv6,
                            &reader->frame->arrival);
}

/* On the first visit, what the message is about follows from it; on later ones it was noted. */
static uint32_t
reference_of(struct ca_reader *reader, unsigned offset, const struct ca_message *message)
{
    if (!reader->frame->first)
        return ca_state_find(reader->frame);
    size_t available;
    const uint8_t *payload = ca_reader_bytes(reader->tvb, offset + message->header_bytes, &available);
    size_t captured = MIN(available, message->size);
    uint32_t reference = reader->circuit ? take_in_circuit(reader, offset, message, payload, captured)
                                         : take_in_datagram(reader, message, payload, captured);
    ca_state_note(reader->frame, reference);
    if (reference != CA_REPEATED) {
        const struct ca_subject subject = ca_subject(ca_state_channels(), reference);
        ca_requests_take(reader, message, payload, captured, ca_subject_pv(&subject));
    }
    return reference;
}

static void
tap_event(const struct ca_reader *reader, const struct ca_event *event, const struct ca_message *message)
{
    if (event->kind == CA_NO_EVENT || !have_tap_listener(tap_ca))
        return;
    struct ca_event *tapped = wmem_memdup(reader->pinfo->pool, event, sizeof *event);
    tapped->message = wmem_memdup(reader->pinfo->pool, message, sizeof *message);
    tap_queue_packet(tap_ca, reader->pinfo, tapped);
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
        proto_tree_add_item(reader->tree, proto_ca, reader->tvb, 0, -1, ENC_NA);
}

static unsigned
most_values(void)
{
    return values_shown->nranges ? values_shown->ranges[values_shown->nranges - 1].high : 0;
}

static void
show_message(const struct ca_reader *reader, unsigned offset, unsigned bytes, const struct ca_event *event)
{
    const char *pv = ca_subject_pv(&event->subject);
    tvbuff_t *tvb = tvb_new_subset_length(reader->tvb, (int)offset, (int)bytes);
    proto_item *item = proto_tree_add_protocol_format(
        reader->tree, proto_ca, tvb, 0, (int)tvb_captured_length(tvb), "EPICS Channel Access, %s%s%s",
        ca_command_name(event->message->command), pv ? ", " : "", pv ? pv : "");
    proto_tree *tree = proto_item_add_subtree(item, ett_message);
    ca_fields_show(tree, tvb, reader->pinfo, event->message, event->from_client, !reader->circuit, most_values());
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

/* Of a message that is not all there, `bytes` are. */
static void
read_message(struct ca_reader *reader, unsigned offset, unsigned bytes, const struct ca_message *message)
{
    uint32_t reference = reference_of(reader, offset, message);
    if (reference == CA_REPEATED) {
        if (is_shown(reader))
            show_repeated(reader, offset, bytes, message);
        return;
    }
    struct ca_subject subject = ca_subject(ca_state_channels(), reference);
    struct ca_event event =
        ca_event_of(message, reader->circuit, subject, reader->from_client, reader->frame->arrival.frame);
    tap_event(reader, &event, message);
    ca_info_add(&reader->info, message->command, ca_subject_pv(&subject));
    if (is_shown(reader))
        show_message(reader, offset, bytes, &event);
}

static uint32_t
take_skipped(const struct ca_reader *reader, unsigned offset)
{
    uint32_t seq = reader->seq + offset;
    if (reader->circuit && ca_stream_may_wait(ca_reader_stream(reader), seq))
        return CA_HELD;
    if (reader->circuit)
        ca_stream_take(ca_reader_stream(reader), seq, reader->seq + tvb_reported_length(reader->tvb), false);
    return CA_SKIPPED;
}

void
ca_reader_skip(struct ca_reader *reader, unsigned offset)
{
    tvbuff_t *tvb = tvb_new_subset_remaining(reader->tvb, (int)offset);
    uint32_t reference = CA_SKIPPED;
    if (reader->frame->first) {
        reference = take_skipped(reader, offset);
        ca_state_note(reader->frame, reference);
    } else if (ca_state_skips(reader->frame)) {
        reference = ca_state_find(reader->frame);
    }
    ca_requests_skip(reader);
    reader->info.skipped_bytes = tvb_reported_length(tvb);
    if (!is_shown(reader))
        return;
    proto_item *item = proto_tree_add_protocol_format(reader->tree, proto_ca, tvb, 0, (int)tvb_captured_length(tvb),
                                                      "EPICS Channel Access, %u bytes %s", tvb_reported_length(tvb),
                                                      reference == CA_HELD ? "held" : "skipped");
    ca_fields_show_skipped(proto_item_add_subtree(item, ett_message), tvb);
    expert_add_info(reader->pinfo, item, reference == CA_HELD ? &ei_held : &ei_skipped);
}

bool
ca_reader_can_begin(const struct ca_reader *reader)
{
    size_t available;
    if (!reader->frame->first)
        return !ca_state_skips(reader->frame);
    if (ca_stream_place(ca_reader_stream(reader), reader->seq) == CA_ALIGNED)
        return true;
    const uint8_t *bytes = ca_reader_bytes(reader->tvb, 0, &available);
    return available > 0 && ca_messages_are_plausible(bytes, available);
}

/* `needed`: the message's length; 0 if its header is not all there. */
static void
ask_for_more(const struct ca_reader *reader, unsigned offset, uint64_t needed)
{
    uint32_t left = tvb_reported_length(reader->tvb) - offset;
    reader->pinfo->desegment_offset = (int)offset;
    reader->pinfo->desegment_len = needed ? (uint32_t)needed - left : DESEGMENT_ONE_MORE_SEGMENT;
    if (reader->frame->first && needed > LARGE)
        ca_reader_stream(reader)->large_end = reader->seq + offset + (uint32_t)needed;
}

/* Where Wireshark does not reassemble, the rest of a message is put behind its beginning all the same (ca-watch.c),
 * unless the capture does not have all of the segment, or it is a large message: then what is there is read. */
static bool
waits_in_backlog(const struct ca_reader *reader, unsigned offset, uint64_t needed)
{
    return reader->circuit && needed <= LARGE &&
           tvb_captured_length_remaining(reader->tvb, (int)offset) ==
               tvb_reported_length_remaining(reader->tvb, (int)offset);
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
        enum ca_reading header = ca_message_read(bytes, available, &message);
        uint64_t needed = header == CA_COMPLETE ? message.header_bytes + (uint64_t)message.size : 0;
        bool cut = needed > length - offset || (header == CA_CUT && available == length - offset);
        if (cut && reader->circuit && reader->pinfo->can_desegment) {
            ask_for_more(reader, offset, needed);
            if (header == CA_COMPLETE)
                ca_requests_begin(reader, &message, length - offset);
            return;
        }
        if (cut && waits_in_backlog(reader, offset, needed))
            return;
        if (header != CA_COMPLETE || (!reader->frame->first && ca_state_skips(reader->frame))) {
            ca_reader_skip(reader, offset);
            return;
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
ca_reader_register(int proto, int tap)
{
    static int *ett[] = { &ett_message };
    static ei_register_info ei[] = {
        { &ei_skipped,
          { "ca.misaligned", PI_MALFORMED, PI_WARN, "No message begins here; going on where a segment begins with one",
            EXPFILL } },
        { &ei_held,
          { "ca.held", PI_SEQUENCE, PI_NOTE, "No message begins here; it is read once what is missing before is there",
            EXPFILL } },
        { &ei_repeated, { "ca.repeated", PI_SEQUENCE, PI_CHAT, "This message was there before", EXPFILL } },
    };
    proto_ca = proto;
    tap_ca = tap;
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
