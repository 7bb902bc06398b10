/* opening.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "opening.h"

#include <string.h>

#include "reading.h"
#include "../request/turns.h"

/* Bytes behind it that are looked at, and pieces: some may only have been sent again. */
enum { AHEAD_BYTES = 512, PIECES_MOST = 2 * OPENING_BYTES };

struct kept {
    struct payload payload;
    struct piece piece;
};

struct opening {
    struct connection *connection;
    wmem_array_t *kept; /* of struct kept */
    uint32_t n;         /* bytes of theirs */
    uint8_t bytes[OPENING_BYTES + AHEAD_BYTES];
    GList link;
};

struct openings {
    struct requests *requests;
    opening_deliver deliver;
    void *data;
    GQueue open; /* of struct opening */
};

struct openings *
openings_new(struct requests *requests, opening_deliver deliver, void *data)
{
    struct openings *openings = wmem_new0(requests->scope, struct openings);
    openings->requests = requests;
    openings->deliver = deliver;
    openings->data = data;
    return openings;
}

static void
release(struct openings *openings, struct opening *opening)
{
    wmem_destroy_array(opening->kept);
    wmem_free(openings->requests->scope, opening);
}

/* The connection has none from now on. Returns the one it had; NULL for none. */
static struct opening *
close_opening(struct openings *openings, struct connection *connection)
{
    struct opening *opening = connection->tcp->opening;
    if (!opening)
        return NULL;
    connection->tcp->opening = NULL;
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

/* `ahead`: so many bytes follow those that are kept. */
static void
deliver_kept(struct openings *openings, struct connection *connection, uint32_t ahead)
{
    struct opening *opening = close_opening(openings, connection);
    uint32_t at = 0;
    for (unsigned i = 0; opening && i < wmem_array_get_count(opening->kept); i++) {
        struct kept *kept = wmem_array_index(opening->kept, i);
        kept->piece.payload = &kept->payload;
        kept->payload.segment = &kept->piece.segment;
        kept->piece.segment.payload = opening->bytes + at;
        kept->piece.known_bytes = opening->n + ahead - at;
        at += kept->piece.segment.payload_bytes;
        openings->deliver(openings->data, &kept->piece);
    }
    if (opening)
        release(openings, opening);
}

void
opening_end(struct openings *openings, struct connection *connection)
{
    deliver_kept(openings, connection, 0);
}

void
openings_add_open(const struct openings *openings, GPtrArray *connections)
{
    for (const GList *link = openings->open.head; link; link = link->next)
        g_ptr_array_add(connections, ((const struct opening *)link->data)->connection);
}

static void
keep(struct openings *openings, const struct piece *piece)
{
    struct connection *connection = piece->payload->connection;
    struct opening *opening = connection->tcp->opening;
    const struct kept kept = { *piece->payload, *piece };
    if (!opening) {
        opening = connection->tcp->opening = wmem_new0(openings->requests->scope, struct opening);
        opening->connection = connection;
        opening->kept = wmem_array_new(openings->requests->scope, sizeof(struct kept));
        opening->link.data = opening;
        g_queue_push_tail_link(&openings->open, &opening->link);
    }
    wmem_array_append_one(opening->kept, kept);
    if (piece->segment.captured_bytes > 0)
        memcpy(opening->bytes + opening->n, piece->segment.payload, piece->segment.captured_bytes);
    opening->n += piece->segment.payload_bytes;
}

static bool
is_clients(const struct piece *piece)
{
    return piece->payload->sender == piece->payload->connection->client && !piece->ends;
}

/* Whether a protocol may show with what follows the piece. */
static bool
begins(const struct openings *openings, const struct piece *piece)
{
    const struct segment *segment = &piece->segment;
    return segment->payload_bytes <= OPENING_BYTES && segment->captured_bytes == segment->payload_bytes &&
           piece->fresh > 0 && !piece->after_gap && !piece->payload->segment->operation &&
           reading_may_begin(openings->requests, piece->payload->connection, segment->payload,
                             segment->captured_bytes) &&
           turns_begin(openings->requests, piece->payload->connection, piece);
}

/* Whether it still may with this piece, of which the bytes are noted. */
static bool
goes_on(const struct openings *openings, struct opening *opening, const struct piece *piece)
{
    const struct segment *segment = &piece->segment;
    if (segment->captured_bytes > 0)
        memcpy(opening->bytes + opening->n, segment->payload, MIN(segment->captured_bytes, AHEAD_BYTES));
    return opening->n + segment->payload_bytes <= OPENING_BYTES && segment->captured_bytes == segment->payload_bytes &&
           !piece->after_gap &&
           reading_may_begin(openings->requests, opening->connection, opening->bytes,
                             opening->n + segment->payload_bytes);
}

/* Whether the server has sent the piece before it had any of what is kept: that answers none of it. */
static bool
precedes(const struct opening *opening, const struct piece *piece)
{
    const struct kept *first = wmem_array_index(opening->kept, 0);
    const struct connection *connection = opening->connection;
    const struct segment *segment = &piece->segment;
    return piece->payload->sender != connection->client && !piece->ends && segment->flags & SEGMENT_ACK &&
           sequence_offset(&connection->tcp->sender[connection->client].sequence, segment->ack) <= first->piece.start;
}

bool
opening_keeps(struct openings *openings, const struct piece *piece)
{
    struct connection *connection = piece->payload->connection;
    struct opening *opening = connection->tcp->opening;
    bool keeps = false;
    if (is_clients(piece) && opening)
        keeps = (piece->fresh == 0 || goes_on(openings, opening, piece)) &&
                wmem_array_get_count(opening->kept) < PIECES_MOST;
    else if (is_clients(piece))
        keeps = begins(openings, piece);
    if (keeps)
        keep(openings, piece);
    else if (opening && !precedes(opening, piece))
        deliver_kept(openings, connection,
                     is_clients(piece) && !piece->after_gap ? MIN(piece->segment.captured_bytes, AHEAD_BYTES) : 0);
    return keeps;
}
