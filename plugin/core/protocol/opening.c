/* opening.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "opening.h"

#include <string.h>

#include "parser.h"
#include "proxy/prelude.h"
#include "reading.h"
#include "../request/event.h"
#include "../request/turns.h"

/* Bytes behind it that are looked at. */
enum { AHEAD_BYTES = 512 };

struct held_piece {
    struct payload payload;
    struct piece piece;
    struct standing standing;
    uint32_t at; /* of its bytes, in those of its side */
};

/* Bytes of one side, in a row; 0 for those that the snap length cut. */
struct said {
    uint8_t *bytes;
    uint32_t n, room;
};

struct opening {
    struct connection *connection;
    uint8_t client;                  /* index of whose beginning it is: a late handshake may say otherwise */
    const struct parser *looks_like; /* what the server's answer decides; NULL: nothing yet */
    wmem_array_t *held;              /* of struct held_piece, whose operations are their own */
    struct said said[2];             /* by the server, by the client */
    uint32_t ahead;                  /* bytes noted behind the client's, of a piece that is not held */
    uint32_t answer_at;              /* of the server's bytes, from which on none are missing */
    uint32_t turn_at[2];             /* of each side's bytes, with which its last turn began */
    bool is_answering;               /* the last piece with bytes was the server's */
    bool is_head;                    /* the first piece alone does not tell: what follows it does */
    bool has_gap;                    /* bytes of either side are missing */
    GList link;
};

struct openings {
    struct requests *requests;
    opening_deliver deliver;
    opening_pass pass;
    void *data;
    GQueue open;    /* of struct opening */
    uint64_t bytes; /* that all of it takes */
};

struct openings *
openings_new(struct requests *requests, opening_deliver deliver, opening_pass pass, void *data)
{
    struct openings *openings = wmem_new0(requests->scope, struct openings);
    openings->requests = requests;
    openings->deliver = deliver;
    openings->pass = pass;
    openings->data = data;
    return openings;
}

static void
release(struct openings *openings, struct opening *opening)
{
    for (unsigned side = 0; side < 2; side++) {
        openings->bytes -= opening->said[side].room;
        wmem_free(openings->requests->scope, opening->said[side].bytes);
    }
    for (unsigned i = 0; i < wmem_array_get_count(opening->held); i++) {
        const struct held_piece *held = wmem_array_index(opening->held, i);
        if (held->piece.segment.operation)
            operation_text_leave(&openings->requests->operations, held->piece.segment.operation);
    }
    openings->bytes -= wmem_array_get_count(opening->held) * sizeof(struct held_piece);
    wmem_destroy_array(opening->held);
    wmem_free(openings->requests->scope, opening);
}

/* Notes in the connection, unless it has messages, whether it is opening. */
static void
note_opening(struct connection *connection)
{
    if (connection->session == SESSION_TURNS || connection->session == SESSION_OPENING)
        connection_set_session(connection, SESSION_TURNS);
}

/* Takes the opening from its connection and returns it; NULL if there is none. */
static struct opening *
close_opening(struct openings *openings, struct connection *connection)
{
    struct opening *opening = connection->tcp->opening;
    if (!opening)
        return NULL;
    connection->tcp->opening = NULL;
    note_opening(connection);
    g_queue_unlink(&openings->open, &opening->link);
    return opening;
}

void
opening_forget(struct openings *openings, struct connection *connection)
{
    struct opening *opening = close_opening(openings, connection);
    if (opening)
        release(openings, opening);
}

/* Tells whoever keeps what is said of the connection from where on it was held; `ends`: nothing more of it follows. */
static void
tell_held(const struct openings *openings, const struct opening *opening, bool ends)
{
    const struct held_piece *first = wmem_array_index(opening->held, 0);
    const struct event event = { .kind = EVENT_HELD, .held.until_end = ends };
    requests_tell(openings->requests, opening->connection, &event, &first->piece.segment);
}

