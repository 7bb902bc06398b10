/* unowned.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "unowned.h"

#include <string.h>

#include "framing_messages.h"
#include "matching.h"

struct unowned {
    struct request request; /* first: what others have a pointer to. Of a head, too, `answering` is the row */
    wmem_array_t *frames;   /* of struct frame */
};

/* A frame of it, and what it is there. */
struct frame {
    struct item item;
    uint32_t number;
};

static struct unowned *
begin(const struct requests *requests, struct connection *connection, const struct segment *segment, int64_t start)
{
    struct unowned *unowned = wmem_new0(requests->scope, struct unowned);
    unowned->frames = wmem_array_new(requests->scope, sizeof(struct frame));
    unowned->request.connection = connection;
    request_is_answered(&unowned->request, segment, start);
    return unowned;
}

static void
release(const struct requests *requests, struct unowned *unowned)
{
    wmem_destroy_array(unowned->frames);
    wmem_free(requests->scope, unowned);
}

static void
add_frame(const struct unowned *unowned, const struct item *item, uint32_t number)
{
    const struct frame frame = { *item, number };
    wmem_array_append_one(unowned->frames, frame);
}

/* What was of that kind in its frames is of the request, or of an undecided answer. */
static void
own_frames(struct requests *requests, const struct unowned *unowned, struct request *request, bool asks,
           enum item_kind was)
{
    for (unsigned i = 0; i < wmem_array_get_count(unowned->frames); i++) {
        struct frame *frame = wmem_array_index(unowned->frames, i);
        /* A part begins in a frame that has one of the same request already. */
        if (request->in_parts && request->item_frame[asks] == frame->number)
            continue;
        request->item_frame[asks] = frame->number;
        if (request->number) {
            request_own(requests, request, &frame->item, asks);
            request->flags += item_flags(&frame->item);
        } else {
            undecided_note(request, &frame->item, frame->number);
        }
        items_settle(requests->items, frame->number, &frame->item, was);
    }
}

const struct run *
head_row(const struct connection *connection, bool from_client)
{
    const struct unowned *head = framing_work(connection)->head[from_client];
    return head ? &head->request.answering : NULL;
}

struct segment
head_begin(const struct carrier *carrier, bool from_client)
{
    const struct unowned *head = framing_work(carrier->piece->payload->connection)->head[from_client];
    const struct segment *carried = &carrier->piece->segment;
    return (struct segment){ .frame = head ? head->request.p0_frame : carried->frame,
                             .time_ns = head ? head->request.p0_ns : carried->time_ns };
}

/* If the carrier's item is nobody's, it is the head's. */
static struct item
item_of(struct requests *requests, struct carrier *carrier, bool from_client)
{
    const struct connection *connection = carrier->piece->payload->connection;
    if (carrier->has_item && !carrier->owned) {
        struct item *item = items_at(requests->items, carrier->position);
        item->kind = ITEM_HELD;
        carrier->owned = true;
        return *item;
    }
    return (struct item){ .kind = ITEM_HELD,
                          .flags = ITEM_FIRST | ITEM_MESSAGE,
                          .sender = from_client ? connection->client : !connection->client };
}

void
head_add(struct requests *requests, struct carrier *carrier, bool from_client)
{
    const struct piece *piece = carrier->piece;
    struct connection *connection = piece->payload->connection;
    struct unowned **head = &connection->framing.work->head[from_client];
    if (!*head)
        *head = begin(requests, connection, &piece->segment, piece->start);
    if (carrier->has_item && !carrier->owned)
        (*head)->request.answering = carrier->row;
    if (wmem_array_get_count((*head)->frames) == HEAD_FRAMES)
        return;
    request_answers_more(&(*head)->request, &piece->segment, 0);
    const struct item item = item_of(requests, carrier, from_client);
    add_frame(*head, &item, piece->segment.frame);
}

static void
forget(const struct requests *requests, struct connection *connection, bool from_client)
{
    release(requests, connection->framing.work->head[from_client]);
    connection->framing.work->head[from_client] = NULL;
}

