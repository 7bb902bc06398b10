/* analysis.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "analysis.h"

#include "ca/circuit_pieces.h"
#include "ca/ca_recognition.h"
#include "ca/circuit_protocol.h"
#include "pva/pva_protocol.h"
#include "request/exchanges.h"
#include "protocol/opening.h"
#include "protocol/parsers.h"
#include "protocol/proxy/prelude.h"
#include "protocol/reading.h"
#include "protocol/tls/tls_handshake.h"
#include "request/tls_turn.h"
#include "request/turns.h"
#include "util/seldom.h"

/* Reads what the piece says of messages before it, which its bytes are not of. */
static inline void
read_arrival(struct analysis *analysis, struct carrier *carrier)
{
    carrier->arrives = true;
    if (analysis->read) {
        analysis->read(analysis->read_data, carrier);
        return;
    }
    circuit_enter(&analysis->requests, analysis->channels, carrier);
    reading_arrives(&analysis->requests, carrier);
}

/* Reads the messages that the piece's bytes are of. */
static inline void
read_bytes(struct analysis *analysis, struct carrier *carrier)
{
    carrier->arrives = false;
    if (analysis->read) {
        analysis->read(analysis->read_data, carrier);
        return;
    }
    reading_take(&analysis->requests, carrier);
    circuit_leave(&analysis->requests, carrier->piece);
}

/* Nothing more follows. */
static SELDOM void
read_end(struct analysis *analysis, const struct piece *piece, bool is_late)
{
    struct requests *requests = &analysis->requests;
    struct connection *connection = piece->payload->connection;
    struct carrier carrier = { .piece = piece };
    bool from_client = piece->payload->sender == connection->client;
    /* Without flags nobody has sent it: the capture has ended, the connection is over or replaced, or given up. */
    bool by_fin = piece->segment.flags && !(piece->segment.flags & SEGMENT_RST) && !piece->after_gap;
    if (from_client && !by_fin)
        return;
    if (is_late)
        items_begin_late(analysis->items, piece->segment.frame);
    if (by_fin)
        turns_take_end(requests, connection, from_client, piece);
    if (!from_client) {
        if (analysis->read)
            analysis->read(analysis->read_data, &carrier);
        else
            reading_take_end(requests, &carrier);
        exchanges_take_end(requests, piece);
    }
    if (is_late)
        items_end_late(analysis->items);
}

static void read_piece(void *data, const struct piece *piece);

static void
take_piece(void *data, const struct piece *piece)
{
    struct analysis *analysis = data;
    struct requests *requests = &analysis->requests;
    const struct payload *payload = piece->payload;
    struct carrier carrier = { .piece = piece };
    int64_t *read = &payload->connection->sender[payload->sender].read;
    bool is_late = payload->segment->frame != analysis->requests.frame;
    if (piece->ends) {
        read_end(analysis, piece, is_late);
        return;
    }
    if (is_late) {
        items_begin_late(analysis->items, payload->segment->frame);
    } else {
        analysis->is_read = true;
    }
    bool shows_tls = !analysis->read && tls_handshake_take(requests, piece, &analysis->handshakes);
    read_arrival(analysis, &carrier);
    turns_take(requests, &carrier);
    read_bytes(analysis, &carrier);
    if (carrier.is_free)
        carrier_packet(requests, &carrier, carrier.kind);
    if (shows_tls)
        items_add(analysis->items, piece->segment.frame, ITEM_TLS)->connection = payload->connection;
    if (piece->fresh > 0)
        *read = MAX(*read, piece->start + piece->segment.payload_bytes);
    if (is_late)
        items_end_late(analysis->items);
}

