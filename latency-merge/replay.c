/* replay.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "replay.h"

#include "core/analysis.h"
#include "core/request/exchanges.h"
#include "core/request/operation.h"
#include "core/request/pending.h"
#include "cut.h"
#include "replay_pair.h"
#include "segment_reading.h"
#include "table/event_row.h"

/* A connection. */
struct played {
    struct connection *connection;
    struct pair *pair;
    int64_t last_ns; /* of its segments */
    struct cut cut;
    bool is_cut;              /* and has been counted */
    struct push_tally pushes; /* unsolicited frames of the server */
};

struct replay {
    struct totals *totals;
    struct settings settings;
    wmem_allocator_t *scope;
    struct analysis *analysis;
    struct pending_requests *requests;
    GHashTable *pairs;  /* of struct pair */
    GHashTable *played; /* of struct played, by the connection */
    uint64_t frames_before;
    uint64_t cut;      /* connections that a capture's end has cut within a message */
    struct rows *rows; /* being taken; NULL for none */
};

/* A line's rows. */
struct rows {
    struct record *record;
    struct elements left; /* behind the one being taken */
    struct endpoint endpoint[2];
    bool ipv6;
    unsigned row;          /* the one being taken */
    unsigned found;        /* the first behind it with messages */
    unsigned until;        /* the one with which what is held is delivered; UINT_MAX for the capture's end */
    GHashTable *until_it;  /* sequence numbers of the bytes from which on pieces are held until the row found */
    GHashTable *until_end; /* or until the capture's end */
};

static void
write_request(void *data, const struct pending_request *pending)
{
    struct replay *replay = data;
    enum tls_turn role = tls_turn_role(&pending->request);
    replay->totals->omitted.tls_handshakes += role == TLS_HANDSHAKE;
    replay->totals->omitted.tls_alerts += role == TLS_ALERT;
    if (role != TLS_NONE)
        return;
    char kind[OPERATION_ROOM];
    operation_kind(pending->operation, pending->request.protocol, replay->settings.fold_numbers, kind);
    const struct group_key key = group_of_server(pending->request.connection, kind);
    const struct measured measured = request_measure(&replay->analysis->requests, &pending->request);
    const struct group_key host = group_of_named_host(pending->request.connection);
    totals_add_request(replay->totals, &key, &host, &measured);
}

/* What was told with these bytes, and before. */
static void
read_piece(void *data, struct carrier *carrier)
{
    struct replay *replay = data;
    const struct piece *piece = carrier->piece;
    const bool arrives = carrier->arrives;
    struct connection *connection = piece->payload->connection;
    struct played *played = g_hash_table_lookup(replay->played, connection);
    struct told *told;
    if (!arrives)
        played->cut.is_broken = false;
    while ((told = told_next(&played->pair->told, piece->segment.seq, arrives))) {
        if (told->event.kind == EVENT_TLS) {
            tls_handshake_step(&replay->analysis->requests, piece, told->event.tls.step, told->event.tls.text,
                               &replay->analysis->handshakes);
            told_free(told);
            continue;
        }
        cut_take_event(&played->cut, connection, &told->event, told->seq == piece->segment.seq);
        carrier->arrives = told->event.arrives;
        exchanges_tell(&replay->analysis->requests, carrier, &told->event);
        connection->exchanges.is_lost |= cut_follows_nonsense(&played->cut, &told->event);
        told_free(told);
    }
    if (arrives && piece->payload->sender == connection->client && piece->fresh > 0 && !connection->tcp->handshake)
        connection->host_known = true;
    if (!arrives)
        cut_take_piece(&played->cut, piece);
}

/* Whether the piece was held where the file was made (opening.h). */
static bool
holds_piece(void *data, const struct piece *piece)
{
    const struct replay *replay = data;
    const struct connection *connection = piece->payload->connection;
    struct rows *rows = replay->rows;
    void *seq = GUINT_TO_POINTER(piece->segment.seq);
    if (!rows)
        return false;
    if (!connection->tcp->opening && piece->payload->sender != connection->client)
        return false;
    if (!connection->tcp->opening)
        rows->until = g_hash_table_contains(rows->until_end, seq)  ? UINT_MAX
                      : g_hash_table_contains(rows->until_it, seq) ? rows->found
                                                                   : 0;
    return rows->row < rows->until;
}