void
head_own(struct requests *requests, struct connection *connection, bool from_client, struct request *request)
{
    const struct unowned *head = framing_work(connection)->head[from_client];
    if (!head)
        return;
    const struct segment ends[] = { { .frame = head->request.p0_frame, .time_ns = head->request.p0_ns },
                                    { .frame = head->request.p1_frame, .time_ns = head->request.p1_ns } };
    struct run *run = from_client ? &request->asking : &request->answering;
    if (!request->in_parts || run->first_frame == 0)
        *run = head->request.answering;
    for (unsigned i = 0; i < G_N_ELEMENTS(ends); i++)
        (from_client ? request_asks_more : request_answers_more)(request, &ends[i], 0);
    own_frames(requests, head, request, from_client, ITEM_HELD);
    forget(requests, connection, from_client);
}

void
head_drop(struct requests *requests, struct connection *connection, bool from_client)
{
    const struct unowned *head = framing_work(connection)->head[from_client];
    if (!head)
        return;
    for (unsigned i = 0; i < wmem_array_get_count(head->frames); i++) {
        struct frame *frame = wmem_array_index(head->frames, i);
        frame->item.kind = from_client || framing_is_in_parts(connection) ? ITEM_UNREQUESTED : ITEM_UNSOLICITED;
        frame->item.connection = connection;
        if (!(frame->item.flags & ITEM_MESSAGE))
            items_settle(requests->items, frame->number, &frame->item, ITEM_HELD);
    }
    forget(requests, connection, from_client);
}

static struct unowned *
answer_at(const struct connection *connection, unsigned i)
{
    return *(struct unowned **)wmem_array_index(connection->tcp->undecided, i);
}

struct request *
undecided_begin(struct requests *requests, struct connection *connection, const struct segment *segment, int64_t start)
{
    struct unowned *answer = begin(requests, connection, segment, start);
    if (!connection->tcp->undecided)
        connection->tcp->undecided = wmem_array_new(requests->scope, sizeof(struct unowned *));
    wmem_array_append_one(connection->tcp->undecided, answer);
    return &answer->request;
}

void
undecided_note(const struct request *request, struct item *item, uint32_t frame)
{
    item->kind = ITEM_UNDECIDED;
    item->connection = request->connection;
    add_frame((const struct unowned *)request, item, frame);
}

static void
place(struct requests *requests, const struct unowned *answer, struct request *request, uint32_t frame)
{
    const struct request *holder = &answer->request;
    struct framing *framing = &request->connection->framing;
    struct request **under_way = &framing->work->under_way[false];
    request->open = *under_way == holder;
    if (request_has_timed_out(requests, request, holder->p0_ns)) {
        request->timed_out = true;
        request->open = false;
    } else {
        request->p0_ns = holder->p0_ns;
        request->p1_ns = holder->p1_ns;
        request->p0_frame = holder->p0_frame;
        request->p1_frame = holder->p1_frame;
        request->last_frame = holder->last_frame;
        request->answering = holder->answering;
        request->response_bytes = holder->response_bytes;
        request->retransmissions += holder->retransmissions;
        request_note_order(request);
        request->failed = holder->failed;
        request->cut |= holder->cut;
        request->promised_bytes = holder->promised_bytes;
        memcpy(request->status, holder->status, sizeof request->status);
        framing->longest_ns = MAX(framing->longest_ns, request_first_byte(request));
        own_frames(requests, answer, request, false, ITEM_UNDECIDED);
    }
    if (*under_way == holder)
        *under_way = request->open ? request : NULL;
    request_update(requests, request, frame);
}

void
undecided_place(struct requests *requests, struct connection *connection, uint64_t key, uint64_t skipped,
                uint32_t frame)
{
    unsigned count = connection->tcp->undecided ? wmem_array_get_count(connection->tcp->undecided) : 0;
    for (uint64_t i = skipped; i < count; i++) {
        struct request *request = matching_take(requests, connection, key + i - skipped);
        if (request && !request_is_cut_off(request))
            place(requests, answer_at(connection, (unsigned)i), request, frame);
    }
    if (connection->framing.work->under_way[false] && !connection->framing.work->under_way[false]->by_messages)
        connection->framing.work->under_way[false] = NULL;
    undecided_drop(requests, connection);
}

void
undecided_drop(struct requests *requests, struct connection *connection)
{
    if (!connection->tcp->undecided)
        return;
    for (unsigned i = 0; i < wmem_array_get_count(connection->tcp->undecided); i++)
        release(requests, answer_at(connection, i));
    wmem_destroy_array(connection->tcp->undecided);
    connection->tcp->undecided = NULL;
}
