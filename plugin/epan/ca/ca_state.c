/* ca_state.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "ca_state.h"

#include "../../core/item_subject.h"

#include <epan/proto_data.h>

#include "../intake/intake.h"

struct ca_channels *
ca_state_channels(void)
{
    return intake_analysis()->channels;
}

struct endpoint
ca_state_source(const packet_info *pinfo)
{
    return intake_endpoint(&pinfo->src, pinfo->srcport);
}

struct endpoint
ca_state_destination(const packet_info *pinfo)
{
    return intake_endpoint(&pinfo->dst, pinfo->destport);
}

/* A frame can have segments of several connections. */
const struct ca_circuit *
ca_state_circuit(const packet_info *pinfo, const struct circuit_protocol *protocol)
{
    struct items *items = intake_analysis()->items;
    const struct endpoint source = ca_state_source(pinfo), destination = ca_state_destination(pinfo);
    uint32_t position;
    for (const struct item *item = items_first(items, pinfo->num, &position); item;
         item = items_next(items, &position)) {
        const struct connection *connection = item_connection(item);
        const struct endpoint *ends = connection ? connection->endpoint : NULL;
        if (ends && ((endpoint_equal(&ends[0], &source) && endpoint_equal(&ends[1], &destination)) ||
                     (endpoint_equal(&ends[1], &source) && endpoint_equal(&ends[0], &destination))))
            return connection->tcp->circuit && connection->tcp->circuit->protocol == protocol ? connection->tcp->circuit
                                                                                              : NULL;
    }
    return NULL;
}

struct ca_references
ca_state_references(packet_info *pinfo, int proto)
{
    bool kept = items_are_kept(intake_analysis()->items);
    wmem_allocator_t *scope = kept ? wmem_file_scope() : pinfo->pool;
    struct ca_references references = { .first = intake_is_first_visit(pinfo) };
    references.numbers = p_get_proto_data(wmem_file_scope(), pinfo, proto, pinfo->curr_layer_num);
    if (!references.first)
        return references;
    references.numbers = wmem_array_new(scope, sizeof(uint32_t));
    if (kept)
        p_add_proto_data(scope, pinfo, proto, pinfo->curr_layer_num, references.numbers);
    return references;
}

/* Each message has its count before its references. */
void
ca_state_begin(struct ca_references *references)
{
    uint32_t none = 0, count = references->numbers ? wmem_array_get_count(references->numbers) : 0;
    references->head = references->first ? count : references->end;
    if (references->first)
        wmem_array_append_one(references->numbers, none);
    references->next = references->head + 1;
    references->end = references->next;
    if (references->head < count)
        references->end += *(const uint32_t *)wmem_array_index(references->numbers, references->head);
}

void
ca_state_add(struct ca_references *references, uint32_t reference)
{
    wmem_array_append_one(references->numbers, reference);
    ++*(uint32_t *)wmem_array_index(references->numbers, references->head);
    references->end++;
}

bool
ca_state_next(struct ca_references *references, uint32_t *reference)
{
    if (!references->numbers || references->next >= MIN(references->end, wmem_array_get_count(references->numbers)))
        return false;
    *reference = *(const uint32_t *)wmem_array_index(references->numbers, references->next++);
    return true;
}
