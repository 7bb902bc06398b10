/* unowned.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "unowned.h"

#include "matching.h"

/* The beginning of a message, as if it were a response: when and in which frames it has come so far, and its row. */
struct head {
    struct response seen;
    struct unsolicited before; /* what the server had said unasked, until the head turns out to be that, too */
    wmem_array_t *frames;      /* of struct frame */
};

struct undecided {
    uint64_t key; /* of its messages; nobody's */
    struct response response;
    bool cut;             /* the snap length cut it: segments say where it ends */
    bool is_stream;       /* messages that keep coming */
    wmem_array_t *frames; /* of struct frame */
};

/* A frame of what is nobody's, and what it shows of it. */
struct frame {
    struct item item;
    struct instant at;
    int64_t spacing_ns; /* if it is a server's, and nobody has asked for it */
};

static struct head *
head_new(const struct requests *requests, const struct piece *piece)
{
    struct head *head = wmem_new0(requests->scope, struct head);
    head->frames = wmem_array_new(requests->scope, sizeof(struct frame));
    head->before = *requests_unsolicited(requests, piece->payload->connection);
    response_begin(&head->seen, segment_instant(&piece->segment), piece->start);
    return head;
}

static void
add_frame(wmem_array_t *frames, const struct item *item, struct instant at, int64_t spacing_ns)
{
    const struct frame frame = { *item, at, spacing_ns };
    wmem_array_append_one(frames, frame);
}

/* Gives the frames to the request, in which they were of that kind until now. */
static void
own_frames(struct requests *requests, wmem_array_t *frames, struct request *request, bool asks, enum item_kind was)
{
    for (unsigned i = 0; i < wmem_array_get_count(frames); i++) {
        struct frame *frame = wmem_array_index(frames, i);
        /* A part begins in a frame that has one of the same request already. */
        if (request->in_parts && request->parts.item_frame[asks] == frame->at.frame)
            continue;
        request->parts.item_frame[asks] = frame->at.frame;
        request_own(requests, request, &frame->item, asks);
        request->flags += item_flags(&frame->item);
        items_settle(requests->items, frame->at.frame, &frame->item, was);
    }
}

const struct run *
head_row(const struct connection *connection, bool from_client)
{
    const struct head *head = connection->exchanges.work.head[from_client];
    return head ? &head->seen.row : NULL;
}

struct instant
head_begin(const struct carrier *carrier, bool from_client)
{
    const struct head *head = carrier->piece->payload->connection->exchanges.work.head[from_client];
    const struct segment *carried = &carrier->piece->segment;
    return head ? (struct instant){ head->seen.first_ns, head->seen.first_frame } : segment_instant(carried);
}

/* Returns what the carrier shows of the head: its packet, if nobody has that yet. */
static struct item
item_of(struct requests *requests, struct carrier *carrier, bool from_client)
{
    const struct connection *connection = carrier->piece->payload->connection;
    if (carrier->is_free)
        return *carrier_packet(requests, carrier, ITEM_HELD);
    return (struct item){ .kind = ITEM_HELD,
                          .flags = ITEM_FIRST | ITEM_MESSAGE,
                          .sender = from_client ? connection->client : !connection->client };
}

/* Notes that the server's packet is unsolicited, which forget_push() takes back if it is not. Returns how far it is
 * behind the one before. Packets behind it may be known to be unsolicited before it is. */
static int64_t
push_spacing(const struct requests *requests, const struct item *item, const struct piece *piece)
{
    struct item push = *item;
    push.connection = piece->payload->connection;
    requests_note_push(requests, &push, piece->segment.time_ns);
    return push.spacing_ns;
}

static void
forget_push(struct connection *connection, const struct head *head)
{
    connection->unsolicited->has_pushed = head->before.has_pushed;
    connection->unsolicited->has_greeted = head->before.has_greeted;
    connection->unsolicited->pushed_ns = head->before.pushed_ns;
}

