/* reading_decrypted.c
 * Messages in what TLS hides and Wireshark has decrypted. An application gets a record when all of it is there: a
 * message is in the frames in which its records end.
 *
 * Wireshark decrypts a record when all before it is there, as its TCP hands it over; what it hides waits (plaintext.h)
 * until the stream, which is in causal order, has got to the record's end. It is known to be without gaps only as long
 * as every record of application data is decrypted: the first that is not ends it.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "reading.h"

#include <string.h>

#include "parsers.h"
#include "reading_parts.h"
#include "../request/turns.h"

/* The most records of a server that are taken for session tickets (RFC 8446 §4.6.1), which cannot be told from
 * application data. */
enum { TICKETS_MOST = 8 };

/* The fewest bytes that encryption adds to a record's plaintext: ChaCha20-Poly1305 in TLS 1.2, RFC 7905. */
enum { OVERHEAD_LEAST = 16 };

/* A record of TLS 1.3 with so many bytes may be an alert, which has 2, or a new key, 5; with a type and 16 bytes of
 * authentication. */
enum { SMALL = 5 + 1 + 16 };

static const char application_data[] = "TLS Application Data";

/* The records of application data that end in a piece, and how far the queue of plaintext matches them. */
struct ended {
    uint32_t
        overhead; /* bytes that encryption adds to each; a record with another overhead is a ticket. 0: not known */
    const struct plaintext *plaintext;
    bool from_client;
    unsigned all, big;   /* how many records ended; a small one may be an alert or a new key instead */
    unsigned fitting;    /* records of the queue that have been matched, in order */
    unsigned missing;    /* big records for which the queue has no plaintext */
    uint32_t last_bytes; /* size of the record that ended last */
};

static bool
is_tls(const struct request *request)
{
    return request && strncmp(request->operation, "TLS ", strlen("TLS ")) == 0;
}

inline bool
reading_wants_decrypted(const struct requests *requests, const struct connection *connection)
{
    const struct reading *reading = connection->tcp->reading;
    if (requests->settings->by_turns)
        return false;
    if (reading && reading->decryption && reading->decryption->state != DECRYPTION_SOUGHT)
        return reading->decryption->state != DECRYPTION_SEALED;
    return connection->session != SESSION_MESSAGES && is_tls(connection->request);
}

static void
forget_plaintext(struct decryption *decryption)
{
    for (unsigned side = 0; side < 2; side++) {
        struct plaintext *plaintext = &decryption->followed[side].plaintext;
        plaintext_remove(plaintext, plaintext_records(plaintext));
    }
}

/* Turns go on, for ever; one may begin with the segment. */
static void
seal(struct reading *reading, bool begins_turn)
{
    struct event event = { .kind = EVENT_RELEASE,
                           .release = { .loses = true, .begins_turn = begins_turn, .operation = application_data } };
    reading_tell(reading, &event);
    reading->parser = NULL;
    connection_set_session(reading->connection, SESSION_OVER);
    reading->decryption->state = DECRYPTION_SEALED;
    forget_plaintext(reading->decryption);
}

/* Whether the capture lacks bytes before the segment that the stream waits for. Then Wireshark decrypts it only if its
 * TCP does not put segments in order, and in what order records are is not known. */
static bool
is_behind_hole(const struct payload *payload)
{
    const struct connection *connection = payload->connection;
    return sequence_lacks(&connection->tcp->sender[payload->sender].sequence, connection->sender[payload->sender].read,
                          payload->packet.start);
}

void
reading_note_decrypted(struct requests *requests, const struct payload *payload, const struct decrypted *decrypted)
{
    struct connection *connection = payload->connection;
    if (!connection->tcp->reading && !decrypted->any)
        return;
    struct reading *reading = reading_at(requests, connection);
    if (!reading->decryption)
        reading->decryption = wmem_new0(requests->scope, struct decryption);
    struct decryption *decryption = reading->decryption;
    const bool from_client = payload->sender == connection->client;
    decryption->is_disordered |= decrypted->records > 0 && is_behind_hole(payload);
    decryption->deciphers |= from_client && decrypted->any;
    plaintext_add(&decryption->followed[from_client].plaintext, requests->scope, decrypted);
}

