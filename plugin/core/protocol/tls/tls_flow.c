/* tls_flow.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "tls_flow.h"

#include <glib.h>

/* RFC 5246 §6.2.3 */
enum { RECORD_LONGEST = (1 << 14) + 2048 };

/* False if that is no record. */
static bool
begin_record(struct tls_flow *flow)
{
    const uint8_t *header = flow->header;
    flow->bytes = flow->left = (uint32_t)header[3] << 8 | header[4];
    flow->held = flow->n_alert = 0;
    return header[0] >= TLS_CHANGE_CIPHER_SPEC && header[0] <= TLS_HEARTBEAT && header[1] == 3 && header[2] <= 4 &&
           flow->bytes <= RECORD_LONGEST;
}

void
tls_flow_take_header(struct tls_flow *flow, const struct segment *segment, uint32_t *at)
{
    flow->is_lost = *at >= segment->captured_bytes;
    if (flow->is_lost)
        return;
    flow->header[flow->held++] = segment->payload[(*at)++];
    flow->next++;
    flow->is_lost = flow->held == TLS_HEADER_BYTES && !begin_record(flow);
}

static bool
is_kept(const struct tls_flow *flow)
{
    return flow->header[0] == TLS_ALERT_RECORD || (flow->header[0] == TLS_HANDSHAKE_RECORD && flow->wants_hello);
}

bool
tls_flow_find(struct tls_flow *flow, const struct piece *piece, uint32_t *at)
{
    if (!flow->is_known)
        flow->next = piece->start;
    flow->is_known = true;
    if (piece->start <= flow->next) {
        *at = (uint32_t)MIN(flow->next - piece->start, piece->segment.payload_bytes);
        return false;
    }
    int64_t missing = piece->start - flow->next;
    flow->is_lost = missing > flow->left || flow->held > 0 || is_kept(flow);
    if (flow->is_lost)
        return false;
    flow->left -= (uint32_t)missing;
    flow->next = piece->start;
    return flow->left == 0;
}
