/* ca_request.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "ca_request.h"

uint64_t
ca_request_whole_key(const struct ca_circuit *circuit, unsigned command, uint32_t id)
{
    return (uint64_t)circuit->number << 38 | ca_request_key(command, id);
}

uint64_t
ca_request_key_of_record(const void *record)
{
    const struct ca_request *request = record;
    return ca_request_whole_key(request->circuit, request->command, request->id);
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
