/* prelude.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "prelude.h"

#include <string.h>

#include "../../request/tls_turn.h"
#include "proxy_header.h"

static void
note(const struct requests *requests, const struct piece *piece, const struct proxy_header *header)
{
    const size_t room = strlen(header->client) + 1;
    struct proxied *proxied = wmem_alloc(requests->scope, sizeof *proxied + room);
    proxied->end = piece->start + header->bytes;
    proxied->frame = piece->segment.frame;
    proxied->port = header->port;
    memcpy(proxied->client, header->client, room);
    piece->payload->connection->tcp->proxied = proxied;
}

uint32_t
prelude_take(const struct requests *requests, const struct piece *piece)
{
    const struct connection *connection = piece->payload->connection;
    const struct segment *segment = &piece->segment;
    struct proxy_header header;
    if (!connection->tcp->proxied) {
        if (connection->request || connection->sender[connection->client].read > 0 || requests->settings->by_turns ||
            piece->after_gap || piece->fresh < segment->payload_bytes ||
            !proxy_header_read(segment->payload, segment->captured_bytes, &header))
            return 0;
        note(requests, piece, &header);
    }
    return (uint32_t)CLAMP(connection->tcp->proxied->end - piece->start, 0, segment->payload_bytes);
}

void
prelude_note(const struct requests *requests, const struct piece *piece, uint32_t bytes)
{
    const struct proxy_header header = { .bytes = bytes };
    if (!piece->payload->connection->tcp->proxied)
        note(requests, piece, &header);
}

bool
prelude_leaves(struct requests *requests, const struct piece *piece, uint32_t bytes, struct prelude_rest *rest)
{
    struct segment *segment = &rest->piece.segment;
    const uint32_t captured = MIN(bytes, piece->segment.captured_bytes);
    if (bytes >= piece->segment.payload_bytes)
        return false;
    rest->payload = *piece->payload;
    rest->payload.segment = segment;
    rest->piece = *piece;
    rest->piece.payload = &rest->payload;
    rest->piece.start += bytes;
    rest->piece.fresh -= bytes;
    segment->seq += bytes;
    segment->payload_bytes -= bytes;
    if (captured > 0) /* else there may be no bytes to point behind */
        segment->payload += captured;
    segment->captured_bytes -= captured;
    segment->operation = tls_turn_take(requests, piece->payload->connection, segment, rest->piece.start);
    return true;
}