/* Takes a client's piece whose first bytes are a prelude: they are none of its own. */
static SELDOM void
pass_prelude(void *data, const struct piece *piece, uint32_t bytes)
{
    struct analysis *analysis = data;
    struct requests *requests = &analysis->requests;
    const bool is_late = piece->payload->segment->frame != requests->frame;
    struct connection *connection = piece->payload->connection;
    struct run nowhere = run_begin(piece->start);
    struct prelude_rest rest;
    analysis->is_read |= !is_late;
    requests_tell(requests, connection, &(struct event){ .kind = EVENT_PRELUDE, .prelude.bytes = bytes },
                  &piece->segment);
    if (prelude_leaves(requests, piece, bytes, &rest)) {
        read_piece(analysis, &rest.piece);
        return;
    }
    if (is_late)
        items_begin_late(analysis->items, piece->segment.frame);
    requests_add_packet(requests, &nowhere, piece, ITEM_UNREQUESTED);
    if (is_late)
        items_end_late(analysis->items);
    int64_t *read = &connection->sender[piece->payload->sender].read;
    *read = MAX(*read, piece->start + piece->segment.payload_bytes);
}

static bool
holds_told(struct analysis *analysis, const struct piece *piece)
{
    const uint32_t prelude = analysis->prelude ? analysis->prelude(analysis->read_data, piece) : 0;
    if (prelude > 0) {
        prelude_note(&analysis->requests, piece, prelude);
        pass_prelude(analysis, piece, prelude);
        return true;
    }
    const bool is_held = analysis->holds && analysis->holds(analysis->read_data, piece);
    return opening_holds_told(analysis->openings, piece, is_held);
}

/* What follows in a connection's stream. */
static void
read_piece(void *data, const struct piece *piece)
{
    struct analysis *analysis = data;
    piece->payload->connection->has_gaps |= piece->after_gap;
    const bool reverses = !analysis->read && reading_reverses_roles(&analysis->requests, piece);
    if (reverses)
        opening_end(analysis->openings, piece->payload->connection, false);
    const bool is_held =
        analysis->read ? holds_told(analysis, piece) : !reverses && opening_holds(analysis->openings, piece);
    if (!is_held)
        take_piece(data, piece);
}

struct analysis *
analysis_new(wmem_allocator_t *scope, const struct settings *settings)
{
    struct analysis *analysis = g_new0(struct analysis, 1);
    analysis->items = items_new(true);
    analysis->connections = connection_table_new(scope, &analysis->n_connections, CONNECTIONS_OF_TCP);
    datagrams_init(&analysis->datagrams, scope, &analysis->n_connections);
    quic_init(&analysis->quic, scope, &analysis->n_connections, &analysis->attempts, &analysis->handshakes);
    analysis->points = points_new(scope);
    analysis->processes = process_table_new(scope);
    analysis->sightings = sightings_new(scope);
    analysis->streams = streams_new(read_piece, analysis, scope);
    analysis->channels = ca_channels_new(scope);
    analysis->channels->protocols = circuit_protocols;
    analysis->channels->settings = settings;
    analysis->requests = (struct requests){
        .scope = scope,
        .settings = settings,
        .read_operation = operation_read,
        .items = analysis->items,
        .last_ns = INT64_MIN,
    };
    pool_init(&analysis->requests.records, scope, sizeof(struct request));
    waiting_init(&analysis->requests.waiting, scope);
    operation_texts_init(&analysis->requests.operations, scope);
    analysis->openings = openings_new(&analysis->requests, take_piece, pass_prelude, analysis);
    return analysis;
}

void
analysis_free(struct analysis *analysis)
{
    streams_free(analysis->streams);
    datagrams_clear(&analysis->datagrams);
    quic_clear(&analysis->quic);
    items_free(analysis->items);
    g_free(analysis);
}

void
analysis_set_keep(struct analysis *analysis, bool keep)
{
    items_set_keep(analysis->items, keep);
    analysis->channels->forgets = !keep;
}

bool
analysis_expects_channel_access(const struct analysis *analysis, const struct segment *segment)
{
    const struct connection *connection =
        analysis->channels->circuits > 0
            ? connection_find(analysis->connections, &segment->source, &segment->destination, segment->ipv6)
            : NULL;
    return (connection && connection->tcp->circuit) ||
           ca_may_speak(analysis->channels, analysis->requests.settings, segment);
}

