/* ca_reader.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "ca_reader.h"

#include <string.h>

#include <epan/column-utils.h>
#include <epan/conversation.h>
#include <epan/dissectors/packet-tcp.h>
#include <epan/proto_data.h>
#include <epan/strutil.h>
#include <wsutil/str_util.h>

#include "ca_frame.h"
#include "ca_latency.h"
#include "../../compat.h"
#include "../../core/item_subject.h"
#include "../intake/intake.h"
#include "../intake/segment_read.h"
#include "../../table/ca_events.h"

const uint8_t *
ca_reader_bytes(tvbuff_t *tvb, unsigned offset, size_t *available)
{
    *available = (size_t)tvb_captured_length_remaining(tvb, (int)offset);
    return *available ? tvb_get_ptr(tvb, (int)offset, (int)*available) : NULL;
}

/* The index of a kind of message among those of the Info column, or how many there are. */
static unsigned
find_label(const struct ca_reader *reader, const char *label)
{
    unsigned i = 0;
    while (i < reader->n_labels && strcmp(reader->labels[i].label, label) != 0)
        i++;
    return i;
}

/* Whether there was such a message: what else is said of one more is only that it was there. */
static bool
has_label(const struct ca_reader *reader, const char *label)
{
    return find_label(reader, label) < reader->n_labels;
}

static void
add_label(struct ca_reader *reader, const char *label, const char *name)
{
    const unsigned i = find_label(reader, label);
    if (i == INFO_LABELS)
        return;
    if (i == reader->n_labels) {
        reader->labels[i].label = label;
        reader->labels[i].name = name;
        reader->n_labels++;
    }
    reader->labels[i].count++;
}

/* "CREATE_CHAN ×91, EVENT_ADD LAB:AI0": readable with one message and with hundreds. */
static void
set_columns(const struct ca_reader *reader)
{
    column_info *columns = reader->pinfo->cinfo;
    if (!reader->is_datagram && reader->n_labels == 0 && reader->skipped_bytes == 0)
        return;
    col_set_str(columns, COL_PROTOCOL, reader->dissector->column);
    col_clear(columns, COL_INFO);
    for (unsigned i = 0; i < reader->n_labels; i++) {
        const char *label = reader->labels[i].label, *name = reader->labels[i].name;
        if (reader->labels[i].count > 1)
            col_append_sep_fstr(columns, COL_INFO, ", ", "%s \xC3\x97%u", label, reader->labels[i].count);
        else if (name)
            col_append_sep_fstr(columns, COL_INFO, ", ", "%s %s", label, compat_printable(reader->pinfo->pool, name));
        else
            col_append_sep_str(columns, COL_INFO, ", ", label);
    }
    if (reader->skipped_bytes > 0)
        col_append_sep_fstr(columns, COL_INFO, ", ", "[%u bytes skipped]", reader->skipped_bytes);
}

/* What a datagram's message is about, for later visits. */
struct reference {
    uint32_t message; /* the datagram's first is 1 */
    uint32_t reference;
};

static void
begin_references(struct ca_reader *reader)
{
    packet_info *pinfo = reader->pinfo;
    const int proto = reader->dissector->proto;
    const bool kept = items_are_kept(intake_analysis()->items);
    reader->references = p_get_proto_data(wmem_file_scope(), pinfo, proto, pinfo->curr_layer_num);
    reader->is_first_visit = intake_is_first_visit(pinfo);
    if (!reader->is_first_visit)
        return;
    reader->references = wmem_array_new(kept ? wmem_file_scope() : pinfo->pool, sizeof(struct reference));
    if (kept)
        p_add_proto_data(wmem_file_scope(), pinfo, proto, pinfo->curr_layer_num, reader->references);
}

void
ca_reader_add_reference(void *data, uint32_t reference)
{
    struct ca_reader *reader = data;
    wmem_array_append_one(reader->references, ((struct reference){ reader->message, reference }));
}

/* The next one of the message; false if there is none. */
static bool
next_reference(struct ca_reader *reader, uint32_t *reference)
{
    const unsigned count = reader->references ? wmem_array_get_count(reader->references) : 0;
    const struct reference *next =
        reader->next_reference < count ? wmem_array_index(reader->references, reader->next_reference) : NULL;
    if (!next || next->message != reader->message)
        return false;
    *reference = next->reference;
    reader->next_reference++;
    return true;
}

/* What a message does to each channel that it is about: an array of struct ca_event. */
static wmem_array_t *
new_events(const struct ca_reader *reader)
{
    return wmem_array_new(reader->pinfo->pool, sizeof(struct ca_event));
}

/* The name of what it is about, or how many channels that is; NULL if neither is known. */
static const char *
describe(const struct ca_reader *reader, const wmem_array_t *events)
{
    const unsigned count = events ? wmem_array_get_count((wmem_array_t *)events) : 0;
    if (count > 1)
        return wmem_strdup_printf(reader->pinfo->pool, "%u channels", count);
    return count ? ca_subject_pv(&((const struct ca_event *)wmem_array_index((wmem_array_t *)events, 0))->subject)
                 : NULL;
}

