/* pending.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "pending.h"

/* A connection's. */
struct queue {
    uint32_t connection; /* its number */
    GQueue pending;      /* of struct pending_request, by number */
    GHashTable *parked;  /* those with a lower number that still may change, by number; NULL before the first */
    uint32_t last_done;  /* the highest number written */
};

struct pending_requests {
    struct spill_buffer *spill_buffer; /* NULL if nobody wants packets */
    void (*write)(void *data, const struct pending_request *pending);
    void *data;
    GHashTable *queues; /* of struct queue */
};

static bool
is_retransmission(uint16_t flags)
{
    return flags & ITEM_RETRANSMISSION && !(flags & ITEM_DEMOTED);
}

/* Adds the item's packet. */
static void
add_packet(struct spill_buffer *spill_buffer, struct pending_request *pending, const struct item *item, uint32_t frame)
{
    const struct pending_packet packet = {
        .spacing_ns = item->spacing_ns,
        .byte_offset = item->byte_offset,
        .frame = frame,
        .ipid_delta = item->ipid_delta,
        .flags = item->flags,
        .of_response = item->kind == ITEM_RESPONSE,
    };
    pending->retransmissions += is_retransmission(item->flags);
    pending->is_unsorted |= frame < pending->last_frame || item->flags & ITEM_DEMOTED;
    pending->last_frame = MAX(pending->last_frame, frame);
    if (spill_buffer)
        chain_append(spill_buffer, &pending->packets, &packet, sizeof packet);
}

static void
collect_packets(void *packets, const uint8_t *bytes, size_t length)
{
    g_array_append_vals(packets, bytes, (unsigned)(length / sizeof(struct pending_packet)));
}

static int
compare_frames(const void *a, const void *b)
{
    const struct pending_packet *x = a, *y = b;
    return (x->frame > y->frame) - (x->frame < y->frame);
}

/* What the update of a packet says of it: not of a message in its frame. */
static void
demote(GArray *packets, const struct pending_packet *update)
{
    for (unsigned i = 0; i < packets->len; i++) {
        struct pending_packet *packet = &g_array_index(packets, struct pending_packet, i);
        if (packet->frame != update->frame || packet->flags & (ITEM_MESSAGE | ITEM_DEMOTED))
            continue;
        packet->flags = (uint16_t)((packet->flags & ~(ITEM_FIRST | ITEM_SHOWN)) | (update->flags & ITEM_SHOWN));
    }
}

/* The last that counts. */
static uint32_t
last_counted(const struct request *request)
{
    return request->followed_frame
               ? MAX(MAX(request->response.highest_frame, request->updated_frame), request->followed_frame)
               : UINT32_MAX;
}

/* Puts the packets into the order of the capture, with what became known of each, up to the last that counts: nothing
 * more comes. */
static void
settle_packets(struct spill_buffer *spill_buffer, struct pending_request *pending)
{
    const uint32_t last_frame = last_counted(&pending->request);
    if (!spill_buffer || !(pending->is_unsorted || pending->last_frame > last_frame))
        return;
    GArray *packets = g_array_new(FALSE, FALSE, sizeof(struct pending_packet));
    chain_read(spill_buffer, &pending->packets, collect_packets, packets);
    chain_clear(spill_buffer, &pending->packets);
    for (unsigned i = 0; i < packets->len; i++)
        if (g_array_index(packets, struct pending_packet, i).flags & ITEM_DEMOTED)
            demote(packets, &g_array_index(packets, struct pending_packet, i));
    g_array_sort(packets, compare_frames);
    for (unsigned i = 0; i < packets->len; i++) {
        const struct pending_packet *packet = &g_array_index(packets, struct pending_packet, i);
        if (packet->frame > last_frame)
            pending->retransmissions -= is_retransmission(packet->flags);
        else if (!(packet->flags & ITEM_DEMOTED))
            chain_append(spill_buffer, &pending->packets, packet, sizeof *packet);
    }
    g_array_free(packets, TRUE);
}

static void
free_queue(void *data)
{
    struct queue *queue = data;
    if (queue->parked)
        g_hash_table_destroy(queue->parked);
    g_free(queue);
}

struct pending_requests *
pending_requests_new(struct spill_buffer *spill_buffer,
                     void (*write)(void *data, const struct pending_request *pending), void *data)
{
    struct pending_requests *requests = g_new(struct pending_requests, 1);
    *requests = (struct pending_requests){
        .spill_buffer = spill_buffer,
        .write = write,
        .data = data,
        .queues = g_hash_table_new_full(g_int_hash, g_int_equal, NULL, free_queue),
    };
    return requests;
}

