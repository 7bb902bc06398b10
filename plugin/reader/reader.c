/* reader.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "reader.h"

#include "../core/protocol/dns/dns_datagram.h"
#include "../core/protocol/reading.h"
#include "../core/util/seldom.h"
#include "../table/call_source.h"
#include "../table/held_frames.h"
#include "../table/observer.h"

/* Of more conversations of UDP the one that has been quiet longest is forgotten in any case. */
enum { CONVERSATIONS_MOST = 65536 };

static void
tell_event(void *data, const struct connection *connection, const struct event *event, const struct segment *segment)
{
    observers_event(data, connection, event, segment);
}

/* Nobody who does not exist is told: messages are described for that. */
static struct analysis *
analysis_that_tells(struct reader *reader)
{
    struct analysis *analysis = reader->source.analysis;
    analysis->requests.told = reader->source.observers ? tell_event : NULL;
    analysis->requests.told_data = &reader->source;
    return analysis;
}

void
reader_begin(struct reader *reader, wmem_allocator_t *scope)
{
    struct table_source *source = &reader->source;
    struct analysis *analysis = analysis_new(scope, source->settings);
    source->analysis = analysis;
    source->number++;
    source->start_ns = source->last_ns = 0;
    source->fragments = 0;
    call_source_begin(source);
    reader->points = (struct point_reader){
        .calls = reader->points.calls,
        .points = analysis->points,
        .processes = analysis->processes,
        .key = hashed_new_key(),
    };
    reader->started = reader->has_ended = reader->is_postponed = false;
    reader->sighted_number = 0;
    reader->conversations = (struct lingering){ .open = { 0 } };
}

void
reader_close(struct reader *reader)
{
    observers_end(&reader->source);
    call_source_end(&reader->source);
    analysis_free(reader->source.analysis);
    reader->source.analysis = NULL;
    g_clear_pointer(&reader->over, g_ptr_array_unref);
}

static bool
take_sighting(struct reader *reader, const struct frame *frame, const struct segment *segment)
{
    struct fingerprint fingerprint;
    struct sighting seen;
    reader->sighted_number = frame->number;
    reader->sighted_counts = true;
    if (!recorded_point_read(&reader->points, frame, &fingerprint, &seen))
        return true;
    if (segment)
        fingerprint_take_segment(&fingerprint, segment, reader->points.key);
    else if (!recorded_point_read_ip(&reader->points, frame, &fingerprint))
        return true;
    return reader->sighted_counts = analysis_sight(reader->source.analysis, &fingerprint, &seen, segment);
}

/* Takes where the frame was seen. Returns whether it is to be analysed: not if its packet has been, at another capture
 * point. `segment`: NULL if it has none of its own. */
static inline bool
sight(struct reader *reader, const struct frame *frame, const struct segment *segment)
{
    if (frame->is_plain && reader->points.begun && !reader->points.active)
        return true;
    if (reader->sighted_number == frame->number)
        return reader->sighted_counts;
    return !frame->rec || !frame->has_time || take_sighting(reader, frame, segment);
}

/* What is known with an end. */
static void
tell_end(const struct reader *reader)
{
    unsigned count;
    const struct late_item *late = items_late(reader->source.analysis->items, &count);
    held_frames_tell(&reader->source, late, count);
    for (unsigned i = 0; i < count && reader->tell_end; i++)
        reader->tell_end(reader->data, &late[i]);
}

/* What captures at several points, and circuits of Channel Access, know of a connection refers to it. */
static void
note_over(struct reader *reader, struct connection *connection)
{
    if (!reader->forgets || reader->source.has_points || connection->tcp->circuit)
        return;
    if (!reader->over)
        reader->over = g_ptr_array_new();
    g_ptr_array_add(reader->over, connection);
}

/* Of connections that are over by the time of the segment. */
static inline void
tell_ends(struct reader *reader, const struct segment *segment)
{
    struct analysis *analysis = reader->source.analysis;
    struct connection *connection;
    while ((connection = analysis_end_next(analysis, segment))) {
        tell_end(reader);
        items_told(analysis->items);
        note_over(reader, connection);
    }
}

inline struct connection *
reader_take_segment(struct reader *reader, const struct frame *frame, struct segment *segment)
{
    struct analysis *analysis = analysis_that_tells(reader);
    if (!sight(reader, frame, segment))
        return NULL;
    analysis->sheds_open = reader->forgets && !reader->points.active;
    tell_ends(reader, segment);
    struct connection *connection = analysis_take(analysis, segment);
    observers_segment(&reader->source, segment, connection);
    reader->is_postponed = analysis_wants_decrypted(analysis);
    if (reader->is_postponed)
        reader->segment = *segment;
    else
        analysis_read(analysis, segment);
    return connection;
}

void
reader_read(struct reader *reader, const struct decrypted *decrypted)
{
    static const struct decrypted nothing;
    if (!reader->is_postponed)
        return;
    reader->is_postponed = false;
    analysis_read_decrypted(reader->source.analysis, &reader->segment, decrypted ? decrypted : &nothing);
}

void
reader_take_unread(struct reader *reader, const struct frame *frame)
{
    sight(reader, frame, NULL);
    items_add(reader->source.analysis->items, frame->number, ITEM_UNREAD);
}

