/* ca_reader.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "ca_reader.h"

#include <epan/dissectors/packet-tcp.h>
#include <epan/expert.h>
#include <epan/strutil.h>
#include <wsutil/str_util.h>

#include "ca_latency.h"
#include "ca_tap.h"
#include "ca_values.h"
#include "../../compat.h"
#include "../intake/intake.h"
#include "../intake/segment_read.h"
#include "../../table/ca_events.h"

const uint8_t *
ca_reader_bytes(tvbuff_t *tvb, unsigned offset, size_t *available)
{
    *available = (size_t)tvb_captured_length_remaining(tvb, (int)offset);
    return *available ? tvb_get_ptr(tvb, (int)offset, (int)*available) : NULL;
}

/* What a message does to each channel that it is about. */
struct events {
    wmem_array_t *all; /* of struct ca_event; NULL for one alone */
    struct ca_event first;
};

static void
add_event(struct ca_reader *reader, struct events *events, const struct ca_event *event, bool is_first)
{
    if (is_first) {
        events->first = *event;
        return;
    }
    if (!events->all) {
        events->all = wmem_array_new(reader->pinfo->pool, sizeof(struct ca_event));
        wmem_array_append_one(events->all, events->first);
    }
    wmem_array_append_one(events->all, *event);
}

/* The name of what it is about, or how many channels that is; NULL if neither is known. */
static const char *
describe(const struct ca_reader *reader, const struct events *events)
{
    if (!events->all)
        return ca_subject_pv(&events->first.subject);
    return wmem_strdup_printf(reader->pinfo->pool, "%u channels", wmem_array_get_count(events->all));
}

/* On the first visit, what the message is about follows from it; on later ones it was noted. */
static void
find_events_in_datagram(struct ca_reader *reader, unsigned offset, const struct ca_message *message,
                        struct events *events)
{
    uint32_t reference;
    ca_state_begin(&reader->references);
    if (reader->references.first) {
        size_t available;
        const uint8_t *payload = ca_reader_bytes(reader->tvb, offset + message->header_bytes, &available);
        reader->dissector->take_in_datagram(reader, message, payload, MIN(available, message->size));
        ca_events_note_protocol(intake_source(), reader->dissector->protocol);
    }
    for (unsigned i = 0; ca_state_next(&reader->references, &reference); i++) {
        const struct ca_event event =
            ca_event_of(reader->dissector->protocol, message->command, NULL, ca_subject(ca_state_channels(), reference),
                        reader->from_client, reader->pinfo->num);
        add_event(reader, events, &event, i == 0);
        ca_tap_event(reader->pinfo, &event);
    }
}

/* What is only counted, as in the protocol hierarchy, is there once. */
static void
show_protocol(const struct ca_reader *reader)
{
    if (!reader->is_shown)
        proto_tree_add_item(reader->tree, reader->dissector->proto, reader->tvb, 0,
                            (int)tvb_captured_length(reader->tvb), ENC_NA);
}

static void
show_message(struct ca_reader *reader, unsigned offset, unsigned bytes, const struct ca_message *message,
             const char *label, const struct events *events)
{
    const struct ca_dissector *dissector = reader->dissector;
    const char *pv = describe(reader, events);
    tvbuff_t *tvb = tvb_new_subset_length(reader->tvb, (int)offset, (int)bytes);
    proto_item *item = proto_tree_add_protocol_format(
        reader->tree, dissector->proto, tvb, 0, (int)tvb_captured_length(tvb), "%s, %s%s%s", dissector->title, label,
        pv ? ", " : "", pv ? compat_printable(reader->pinfo->pool, pv) : "");
    proto_tree *tree = proto_item_add_subtree(item, dissector->tree_type);
    dissector->show(reader, tree, tvb, message);
    if (!events->all)
        ca_latency_show(tree, item, tvb, reader->pinfo, &events->first);
    for (unsigned i = 0; events->all && i < wmem_array_get_count(events->all); i++)
        ca_latency_show_one(tree, tvb, reader->pinfo, wmem_array_index(events->all, i));
}

static void
show_repeated(struct ca_reader *reader, unsigned offset, unsigned bytes, const char *label)
{
    struct ca_dissector *dissector = reader->dissector;
    tvbuff_t *tvb = tvb_new_subset_length(reader->tvb, (int)offset, (int)bytes);
    proto_item *item =
        proto_tree_add_protocol_format(reader->tree, dissector->proto, tvb, 0, (int)tvb_captured_length(tvb),
                                       "%s, %s, repeated", dissector->title, label);
    expert_add_info(reader->pinfo, item, &dissector->is_repeated);
}

static const struct ca_flow *
flow_of(const struct ca_reader *reader)
{
    return &reader->circuit->flow[reader->from_client];
}

