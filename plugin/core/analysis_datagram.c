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