void
head_add(struct requests *requests, struct carrier *carrier, bool from_client)
{
    const struct piece *piece = carrier->piece;
    struct head **head = &piece->payload->connection->exchanges.work.head[from_client];
    if (!*head)
        *head = head_new(requests, piece);
    if (wmem_array_get_count((*head)->frames) == HEAD_FRAMES)
        return;
    response_add(&(*head)->seen, segment_instant(&piece->segment), 0);
    const bool is_packet = carrier->is_free;
    const struct item item = item_of(requests, carrier, from_client);
    if (is_packet)
        (*head)->seen.row = carrier->row;
    add_frame((*head)->frames, &item, segment_instant(&piece->segment),
              is_packet && !from_client ? push_spacing(requests, &item, piece) : -1);
}

/* Frees the head, whose frames have found their owner. */
static void
forget(const struct requests *requests, struct connection *connection, bool from_client)
{
    struct head **head = &connection->exchanges.work.head[from_client];
    wmem_destroy_array((*head)->frames);
    wmem_free(requests->scope, *head);
    *head = NULL;
}

inline void
head_own(struct requests *requests, struct connection *connection, bool from_client, struct request *request)
{
    const struct head *head = connection->exchanges.work.head[from_client];
    if (!head)
        return;
    const struct instant ends[] = { { head->seen.first_ns, head->seen.first_frame },
                                    { head->seen.last_ns, head->seen.last_frame } };
    struct run *run = request_row(request, from_client);
    if (!request->in_parts || run->first_frame == 0)
        *run = head->seen.row;
    for (unsigned i = 0; i < G_N_ELEMENTS(ends); i++)
        (from_client ? request_asks_more : request_answers_more)(request, ends[i], 0);
    if (!from_client)
        forget_push(connection, head);
    own_frames(requests, head->frames, request, from_client, ITEM_HELD);
    forget(requests, connection, from_client);
}

inline void
head_drop(struct requests *requests, struct connection *connection, bool from_client)
{
    const struct head *head = connection->exchanges.work.head[from_client];
    if (!head)
        return;
    for (unsigned i = 0; i < wmem_array_get_count(head->frames); i++) {
        struct frame *frame = wmem_array_index(head->frames, i);
        frame->item.kind = from_client || exchanges_are_in_parts(connection) ? ITEM_UNREQUESTED : ITEM_UNSOLICITED;
        frame->item.connection = connection;
        if (frame->item.flags & ITEM_MESSAGE)
            continue;
        if (frame->item.kind == ITEM_UNSOLICITED)
            frame->item.spacing_ns = frame->spacing_ns;
        items_settle(requests->items, frame->at.frame, &frame->item, ITEM_HELD);
    }
    forget(requests, connection, from_client);
}

/* Adds what a frame shows of the answer to its frames. */
static void
undecided_note(const struct undecided *answer, struct item *item, struct connection *connection, struct instant at)
{
    item->kind = ITEM_UNDECIDED;
    item->connection = connection;
    add_frame(answer->frames, item, at, -1);
}

/* Makes the server's head, if there is one, the answer's beginning. */
static void
undecided_own_head(struct requests *requests, struct connection *connection, struct undecided *answer)
{
    const struct head *head = connection->exchanges.work.head[false];
    if (!head)
        return;
    answer->response = head->seen;
    for (unsigned i = 0; i < wmem_array_get_count(head->frames); i++) {
        struct frame *frame = wmem_array_index(head->frames, i);
        undecided_note(answer, &frame->item, connection, frame->at);
        items_settle(requests->items, frame->at.frame, &frame->item, ITEM_HELD);
    }
    forget_push(connection, head);
    forget(requests, connection, false);
}

