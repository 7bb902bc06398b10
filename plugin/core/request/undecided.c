/* undecided.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "undecided.h"

#include <string.h>

#include "matching.h"

struct answer {
    struct request request; /* first: what others have a pointer to */
    wmem_array_t *frames;   /* of struct frame */
};

/* A frame of it, and what it is there. */
struct frame {
    struct item item;
    uint32_t number;
};

/* A connection's. */
struct undecided {
    wmem_array_t *answers; /* of pointers */
};

static struct answer *
answer_at(const struct undecided *undecided, unsigned i)
{
    return *(struct answer **)wmem_array_index(undecided->answers, i);
}

void
undecided_drop(struct requests *requests, struct connection *connection)
{
    struct undecided *undecided = connection->undecided;
    if (!undecided)
        return;
    for (unsigned i = 0; i < wmem_array_get_count(undecided->answers); i++) {
        wmem_destroy_array(answer_at(undecided, i)->frames);
        wmem_free(requests->scope, answer_at(undecided, i));
    }
    wmem_destroy_array(undecided->answers);
    wmem_free(requests->scope, undecided);
    connection->undecided = NULL;
}

struct request *
undecided_begin(struct requests *requests, struct connection *connection, const struct segment *segment, int64_t start)
{
    if (!connection->undecided) {
        connection->undecided = wmem_new(requests->scope, struct undecided);
        *connection->undecided =
            (struct undecided){ .answers = wmem_array_new(requests->scope, sizeof(struct answer *)) };
    }
    struct answer *answer = wmem_new0(requests->scope, struct answer);
    wmem_array_append_one(connection->undecided->answers, answer);
    answer->frames = wmem_array_new(requests->scope, sizeof(struct frame));
    answer->request.connection = connection;
    request_is_answered(&answer->request, segment, start);
    return &answer->request;
}

void
undecided_note(const struct request *request, struct item *item, uint32_t number)
{
    item->kind = ITEM_UNDECIDED;
    item->connection = request->connection;
    const struct frame frame = { *item, number };
    wmem_array_append_one(((const struct answer *)request)->frames, frame);
}

static void
rewrite_items(struct requests *requests, struct answer *answer, struct request *request)
{
    struct frame *frames = wmem_array_get_raw(answer->frames);
    const unsigned count = wmem_array_get_count(answer->frames);
    for (unsigned i = 0; i < count; i++) {
        struct item *item = &frames[i].item;
        request_own(requests, request, item, false);
        request->flags += item_flags(item);
        items_settle(requests->items, frames[i].number, item, ITEM_UNDECIDED);
    }
}

static void
place(struct requests *requests, struct answer *answer, struct request *request)
{
    const struct request *holder = &answer->request;
    struct request **under_way = &request->connection->framing.under_way[false];
    request->open = *under_way == holder;
    if (request_has_timed_out(requests, request, holder->p0_ns)) {
        request->timed_out = true;
        request->open = false;
    } else {
        request->p0_ns = holder->p0_ns;
        request->p1_ns = holder->p1_ns;
        request->p0_frame = holder->p0_frame;
        request->p1_frame = holder->p1_frame;
        request->answering = holder->answering;
        request->response_bytes = holder->response_bytes;
        request->retransmissions += holder->retransmissions;
        request->reordered |= request->p0_ns < request->q1_ns;
        request->failed = holder->failed;
        request->cut |= holder->cut;
        request->promised_bytes = holder->promised_bytes;
        memcpy(request->status, holder->status, sizeof request->status);
        request->connection->framing.longest_ns =
            MAX(request->connection->framing.longest_ns, request_first_byte(request));
        rewrite_items(requests, answer, request);
    }
    if (*under_way == holder)
        *under_way = request->open ? request : NULL;
    request_update(requests, request);
}

void
undecided_place(struct requests *requests, struct connection *connection, uint64_t key, uint64_t skipped)
{
    struct undecided *undecided = connection->undecided;
    unsigned count = undecided ? wmem_array_get_count(undecided->answers) : 0;
    for (uint64_t i = skipped; i < count; i++) {
        struct request *request = matching_take(requests, connection, key + i - skipped);
        if (request)
            place(requests, answer_at(undecided, (unsigned)i), request);
    }
    if (connection->framing.under_way[false] && !connection->framing.under_way[false]->by_messages)
        connection->framing.under_way[false] = NULL;
    undecided_drop(requests, connection);
}