static bool
is_hidden(const struct ca_reader *reader)
{
    return reader->circuit && reader->circuit->is_hidden;
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

/* In TLS a message is known by the order alone: the core and Wireshark have the same ones in a frame, unless the core
 * has given up. */
static enum ca_place
place_hidden(struct ca_reader *reader, unsigned command, struct ca_noted **noted)
{
    struct ca_noted *next = reader->next_hidden < reader->n_hidden ? reader->hidden[reader->next_hidden] : NULL;
    bool is_next = next && (next->command == command || next->command == CA_PART);
    reader->next_hidden = is_next ? reader->next_hidden + 1 : reader->n_hidden;
    *noted = is_next ? next : NULL;
    return is_next ? CA_NOTED : CA_AHEAD;
}

/* The message is shown in one frame: the first to which TCP hands it over with something new. */
static bool
is_repeated(const struct ca_reader *reader, enum ca_place place, struct ca_noted *noted)
{
    if (noted && noted->shown_frame == 0 && !reader->is_sent_again)
        noted->shown_frame = reader->pinfo->num;
    return place == CA_FORGOTTEN || (noted && noted->shown_frame && noted->shown_frame != reader->pinfo->num);
}

/* What nothing new completes has its times where it ended (ca_undelivered.h), and here only what it says: TCP of
 * Wireshark 4.6 hands it over on the first visit of a frame, and on later ones does not. */
static bool
has_times_elsewhere(const struct ca_noted *noted)
{
    return noted && noted->shown_frame == 0;
}

/* The messages that begin there are one about several channels. */
static void
find_events(struct ca_reader *reader, const struct ca_noted *noted, struct events *events)
{
    const struct ca_flow *flow = flow_of(reader);
    const int64_t start = noted->start;
    for (unsigned i = 0; noted < flow->noted + flow->n_noted && noted->start == start; noted++, i++) {
        const struct ca_event event =
            ca_event_of_noted(ca_state_channels(), reader->circuit, reader->from_client, noted);
        add_event(reader, events, &event, i == 0);
    }
}

static void
look(struct ca_reader *reader, unsigned offset, unsigned bytes, const struct ca_message *message,
     const struct ca_noted *noted)
{
    reader->looked = NULL;
    reader->start = noted ? noted->start : 0;
    if (reader->dissector->look && noted)
        reader->dissector->look(reader, tvb_new_subset_length(reader->tvb, (int)offset, (int)bytes), message);
}

/* Of a message that is not all there, `bytes` are. `place`, `noted`: what place_of() says; of one in TLS, nothing. */
static void
read_message(struct ca_reader *reader, unsigned offset, unsigned bytes, const struct ca_message *message,
             enum ca_place place, struct ca_noted *noted)
{
    if (is_hidden(reader))
        place = place_hidden(reader, message->command, &noted);
    struct events events = { .first = { .kind = CA_NO_EVENT, .protocol = reader->dissector->protocol } };
    size_t available;
    const uint8_t *captured = ca_reader_bytes(reader->tvb, offset, &available);
    const char *label = reader->dissector->label(reader, message, captured, MIN(available, bytes));
    if (is_repeated(reader, place, noted)) {
        if (reader->is_shown)
            show_repeated(reader, offset, bytes, label);
        return;
    }
    if (reader->is_datagram)
        find_events_in_datagram(reader, offset, message, &events);
    else if (noted && !has_times_elsewhere(noted) && (reader->is_shown || !ca_info_has(&reader->info, label)))
        find_events(reader, noted, &events);
    look(reader, offset, bytes, message, noted);
    ca_info_add(&reader->info, label, describe(reader, &events));
    if (reader->is_shown)
        show_message(reader, offset, bytes, message, label, &events);
}

/* From `offset` on there is no message, or nobody can tell where one begins, up to the next one that the core has.
 * Returns how many bytes that are. */
static unsigned
skip(struct ca_reader *reader, unsigned offset)
{
    uint32_t bytes = tvb_reported_length(reader->tvb) - offset;
    if (reader->circuit && !is_hidden(reader))
        bytes = MIN(bytes, ca_flow_distance(flow_of(reader), reader->seq + offset));
    reader->info.skipped_bytes += bytes;
    if (!reader->is_shown)
        return bytes;
    tvbuff_t *tvb = tvb_new_subset_length(reader->tvb, (int)offset, (int)bytes);
    struct ca_dissector *dissector = reader->dissector;
    proto_item *item =
        proto_tree_add_protocol_format(reader->tree, dissector->proto, tvb, 0, (int)tvb_captured_length(tvb),
                                       "%s, %u bytes skipped", dissector->title, bytes);
    dissector->show_skipped(proto_item_add_subtree(item, dissector->tree_type), tvb);
    expert_add_info(reader->pinfo, item, &dissector->is_skipped);
    return bytes;
}

/* Whether a message may begin where the row does, as far as `available` bytes tell. */
static bool
can_begin(const struct ca_reader *reader, enum ca_place place, unsigned offset, const uint8_t *bytes, size_t available)
{
    if (reader->is_datagram || is_hidden(reader))
        return true;
    switch (place) {
    case CA_NOWHERE:
        return false;
    case CA_AHEAD:
        return offset > 0 || reader->dissector->protocol->are_plausible(bytes, available);
    default:
        return true;
    }
}

static bool
is_sent_again(const packet_info *pinfo)
{
    struct items *items = intake_analysis()->items;
    uint32_t position;
    for (const struct item *item = items_first(items, pinfo->num, &position); item; item = items_next(items, &position))
        if (item->flags & ITEM_RETRANSMISSION)
            return true;
    return false;
}

void
ca_reader_find_circuit(struct ca_reader *reader, const struct tcpinfo *tcp)
{
    const struct endpoint source = ca_state_source(reader->pinfo);
    uint32_t end_seq;
    if (!tcp || !segment_end_seq(&end_seq))
        return;
    reader->circuit = ca_state_circuit(reader->pinfo, reader->dissector->protocol);
    reader->seq = end_seq - (tcp->nxtseq - tcp->seq);
    if (reader->circuit)
        reader->from_client = endpoint_equal(&reader->circuit->client, &source);
    reader->is_sent_again = reader->circuit && is_sent_again(reader->pinfo);
}

void
ca_reader_find_hidden(struct ca_reader *reader)
{
    const struct endpoint source = ca_state_source(reader->pinfo);
    const struct ca_circuit *circuit = ca_state_circuit(reader->pinfo, reader->dissector->protocol);
    struct items *items = intake_analysis()->items;
    uint32_t position;
    if (!circuit || !circuit->is_hidden)
        return;
    reader->circuit = circuit;
    reader->from_client = endpoint_equal(&circuit->client, &source);
    const struct ca_flow *flow = flow_of(reader);
    reader->hidden = wmem_alloc_array(reader->pinfo->pool, struct ca_noted *, flow->n_noted);
    for (const struct item *item = items_first(items, reader->pinfo->num, &position); item;
         item = items_next(items, &position)) {
        bool is_ours =
            item->kind == ITEM_CIRCUIT && item->circuit == circuit && item->from_client == reader->from_client;
        for (uint32_t i = 0; is_ours && i < item->n_messages; i++) {
            struct ca_noted *noted = &flow->noted[item->first_message + i];
            if (i == 0 || noted[-1].start != noted->start)
                reader->hidden[reader->n_hidden++] = noted;
        }
    }
}

void
ca_reader_read(struct ca_reader *reader)
{
    unsigned length = tvb_reported_length(reader->tvb);
    reader->is_shown = intake_is_shown(reader->tree, reader->dissector->proto) || intake_experts_are_listed();
    show_protocol(reader);
    for (unsigned offset = 0; offset < length;) {
        struct ca_message message;
        size_t available;
        const uint8_t *bytes = ca_reader_bytes(reader->tvb, offset, &available);
        struct ca_noted *noted = NULL;
        const enum ca_place place = is_hidden(reader) ? CA_AHEAD : place_of(reader, offset, &noted);
        if (!can_begin(reader, place, offset, bytes, available)) {
            offset += skip(reader, offset);
            continue;
        }
        enum ca_reading header = reader->dissector->protocol->read(bytes, available, &message);
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
        read_message(reader, offset, there, &message, place, noted);
        offset += there;
    }
}

void
ca_reader_register(struct ca_dissector *dissector)
{
    const char *prefix = dissector->protocol->prefix;
    int *trees[] = { &dissector->tree_type };
    /* Wireshark keeps it. */
    ei_register_info *expert = wmem_alloc0_array(wmem_epan_scope(), ei_register_info, 2);
    expert[0] =
        (ei_register_info){ &dissector->is_skipped,
                            { wmem_strdup_printf(wmem_epan_scope(), "%s.misaligned", prefix), PI_MALFORMED, PI_WARN,
                              "No message begins here; going on where a segment begins with one", EXPFILL } };
    expert[1] = (ei_register_info){ &dissector->is_repeated,
                                    { wmem_strdup_printf(wmem_epan_scope(), "%s.repeated", prefix), PI_SEQUENCE,
                                      PI_CHAT, "This message was there before", EXPFILL } };
    dissector->tree_type = -1;
    proto_register_subtree_array(trees, G_N_ELEMENTS(trees));
    expert_register_field_array(expert_register_protocol(dissector->proto), expert, 2);
    ca_values_register(dissector);
}