static struct undecided *
undecided_begin(struct requests *requests, struct carrier *carrier, const struct message *message)
{
    const struct piece *piece = carrier->piece;
    struct connection *connection = piece->payload->connection;
    const struct instant begun = head_begin(carrier, false);
    struct undecided *answer = wmem_new0(requests->scope, struct undecided);
    answer->frames = wmem_array_new(requests->scope, sizeof(struct frame));
    answer->key = message->key;
    response_begin(&answer->response, begun, piece->start);
    if (!connection->tcp->undecided)
        connection->tcp->undecided = wmem_array_new(requests->scope, sizeof(struct undecided *));
    wmem_array_append_one(connection->tcp->undecided, answer);
    undecided_own_head(requests, connection, answer);
    response_add(&answer->response, exchanges_instant(carrier, begun), message->bytes);
    struct item *item = carrier_item(requests, carrier, &answer->response.row, false);
    undecided_note(answer, item, connection, segment_instant(&piece->segment));
    return answer;
}

void
undecided_take(struct requests *requests, struct carrier *carrier, const struct message *message)
{
    struct connection *connection = carrier->piece->payload->connection;
    struct exchanges_work *work = &connection->exchanges.work;
    if (!work->undecided || work->undecided->key != message->key)
        work->undecided = undecided_begin(requests, carrier, message);
    struct undecided *answer = work->undecided;
    answer->cut |= message->cut;
    answer->is_stream |= message->is_stream;
    if (message->status && *message->status) {
        status_copy(answer->response.status, message->status);
        answer->response.failed = message->failed;
    }
    answer->response.promised_bytes = message->rest > 0 ? message->bytes + message->rest : 0;
    if (message->ends || connection->exchanges.hidden)
        answer->response.bytes = message->bytes;
    if (message->ends)
        work->undecided = NULL;
}

void
undecided_add_packet(struct requests *requests, struct undecided *answer, const struct piece *piece)
{
    const struct segment *segment = &piece->segment;
    struct item *item = requests_add_packet(requests, &answer->response.row, piece, ITEM_UNDECIDED);
    undecided_note(answer, item, piece->payload->connection, segment_instant(segment));
    response_add(&answer->response, segment_instant(segment), piece->fresh);
}

void
undecided_limit(struct undecided *answer, uint64_t bytes)
{
    answer->response.bytes = MIN(answer->response.bytes, bytes);
}

static struct undecided *
answer_at(const struct connection *connection, unsigned i)
{
    return *(struct undecided **)wmem_array_index(connection->tcp->undecided, i);
}

/* Makes the answer the request's. */
static void
assign(struct requests *requests, const struct undecided *answer, struct request *request, uint32_t frame)
{
    struct exchanges *exchanges = &request->connection->exchanges;
    request->open = exchanges->work.undecided == answer;
    if (request_has_timed_out(requests, request, answer->response.first_ns)) {
        request_end(request, ENDING_TIMED_OUT);
        request->open = false;
    } else {
        request->response = answer->response;
        request->cut |= answer->cut;
        request->is_stream |= answer->is_stream;
        request_note_order(request);
        exchanges->longest_ns = MAX(exchanges->longest_ns, request_first_byte(request));
        own_frames(requests, answer->frames, request, false, ITEM_UNDECIDED);
    }
    if (request->open)
        exchanges->work.under_way[false] = request;
    request_update(requests, request, frame);
}

void
undecided_assign(struct requests *requests, struct connection *connection, uint64_t key, uint64_t skipped,
                 uint32_t frame)
{
    unsigned count = connection->tcp->undecided ? wmem_array_get_count(connection->tcp->undecided) : 0;
    for (uint64_t i = skipped; i < count; i++) {
        struct request *request = matching_take(requests, connection, key + i - skipped);
        if (request && !request_is_cut_off(request))
            assign(requests, answer_at(connection, (unsigned)i), request, frame);
    }
    undecided_drop(requests, connection);
}

void
undecided_drop(struct requests *requests, struct connection *connection)
{
    if (!connection->tcp->undecided)
        return;
    connection->exchanges.work.undecided = NULL;
    for (unsigned i = 0; i < wmem_array_get_count(connection->tcp->undecided); i++) {
        struct undecided *answer = answer_at(connection, i);
        wmem_destroy_array(answer->frames);
        wmem_free(requests->scope, answer);
    }
    wmem_destroy_array(connection->tcp->undecided);
    connection->tcp->undecided = NULL;
}