/* On the first visit, what the message is about follows from it; on later ones it was noted. */
static wmem_array_t *
find_events_in_datagram(struct ca_reader *reader, unsigned offset, const struct ca_message *message)
{
    wmem_array_t *events = new_events(reader);
    uint32_t reference;
    reader->message++;
    if (reader->is_first_visit) {
        size_t available;
        const uint8_t *payload = ca_reader_bytes(reader->tvb, offset + message->header_bytes, &available);
        reader->dissector->take_in_datagram(reader, message, payload, MIN(available, message->size));
        ca_events_note_protocol(intake_source(), reader->dissector->protocol);
    }
    while (next_reference(reader, &reference)) {
        const struct ca_event event =
            ca_event_of(reader->dissector->protocol, message->command, NULL,
                        ca_subject(intake_analysis()->channels, reference), reader->from_client, reader->pinfo->num);
        wmem_array_append_one(events, event);
        ca_frame_tap_event(reader->pinfo, &event);
    }
    return events;
}

/* What is only counted, as in the protocol hierarchy, is there once. */
static void
show_protocol(const struct ca_reader *reader)
{
    if (!reader->is_shown)
        proto_tree_add_item(reader->tree, reader->dissector->proto, reader->tvb, 0,
                            (int)tvb_captured_length(reader->tvb), ENC_NA);
}

/* Adds a line for a stretch of the row; `tvb`: its bytes. */
static proto_item *
add_stretch(const struct ca_reader *reader, unsigned offset, unsigned bytes, const char *text, tvbuff_t **tvb)
{
    *tvb = tvb_new_subset_length(reader->tvb, (int)offset, (int)bytes);
    return proto_tree_add_protocol_format(reader->tree, reader->dissector->proto, *tvb, 0,
                                          (int)tvb_captured_length(*tvb), "%s, %s", reader->dissector->title, text);
}