static void
forget(struct pending_requests *requests, struct pending_request *pending)
{
    chain_clear(requests->spill_buffer, &pending->packets);
    g_free(pending->operation);
    g_free(pending);
}

/* What the core knows of it now, unless it has forgotten it. */
static void
look_again(struct pending_request *pending)
{
    const struct request *request = request_referred(&pending->live);
    if (!request)
        return;
    pending->request = *request;
    pending->request.operation = pending->operation;
}

static struct queue *
queue_of(struct pending_requests *requests, const struct connection *connection)
{
    struct queue *queue = g_hash_table_lookup(requests->queues, &connection->number);
    if (!queue) {
        queue = g_new0(struct queue, 1);
        queue->connection = connection->number;
        g_hash_table_add(requests->queues, queue);
    }
    return queue;
}

static uint32_t
number_of(const GList *link)
{
    return ((const struct pending_request *)link->data)->request.number;
}

/* The link of the pending request with the highest number that is not above `number`. It is looked for from both ends:
 * of thousands of requests that are lost in one frame, the last may be told first. */
static GList *
link_up_to(const struct queue *queue, uint32_t number)
{
    GList *link = queue->pending.tail, *above = queue->pending.head;
    for (; link && number_of(link) > number; link = link->prev, above = above->next)
        if (number_of(above) > number)
            return above->prev;
    return link;
}

/* The request with PENDING_REQUESTS behind it: the core may forget it with a frame to come. */
static void
look_at_followed(const GList *link)
{
    for (unsigned i = 0; link && i < PENDING_REQUESTS; i++)
        link = link->prev;
    if (link)
        look_again(link->data);
}

static struct pending_request *
begin(struct queue *queue, GList *before, const struct request *request)
{
    struct pending_request *pending = g_new0(struct pending_request, 1);
    pending->operation = g_strdup(request->operation);
    pending->live = request_refer(request);
    look_again(pending);
    pending->link.data = pending;
    g_queue_insert_after_link(&queue->pending, before, &pending->link);
    /* Whether it has timed out is known by now. */
    if (before)
        look_again(before->data);
    look_at_followed(&pending->link);
    return pending;
}

static void
take_packets(struct pending_requests *requests, struct pending_request *pending, const struct item *item,
             uint32_t frame)
{
    if (item->kind == ITEM_UPDATED && !(item->flags & ITEM_DEMOTED))
        pending->updated_frame = MAX(pending->updated_frame, frame);
    else
        add_packet(requests->spill_buffer, pending, item, frame);
}

/* Whether a request that is a message has frames, or an update, to come; on later visits it knows its last frame. */
static bool
may_go_on(const struct pending_request *pending, uint32_t now)
{
    const struct request *live = request_referred(&pending->live);
    return live && live->by_messages &&
           (request_goes_on(live) || now < live->response.highest_frame ||
            (now == live->response.highest_frame && pending->last_frame < now) ||
            pending->updated_frame < live->updated_frame);
}

static void
finish(struct pending_requests *requests, struct pending_request *pending)
{
    look_again(pending);
    settle_packets(requests->spill_buffer, pending);
    requests->write(requests->data, pending);
    forget(requests, pending);
}

/* Whether more items of it may be told with the frame being taken: those that became known late are one by one. */
static bool
is_being_told(const struct pending_request *pending, uint32_t now)
{
    const struct request *live = request_referred(&pending->live);
    return live && live->touched_frame == now;
}

/* Whether, of a request that is no message, nothing counts that comes with this frame or a later one. */
static bool
is_past(const struct pending_request *pending, uint32_t now)
{
    const struct request *live = request_referred(&pending->live);
    return !live || (live->touched_frame != now && live->followed_frame && live->followed_frame < now);
}

/* The connection's oldest: nothing more comes of it, unless it is a message. */
static void
finish_one(struct pending_requests *requests, struct queue *queue, uint32_t now)
{
    struct pending_request *pending = g_queue_peek_head(&queue->pending);
    g_queue_unlink(&queue->pending, &pending->link);
    queue->last_done = MAX(queue->last_done, pending->request.number);
    if (!may_go_on(pending, now)) {
        finish(requests, pending);
        return;
    }
    if (!queue->parked)
        queue->parked = g_hash_table_new(g_direct_hash, g_direct_equal);
    g_hash_table_insert(queue->parked, GUINT_TO_POINTER(pending->request.number), pending);
}

