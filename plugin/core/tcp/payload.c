/* payload.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "payload.h"

#include "connection.h"

/* A probe repeats the byte before the next one to see whether the peer is there: RFC 9293 §3.8.4. */
static inline bool
is_keep_alive(const struct tcp_sender *sender, const struct segment *segment)
{
    if (segment->payload_bytes != 1 || segment->flags & (SEGMENT_SYN | SEGMENT_FIN | SEGMENT_PSH))
        return false;
    return sender->sequence.known ? segment->seq + 1 == sender->sequence.end_seq : segment->flags & SEGMENT_ACK;
}

inline bool
payload_take(struct payload *payload, struct connection *connection, const struct segment *segment,
             const struct ipid_step *ipid_step, const struct settings *settings, wmem_allocator_t *scope)
{
    uint8_t from = connection_sender(connection, segment);
    struct tcp_sender *sender = &connection->tcp->sender[from];
    struct sequence *sequence = &sender->sequence;
    bool probe = is_keep_alive(sender, segment);
    uint32_t seq = segment_first_seq(segment);
    if (!sequence->known)
        sequence_start(sequence, probe ? seq + 1 : seq, true, scope);
    int64_t start = sequence_offset(sequence, seq);
    if (segment->payload_bytes == 0 || probe) {
        /* What lies before it has been sent, if not captured. */
        bool is_strange = segment->flags & SEGMENT_FIN && !connection_is_finished_by(connection, segment);
        if (start > sequence->end && !is_strange)
            sequence_add(sequence, start, 0, scope);
        return false;
    }
    if (sender->incomplete && start > sequence->end)
        sequence_add(sequence, sequence->end, (uint32_t)(start - sequence->end), scope);
    payload->connection = connection;
    payload->segment = segment;
    payload->sender = from;
    payload->after_fragment = sender->incomplete;
    sender->incomplete = segment->fragmented;
    payload->packet = (struct packet){
        .start = start,
        .end = start + segment->payload_bytes,
        .in_order = start == sequence->end,
        .is_short = !continuity_is_full(&sender->continuity, segment, settings),
        .has_ipid = ipid_step != NULL,
        .ipid_step = ipid_step ? *ipid_step : (struct ipid_step){ 0 },
        .counts_ipids = ipid_steps_behaviour(&sender->continuity.steps) == IPID_COUNTER,
        .before = sender->before,
    };
    payload->packet.fresh = sequence_add(sequence, start, segment->payload_bytes, scope);
    if (payload->packet.fresh > 0)
        sender->before = (struct row_before){ segment->time_ns, segment->frame, payload->packet.is_short };
    return true;
}