void
reader_take_quoted(struct reader *reader, const struct segment *quoted)
{
    observers_quoted(&reader->source, quoted, analysis_take_quoted(reader->source.analysis, quoted));
}

static struct connection *
take_quoted_datagram(struct reader *reader, struct datagram *datagram)
{
    struct analysis *analysis = analysis_that_tells(reader);
    struct connection *conversation =
        datagram->message.kind == MESSAGE_ASKS ? analysis_take_quoted_datagram(analysis, datagram) : NULL;
    if (!conversation)
        return NULL;
    observers_quoted(&reader->source, &datagram->segment, conversation);
    analysis_read_quoted_datagram(analysis, datagram);
    return conversation;
}

/* Whose request's stages are those of its packet. */
static struct connection *
take_datagram(struct reader *reader, const struct frame *frame, struct datagram *datagram)
{
    struct analysis *analysis = analysis_that_tells(reader);
    sight(reader, frame, NULL);
    struct connection *conversation = analysis_take_datagram(analysis, datagram);
    observers_segment(&reader->source, &datagram->segment, conversation);
    analysis_read_datagram(analysis, datagram);
    return conversation;
}

static struct connection *
take_dns(struct reader *reader, const struct frame *frame, const struct segment *segment, bool is_quoted)
{
    struct datagram datagram;
    if (!dns_datagram_is_between(segment->source.port, segment->destination.port) ||
        !dns_datagram_read(segment, &datagram))
        return NULL;
    return is_quoted ? take_quoted_datagram(reader, &datagram) : take_datagram(reader, frame, &datagram);
}

static struct connection *
take_quic(struct reader *reader, const struct frame *frame, struct segment segment, bool is_quoted)
{
    struct analysis *analysis = reader->source.analysis;
    if (is_quoted)
        return analysis_take_quoted_quic(analysis, &segment);
    struct connection *connection = analysis_take_quic(analysis, &segment);
    if (!connection)
        return NULL;
    reader->source.has_quic = true;
    sight(reader, frame, NULL);
    analysis_read_quic(analysis, &segment);
    return connection;
}

bool
reader_may_take_datagram(const struct reader *reader, uint16_t source_port, uint16_t destination_port,
                         const uint8_t *payload, uint32_t captured)
{
    return reader->source.has_quic || quic_may_be(payload, captured) ||
           dns_datagram_is_between(source_port, destination_port);
}

struct connection *
reader_take_datagram(struct reader *reader, const struct frame *frame, const struct segment *segment, bool is_quoted)
{
    /* In datagrams there are no turns. */
    if (reader->source.settings->by_turns)
        return NULL;
    struct connection *conversation = take_dns(reader, frame, segment, is_quoted);
    if (!conversation)
        conversation = take_quic(reader, frame, *segment, is_quoted);
    if (conversation && reader->forgets && !reader->keeps_conversations)
        lingering_note(&reader->conversations, conversation, true);
    return conversation;
}

void
reader_read_quic_frames(struct reader *reader, const uint8_t *frames, size_t length)
{
    struct analysis *analysis = reader->source.analysis;
    /* Lines that are merged have no bytes of QUIC: nobody keeps what is told of its messages. */
    analysis->requests.told = NULL;
    reader->source.has_payload |= analysis_read_quic_frames(analysis, frames, length);
    analysis_that_tells(reader);
}

inline void
reader_end_frame(struct reader *reader, const struct frame *frame, bool is_rest_of_tcp)
{
    struct table_source *source = &reader->source;
    /* With a frame of another protocol nothing has become known. */
    items_enter(source->analysis->items, frame->number);
    sight(reader, frame, NULL);
    if (frame->has_time) {
        if (!reader->started)
            source->start_ns = source->last_ns = frame->time_ns;
        reader->started = true;
        source->last_ns = MAX(source->last_ns, frame->time_ns);
        analysis_note_time(source->analysis, source->last_ns);
    }
    source->has_points = reader->points.active;
    source->fragments += is_rest_of_tcp;
    observers_frame(source, frame->has_time ? &frame->time_ns : NULL);
}

static void
forget(struct reader *reader, struct connection *connection)
{
    observers_forget(&reader->source, connection);
    analysis_forget(reader->source.analysis, connection);
}

static void
forget_all(struct reader *reader)
{
    struct connection *conversation;
    for (unsigned i = 0; reader->over && i < reader->over->len; i++)
        forget(reader, g_ptr_array_index(reader->over, i));
    if (reader->over)
        g_ptr_array_set_size(reader->over, 0);
    while (!reader->source.has_points &&
           (conversation = lingering_next(&reader->conversations, &reader->conversations.open, reader->source.last_ns,
                                          CONVERSATIONS_MOST)))
        forget(reader, conversation);
}

void
reader_forget(struct reader *reader)
{
    if ((reader->over && reader->over->len > 0) || reader->conversations.open.count > 0)
        forget_all(reader);
}

void
reader_end(struct reader *reader)
{
    if (!reader->source.analysis || reader->has_ended)
        return;
    reader->has_ended = true;
    analysis_end(reader->source.analysis);
    tell_end(reader);
}