inline struct decrypted
reading_hidden(const struct connection *connection, uint8_t sender)
{
    const struct reading *reading = connection->tcp->reading;
    if (!reading || !reading->decryption)
        return (struct decrypted){ 0 };
    const struct plaintext *plaintext = &reading->decryption->followed[sender == connection->client].plaintext;
    return plaintext_first(plaintext, plaintext_records(plaintext));
}

void
reading_forget_decrypted(struct requests *requests, struct reading *reading)
{
    if (reading->decryption)
        forget_plaintext(reading->decryption);
    wmem_free(requests->scope, reading->decryption);
}

/* What the client begins to ask with the piece, or goes on asking. */
struct asking {
    const struct request *before; /* NULL for nothing */
    bool begins;
    bool is_data; /* as far as TLS's records tell */
};

static struct asking
asking_of(const struct requests *requests, const struct connection *connection, const struct piece *piece)
{
    char text[OPERATION_ROOM] = "";
    const struct request *request = connection->request;
    const uint32_t n = connection->n_requests;
    if (!turns_begin(requests, connection, piece))
        return (struct asking){ .before = n > 1 ? connection->requests[n - 2] : NULL,
                                .is_data = strcmp(request->operation, application_data) == 0 };
    if (!piece->segment.operation)
        operation_read(piece->segment.payload, piece->segment.captured_bytes, text);
    const char *operation = piece->segment.operation ? piece->segment.operation : text;
    return (struct asking){ request, true, strcmp(operation, application_data) == 0 };
}

/* What the client says first has been decrypted. A turn that it has begun before is the end of the handshake. What is
 * sent before the server has answered that may be asked again, RFC 8446 §4.2.10. */
static void
begin(struct reading *reading, const struct piece *piece, struct plaintext *plaintext)
{
    const struct decrypted hidden = plaintext_first(plaintext, plaintext_records(plaintext));
    const struct parser *parser = NULL;
    const struct asking asking = asking_of(reading->requests, reading->connection, piece);
    const bool from_client = piece->payload->sender == reading->connection->client;
    const bool greets =
        !from_client && reading->decryption->state == DECRYPTION_SOUGHT && reading_greeter(hidden.bytes, hidden.length);
    if (greets || hidden.length == 0) {
        reading->decryption->is_greeted |= greets;
        plaintext_remove(plaintext, hidden.records);
        return;
    }
    if (from_client && is_tls(asking.before) && (asking.begins || !asking.is_data))
        parser = reading_recognise(hidden.bytes, hidden.length, hidden.length);
    if (!parser || !reading_sequence(reading, false)->known)
        reading->decryption->is_broken = true;
    else
        reading_begin(reading, parser, true, true);
}

/* The client's first record goes on in segments to come: until then this is no turn. */
static void
await(struct reading *reading, const struct piece *piece, const struct tls_cursor *cursor)
{
    const struct asking asking = asking_of(reading->requests, reading->connection, piece);
    if (piece->after_gap || !reading_sequence(reading, false)->known || !is_tls(asking.before) || !asking.begins ||
        !asking.is_data || cursor->left == 0 || cursor->type != TLS_APPLICATION_DATA)
        return;
    reading->decryption->state = DECRYPTION_AWAITED;
    reading_tell(reading, &(struct event){ .kind = EVENT_CLAIM, .claim = { .from_client = true, .hidden = true } });
}

static void
note_ended(struct ended *ended, uint32_t bytes)
{
    const bool is_small = bytes <= SMALL;
    const bool is_left = ended->fitting < plaintext_records(ended->plaintext);
    const struct decrypted next = plaintext_first(ended->plaintext, ended->fitting + is_left);
    ended->all++;
    ended->big += !is_small;
    ended->last_bytes = bytes;
    if (is_left && bytes >= next.lengths[ended->fitting] + OVERHEAD_LEAST &&
        (ended->overhead == 0 || bytes - next.lengths[ended->fitting] == ended->overhead))
        ended->fitting++;
    else
        ended->missing += !is_small;
}

static void
follow(struct tls_cursor *cursor, const struct piece *piece, struct ended *ended)
{
    struct tls_part part;
    while (tls_cursor_next(cursor, &piece->segment, piece->start, &part))
        if (part.ends && cursor->type == TLS_APPLICATION_DATA)
            note_ended(ended, cursor->bytes);
}

