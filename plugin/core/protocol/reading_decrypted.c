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

/* So many records of a server with session tickets (RFC 8446 §4.6.1), which cannot be told from application data. */
enum { TICKETS_MOST = 8 };

static const char application_data[] = "TLS Application Data";

static bool
is_tls(const struct request *request)
{
    return request && strncmp(request->operation, "TLS ", strlen("TLS ")) == 0;
}

bool
reading_wants_decrypted(const struct requests *requests)
{
    const struct connection *connection = requests->taken.connection;
    if (!connection || requests->settings->by_turns || requests->taken.fresh == 0 || !requests->taken.has_item)
        return false;
    const struct reading *reading = connection->reading;
    if (reading && (reading->parser || reading->awaits))
        return reading->decrypted || reading->awaits;
    return !(reading && reading->sealed) && !connection->framing.claimed && is_tls(connection->request);
}

static struct reading *
reading_of(struct requests *requests, struct connection *connection)
{
    if (!connection->reading)
        connection->reading = wmem_new0(requests->scope, struct reading);
    reading_bind(connection->reading, requests, connection);
    return connection->reading;
}

/* Turns go on, for ever. */
static void
seal(struct reading *reading, uint64_t how)
{
    const struct message message = { .kind = MESSAGE_RELEASE, .operation = application_data, .key = how };
    if (reading->parser || reading->awaits)
        reading_tell(reading, message);
    reading->parser = NULL;
    reading->connection->framing.is_lost = false;
    reading->awaits = reading->decrypted = false;
    reading->over = reading->sealed = true;
}

void
reading_give_up_decrypted(struct requests *requests, struct connection *connection)
{
    const struct reading *reading = connection->reading;
    if (is_tls(connection->request) && !connection->framing.claimed && !(reading && reading->parser))
        seal(reading_of(requests, connection), 0);
}

static void
follow_records(struct reading *reading, bool from_client, int64_t from)
{
    reading->records[from_client] = tls_records_begin(from);
    reading->records_from[from_client] = from;
}

/* A record that began before ends with this segment, if nothing else begins in it. */
static void
follow_client(struct reading *reading, const struct segment *segment)
{
    int64_t start = reading->requests->taken.start;
    follow_records(reading, true, start);
    if (!tls_records_take(&reading->records[true], segment, start))
        follow_records(reading, true, start + segment->payload_bytes);
    tls_records_complete(&reading->records[true], start + segment->payload_bytes);
}

/* The server has answered the handshake's beginning: what is sent along with that may be asked again, RFC 8446 §4.2.10.
 */
static bool
can_claim(const struct connection *connection, bool from_client)
{
    return from_client && connection->n_requests > 1 && is_tls(connection->requests[connection->n_requests - 2]);
}

/* The turn under way began with this segment. */
static bool
begins_turn(const struct connection *connection, const struct segment *segment)
{
    return connection->request->q0_frame == segment->frame && !connection->request->p0_frame;
}

static bool
begins_with_data(const struct connection *connection)
{
    return strcmp(connection->request->operation, application_data) == 0;
}

static void
claim(struct reading *reading, enum framing_kind kind)
{
    reading_tell(reading, (struct message){ .kind = MESSAGE_CLAIM, .hidden = true, .from_client = true, .key = kind });
}

/* What the client says first has been decrypted. A turn that it has begun before is the end of the handshake. */
static void
begin(struct requests *requests, struct connection *connection, const struct segment *segment, bool from_client,
      const struct decrypted *decrypted)
{
    struct reading *reading = reading_of(requests, connection);
    const struct sequence *answers = reading_sequence(reading, false);
    const struct parser *parser = NULL;
    if (reading->awaits)
        reading_tell(reading,
                     (struct message){ .kind = MESSAGE_RELEASE, .operation = application_data, .key = RELEASE_TURN });
    reading->awaits = false;
    if (can_claim(connection, from_client) && (begins_turn(connection, segment) || !begins_with_data(connection)))
        parser = reading_recognise(decrypted->bytes, decrypted->length);
    if (!parser || !answers->known) {
        seal(reading, RELEASE_TURN);
        return;
    }
    reading_begin(reading, parser, segment->time_ns);
    reading->decrypted = true;
    reading->flow[true].placed = reading->flow[false].placed = true;
    follow_client(reading, segment);
    follow_records(reading, false, answers->end);
    claim(reading, parser->kind);
}

