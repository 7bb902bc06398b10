/* unplaced.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "unplaced.h"

#include <string.h>

#include "waiting.h"

struct answer {
    struct request request; /* first: what others have a pointer to */
    wmem_array_t *frames;   /* of struct overtaken */
};

/* A connection's. Placed ones have the number of their request. */
struct unplaced {
    wmem_array_t *answers; /* of pointers */
    bool placed;
};

static struct answer *
answer_at(const struct unplaced *unplaced, unsigned i)
{
    return *(struct answer **)wmem_array_index(unplaced->answers, i);
}

void
unplaced_drop(struct requests *requests, struct connection *connection)
{
    struct unplaced *unplaced = connection->unplaced;
    if (!unplaced)
        return;
    for (unsigned i = 0; i < wmem_array_get_count(unplaced->answers); i++) {
        wmem_destroy_array(answer_at(unplaced, i)->frames);
        wmem_free(requests->scope, answer_at(unplaced, i));
    }
    wmem_destroy_array(unplaced->answers);
    wmem_free(requests->scope, unplaced);
    connection->unplaced = NULL;
}

struct request *
unplaced_begin(struct requests *requests, struct connection *connection)
{
    if (connection->unplaced && connection->unplaced->placed)
        unplaced_drop(requests, connection);
    if (!connection->unplaced) {
        connection->unplaced = wmem_new(requests->scope, struct unplaced);
        *connection->unplaced =
            (struct unplaced){ .answers = wmem_array_new(requests->scope, sizeof(struct answer *)) };
    }
    struct answer *answer = wmem_new0(requests->scope, struct answer);
    wmem_array_append_one(connection->unplaced->answers, answer);
    answer->frames = wmem_array_new(requests->scope, sizeof(struct overtaken));
    answer->request.connection = connection;
    request_is_answered(&answer->request, &requests->taken.segment, requests->taken.start);
    return &answer->request;
}

void
unplaced_note(struct requests *requests, const struct request *request, struct item *item, uint32_t position)
{
    item->kind = ITEM_UNPLACED;
    item->connection = request->connection;
    const struct overtaken frame = {
        .item = *item,
        .start = requests->taken.start,
        .frame = requests->taken.segment.frame,
        .position = position,
    };
    wmem_array_append_one(((const struct answer *)request)->frames, frame);
}

static void
rewrite_items(struct requests *requests, struct answer *answer, struct request *request)
{
    struct overtaken *frames = wmem_array_get_raw(answer->frames);
    const unsigned count = wmem_array_get_count(answer->frames);
    for (unsigned i = 0; i < count; i++) {
        struct item *item = &frames[i].item;
        item->kind = ITEM_RESPONSE;
        item->request = request;
        request->flags += item_flags(item);
    }
    if (items_are_kept(requests->items))
        overtaken_write(frames, count, requests->items);
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
        request->acknowledged = holder->acknowledged;
        request->has_acknowledged = holder->has_acknowledged;
        request->answering = holder->answering;
        request->response_bytes = holder->response_bytes;
        request->retransmissions += holder->retransmissions;
        request->reordered |= request->p0_ns < request->q1_ns;
        request->failed = holder->failed;
        memcpy(request->status, holder->status, sizeof request->status);
        request->connection->framing.longest_ns =
            MAX(request->connection->framing.longest_ns, request_first_byte(request));
        rewrite_items(requests, answer, request);
        answer->request.number = request->number;
    }
    if (*under_way == holder)
        *under_way = request->open ? request : NULL;
    request_amend(requests, request);
}

void
unplaced_place(struct requests *requests, struct connection *connection, uint64_t key, uint64_t skipped)
{
    struct unplaced *unplaced = connection->unplaced;
    unsigned count = unplaced && !unplaced->placed ? wmem_array_get_count(unplaced->answers) : 0;
    for (uint64_t i = skipped; i < count; i++) {
        struct request *request = waiting_take(requests, connection, key + i - skipped);
        if (request)
            place(requests, answer_at(unplaced, (unsigned)i), request);
    }
    if (!unplaced)
        return;
    unplaced->placed = true;
    if (connection->framing.under_way[false] && !connection->framing.under_way[false]->told_apart)
        connection->framing.under_way[false] = NULL;
}

const struct overtaken *
unplaced_frames(const struct connection *connection, const struct request *request, unsigned *count)
{
    const struct unplaced *unplaced = connection->unplaced;
    if (!unplaced || !unplaced->placed)
        return NULL;
    for (unsigned i = 0; i < wmem_array_get_count(unplaced->answers); i++) {
        const struct answer *answer = answer_at(unplaced, i);
        *count = wmem_array_get_count(answer->frames);
        if (answer->request.number == request->number)
            return wmem_array_get_raw(answer->frames);
    }
    return NULL;
}
