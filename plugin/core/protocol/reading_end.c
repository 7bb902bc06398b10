/* reading_end.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "reading.h"

#include "reading_parts.h"

/* The server sends no more: what it has begun to say is an answer, and to what else waits it said nothing, if all of it
 * has been read. */
void
reading_take_end(struct requests *requests, const struct piece *piece)
{
    struct connection *connection = piece->payload->connection;
    struct reading *reading = connection->reading;
    if (!reading || !reading->parser || reading->decrypted)
        return;
    const struct flow *flow = &reading->flow[false];
    reading_bind(reading, requests, connection);
    bool has_ids = reading->parser->has_ids;
    bool is_read = flow->placed && !piece->after_gap && (has_ids || reading_knows_next(reading));
    if (is_read && !has_ids && flow->has_begun && !resync_next(reading->resync).idle) {
        reading_answers(reading, "", false);
        reading_tell_message(reading, false, false);
    } else if (!is_read) {
        reading_tell(reading, (struct message){ .kind = MESSAGE_LOSE, .key = UINT64_MAX });
    }
}
