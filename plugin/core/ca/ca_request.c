/* ca_request.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "ca_request.h"

uint64_t
ca_request_key(const struct ca_circuit *circuit, unsigned command, uint32_t id)
{
    return (uint64_t)circuit->number << 38 | (uint64_t)command << 32 | id;
}

uint64_t
ca_request_key_of(const void *request)
{
    const struct ca_request *of = request;
    return ca_request_key(of->circuit, of->command, of->id);
}

void
ca_request_wait(struct lookup *lookup, uint32_t number)
{
    struct ca_request *first = pool_at(lookup->pool, lookup_put_first(lookup, number));
    if (!first)
        return;
    if (first->outcome != CA_WAITING) {
        lookup_put(lookup, number);
        return;
    }
    struct ca_request *last = first->last ? pool_at(lookup->pool, first->last) : first;
    last->next = number;
    first->last = number;
}

uint32_t
ca_request_answer(struct lookup *lookup, uint64_t key, const struct ca_arrival *arrival, enum ca_outcome outcome,
                  uint32_t status)
{
    uint32_t number = lookup_find(lookup, key);
    struct ca_request *request = pool_at(lookup->pool, number);
    if (!request || request->outcome != CA_WAITING)
        return 0;
    uint32_t next_number = request->next;
    struct ca_request *next = pool_at(lookup->pool, next_number);
    if (next) {
        next->last = request->last == next_number ? 0 : request->last;
        lookup_put(lookup, next_number);
    }
    request->answer_ns = arrival->time_ns;
    request->answer_frame = arrival->frame;
    request->outcome = (uint8_t)outcome;
    request->status = (uint16_t)MIN(status, UINT16_MAX);
    return number;
}

bool
ca_request_is_answered(const struct ca_request *request)
{
    return request->outcome != CA_WAITING && request->outcome != CA_ORPHAN;
}

int64_t
ca_request_latency(const struct ca_request *request)
{
    return MAX(request->answer_ns - request->request_ns, 0);
}

int64_t
ca_request_waited(const struct ca_request *request, int64_t now_ns)
{
    int64_t until_ns = ca_circuit_has_ended(request->circuit) ? request->circuit->ended_ns : now_ns;
    return MAX(until_ns - request->request_ns, 0);
}