void
opening_end(struct openings *openings, struct connection *connection, bool ends)
{
    struct opening *opening = close_opening(openings, connection);
    if (opening)
        tell_held(openings, opening, ends);
    for (unsigned i = 0; opening && i < wmem_array_get_count(opening->held); i++) {
        struct held_piece *held = wmem_array_index(opening->held, i);
        const bool from_client = held->payload.sender == opening->client;
        const struct said *said = &opening->said[from_client];
        held->piece.payload = &held->payload;
        held->piece.standing = from_client ? &held->standing : NULL;
        held->payload.segment = &held->piece.segment;
        held->piece.segment.payload = said->bytes ? said->bytes + held->at : NULL;
        held->piece.known_bytes = from_client && opening->is_head ? said->n + opening->ahead - held->at : 0;
        openings->deliver(openings->data, &held->piece);
    }
    if (opening)
        release(openings, opening);
}

void
openings_add_open(const struct openings *openings, GPtrArray *connections)
{
    for (const GList *link = openings->open.head; link; link = link->next)
        g_ptr_array_add(connections, ((const struct opening *)link->data)->connection);
}

/* Makes room for `bytes` more of a side. */
static void
make_room(struct openings *openings, struct said *said, uint32_t bytes)
{
    const uint32_t needed = said->n + bytes;
    if (needed <= said->room)
        return;
    const uint32_t room = MAX(needed, MIN(2 * said->room, OPENING_MOST + AHEAD_BYTES));
    said->bytes = wmem_realloc(openings->requests->scope, said->bytes, room);
    openings->bytes += room - said->room;
    said->room = room;
}

static struct opening *
open_one(struct openings *openings, struct connection *connection)
{
    struct opening *opening = connection->tcp->opening = wmem_new0(openings->requests->scope, struct opening);
    opening->connection = connection;
    opening->client = connection->client;
    opening->held = wmem_array_new(openings->requests->scope, sizeof(struct held_piece));
    opening->link.data = opening;
    g_queue_push_tail_link(&openings->open, &opening->link);
    note_opening(connection);
    return opening;
}

/* Notes the piece's bytes behind those of its side, of which they become a part only by hold(). */
static void
note_bytes(struct openings *openings, struct said *said, const struct segment *segment, uint32_t most)
{
    const uint32_t bytes = MIN(segment->payload_bytes, most), captured = MIN(segment->captured_bytes, bytes);
    if (bytes == 0)
        return;
    make_room(openings, said, bytes);
    if (captured > 0)
        memcpy(said->bytes + said->n, segment->payload, captured);
    memset(said->bytes + said->n + captured, 0, bytes - captured);
}

static void
hold(struct openings *openings, struct opening *opening, const struct piece *piece)
{
    struct said *said = &opening->said[piece->payload->sender == opening->client];
    struct held_piece held = { .payload = *piece->payload,
                               .piece = *piece,
                               .standing = reading_standing(opening->connection, piece),
                               .at = said->n };
    if (held.piece.segment.operation)
        held.piece.segment.operation =
            operation_text_share(&openings->requests->operations, held.piece.segment.operation);
    note_bytes(openings, said, &piece->segment, piece->segment.payload_bytes);
    said->n += piece->segment.payload_bytes;
    opening->ahead = 0;
    wmem_array_append_one(opening->held, held);
    openings->bytes += sizeof held;
}

/* Returns whether the piece, too, stays within the bounds of its connection. */
static bool
fits(const struct opening *opening, const struct piece *piece)
{
    const uint32_t bytes = piece->segment.payload_bytes;
    return bytes <= OPENING_MOST && (!opening || (opening->said[0].n + opening->said[1].n + bytes <= OPENING_MOST &&
                                                  wmem_array_get_count(opening->held) < OPENING_PIECES));
}

/* Makes room for the piece among all that is held: delivers what has been held longest, of other connections. Returns
 * whether there is room then; not if what the piece would join is the oldest. */
static bool
gain_room(struct openings *openings, const struct opening *opening, const struct piece *piece)
{
    const uint64_t bytes = piece->segment.payload_bytes + sizeof(struct held_piece);
    while (openings->bytes + bytes > OPENINGS_MOST) {
        const struct opening *oldest = openings->open.head->data;
        if (oldest == opening)
            return false;
        opening_end(openings, oldest->connection, false);
    }
    return true;
}

/* Whether the client's piece begins a turn of which nothing is known. */
static bool
begins_turn(const struct openings *openings, const struct piece *piece)
{
    return piece->fresh > 0 && !piece->payload->segment->operation &&
           turns_begin(openings->requests, piece->payload->connection, piece);
}

