/* head.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "head.h"

#include "framing_parts.h"
#include "undecided.h"

struct head_frame {
    struct segment segment; /* without payload */
    struct item item;       /* what it is in its row */
};

struct head {
    struct run row;
    int64_t start; /* of the first frame's payload */
    unsigned n_frames;
    struct head_frame frame[HEAD_FRAMES];
};

const struct run *
head_row(const struct connection *connection, bool from_client)
{
    const struct head *head = connection->framing.head[from_client];
    return head ? &head->row : NULL;
}

struct segment
head_begin(const struct requests *requests, const struct connection *connection, bool from_client, int64_t *start)
{
    const struct head *head = connection->framing.head[from_client];
    *start = head ? head->start : requests->taken.start;
    return head ? head->frame[0].segment : requests->taken.segment;
}

/* If the segment's item is nobody's, it is the head's. */
static struct item
item_of(struct requests *requests, bool from_client)
{
    struct taken *taken = &requests->taken;
    const struct connection *connection = taken->connection;
    if (taken->has_item && !taken->owned) {
        struct item *item = items_at(requests->items, taken->position);
        item->kind = ITEM_HELD;
        taken->owned = true;
        return *item;
    }
    return (struct item){ .kind = ITEM_HELD,
                          .flags = ITEM_FIRST | ITEM_MESSAGE,
                          .sender = from_client ? connection->client : !connection->client };
}

void
head_add(struct requests *requests, struct connection *connection, bool from_client)
{
    struct head **head = &connection->framing.head[from_client];
    const struct taken *taken = &requests->taken;
    bool is_row = taken->has_item && !taken->owned;
    if (!*head) {
        *head = wmem_new0(requests->scope, struct head);
        (*head)->start = taken->start;
        (*head)->row = is_row ? taken->row : run_begin(taken->start);
    } else if (is_row) {
        (*head)->row = taken->row;
    }
    if ((*head)->n_frames == HEAD_FRAMES)
        return;
    struct head_frame *frame = &(*head)->frame[(*head)->n_frames++];
    frame->segment = taken->segment;
    frame->item = item_of(requests, from_client);
}

static void
forget(struct requests *requests, struct connection *connection, bool from_client)
{
    wmem_free(requests->scope, connection->framing.head[from_client]);
    connection->framing.head[from_client] = NULL;
}

void
head_own(struct requests *requests, struct connection *connection, bool from_client, struct request *request)
{
    struct head *head = connection->framing.head[from_client];
    if (!head)
        return;
    struct run *run = from_client ? &request->asking : &request->answering;
    if (!request->in_parts || run->first_frame == 0)
        *run = head->row;
    for (unsigned i = 0; i < head->n_frames; i++) {
        const struct segment *segment = &head->frame[i].segment;
        struct item *item = &head->frame[i].item;
        if (from_client)
            request_asks_more(request, segment, 0);
        else
            request_answers_more(request, segment, 0);
        /* A part begins in a frame that has one of the same request already. */
        if (request->in_parts && request->item_frame[from_client] == segment->frame)
            continue;
        request->item_frame[from_client] = segment->frame;
        if (request->number) {
            request_own(requests, request, item, from_client);
            request->flags += item_flags(item);
        } else {
            undecided_note(request, item, segment->frame);
        }
        items_settle(requests->items, segment->frame, item, ITEM_HELD);
    }
    forget(requests, connection, from_client);
}

void
head_drop(struct requests *requests, struct connection *connection, bool from_client)
{
    struct head *head = connection->framing.head[from_client];
    for (unsigned i = 0; head && i < head->n_frames; i++) {
        struct item *item = &head->frame[i].item;
        item->kind = from_client || framing_is_in_parts(connection) ? ITEM_UNREQUESTED : ITEM_UNSOLICITED;
        item->connection = connection;
        if (!(item->flags & ITEM_MESSAGE))
            items_settle(requests->items, head->frame[i].segment.frame, item, ITEM_HELD);
    }
    forget(requests, connection, from_client);
}