/* How many bytes of the piece were a prelude where the file was made; not more than it has. */
static uint32_t
prelude_of(void *data, const struct piece *piece)
{
    const struct replay *replay = data;
    const struct connection *connection = piece->payload->connection;
    const struct played *played = g_hash_table_lookup(replay->played, connection);
    if (piece->payload->sender != connection->client || piece->fresh == 0 || piece->ends)
        return 0;
    return MIN(told_prelude(&played->pair->told, piece->segment.seq), piece->segment.payload_bytes);
}

static void
free_played(void *value)
{
    struct played *played = value;
    push_tally_clear(&played->pushes);
    g_free(played);
}

struct replay *
replay_new(struct totals *totals, int64_t timeout_ns, bool fold_numbers)
{
    struct replay *replay = g_new0(struct replay, 1);
    replay->totals = totals;
    replay->settings =
        (struct settings){ .port_kind = port_likelihood, .timeout_ns = timeout_ns, .fold_numbers = fold_numbers };
    replay->scope = wmem_allocator_new(WMEM_ALLOCATOR_BLOCK); /* reuses what is forgotten */
    replay->analysis = analysis_new(replay->scope, &replay->settings);
    replay->analysis->read = read_piece;
    replay->analysis->holds = holds_piece;
    replay->analysis->prelude = prelude_of;
    replay->analysis->read_data = replay;
    items_set_keep(replay->analysis->items, false);
    replay->requests = pending_requests_new(NULL, write_request, replay);
    replay->pairs = pairs_new();
    replay->played = g_hash_table_new_full(NULL, NULL, NULL, free_played);
    return replay;
}

void
replay_free(struct replay *replay)
{
    g_hash_table_destroy(replay->played);
    g_hash_table_destroy(replay->pairs);
    pending_requests_free(replay->requests);
    analysis_free(replay->analysis);
    wmem_destroy_allocator(replay->scope);
    g_free(replay);
}

/* Takes an item that has become known with a frame, its own or a later one. */
static void
take_item(struct replay *replay, const struct item *item, uint32_t frame)
{
    if (item_request(item))
        pending_requests_take(replay->requests, item, frame);
    if (item->kind != ITEM_UNSOLICITED)
        return;
    struct played *played = g_hash_table_lookup(replay->played, item->connection);
    if (played)
        push_tally_take(&played->pushes, item);
    omitted_take(&replay->totals->omitted, item);
}

static void
take_items(struct replay *replay, const struct pair *pair)
{
    struct items *items = replay->analysis->items;
    unsigned late;
    uint32_t at;
    const struct late_item *known = items_late(items, &late);
    for (unsigned i = 0; i < late; i++)
        take_item(replay, &known[i].item, pair->frame);
    for (struct item *item = items_first(items, pair->frame, &at); item; item = items_next(items, &at))
        take_item(replay, item, pair->frame);
    /* The next segment can have the same number, in another connection. */
    items_forget(items);
}

static struct played *
note_played(struct replay *replay, struct pair *pair, struct connection *connection, const struct segment *segment)
{
    struct played *played = g_hash_table_lookup(replay->played, connection);
    if (!played) {
        played = g_new(struct played, 1);
        *played = (struct played){ .connection = connection, .pair = pair, .last_ns = segment->time_ns };
        g_hash_table_insert(replay->played, connection, played);
        pair->played++;
    }
    played->last_ns = MAX(played->last_ns, segment->time_ns);
    return pair->last = played;
}

static void
take_segment(struct replay *replay, struct pair *pair, struct segment *segment, uint64_t position, bool quoted)
{
    segment->frame = pair_frame(pair, position);
    if (quoted) {
        analysis_take_quoted(replay->analysis, segment);
        return;
    }
    struct connection *connection = analysis_take(replay->analysis, segment);
    struct played *played = note_played(replay, pair, connection, segment);
    analysis_read(replay->analysis, segment);
    cut_take_segment(&played->cut, connection, segment);
}

static bool
is_of_datagram(const struct event *event)
{
    return event->kind == EVENT_MESSAGE &&
           (event->message.kind == MESSAGE_ASKS || event->message.kind == MESSAGE_ANSWERS);
}

