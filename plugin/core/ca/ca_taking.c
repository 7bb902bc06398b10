/* ca_taking.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "ca_taking.h"

#include "circuit_protocol.h"

uint32_t
ca_taking_channel_by_cid(const struct ca_taking *taking, uint32_t cid)
{
    return lookup_find(&taking->channels->by_cid,
                       ca_request_key(taking->circuit, taking->circuit->protocol->create, cid));
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

static struct ca_channel *
add_channel(const struct ca_taking *taking, uint32_t cid, uint32_t *number)
{
    *number = pool_add(&taking->channels->channels);
    struct ca_channel *channel = ca_channel_at(taking->channels, *number);
    ca_taking_note_request(taking, &channel->create, taking->circuit->protocol->create, cid);
    channel->rights = CA_RIGHTS_UNKNOWN;
    return channel;
}

uint32_t
ca_taking_add_channel(const struct ca_taking *taking, uint32_t cid, const char *name, size_t name_bytes)
{
    struct ca_searches *searches = &taking->channels->searches;
    const struct ca_circuit *circuit = taking->circuit;
    uint32_t number;
    struct ca_channel *channel = add_channel(taking, cid, &number);
    channel->search = ca_search_use(searches, circuit->host, cid, name, circuit->peer, &channel->ambiguous);
    const struct ca_search *search = ca_search_at(searches, channel->search);
    channel->pv = search ? search->pv : texts_add(&searches->names, name, name_bytes);
    ca_request_wait(&taking->channels->by_cid, number);
    return number;
}

uint32_t
ca_taking_add_orphan(const struct ca_taking *taking, uint32_t cid)
{
    uint32_t number;
    struct ca_channel *channel = add_channel(taking, cid, &number);
    channel->create.outcome = CA_ORPHAN;
    channel->create.request_frame = 0;
    channel->create.answer_ns = taking->arrival->time_ns;
    channel->create.answer_frame = taking->arrival->frame;
    taking->channels->orphans++;
    lookup_put(&taking->channels->by_cid, number);
    return number;
}