static void
show_message(struct ca_reader *reader, unsigned offset, unsigned bytes, const struct ca_message *message,
             const char *label, wmem_array_t *events)
{
    wmem_allocator_t *scope = reader->pinfo->pool;
    const char *pv = describe(reader, events);
    const char *text = pv ? wmem_strdup_printf(scope, "%s, %s", label, compat_printable(scope, pv)) : label;
    tvbuff_t *tvb;
    proto_item *item = add_stretch(reader, offset, bytes, text, &tvb);
    proto_tree *tree = proto_item_add_subtree(item, reader->dissector->tree_type);
    reader->dissector->show(reader, tree, tvb, message);
    const unsigned count = events ? wmem_array_get_count(events) : 0;
    if (count == 1)
        ca_latency_show(tree, item, tvb, reader->pinfo, wmem_array_index(events, 0));
    for (unsigned i = 0; count > 1 && i < count; i++)
        ca_latency_show_one(tree, tvb, reader->pinfo, wmem_array_index(events, i));
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

/* What nothing new completes has its times where it ended (ca_frame.h), and here only what it says: TCP of
 * Wireshark 4.6 hands it over on the first visit of a frame, and on later ones does not. */
static bool
has_times_elsewhere(const struct ca_noted *noted)
{
    return noted && noted->shown_frame == 0;
}

/* The messages that begin there are one about several channels. */
static wmem_array_t *
find_events(struct ca_reader *reader, const struct ca_noted *noted)
{
    const struct ca_flow *flow = flow_of(reader);
    const int64_t start = noted->start;
    wmem_array_t *events = new_events(reader);
    for (; noted < flow->noted + flow->n_noted && noted->start == start; noted++) {
        const struct ca_event event =
            ca_event_of_noted(intake_analysis()->channels, reader->circuit, reader->from_client, noted);
        wmem_array_append_one(events, event);
    }
    return events;
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
    wmem_array_t *events = NULL;
    size_t available;
    const uint8_t *captured = ca_reader_bytes(reader->tvb, offset, &available);
    const char *label = reader->dissector->label(reader, message, captured, MIN(available, bytes));
    if (is_repeated(reader, place, noted)) {
        const char *text = wmem_strdup_printf(reader->pinfo->pool, "%s, repeated", label);
        tvbuff_t *tvb;
        if (reader->is_shown)
            expert_add_info(reader->pinfo, add_stretch(reader, offset, bytes, text, &tvb),
                            &reader->dissector->is_repeated);
        return;
    }
    if (reader->is_datagram)
        events = find_events_in_datagram(reader, offset, message);
    else if (noted && !has_times_elsewhere(noted) && (reader->is_shown || !has_label(reader, label)))
        events = find_events(reader, noted);
    look(reader, offset, bytes, message, noted);
    add_label(reader, label, describe(reader, events));
    if (reader->is_shown)
        show_message(reader, offset, bytes, message, label, events);
}

/* From `offset` on there is no message, or nobody can tell where one begins, up to the next one that the core has.
 * Returns how many bytes that are. */
static unsigned
skip(struct ca_reader *reader, unsigned offset)
{
    uint32_t bytes = tvb_reported_length(reader->tvb) - offset;
    if (reader->circuit && !is_hidden(reader))
        bytes = MIN(bytes, ca_flow_distance(flow_of(reader), reader->seq + offset));
    reader->skipped_bytes += bytes;
    if (!reader->is_shown)
        return bytes;
    const char *text = wmem_strdup_printf(reader->pinfo->pool, "%u bytes skipped", bytes);
    tvbuff_t *tvb;
    proto_item *item = add_stretch(reader, offset, bytes, text, &tvb);
    reader->dissector->show_skipped(proto_item_add_subtree(item, reader->dissector->tree_type), tvb);
    expert_add_info(reader->pinfo, item, &reader->dissector->is_skipped);
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

/* A frame can have segments of several connections. */
const struct ca_circuit *
ca_reader_circuit(const packet_info *pinfo, const struct circuit_protocol *protocol)
{
    struct items *items = intake_analysis()->items;
    const struct endpoint source = intake_endpoint(&pinfo->src, pinfo->srcport);
    const struct endpoint destination = intake_endpoint(&pinfo->dst, pinfo->destport);
    uint32_t position;
    for (const struct item *item = items_first(items, pinfo->num, &position); item;
         item = items_next(items, &position)) {
        const struct connection *connection = item_connection(item);
        const struct endpoint *ends = connection ? connection->endpoint : NULL;
        if (ends && ((endpoint_equal(&ends[0], &source) && endpoint_equal(&ends[1], &destination)) ||
                     (endpoint_equal(&ends[1], &source) && endpoint_equal(&ends[0], &destination))))
            return connection->tcp->circuit && connection->tcp->circuit->protocol == protocol ? connection->tcp->circuit
                                                                                              : NULL;
    }
    return NULL;
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

/* Finds the circuit, and who of it sent the data, where the core knows of one. `tcp`: Wireshark's, or NULL. */
static void
find_circuit(struct ca_reader *reader, const struct tcpinfo *tcp)
{
    const struct endpoint source = intake_endpoint(&reader->pinfo->src, reader->pinfo->srcport);
    uint32_t end_seq;
    if (!tcp || !segment_end_seq(&end_seq))
        return;
    reader->circuit = ca_reader_circuit(reader->pinfo, reader->dissector->protocol);
    reader->seq = end_seq - (tcp->nxtseq - tcp->seq);
    if (reader->circuit)
        reader->from_client = endpoint_equal(&reader->circuit->client, &source);
    reader->is_sent_again = reader->circuit && is_sent_again(reader->pinfo);
}

void
ca_reader_find_hidden(struct ca_reader *reader)
{
    const struct endpoint source = intake_endpoint(&reader->pinfo->src, reader->pinfo->srcport);
    const struct ca_circuit *circuit = ca_reader_circuit(reader->pinfo, reader->dissector->protocol);
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

static void
read_row(struct ca_reader *reader)
{
    unsigned length = tvb_reported_length(reader->tvb);
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
ca_reader_read(struct ca_reader *reader)
{
    reader->is_shown = intake_is_shown(reader->tree, reader->dissector->proto) || intake_experts_are_listed();
    show_protocol(reader);
    read_row(reader);
    set_columns(reader);
}

bool
ca_reader_is_from_client(const struct ca_dissector *dissector, tvbuff_t *tvb, bool else_client)
{
    size_t available;
    const uint8_t *bytes = ca_reader_bytes(tvb, 0, &available);
    const enum ca_sender sender = dissector->protocol->sender(bytes, available);
    return sender == CA_UNKNOWN_SENDER ? else_client : sender == CA_CLIENT;
}

bool
ca_reader_claims(const struct ca_dissector *dissector, packet_info *pinfo)
{
    if (pinfo->flags.in_error_pkt || !ca_reader_circuit(pinfo, dissector->protocol))
        return false;
    conversation_set_dissector(find_or_create_conversation(pinfo), dissector->tcp_handle);
    return true;
}

int
ca_reader_dissect_segment(struct ca_dissector *dissector, tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree,
                          const struct tcpinfo *tcp, bool else_client)
{
    struct ca_reader reader = { .dissector = dissector, .tvb = tvb, .pinfo = pinfo, .tree = tree };
    find_circuit(&reader, tcp);
    if (!reader.circuit)
        reader.from_client = ca_reader_is_from_client(dissector, tvb, else_client);
    ca_reader_read(&reader);
    return (int)tvb_captured_length(tvb);
}

void
ca_reader_dissect_datagram(struct ca_dissector *dissector, tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree,
                           bool from_client, void *datagram)
{
    struct ca_reader reader = { .dissector = dissector,
                                .tvb = tvb,
                                .pinfo = pinfo,
                                .tree = tree,
                                .is_datagram = true,
                                .from_client = from_client,
                                .datagram = datagram };
    begin_references(&reader);
    ca_reader_read(&reader);
}
