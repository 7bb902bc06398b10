/* overtaking.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "overtaking.h"

enum { OVERTAKING_FRAMES = 64 };

struct overtaking {
    bool active;
    bool given_up;         /* too many, until the next request */
    uint32_t acknowledged; /* the highest acknowledgement among the frames */
    uint32_t n_frames;
    uint32_t room;
    struct overtaken *frames;
    uint32_t settled; /* the number of the request whose they are; 0 before */
    /* What the frames would make as a response: see request.h. */
    int64_t p0_ns, p1_ns;
    uint32_t p0_frame, p1_frame;
    uint64_t bytes;
    struct request *before; /* the request they count to now; NULL if they are unsolicited */
    uint64_t before_bytes;  /* what it was without them */
    int64_t before_p1_ns;
    uint32_t before_p1_frame;
};

static void
begin(struct overtaking *overtaking, struct connection *connection, const struct segment *segment,
      const struct place *place, struct request *before)
{
    *overtaking = (struct overtaking){
        .active = true,
        .acknowledged = segment->ack,
        .room = overtaking->room,
        .frames = overtaking->frames,
        .p0_ns = segment->time_ns,
        .p0_frame = segment->frame,
        .p1_ns = segment->time_ns,
        .before = before,
    };
    if (before) {
        overtaking->before_bytes = before->response_bytes;
        overtaking->before_p1_ns = before->p1_ns;
        overtaking->before_p1_frame = before->p1_frame;
    } else {
        connection->unsolicited = run_begin(place->start);
    }
}

/* Whether a server's frame acknowledges more than the client has been seen to send. */
static bool
is_ahead(const struct connection *connection, const struct segment *segment, const struct request *before)
{
    const struct sequence *sent = &connection->sender[connection->client].sequence;
    if (!(segment->flags & SEGMENT_ACK) || (before && request_acknowledges(before, segment->ack)))
        return false;
    return !sent->known || sequence_offset(sent, segment->ack) > sent->end;
}

struct overtaken *
overtaking_watch(struct requests *requests, struct connection *connection, const struct segment *segment,
                 const struct place *place, struct request *before)
{
    struct overtaking *overtaking = connection->overtaking;
    if (!is_ahead(connection, segment, before)) {
        if (overtaking)
            overtaking->active = false;
        return NULL;
    }
    if (!overtaking)
        overtaking = connection->overtaking = wmem_new0(requests->scope, struct overtaking);
    if (overtaking->active && overtaking->n_frames == OVERTAKING_FRAMES) {
        overtaking->active = false;
        overtaking->given_up = true;
    }
    if (overtaking->given_up)
        return NULL;
    if (!overtaking->active)
        begin(overtaking, connection, segment, place, before);
    if (overtaking->n_frames == overtaking->room) {
        overtaking->room = overtaking->room ? overtaking->room * 2 : 4;
        overtaking->frames =
            wmem_realloc(requests->scope, overtaking->frames, overtaking->room * sizeof *overtaking->frames);
    }
    struct overtaken *watched = &overtaking->frames[overtaking->n_frames++];
    *watched = (struct overtaken){ .start = place->start, .frame = segment->frame };
    if ((int32_t)(segment->ack - overtaking->acknowledged) > 0)
        overtaking->acknowledged = segment->ack;
    overtaking->p1_ns = MAX(overtaking->p1_ns, segment->time_ns);
    overtaking->p1_frame = segment->frame;
    overtaking->bytes += place->fresh;
    return watched;
}

void
overtaking_note(struct overtaken *watched, struct items *items)
{
    watched->position = items_last(items);
    watched->item = *items_at(items, watched->position);
}

/* The frames' items said what they were in the row they counted to; and so did that row's request. */
static void
rewrite_items(struct overtaking *overtaking, struct request *request, int64_t shift, const struct settings *settings)
{
    for (uint32_t i = 0; i < overtaking->n_frames; i++) {
        struct item *item = &overtaking->frames[i].item;
        if (overtaking->before)
            overtaking->before->flags -= item_flags(item);
        item->kind = ITEM_RESPONSE;
        item->request = request;
        item->byte_offset -= MIN(item->byte_offset, (uint64_t)shift);
        item->flags &= (uint16_t) ~(ITEM_CHUNK_BOUNDARY | (i == 1 ? ITEM_AFTER_SHORT : 0));
        if (run_is_chunk_boundary(overtaking->frames[i].start - request->answering.start, settings))
            item->flags |= ITEM_CHUNK_BOUNDARY;
        if (i == 0)
            item->flags |= ITEM_FIRST;
        request->flags += item_flags(item);
    }
}

void
overtaken_write(const struct overtaken *frames, unsigned count, struct items *items)
{
    for (unsigned i = 0; i < count; i++) {
        struct item *item = items_at(items, frames[i].position);
        uint16_t last = item->flags & ITEM_LAST;
        *item = frames[i].item;
        item->flags = (uint16_t)((item->flags & ~ITEM_LAST) | last);
    }
}

/* They have been asked for after all. */
static void
take_from_unasked(struct unasked *unasked, const struct overtaking *overtaking)
{
    if (unasked->frame >= overtaking->p0_frame)
        *unasked = (struct unasked){ 0 };
    else if (unasked->frame)
        unasked->bytes -= MIN(unasked->bytes, overtaking->bytes);
}

void
overtaking_settle(struct requests *requests, struct connection *connection, const struct segment *segment,
                  struct request *request)
{
    struct overtaking *overtaking = connection->overtaking;
    if (!overtaking)
        return;
    bool active = overtaking->active;
    overtaking->active = overtaking->given_up = false;
    if (!active || (int32_t)(overtaking->acknowledged - segment->seq) <= 0)
        return;

    struct request *before = overtaking->before;
    struct run *counted_in = before ? &before->answering : &connection->unsolicited;
    int64_t start = overtaking->frames[0].start;
    request->p0_ns = overtaking->p0_ns;
    request->p0_frame = overtaking->p0_frame;
    request->p1_ns = overtaking->p1_ns;
    request->p1_frame = overtaking->p1_frame;
    request->response_bytes = overtaking->bytes;
    request->acknowledged = overtaking->acknowledged;
    request->has_acknowledged = true;
    request->reordered = true;
    request->answering = *counted_in;
    request->answering.start = request->answering.low = start;
    request->answering.last_short &= overtaking->n_frames > 1;
    counted_in->end = MIN(counted_in->end, start);
    if (before) {
        before->response_bytes = overtaking->before_bytes;
        before->p1_ns = overtaking->before_p1_ns;
        before->p1_frame = overtaking->before_p1_frame;
        request_amend(requests, before);
    } else {
        request->unasked_frames = (uint8_t)overtaking->n_frames;
        take_from_unasked(&connection->unasked, overtaking);
    }
    overtaking->settled = request->number;
    rewrite_items(overtaking, request, MAX(start - counted_in->start, 0), requests->settings);
    if (items_are_kept(requests->items))
        overtaken_write(overtaking->frames, overtaking->n_frames, requests->items);
}

const struct overtaken *
overtaking_frames(const struct connection *connection, const struct request *request, unsigned *count)
{
    const struct overtaking *overtaking = connection->overtaking;
    if (!overtaking || overtaking->settled != request->number)
        return NULL;
    *count = overtaking->n_frames;
    return overtaking->frames;
}

void
overtaking_clear(struct requests *requests, struct connection *connection)
{
    if (connection->overtaking)
        wmem_free(requests->scope, connection->overtaking->frames);
    wmem_free(requests->scope, connection->overtaking);
    connection->overtaking = NULL;
}
