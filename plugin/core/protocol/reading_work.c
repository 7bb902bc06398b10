/* reading_work.c
 * Most connections of a capture are between two messages: what only messages under way need is theirs alone.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "reading_parts.h"

static bool
is_resting(const struct reading *reading, const struct flow *flow)
{
    return flow->bytes == 0 && flow->held == 0 && flow->skip == 0 && flow->state == 0 && flow->marks == 0 &&
           flow->block == reading->parser->block && !flow->has_message && !flow->has_begun && !flow->is_open_ended &&
           !flow->ends && !flow->may_end;
}

static struct reading_work *
take_spare(struct requests *requests)
{
    struct reading_work *work = requests->spare_work;
    if (!work)
        return wmem_new0(requests->scope, struct reading_work);
    requests->spare_work = work->next;
    return work;
}

static void
make_spare(struct requests *requests, struct reading_work *work)
{
    work->next = requests->spare_work;
    requests->spare_work = work;
}

static void
wake(struct reading *reading)
{
    reading->work = take_spare(reading->requests);
    reading->work->operation[0] = '\0';
    for (unsigned side = 0; side < 2; side++) {
        struct flow *flow = &reading->work->flow[side];
        const struct flow_rest *rest = &reading->rest[side];
        *flow = (struct flow){
            .at = rest->at,
            .least = rest->least,
            .largest = rest->largest,
            .before = rest->before,
            .unread = rest->unread,
            .placed = rest->placed,
            .block = reading->parser ? reading->parser->block : 0,
            .piece = flow->piece, /* room, of whomever */
        };
    }
}

struct reading *
reading_at(const struct requests *requests, struct connection *connection)
{
    if (!connection->tcp->reading) {
        connection->tcp->reading = wmem_new0(requests->scope, struct reading);
        connection->tcp->reading->connection = connection;
    }
    return connection->tcp->reading;
}

struct reading *
reading_of(struct requests *requests, struct carrier *carrier)
{
    struct reading *reading = reading_at(requests, carrier->piece->payload->connection);
    reading->requests = requests;
    reading->carrier = carrier;
    if (!reading->work)
        wake(reading);
    return reading;
}

void
reading_sleep(struct reading *reading)
{
    struct reading_work *work = reading->work;
    if (!work ||
        (reading->parser && !(is_resting(reading, &work->flow[false]) && is_resting(reading, &work->flow[true]))))
        return;
    for (unsigned side = 0; side < 2; side++) {
        const struct flow *flow = &work->flow[side];
        reading->rest[side] = (struct flow_rest){
            .at = flow->at,
            .least = flow->least,
            .before = flow->before,
            .unread = flow->unread,
            .largest = flow->largest,
            .placed = flow->placed,
        };
    }
    reading->work = NULL;
    make_spare(reading->requests, work);
}

void
reading_shed(const struct requests *requests, struct connection *connection)
{
    struct reading_work *work = connection->tcp->reading ? connection->tcp->reading->work : NULL;
    for (unsigned side = 0; work && side < 2; side++) {
        struct flow *flow = &work->flow[side];
        if (flow->held > 0 || flow->ends) /* at its end a message's piece is looked at once more */
            continue;
        wmem_free(requests->scope, flow->piece);
        flow->piece = NULL;
    }
}

void
reading_forget(struct requests *requests, struct connection *connection)
{
    struct reading *reading = connection->tcp->reading;
    if (!reading)
        return;
    reading->requests = requests;
    reading_drop_own(reading);
    resync_free(reading->resync);
    if (reading->work)
        make_spare(requests, reading->work);
    reading_forget_decrypted(requests, reading);
    wmem_free(requests->scope, reading);
    connection->tcp->reading = NULL;
}
