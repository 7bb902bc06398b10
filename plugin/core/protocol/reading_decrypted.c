/* reading_decrypted.c
 * Messages in what TLS hides and Wireshark has decrypted. An application gets a record when all of it is there: a
 * message is in the frames in which its records end.
 *
 * What is decrypted is known to be without gaps only as long as every record of application data is: the first that is
 * not ends it.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "reading.h"

#include <string.h>

#include "reading_parts.h"
#include "../request/turns.h"

/* The most records of a server that are taken for session tickets (RFC 8446 §4.6.1), which cannot be told from
 * application data. */
enum { TICKETS_MOST = 8 };

static const char application_data[] = "TLS Application Data";

static bool
is_tls(const struct request *request)
{
    return request && strncmp(request->operation, "TLS ", strlen("TLS ")) == 0;
}

bool
reading_wants_decrypted(const struct requests *requests, const struct connection *connection)
{
    const struct reading *reading = connection->tcp->reading;
    if (requests->settings->by_turns)
        return false;
    if (reading && (reading->parser || reading->awaits))
        return reading->decrypted || reading->awaits;
    return !(reading && reading->sealed) && !connection->framing.claimed && is_tls(connection->request);
}

/* Turns go on, for ever. */
static void
seal(struct reading *reading, uint64_t how)
{
    struct message message = { .kind = MESSAGE_RELEASE, .operation = application_data, .key = how };
    if (reading->parser || reading->awaits)
        reading_tell(reading, &message);
    reading->parser = NULL;
    reading->connection->framing.is_lost = false;
    reading->awaits = reading->decrypted = false;
    reading->over = reading->sealed = true;
}

void
reading_give_up_decrypted(struct requests *requests, struct carrier *carrier)
{
    const struct connection *connection = carrier->piece->payload->connection;
    const struct reading *reading = connection->tcp->reading;
    if (is_tls(connection->request) && !connection->framing.claimed && !(reading && reading->parser))
        seal(reading_of(requests, carrier), 0);
}

static struct followed *
followed_of(struct reading *reading, bool from_client)
{
    if (!reading->followed)
        reading->followed = wmem_alloc0_array(reading_scope(reading), struct followed, 2);
    return &reading->followed[from_client];
}

static void
follow_records(struct reading *reading, bool from_client, int64_t from)
{
    *followed_of(reading, from_client) = (struct followed){ tls_records_begin(from), from };
}