/* What a client asks for by a turn of TLS, if the segment does not begin with that. */
static void
name_turn(struct requests *requests, const struct payload *payload, struct segment *segment)
{
    struct connection *connection = payload->connection;
    if (payload->sender == connection->client && connection->session != SESSION_MESSAGES && payload->packet.fresh > 0)
        segment->operation = tls_turn_take(requests, connection, segment, payload->packet.start);
}

/* Whoever is quiet for long, or has ended, has got what was under way. */
static void
note_time(struct analysis *analysis, struct connection *connection, const struct segment *segment)
{
    bool is_past = connection_is_quiet(connection, segment->time_ns) || connection_has_ended(connection);
    if (is_past && !items_are_kept(analysis->items))
        analysis_shed(analysis, connection);
    connection->last_ns = MAX(connection->last_ns, segment->time_ns);
}

/* So that their end comes, or they are shed, when they have been quiet for long. */
static void
note_lingering(struct analysis *analysis, struct connection *connection)
{
    struct connection *replaced = connection_replaced(analysis->connections);
    if (replaced)
        lingering_note(&analysis->lingering, replaced, analysis->sheds_open);
    lingering_note(&analysis->lingering, connection, analysis->sheds_open);
}

inline struct connection *
analysis_take(struct analysis *analysis, struct segment *segment)
{
    static const enum item_kind kinds[] = {
        [HANDSHAKE_SYN] = ITEM_SYN,
        [HANDSHAKE_SYN_AGAIN] = ITEM_SYN_AGAIN,
        [HANDSHAKE_ANSWER] = ITEM_ANSWER,
        [HANDSHAKE_ACK] = ITEM_ACK,
    };
    struct requests *requests = &analysis->requests;
    struct connection *connection = connection_of(analysis->connections, segment, requests->settings);
    requests->last_ns = MAX(requests->last_ns, segment->time_ns);
    items_enter(analysis->items, segment->frame);
    requests->frame = segment->frame;
    analysis->connection = connection;
    analysis->has_payload = false;
    note_time(analysis, connection, segment);
    if (connection_is_duplicate(connection, segment, requests->scope)) {
        items_add(analysis->items, segment->frame, ITEM_DUPLICATE)->connection = connection;
        analysis->connection = NULL;
        note_lingering(analysis, connection);
        return connection;
    }
    enum handshake step = connection_shake_hands(connection, segment, &analysis->attempts, requests->scope);
    if (step != HANDSHAKE_NONE)
        items_add(analysis->items, segment->frame, kinds[step])->connection = connection;
    /* Its server time, if the capture has the answer late. */
    if (step == HANDSHAKE_ANSWER && connection->request)
        request_update(requests, connection->request, segment->frame);

    struct tcp_sender *sender = &connection->tcp->sender[connection_sender(connection, segment)];
    struct ipid_step ipid_step;
    bool foreseen = !(segment->flags & (SEGMENT_SYN | SEGMENT_RST)) &&
                    continuity_take(&sender->continuity, segment, requests->settings, &ipid_step);
    if (segment->flags & SEGMENT_ACK) {
        sender->is_full = segment->window == 0 && !(segment->flags & SEGMENT_RST);
        sender->ack = segment->ack;
        sender->has_acked = true;
        if (!connection->tcp->connect.number && sender == &connection->tcp->sender[!connection->client])
            reading_take_ack(connection, segment);
    }
    if (segment->flags & SEGMENT_RST) {
        if (connection_is_reset_by(connection, segment))
            stream_reset(analysis->streams, connection, segment);
    } else {
        analysis->has_payload = payload_take(&analysis->payload, connection, segment, foreseen ? &ipid_step : NULL,
                                             requests->settings, requests->scope);
        if (analysis->has_payload)
            name_turn(requests, &analysis->payload, segment);
    }
    connection_close(connection, segment, requests->count + 1);
    if (connection_is_reset_by(connection, segment))
        turns_take_reset(requests, connection, segment->frame);
    note_lingering(analysis, connection);
    return connection;
}

