/* pending_packets.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "pending_packets.h"

static bool
is_retransmission(uint16_t flags)
{
    return flags & ITEM_RETRANSMISSION && !(flags & ITEM_DEMOTED);
}

void
pending_packets_add(struct spill_buffer *spill_buffer, struct pending_request *pending, const struct item *item,
                    uint32_t frame)
{
    const struct packet packet = {
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
    g_array_append_vals(packets, bytes, (unsigned)(length / sizeof(struct packet)));
}

static int
compare_frames(const void *a, const void *b)
{
    const struct packet *x = a, *y = b;
    return (x->frame > y->frame) - (x->frame < y->frame);
}

/* What the update of a packet says of it: not of a message in its frame. */
static void
demote(GArray *packets, const struct packet *update)
{
    for (unsigned i = 0; i < packets->len; i++) {
        struct packet *packet = &g_array_index(packets, struct packet, i);
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
               ? MAX(MAX(request->response.last_frame, request->updated_frame), request->followed_frame)
               : UINT32_MAX;
}

void
pending_packets_settle(struct spill_buffer *spill_buffer, struct pending_request *pending)
{
    const uint32_t last_frame = last_counted(&pending->request);
    if (!spill_buffer || !(pending->is_unsorted || pending->last_frame > last_frame))
        return;
    GArray *packets = g_array_new(FALSE, FALSE, sizeof(struct packet));
    chain_read(spill_buffer, &pending->packets, collect_packets, packets);
    chain_clear(spill_buffer, &pending->packets);
    for (unsigned i = 0; i < packets->len; i++)
        if (g_array_index(packets, struct packet, i).flags & ITEM_DEMOTED)
            demote(packets, &g_array_index(packets, struct packet, i));
    g_array_sort(packets, compare_frames);
    for (unsigned i = 0; i < packets->len; i++) {
        const struct packet *packet = &g_array_index(packets, struct packet, i);
        if (packet->frame > last_frame)
            pending->retransmissions -= is_retransmission(packet->flags);
        else if (!(packet->flags & ITEM_DEMOTED))
            chain_append(spill_buffer, &pending->packets, packet, sizeof *packet);
    }
    g_array_free(packets, TRUE);
}