/* Whether a protocol may show with what follows the piece. */
static bool
may_show(const struct openings *openings, const struct piece *piece)
{
    const struct segment *segment = &piece->segment;
    return !piece->after_gap && segment->payload_bytes <= OPENING_BYTES &&
           segment->captured_bytes == segment->payload_bytes &&
           reading_may_begin(openings->requests, piece->payload->connection, segment->payload, segment->captured_bytes);
}

/* Returns the parser that the piece alone looks like a request of; NULL for none. */
static const struct parser *
look_of(const struct openings *openings, const struct piece *piece, bool *is_known)
{
    const struct segment *segment = &piece->segment;
    return reading_looks_like(openings->requests, piece->payload->connection, segment->payload, segment->captured_bytes,
                              segment->payload_bytes, is_known);
}

/* Passes what of the piece is a proxy's, and stands before what the client says. */
static bool
passes_prelude(struct openings *openings, const struct piece *piece)
{
    const uint32_t bytes = prelude_take(openings->requests, piece);
    if (bytes > 0)
        openings->pass(openings->data, piece, bytes);
    return bytes > 0;
}

static bool
begin(struct openings *openings, const struct piece *piece)
{
    if (piece->payload->connection->session != SESSION_TURNS || !begins_turn(openings, piece))
        return false;
    const bool is_proxied = piece->payload->connection->tcp->proxied;
    bool is_known;
    if (is_proxied && passes_prelude(openings, piece))
        return true;
    const struct parser *parser = look_of(openings, piece, &is_known);
    if (!is_proxied && !is_known && passes_prelude(openings, piece))
        return true;
    if (!fits(NULL, piece) || (!parser && (is_known || !may_show(openings, piece))) ||
        !gain_room(openings, NULL, piece))
        return false;
    struct opening *opening = open_one(openings, piece->payload->connection);
    opening->looks_like = parser;
    opening->is_head = !parser;
    hold(openings, opening, piece);
    return true;
}

/* Whether the piece is what was missing for a request that is the protocol's whatever the answer. */
static bool
is_certain_with(struct openings *openings, struct opening *opening, const struct piece *piece)
{
    const struct segment *segment = &piece->segment;
    struct said *said = &opening->said[true];
    if (!opening->looks_like->is_certain || opening->has_gap)
        return false;
    note_bytes(openings, said, segment, segment->captured_bytes);
    if (!opening->looks_like->is_certain(said->bytes, said->n + segment->captured_bytes,
                                         said->n + segment->payload_bytes))
        return false;
    opening->ahead = segment->captured_bytes;
    opening->is_head = true;
    return true;
}

/* Whether a protocol still may show with this piece, or one does, of which the server's answer decides. */
static bool
goes_on(struct openings *openings, struct opening *opening, const struct piece *piece)
{
    const struct segment *segment = &piece->segment;
    struct said *said = &opening->said[true];
    if (opening->looks_like) {
        if (opening->is_answering || piece->after_gap)
            opening->turn_at[true] = said->n;
        opening->is_answering = false;
        opening->has_gap |= piece->after_gap;
        return !is_certain_with(openings, opening, piece);
    }
    note_bytes(openings, said, segment, AHEAD_BYTES);
    opening->ahead = piece->after_gap ? 0 : MIN(segment->captured_bytes, AHEAD_BYTES);
    if (piece->after_gap || segment->captured_bytes < segment->payload_bytes)
        return false;
    const size_t known = said->n + MIN(segment->payload_bytes, AHEAD_BYTES);
    bool is_known;
    opening->looks_like =
        reading_looks_like(openings->requests, opening->connection, said->bytes, known, known, &is_known);
    return opening->looks_like || (!is_known && said->n + segment->payload_bytes <= OPENING_BYTES &&
                                   reading_may_begin(openings->requests, opening->connection, said->bytes, known));
}

/* Whether the server has sent the piece before it had any of what is held: that answers none of it. */
static bool
precedes(const struct opening *opening, const struct piece *piece)
{
    const struct held_piece *first = wmem_array_index(opening->held, 0);
    const struct connection *connection = opening->connection;
    const struct segment *segment = &piece->segment;
    return segment->flags & SEGMENT_ACK &&
           sequence_offset(&connection->tcp->sender[opening->client].sequence, segment->ack) <= first->piece.start;
}