/* A record that began before ends with this piece, if nothing else begins in it. */
static void
follow_side(struct reading *reading, bool from_client, const struct piece *piece)
{
    int64_t end = piece->start + piece->segment.payload_bytes;
    follow_records(reading, from_client, piece->start);
    if (!tls_records_take(&followed_of(reading, from_client)->records, &piece->segment, piece->start))
        follow_records(reading, from_client, end);
    tls_records_complete(&followed_of(reading, from_client)->records, end);
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

static void
claim(struct reading *reading, bool from_client, enum framing_kind kind)
{
    reading_tell(reading,
                 &(struct message){ .kind = MESSAGE_CLAIM, .hidden = true, .from_client = from_client, .key = kind });
}

/* What is decrypted of the piece is the first of both sides. */
static void
begin_flows(struct reading *reading, const struct parser *parser, bool from_client, const struct piece *piece)
{
    if (reading->awaits)
        reading_tell(reading, &(struct message){ .kind = MESSAGE_RELEASE });
    reading_begin(reading, parser, piece->segment.time_ns);
    reading->decrypted = true;
    reading->work->flow[true].placed = reading->work->flow[false].placed = true;
    follow_side(reading, from_client, piece);
    follow_records(reading, !from_client, reading_sequence(reading, !from_client)->end);
    claim(reading, from_client, parser->kind);
}

void
reading_claim_decrypted(struct requests *requests, const struct parser *parser, struct carrier *carrier,
                        bool from_client)
{
    struct reading *reading = reading_of(requests, carrier);
    begin_flows(reading, parser, from_client, carrier->piece);
    reading->is_begun = true;
}

/* What the client says first has been decrypted. A turn that it has begun before is the end of the handshake. What is
 * sent before the server has answered that may be asked again, RFC 8446 §4.2.10. */
static void
begin(struct reading *reading, const struct piece *piece, const struct decrypted *decrypted)
{
    const struct sequence *answers = reading_sequence(reading, false);
    const struct parser *parser = NULL;
    const struct asking asking = asking_of(reading->requests, reading->connection, piece);
    const bool from_client = piece->payload->sender == reading->connection->client;
    if (!from_client && !reading->awaits && reading_recognise_greeting(decrypted->bytes, decrypted->length)) {
        reading->is_greeted = true;
        return;
    }
    if (from_client && is_tls(asking.before) && (asking.begins || !asking.is_data))
        parser = reading_recognise(decrypted->bytes, decrypted->length, decrypted->length);
    if (!parser || !answers->known) {
        reading->is_broken = true;
        return;
    }
    begin_flows(reading, parser, true, piece);
}

/* The client's first record goes on in segments to come: until then this is no turn. */
static void
await(struct reading *reading, const struct piece *piece)
{
    const struct sequence *answers = reading_sequence(reading, false);
    const struct asking asking = asking_of(reading->requests, reading->connection, piece);
    if (piece->after_gap || !answers->known || !is_tls(asking.before) || !asking.begins || !asking.is_data)
        return;
    follow_records(reading, true, piece->start);
    if (!tls_records_take(&followed_of(reading, true)->records, &piece->segment, piece->start) ||
        followed_of(reading, true)->records.next <= piece->start + piece->segment.payload_bytes)
        return;
    follow_records(reading, false, answers->end);
    reading->awaits = true;
    claim(reading, true, FRAMING_TURNS);
}

static bool
has_hole(const struct sequence *sequence, int64_t from)
{
    return sequence->n_holes > 0 && sequence->holes[sequence->n_holes - 1].end > from;
}

/* False where the records cannot be followed: the one that goes on may still be filled, nothing after it. What is in
 * flight then cannot be told from what the capture does not have. */
static bool
follow(struct reading *reading, const struct piece *piece, bool from_client)
{
    struct tls_records *records = &followed_of(reading, from_client)->records;
    int64_t begun = records->next;
    return tls_records_take(records, &piece->segment, piece->start) &&
           (records->next == begun ||
            !has_hole(reading_sequence(reading, from_client), followed_of(reading, from_client)->from));
}

/* Whether everything that could be decrypted was. */
static bool
is_whole(struct reading *reading, bool from_client, unsigned decrypted)
{
    const struct sequence *sequence = reading_sequence(reading, from_client);
    struct record_count complete = { 0 };
    if (!has_hole(sequence, followed_of(reading, from_client)->from))
        complete = tls_records_complete(&followed_of(reading, from_client)->records, sequence->end);
    reading->is_part = !from_client && complete.most == 0 && decrypted == 0;
    if (!from_client && !reading->has_answered && decrypted < complete.least) {
        reading->tickets += complete.least - decrypted;
        complete.least = reading->tickets > TICKETS_MOST ? complete.least : decrypted;
    }
    reading->has_answered |= !from_client && decrypted > 0;
    return complete.least <= decrypted && decrypted <= complete.most;
}

void
reading_arrives_decrypted(struct requests *requests, struct carrier *carrier, const struct decrypted *decrypted)
{
    const struct piece *piece = carrier->piece;
    const struct connection *connection = piece->payload->connection;
    bool from_client = piece->payload->sender == connection->client;
    if (piece->fresh == 0 || (!connection->tcp->reading && !decrypted->any))
        return;
    struct reading *reading = reading_of(requests, carrier);
    bool goes_on = reading->parser, follows = goes_on || reading->awaits;
    if (reading->is_begun)
        reading->is_begun = false;
    else if (follows && !follow(reading, piece, from_client))
        seal(reading, RELEASE_LOSES);
    else if (goes_on)
        reading->is_broken = !is_whole(reading, from_client, decrypted->records);
    else if (decrypted->length > 0)
        begin(reading, piece, decrypted);
    else if (reading->awaits)
        reading->is_broken = !is_whole(reading, from_client, 0);
    else if (from_client && decrypted->any)
        reading->deciphers = true;
    else if (from_client && reading->deciphers)
        await(reading, piece);
}

/* Of the server's segment no record ends: it is not unsolicited. */
static void
leave_part(const struct reading *reading)
{
    struct item *item = items_at(reading->requests->items, reading->carrier->position);
    if (item->kind == ITEM_UNSOLICITED && !reading->carrier->owned)
        item->kind = ITEM_UNREQUESTED;
}

void
reading_take_decrypted(struct reading *reading, bool from_client, const struct decrypted *decrypted)
{
    if (reading->is_broken) {
        seal(reading, RELEASE_TURN);
        return;
    }
    if (!reading->decrypted)
        return;
    if (reading->is_part)
        leave_part(reading);
    reading->is_part = false;
    if (decrypted->length > 0)
        reading_bytes(reading, from_client, decrypted->bytes, decrypted->length, decrypted->length);
    /* An order that is lost is not found again by what TCP acknowledges. So is that of an answer to nothing: the
     * capture has its request later. */
    if (!reading->parser || reading->connection->framing.is_lost || reading->has_unsolicited)
        seal(reading, RELEASE_LOSES | RELEASE_TURN);
}
