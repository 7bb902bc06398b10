/* ca_taking.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "ca_taking.h"

uint32_t
ca_taking_channel_by_cid(const struct ca_taking *taking, uint32_t cid)
{
    return lookup_find(&taking->channels->by_cid, ca_request_key(taking->circuit, CA_CREATE_CHAN, cid));
}

uint32_t
ca_taking_channel_by_sid(const struct ca_taking *taking, uint32_t sid)
{
    return lookup_find(&taking->channels->by_sid, ca_sid_key(taking->circuit, sid));
}

void
ca_taking_note_request(const struct ca_taking *taking, struct ca_request *request, unsigned command, uint32_t id)
{
    *request = (struct ca_request){
        .circuit = taking->circuit,
        .request_ns = taking->arrival->time_ns,
        .request_frame = taking->arrival->frame,
        .command = (uint8_t)command,
        .id = id,
        .outcome = CA_WAITING,
    };
}
