/* analysis_datagram.c
 * Datagrams of UDP: what analysis.c does for segments.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "analysis.h"

/* Whose it is; not yet what it says. */
static void
begin(struct analysis *analysis, struct connection *conversation, const struct segment *segment)
{
    analysis->requests.frame = segment->frame;
    analysis->connection = conversation;
    analysis->has_payload = false;
    items_enter(analysis->items, segment->frame);
}

struct connection *
analysis_take_datagram(struct analysis *analysis, struct datagram *datagram)
{
    struct requests *requests = &analysis->requests;
    struct connection *conversation = datagrams_find(&analysis->datagrams, requests, datagram);
    struct segment *segment = &datagram->segment;
    /* Two queries of the same length differ in nothing else that connection_is_duplicate() looks at. */
    segment->seq = (uint32_t)datagram->message.key;
    requests->last_ns = MAX(requests->last_ns, segment->time_ns);
    begin(analysis, conversation, segment);
    conversation->last_ns = MAX(conversation->last_ns, segment->time_ns);
    return conversation;
}

void
analysis_read_datagram(struct analysis *analysis, struct datagram *datagram)
{
    struct connection *conversation = analysis->connection;
    if (connection_is_duplicate(conversation, &datagram->segment, analysis->requests.scope))
        items_add(analysis->items, datagram->segment.frame, ITEM_DUPLICATE)->connection = conversation;
    else
        datagrams_take(&analysis->datagrams, &analysis->requests, conversation, datagram);
}

/* Numbers a datagram by its last bytes before padding, which authenticate it: no two of a sender have the same. */
static uint32_t
number_of(const struct segment *segment)
{
    uint32_t number = 0, end = segment->captured_bytes;
    while (end > 0 && segment->payload[end - 1] == 0)
        end--;
    for (uint32_t at = end - MIN(end, sizeof number); at < end; at++)
        number = number << 8 | segment->payload[at];
    return number;
}

struct connection *
analysis_take_quic(struct analysis *analysis, struct segment *segment)
{
    struct requests *requests = &analysis->requests;
    segment->source.transport = segment->destination.transport = TRANSPORT_QUIC;
    struct connection *connection = quic_find(&analysis->quic, requests, segment);
    if (!connection)
        return NULL;
    segment->seq = number_of(segment);
    requests->last_ns = MAX(requests->last_ns, segment->time_ns);
    begin(analysis, connection, segment);
    connection->last_ns = MAX(connection->last_ns, segment->time_ns);
    return connection;
}

void
analysis_read_quic(struct analysis *analysis, const struct segment *segment)
{
    struct connection *connection = analysis->connection;
    if (connection_is_duplicate(connection, segment, analysis->requests.scope)) {
        items_add(analysis->items, segment->frame, ITEM_DUPLICATE)->connection = connection;
        analysis->connection = NULL;
        return;
    }
    quic_take(&analysis->quic, &analysis->requests, connection, segment);
    analysis->datagram = *segment;
    analysis->datagram.payload = NULL;
}

bool
analysis_read_quic_frames(struct analysis *analysis, const uint8_t *frames, size_t length)
{
    struct connection *connection = analysis->connection;
    return connection && connection->tcp->quic && analysis->requests.frame == analysis->datagram.frame &&
           quic_take_decrypted(&analysis->quic, &analysis->requests, connection, &analysis->datagram, frames, length);
}

struct connection *
analysis_take_quoted_quic(struct analysis *analysis, const struct segment *quoted)
{
    struct connection *connection = quic_find_quoted(&analysis->quic, quoted);
    if (!connection)
        return NULL;
    begin(analysis, connection, quoted);
    quic_refuse(&analysis->requests, connection, quoted);
    return connection;
}

struct connection *
analysis_take_quoted_datagram(struct analysis *analysis, struct datagram *query)
{
    query->segment.source.port = 0;
    struct connection *conversation = connection_find(analysis->datagrams.conversations, &query->segment.source,
                                                      &query->segment.destination, query->segment.ipv6);
    begin(analysis, conversation, &query->segment);
    return conversation;
}

void
analysis_read_quoted_datagram(struct analysis *analysis, const struct datagram *query)
{
    if (analysis->connection)
        datagrams_refuse(&analysis->requests, analysis->connection, query);
}