/* Of a query or an answer the rest is as dns_datagram.c has it, whatever the file says. */
static struct message
message_of_datagram(const struct message *told)
{
    const bool asks = told->kind == MESSAGE_ASKS;
    return (struct message){
        .kind = told->kind,
        .part = asks ? MESSAGE_AGAIN : MESSAGE_NEW,
        .ends = true,
        .failed = !asks && told->failed,
        .cut = told->cut,
        .key = told->key,
        .bytes = told->bytes,
        .operation = told->operation,
        .status = told->status,
    };
}

/* A datagram that was no message is told of with nothing: a second copy, or an error about what is unknown. */
static void
take_datagram(struct replay *replay, struct pair *pair, const struct segment *segment, uint64_t position, bool quoted)
{
    struct told *told = told_next(&pair->told, segment->seq, false);
    struct datagram datagram = { .segment = *segment, .names_request = true };
    datagram.segment.frame = pair_frame(pair, position);
    if (told && quoted && told->event.kind == EVENT_STOPS) {
        datagram.message.key = told->event.stops.key;
        analysis_take_quoted_datagram(replay->analysis, &datagram);
        analysis_read_quoted_datagram(replay->analysis, &datagram);
    } else if (told && !quoted && is_of_datagram(&told->event)) {
        datagram.message = message_of_datagram(&told->event.message);
        note_played(replay, pair, analysis_take_datagram(replay->analysis, &datagram), segment);
        analysis_read_datagram(replay->analysis, &datagram);
    }
    if (told)
        told_free(told);
}

/* The file ends: reads what waits for bytes. */
static void
end_file(struct replay *replay, struct played *played)
{
    if (played->connection->is_datagrams)
        return;
    cut_end_capture(&played->cut, played->connection);
    if (played->connection->session == SESSION_TURNS)
        return;
    analysis_end_connection(replay->analysis, played->connection);
    take_items(replay, played->pair);
}

/* Another file begins: in it a connection is recognised anew, from where its client begins a message. Of Channel Access
 * what waits can be answered there all the same, by its id, and of datagrams. */
static void
release(struct replay *replay, struct played *played)
{
    const struct exchanges *exchanges = &played->connection->exchanges;
    struct event event = { .kind = EVENT_RELEASE, .release.loses = exchanges->is_lost };
    const struct payload payload = { .connection = played->connection };
    const struct piece end = { .payload = &payload, .segment = { .frame = played->pair->frame }, .ends = true };
    struct carrier carrier = { .piece = &end };
    if (played->connection->is_datagrams || played->connection->session != SESSION_MESSAGES ||
        exchanges->protocol == PROTOCOL_CA || exchanges->protocol == PROTOCOL_PVA)
        return;
    exchanges_tell(&replay->analysis->requests, &carrier, &event);
    take_items(replay, played->pair);
}

static void
release_all(struct replay *replay)
{
    GHashTableIter each;
    void *played;
    g_hash_table_iter_init(&each, replay->played);
    while (g_hash_table_iter_next(&each, NULL, &played))
        release(replay, played);
}

void
replay_begin_capture(struct replay *replay, uint64_t frames_before)
{
    replay->frames_before = frames_before;
    release_all(replay);
}

/* A row's messages, none if it has none. False only in that case. */
static bool
messages_of(struct record *record, struct elements columns, struct elements *messages)
{
    *messages = (struct elements){ 0 };
    if (columns.left <= COLUMN_MESSAGES)
        return false;
    elements_skip(&columns, COLUMN_MESSAGES);
    *messages = record_next_array(record, "segments", &columns);
    return true;
}

/* Finds the first row with messages behind the one being taken, and from where on pieces are held until then. */
static void
find_messages(struct rows *rows)
{
    struct elements ahead = rows->left, messages = { 0 };
    rows->found = rows->row + 1;
    while (ahead.left > 0 && !rows->record->wrong &&
           !messages_of(rows->record, record_next_array(rows->record, "segments", &ahead), &messages))
        rows->found++;
    g_hash_table_remove_all(rows->until_it);
    told_note_held(rows->record, messages, rows->until_it, rows->until_end);
}