/* What it belongs to will be known later. */
static SELDOM void
note_held(struct analysis *analysis, const struct payload *payload)
{
    struct item *item = items_add(analysis->items, payload->segment->frame, ITEM_HELD);
    item->connection = payload->connection;
    item->sender = payload->sender;
    run_note_packet(&payload->packet, analysis->requests.settings, item);
    item->spacing_ns = MAX(payload->segment->time_ns - payload->packet.before.ns, 0);
    if (!payload->packet.before.frame)
        item->flags |= ITEM_FIRST;
}

inline void
analysis_read(struct analysis *analysis, const struct segment *segment)
{
    struct connection *connection = analysis->connection;
    if (!connection)
        return;
    if (analysis->has_payload) {
        analysis->payload.segment = segment;
        analysis->is_read = false;
        stream_take(analysis->streams, &analysis->payload);
        if (!analysis->is_read)
            note_held(analysis, &analysis->payload);
    } else {
        stream_pass(analysis->streams, connection, segment);
    }
    if (connection->tcp->circuit &&
        (connection_is_finished_by(connection, segment) || connection_is_reset_by(connection, segment)))
        ca_circuit_end(connection->tcp->circuit, segment->time_ns);
}

inline bool
analysis_wants_decrypted(const struct analysis *analysis)
{
    return analysis->has_payload && analysis->payload.packet.fresh > 0 &&
           reading_wants_decrypted(&analysis->requests, analysis->connection);
}

void
analysis_read_decrypted(struct analysis *analysis, const struct segment *segment, const struct decrypted *decrypted)
{
    reading_note_decrypted(&analysis->requests, &analysis->payload, decrypted);
    analysis_read(analysis, segment);
}

struct connection *
analysis_take_quoted(struct analysis *analysis, const struct segment *quoted)
{
    struct connection *connection =
        connection_find(analysis->connections, &quoted->source, &quoted->destination, quoted->ipv6);
    if (connection && connection_is_over(connection, quoted->time_ns))
        connection = NULL;
    analysis->requests.frame = quoted->frame;
    items_enter(analysis->items, quoted->frame);
    if (connection && connection_unreachable(connection, quoted))
        items_add(analysis->items, quoted->frame, ITEM_ANSWER)->connection = connection;
    return connection;
}

inline void
analysis_note_time(struct analysis *analysis, int64_t time_ns)
{
    analysis->requests.last_ns = MAX(analysis->requests.last_ns, time_ns);
}

void
analysis_shed(struct analysis *analysis, struct connection *connection)
{
    requests_shed(&analysis->requests, connection);
    reading_shed(&analysis->requests, connection);
}

static struct connection_table *
table_of(const struct analysis *analysis, const struct connection *connection)
{
    if (connection->is_datagrams)
        return analysis->datagrams.conversations;
    return connection->tcp->quic ? analysis->quic.table : analysis->connections;
}

void
analysis_forget(struct analysis *analysis, struct connection *connection)
{
    exchanges_forget(&analysis->requests, connection);
    requests_forget(&analysis->requests, connection);
    opening_forget(analysis->openings, connection);
    reading_forget(&analysis->requests, connection);
    wmem_free(analysis->requests.scope, connection->tcp->tls);
    wmem_free(analysis->requests.scope, connection->tcp->proxied);
    tls_handshake_forget(&analysis->requests, connection);
    wmem_free(analysis->requests.scope, connection->points);
    struct connection_table *table = table_of(analysis, connection);
    if (connection->tcp->quic)
        quic_forget(&analysis->quic, &analysis->requests, connection);
    stream_forget(analysis->streams, connection);
    lingering_drop(&analysis->lingering, connection);
    connection_forget(table, connection);
}