/* Returns whether what the server says answers what is held: all that is there of it, the last turn by what the server
 * has said since, or the piece alone, whose `bytes` are the last of the server's `n`. Where bytes are missing, or the
 * connection's beginning is, what answers nothing may answer what the capture lacks. */
static enum agreement
judge(const struct opening *opening, uint32_t n, uint32_t bytes)
{
    const struct said *asked = &opening->said[true], *answered = &opening->said[false];
    const uint32_t turn = opening->turn_at[true];
    const struct {
        uint32_t asked_at, answered_at;
    } tries[] = { { 0, opening->answer_at }, { turn, opening->turn_at[false] }, { 0, n - bytes } };
    const bool may_be_older = !opening->connection->tcp->connect.number || opening->has_gap;
    enum agreement first = AGREEMENT_OPEN;
    for (unsigned i = 0; i < (may_be_older ? G_N_ELEMENTS(tries) : 1); i++) {
        const enum agreement agreement =
            opening->looks_like->agrees(asked->bytes + tries[i].asked_at, asked->n - tries[i].asked_at,
                                        answered->bytes + tries[i].answered_at, n - tries[i].answered_at);
        if (agreement == AGREEMENT_IS_ONE)
            return agreement;
        first = i == 0 ? agreement : first;
    }
    return may_be_older ? AGREEMENT_OPEN : first;
}

/* Whether the server's piece leaves it open what the client's are. Else it is noted in the connection. */
static bool
is_undecided(struct openings *openings, struct opening *opening, const struct piece *piece)
{
    struct said *said = &opening->said[false];
    if (piece->after_gap) {
        opening->answer_at = said->n;
        opening->has_gap = true;
    }
    if (!opening->is_answering || piece->after_gap)
        opening->turn_at[false] = said->n;
    opening->is_answering = true;
    note_bytes(openings, said, &piece->segment, piece->segment.payload_bytes);
    const enum agreement agreement =
        judge(opening, said->n + piece->segment.payload_bytes, piece->segment.payload_bytes);
    if (agreement != AGREEMENT_OPEN)
        reading_note_agreement(opening->connection, opening->looks_like, agreement == AGREEMENT_IS_ONE);
    return agreement == AGREEMENT_OPEN;
}

/* Whether a client says no more, and still awaits the answer that tells. */
static bool
is_half_close(const struct opening *opening, const struct piece *piece)
{
    const uint8_t flags = piece->segment.flags;
    return piece->payload->sender == opening->client && opening->looks_like && flags && !(flags & SEGMENT_RST) &&
           !piece->after_gap && !connection_is_closed(opening->connection);
}

/* Whether the piece joins what is held. */
static bool
joins(struct openings *openings, struct opening *opening, const struct piece *piece)
{
    if (piece->payload->segment->operation || !fits(opening, piece) || opening->client != opening->connection->client ||
        !gain_room(openings, opening, piece))
        return false;
    if (piece->ends)
        return is_half_close(opening, piece);
    if (piece->payload->sender == opening->client)
        return piece->fresh == 0 || goes_on(openings, opening, piece);
    return opening->looks_like && (piece->fresh == 0 || is_undecided(openings, opening, piece));
}

inline bool
opening_holds(struct openings *openings, const struct piece *piece)
{
    struct connection *connection = piece->payload->connection;
    struct opening *opening = connection->tcp->opening;
    const bool from_client = piece->payload->sender == (opening ? opening->client : connection->client);
    if (!opening)
        return from_client && !piece->ends && begin(openings, piece);
    if (!from_client && !piece->ends && precedes(opening, piece))
        return false;
    if (joins(openings, opening, piece)) {
        hold(openings, opening, piece);
        return true;
    }
    opening_end(openings, connection, false);
    return false;
}

bool
opening_holds_told(struct openings *openings, const struct piece *piece, bool is_held)
{
    struct connection *connection = piece->payload->connection;
    struct opening *opening = connection->tcp->opening;
    if (opening && piece->payload->sender != opening->client && !piece->ends && precedes(opening, piece))
        return false;
    const bool from_client = piece->payload->sender == (opening ? opening->client : connection->client);
    const bool may_be_held = piece->ends ? opening && from_client : opening || from_client;
    if (is_held && may_be_held && fits(opening, piece) && gain_room(openings, opening, piece)) {
        hold(openings, opening ? opening : open_one(openings, connection), piece);
        return true;
    }
    opening_end(openings, connection, false);
    return false;
}