/* The client's first record goes on in segments to come: until then this is no turn. */
static void
await(struct requests *requests, struct connection *connection, const struct segment *segment)
{
    struct reading *reading = reading_of(requests, connection);
    const struct sequence *answers = reading_sequence(reading, false);
    int64_t start = requests->taken.start;
    if (!requests->taken.in_order || !answers->known || !can_claim(connection, true) ||
        !begins_turn(connection, segment) || !begins_with_data(connection))
        return;
    follow_records(reading, true, start);
    if (!tls_records_take(&reading->records[true], segment, start) ||
        reading->records[true].next <= start + segment->payload_bytes)
        return;
    follow_records(reading, false, answers->end);
    reading->awaits = true;
    claim(reading, FRAMING_TURNS);
}

static bool
has_hole(const struct sequence *sequence, int64_t from)
{
    return sequence->n_holes > 0 && sequence->holes[sequence->n_holes - 1].end > from;
}

/* The record that goes on may still be filled, nothing after it. What is in flight then cannot be told from what the
 * capture does not have. */
void
reading_follow_records(struct reading *reading, const struct segment *segment, bool from_client)
{
    struct tls_records *records = &reading->records[from_client];
    const struct sequence *sequence = reading_sequence(reading, from_client);
    int64_t begun = records->next;
    if (!tls_records_take(records, segment, reading->requests->taken.start) ||
        (records->next > begun && has_hole(sequence, reading->records_from[from_client])))
        seal(reading, RELEASE_LOSES);
}

/* Of the server's segment no record ends: it is not unsolicited. */
static void
leave_part(struct requests *requests)
{
    struct item *item = items_at(requests->items, requests->taken.position);
    if (item->kind == ITEM_UNSOLICITED && !requests->taken.owned)
        item->kind = ITEM_UNREQUESTED;
}

/* Whether everything that could be decrypted was. */
static bool
is_whole(struct reading *reading, bool from_client, unsigned decrypted)
{
    const struct sequence *sequence = reading_sequence(reading, from_client);
    struct record_count complete = { 0 };
    if (!has_hole(sequence, reading->records_from[from_client]))
        complete = tls_records_complete(&reading->records[from_client], sequence->end);
    if (!from_client && complete.most == 0 && decrypted == 0)
        leave_part(reading->requests);
    if (!from_client && !reading->has_answered && decrypted < complete.least) {
        reading->tickets += complete.least - decrypted;
        complete.least = reading->tickets > TICKETS_MOST ? complete.least : decrypted;
    }
    reading->has_answered |= !from_client && decrypted > 0;
    return complete.least <= decrypted && decrypted <= complete.most;
}

/* Before anything has been decrypted that an application has said. */
static void
take_first(struct requests *requests, struct connection *connection, const struct segment *segment, bool from_client,
           const struct decrypted *decrypted)
{
    struct reading *reading = connection->reading;
    if (decrypted->length > 0)
        begin(requests, connection, segment, from_client, decrypted);
    else if (reading && reading->awaits && !is_whole(reading_of(requests, connection), from_client, 0))
        seal(reading, RELEASE_TURN);
    else if (from_client && decrypted->any)
        reading_of(requests, connection)->deciphers = true;
    else if (from_client && reading && reading->deciphers && !reading->awaits)
        await(requests, connection, segment);
}

void
reading_take_decrypted(struct requests *requests, const struct segment *segment, const struct decrypted *decrypted)
{
    struct connection *connection = requests->taken.connection;
    bool from_client = connection_sender(connection, segment) == connection->client;
    bool goes_on = connection->reading && connection->reading->parser;
    if (!goes_on)
        take_first(requests, connection, segment, from_client, decrypted);
    struct reading *reading = connection->reading;
    if (!reading || !reading->parser)
        return;
    reading_bind(reading, requests, connection);
    if (goes_on && !is_whole(reading, from_client, decrypted->records)) {
        seal(reading, RELEASE_TURN);
        return;
    }
    if (decrypted->length > 0)
        reading_bytes(reading, from_client, decrypted->bytes, decrypted->length, decrypted->length);
    /* An order that is lost is not found again by what TCP acknowledges. So is that of an answer to nothing: the
     * capture has its request later. */
    if (!reading->parser || reading->connection->framing.is_lost || reading->has_unsolicited)
        seal(reading, RELEASE_LOSES | RELEASE_TURN);
}