/* As many as are too many, of those that are past. */
static void
finish_oldest(struct pending_requests *requests, struct queue *queue, uint32_t now)
{
    while (queue->pending.length > PENDING_REQUESTS && is_past(g_queue_peek_head(&queue->pending), now))
        finish_one(requests, queue, now);
}

static void
take_parked(struct pending_requests *requests, struct queue *queue, struct pending_request *pending,
            const struct item *item, uint32_t now)
{
    /* What is broken off has no further item, and the core may forget it. */
    look_again(pending);
    take_packets(requests, pending, item, item_frame(item, now));
    if (may_go_on(pending, now))
        return;
    g_hash_table_remove(queue->parked, GUINT_TO_POINTER(pending->request.number));
    if (is_being_told(pending, now))
        g_queue_insert_after_link(&queue->pending, link_up_to(queue, pending->request.number), &pending->link);
    else
        finish(requests, pending);
}

bool
pending_requests_take(struct pending_requests *requests, const struct item *item, uint32_t now)
{
    const uint32_t frame = item_frame(item, now);
    const struct request *request = item->request;
    struct queue *queue = queue_of(requests, request->connection);
    finish_oldest(requests, queue, now);
    struct pending_request *parked =
        queue->parked ? g_hash_table_lookup(queue->parked, GUINT_TO_POINTER(request->number)) : NULL;
    if (parked) {
        take_parked(requests, queue, parked, item, now);
        return false;
    }
    GList *link = link_up_to(queue, request->number);
    struct pending_request *pending = link ? link->data : NULL;
    bool is_new = !pending || pending->request.number != request->number;
    /* The frame of an update is another request's: it begins none. Where frames are out of order requests may begin
     * after others with higher numbers, with their own first frames. */
    if (is_new && (item->kind == ITEM_UPDATED || (request->number <= queue->last_done && request->first_frame < frame)))
        return false;
    if (is_new)
        pending = begin(queue, link, request);
    look_again(pending);
    take_packets(requests, pending, item, frame);
    if (frame >= request->first_frame)
        finish_oldest(requests, queue, now);
    return is_new;
}

static int
compare_numbers(const void *a, const void *b)
{
    const struct pending_request *x = *(struct pending_request *const *)a;
    const struct pending_request *y = *(struct pending_request *const *)b;
    return (x->request.number > y->request.number) - (x->request.number < y->request.number);
}

static void
collect(const struct queue *queue, GPtrArray *all)
{
    GHashTableIter each;
    void *pending;
    for (const GList *link = queue->pending.head; link; link = link->next)
        g_ptr_array_add(all, link->data);
    if (!queue->parked)
        return;
    g_hash_table_iter_init(&each, queue->parked);
    while (g_hash_table_iter_next(&each, NULL, &pending))
        g_ptr_array_add(all, pending);
}

static GPtrArray *
all_pending(const struct pending_requests *requests)
{
    GPtrArray *all = g_ptr_array_new();
    GHashTableIter each;
    void *queue;
    g_hash_table_iter_init(&each, requests->queues);
    while (g_hash_table_iter_next(&each, &queue, NULL))
        collect(queue, all);
    return all;
}

/* Writes them in the order of their numbers, and frees the list. */
static void
finish_all(struct pending_requests *requests, GPtrArray *all)
{
    g_ptr_array_sort(all, compare_numbers);
    for (unsigned i = 0; i < all->len; i++)
        finish(requests, g_ptr_array_index(all, i));
    g_ptr_array_free(all, TRUE);
}

void
pending_requests_end(struct pending_requests *requests, const struct connection *connection)
{
    const struct queue *queue = g_hash_table_lookup(requests->queues, &connection->number);
    GPtrArray *all = g_ptr_array_new();
    if (queue)
        collect(queue, all);
    finish_all(requests, all);
    g_hash_table_remove(requests->queues, &connection->number);
}

void
pending_requests_flush(struct pending_requests *requests)
{
    finish_all(requests, all_pending(requests));
    g_hash_table_remove_all(requests->queues);
}

void
pending_requests_free(struct pending_requests *requests)
{
    GPtrArray *all = all_pending(requests);
    for (unsigned i = 0; i < all->len; i++)
        forget(requests, g_ptr_array_index(all, i));
    g_ptr_array_free(all, TRUE);
    g_hash_table_destroy(requests->queues);
    g_free(requests);
}