/* Reads the messages of the row being taken. Pieces that are delivered with it are not held until it. */
static void
read_messages(struct rows *rows, struct elements columns, struct told_queue *told)
{
    struct elements messages;
    if (messages_of(rows->record, columns, &messages))
        told_read(told, rows->record, messages);
    if (rows->row == 0)
        told_note_held(rows->record, messages, rows->until_it, rows->until_end);
    if (rows->found <= rows->row)
        find_messages(rows);
}

static void
take_row(struct replay *replay, struct pair *pair, struct rows *rows)
{
    struct record *record = rows->record;
    struct elements columns = record_next_array(record, "segments", &rows->left);
    struct segment_row row;
    if (!segment_reading_row(record, columns, rows->endpoint, rows->ipv6, &row))
        return;
    read_messages(rows, columns, &pair->told);
    if (record->wrong)
        return;
    const uint64_t position = replay->frames_before + row.frame;
    if (row.flags & FLAG_DATAGRAM)
        take_datagram(replay, pair, &row.segment, position, row.flags & FLAG_QUOTED);
    else
        take_segment(replay, pair, &row.segment, position, row.flags & FLAG_QUOTED);
    take_items(replay, pair);
}

void
replay_take(struct replay *replay, struct record *record)
{
    struct rows rows = { .record = record, .left = record_array(record, "segments") };
    segment_reading_ends(record, rows.endpoint, &rows.ipv6);
    if (record->wrong)
        return;
    struct pair *pair = pair_at(replay->pairs, rows.endpoint, rows.ipv6);
    uint64_t number = record_has(record, "connection") ? record_uint(record, "connection", INT64_MAX) : 0;
    /* Where a file has several captures, connections are numbered on: this is the next capture, or another connection.
     */
    if (pair->last && pair->number && pair->number != number) {
        end_file(replay, pair->last);
        release(replay, pair->last);
    }
    pair->number = number;
    rows.until_it = g_hash_table_new(NULL, NULL);
    rows.until_end = g_hash_table_new(NULL, NULL);
    replay->rows = &rows;
    for (; rows.left.left > 0 && !record->wrong; rows.row++)
        take_row(replay, pair, &rows);
    replay->rows = NULL;
    g_hash_table_destroy(rows.until_it);
    g_hash_table_destroy(rows.until_end);
}

/* What the capture has of the connection has been taken. */
static void
end_piece(struct replay *replay, struct played *played)
{
    bool was_noted = played->is_cut;
    bool is_last = played == played->pair->last;
    played->is_cut |= played->cut.is_noted || (is_last && told_waits(&played->pair->told));
    replay->cut += played->is_cut && !was_noted;
    cut_begin_capture(&played->cut);
}

void
replay_end_capture(struct replay *replay, int64_t last_ns)
{
    const int64_t clear_ns = CONNECTION_LINGERS_S * INT64_C(1000000000);
    GHashTableIter each;
    void *value;
    analysis_note_time(replay->analysis, last_ns);
    g_hash_table_iter_init(&each, replay->played);
    while (g_hash_table_iter_next(&each, NULL, &value)) {
        struct played *played = value;
        end_file(replay, played);
        end_piece(replay, played);
        played->pair->number = 0;
        const bool has_ended = played->connection->is_datagrams || connection_has_ended(played->connection);
        if (!has_ended || last_ns - played->last_ns < clear_ns)
            continue;
        pending_requests_end(replay->requests, played->connection);
        totals_add_connection(replay->totals, played->connection, &played->pushes, last_ns);
        analysis_forget(replay->analysis, played->connection);
        if (played->pair->last == played)
            played->pair->last = NULL;
        if (--played->pair->played == 0)
            g_hash_table_remove(replay->pairs, played->pair);
        g_hash_table_iter_remove(&each);
    }
}

uint64_t
replay_cut(const struct replay *replay)
{
    return replay->cut;
}

void
replay_finish(struct replay *replay)
{
    GHashTableIter each;
    void *connection, *value;
    g_hash_table_iter_init(&each, replay->played);
    while (g_hash_table_iter_next(&each, &connection, &value)) {
        const struct played *played = value;
        analysis_end_connection(replay->analysis, connection);
        take_items(replay, played->pair);
        totals_add_connection(replay->totals, connection, &played->pushes, replay->analysis->requests.last_ns);
    }
    pending_requests_flush(replay->requests);
}
