/* overtaking.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "overtaking.h"

enum { OVERTAKING_FRAMES = 64 };

struct watched {
    uint32_t position; /* of the frame's item */
    int64_t start;     /* of its payload in the server's sequence */
};

struct overtaking {
    bool active;
    uint32_t acknowledged; /* the highest acknowledgement among the frames */
    uint32_t n_frames;
    struct watched frames[OVERTAKING_FRAMES];
    struct request response; /* p0, p1 and bytes that the frames would make */
    struct request *before;  /* the request they count to now; NULL if they are unsolicited */
    uint64_t before_bytes;   /* what it was without them */
    int64_t before_p1_ns;
    uint32_t before_p1_frame;
};

static void
begin(struct overtaking *overtaking, struct connection *connection, const struct segment *segment,
      const struct place *place, struct request *before)
{
    *overtaking = (struct overtaking){
        .active = true,
        .response = { .p0_ns = segment->time_ns, .p0_frame = segment->frame, .answering.start = place->start },
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

void
overtaking_watch(struct requests *requests, struct connection *connection, const struct segment *segment,
                 const struct place *place, struct request *before)
{
    const struct sequence *sent = &connection->sender[connection->client].sequence;
    struct overtaking *overtaking = connection->overtaking;
    bool ahead = segment->flags & SEGMENT_ACK && (!sent->known || sequence_offset(sent, segment->ack) > sent->end);
    if (before && (int32_t)(segment->ack - before->acknowledged) <= 0)
        ahead = false;
    if (!ahead) {
        if (overtaking)
            overtaking->active = false;
        return;
    }
    if (!overtaking)
        overtaking = connection->overtaking = wmem_new0(requests->scope, struct overtaking);
    if (!overtaking->active)
        begin(overtaking, connection, segment, place, before);
    if (overtaking->n_frames == OVERTAKING_FRAMES) {
        overtaking->active = false;
        return;
    }
    overtaking->acknowledged = segment->ack;
    overtaking->response.p1_ns = segment->time_ns;
    overtaking->response.p1_frame = segment->frame;
    overtaking->response.response_bytes += place->fresh;
}

void
overtaking_note_item(struct requests *requests, struct connection *connection, const struct place *place)
{
    struct overtaking *overtaking = connection->overtaking;
    if (overtaking && overtaking->active)
        overtaking->frames[overtaking->n_frames++] = (struct watched){ items_last(requests->items), place->start };
}

/* The frames' items said what they were in the row they counted to. */
static void
rewrite_items(const struct requests *requests, const struct overtaking *overtaking, struct request *request,
              int64_t shift)
{
    for (uint32_t i = 0; i < overtaking->n_frames; i++) {
        struct item *item = items_at(requests->items, overtaking->frames[i].position);
        item->kind = ITEM_RESPONSE;
        item->request = request;
        item->byte_offset -= MIN(item->byte_offset, (uint64_t)shift);
        item->flags &= (uint16_t) ~(ITEM_CHUNK_BOUNDARY | (i == 1 ? ITEM_AFTER_SHORT : 0));
        if (run_is_chunk_boundary(overtaking->frames[i].start - request->answering.start, requests->settings))
            item->flags |= ITEM_CHUNK_BOUNDARY;
        if (i == 0)
            item->flags |= ITEM_FIRST;
    }
}

void
overtaking_settle(struct requests *requests, struct connection *connection, const struct segment *segment,
                  struct request *request)
{
    struct overtaking *overtaking = connection->overtaking;
    if (!overtaking || !overtaking->active)
        return;
    overtaking->active = false;
    if ((int32_t)(overtaking->acknowledged - segment->seq) <= 0)
        return;

    const struct request *response = &overtaking->response;
    struct request *before = overtaking->before;
    struct run *counted_in = before ? &before->answering : &connection->unsolicited;
    int64_t shift = MAX(response->answering.start - counted_in->start, 0);
    request->p0_ns = response->p0_ns;
    request->p0_frame = response->p0_frame;
    request->p1_ns = response->p1_ns;
    request->p1_frame = response->p1_frame;
    request->response_bytes = response->response_bytes;
    request->acknowledged = overtaking->acknowledged;
    request->reordered = true;
    request->answering = *counted_in;
    request->answering.start = request->answering.low = response->answering.start;
    request->answering.last_short &= overtaking->n_frames > 1;
    counted_in->end = MIN(counted_in->end, response->answering.start);
    if (before) {
        before->response_bytes = overtaking->before_bytes;
        before->p1_ns = overtaking->before_p1_ns;
        before->p1_frame = overtaking->before_p1_frame;
        items_add(requests->items, segment->frame, ITEM_AMENDED)->request = before;
    } else {
        requests->unsolicited_frames -= overtaking->n_frames;
    }
    if (items_are_kept(requests->items))
        rewrite_items(requests, overtaking, request, shift);
}