/* Decides which plaintext belongs to the records that end in the piece: the first `n_ready` records of the queue. False
 * if a record was not decrypted. */
static bool
match(const struct reading *reading, const struct piece *piece, const struct ended *ended)
{
    struct decryption *decryption = reading->decryption;
    const bool is_newest =
        piece->start + piece->segment.payload_bytes == reading_sequence(reading, ended->from_client)->end;
    const unsigned decrypted = plaintext_records(ended->plaintext);
    unsigned missing = ended->missing;
    decryption->n_ready = ended->fitting;
    /* nothing more of that side is there: all of it is this piece's */
    if (is_newest) {
        decryption->n_ready = decrypted;
        missing = ended->big > decrypted ? ended->big - decrypted : 0;
        if (decrypted > ended->all)
            return false;
        if (ended->from_client && ended->all == 1 && decrypted == 1)
            decryption->overhead = ended->last_bytes - (uint32_t)plaintext_first(ended->plaintext, 1).length;
    }
    decryption->is_part = !ended->from_client && ended->all == 0 && decryption->n_ready == 0;
    if (missing > 0 && !ended->from_client && !decryption->has_answered)
        missing = (decryption->tickets += missing) > TICKETS_MOST ? missing : 0;
    decryption->has_answered |= !ended->from_client && decryption->n_ready > 0;
    return missing == 0;
}

inline bool
reading_is_hidden(const struct reading *reading)
{
    return reading && reading->decryption && reading->decryption->state != DECRYPTION_SEALED &&
           (!reading->parser || reading->decryption->state == DECRYPTION_READ);
}

void
reading_arrives_decrypted(struct requests *requests, struct carrier *carrier)
{
    const struct piece *piece = carrier->piece;
    const bool from_client = piece->payload->sender == piece->payload->connection->client;
    struct reading *reading = reading_of(requests, carrier);
    struct decryption *decryption = reading->decryption;
    struct followed *followed = &decryption->followed[from_client];
    struct ended ended = { .plaintext = &followed->plaintext,
                           .from_client = from_client,
                           .overhead = from_client || decryption->has_answered ? 0 : decryption->overhead };
    if (piece->fresh == 0)
        return;
    if (decryption->is_disordered || (piece->after_gap && decryption->state != DECRYPTION_SOUGHT)) {
        seal(reading, false);
        return;
    }
    follow(&followed->cursor, piece, &ended);
    if (followed->cursor.is_lost) {
        if (decryption->state != DECRYPTION_SOUGHT) {
            seal(reading, false);
            return;
        }
        /* a record that began before ends with this piece, if nothing else begins in it */
        followed->cursor = tls_cursor_begin(piece->start + piece->segment.payload_bytes);
    }
    if (!reading->parser && plaintext_records(&followed->plaintext) > 0)
        begin(reading, piece, &followed->plaintext);
    if (decryption->state != DECRYPTION_SOUGHT)
        decryption->is_broken |= !match(reading, piece, &ended);
    else if (from_client && decryption->deciphers && !decryption->is_broken)
        await(reading, piece, &followed->cursor);
}

void
reading_take_decrypted(struct reading *reading, bool from_client)
{
    struct decryption *decryption = reading->decryption;
    struct plaintext *plaintext = &decryption->followed[from_client].plaintext;
    const struct decrypted hidden = plaintext_first(plaintext, decryption->n_ready);
    if (decryption->is_broken) {
        seal(reading, true);
        return;
    }
    if (decryption->state != DECRYPTION_READ)
        return;
    /* a segment of the server in which no record ends is not unsolicited */
    if (decryption->is_part)
        reading->carrier->kind = ITEM_UNREQUESTED;
    decryption->is_part = false;
    decryption->read_from = reading->flow[from_client].at;
    if (hidden.length > 0)
        reading_bytes(reading, from_client, hidden.bytes, hidden.length, hidden.length);
    plaintext_remove(plaintext, decryption->n_ready);
    decryption->n_ready = 0;
    /* An order that is lost is not found again by what TCP acknowledges. */
    if (!reading->parser || reading->connection->exchanges.is_lost || reading->has_unsolicited)
        seal(reading, true);
}
