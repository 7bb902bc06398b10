/* ca_channel.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "ca_channel.h"

#include "circuit_protocol.h"

enum { KIND_SHIFT = 29 };

#define NUMBER_BITS ((UINT32_C(1) << KIND_SHIFT) - 1)

uint32_t
ca_refer(enum ca_subject_kind kind, uint32_t number)
{
    return number ? (uint32_t)kind << KIND_SHIFT | number : 0;
}

struct ca_channel *
ca_channel_at(const struct ca_channels *channels, uint32_t number)
{
    return pool_at(&channels->channels, number);
}

uint64_t
ca_sid_key(const struct ca_circuit *circuit, uint32_t sid)
{
    return (uint64_t)circuit->number << 32 | sid;
}

static uint64_t
key_by_sid(const void *record)
{
    const struct ca_channel *channel = record;
    return ca_sid_key(channel->create.circuit, channel->sid);
}

struct ca_channels *
ca_channels_new(wmem_allocator_t *scope)
{
    struct ca_channels *channels = wmem_new0(scope, struct ca_channels);
    pool_init(&channels->channels, scope, sizeof(struct ca_channel));
    pool_init(&channels->exchanges, scope, sizeof(struct ca_exchange));
    pool_init(&channels->updates, scope, sizeof(struct ca_update));
    waiting_init(&channels->waiting, scope);
    lookup_init(&channels->by_cid, &channels->channels, ca_request_key_of_record);
    lookup_init(&channels->by_sid, &channels->channels, key_by_sid);
    lookup_init(&channels->by_id, &channels->exchanges, ca_request_key_of_record);
    ca_searches_init(&channels->searches, scope);
    ca_reasons_init(&channels->reasons, scope);
    channels->restarts = wmem_map_new(scope, g_direct_hash, g_direct_equal);
    return channels;
}

struct ca_circuit *
ca_circuit_new(struct ca_channels *channels, const struct circuit_protocol *protocol, const struct endpoint *client,
               const struct endpoint *server, bool ipv6)
{
    struct ca_peers *peers = &channels->searches.peers;
    struct ca_circuit *circuit = wmem_new(channels->channels.scope, struct ca_circuit);
    *circuit = (struct ca_circuit){
        .channels = channels,
        .number = ++channels->circuits,
        .protocol = protocol,
        .client = *client,
        .server = *server,
        .ipv6 = ipv6,
        .flow = { { .last_part = -1 }, { .last_part = -1 } },
        .syn_ns = INT64_MIN,
        .syn_ack_ns = INT64_MIN,
        .hello_ns = INT64_MIN,
        .ended_ns = INT64_MIN,
        .told_ns = INT64_MIN,
        .host = ca_peer(peers, CA_HOST, client, ipv6)->number,
        .peer = ca_peer(peers, protocol->server_role, server, ipv6)->number,
    };
    return circuit;
}

struct ca_subject
ca_subject(const struct ca_channels *channels, uint32_t reference)
{
    struct ca_subject subject = { .channel = NULL };
    uint32_t number = reference & NUMBER_BITS;
    if (number == 0)
        return subject;
    subject.number = number;
    switch ((enum ca_subject_kind)(reference >> KIND_SHIFT)) {
    case CA_ABOUT_CHANNEL:
        subject.channel = ca_channel_at(channels, number);
        break;
    case CA_ABOUT_UPDATE:
        subject.update = pool_at(&channels->updates, number);
        subject.number = number = subject.update->monitor;
        /* fallthrough */
    case CA_ABOUT_EXCHANGE:
        subject.exchange = pool_at(&channels->exchanges, number);
        subject.channel = ca_channel_at(channels, subject.exchange->channel);
        break;
    default:
        subject.search = ca_search_at(&channels->searches, number);
        subject.decides = reference >> KIND_SHIFT == CA_ABOUT_SEARCH;
        subject.is_aside = reference >> KIND_SHIFT == CA_ABOUT_SEARCH_ASIDE;
        break;
    }
    return subject;
}

const char *
ca_subject_pv(const struct ca_subject *subject)
{
    return subject->channel ? subject->channel->pv : subject->search ? subject->search->pv : NULL;
}

const struct ca_update *
ca_update_before(const struct ca_channels *channels, const struct ca_update *update)
{
    return pool_at(&channels->updates, update->before);
}

int64_t
ca_update_spacing(const struct ca_channels *channels, const struct ca_update *update)
{
    const struct ca_update *before = ca_update_before(channels, update);
    return before ? MAX(update->time_ns - before->time_ns, 0) : -1;
}

int64_t
ca_channel_first_value(const struct ca_channel *channel)
{
    const struct pool *exchanges = &channel->create.circuit->channels->exchanges;
    const struct ca_exchange *asked = pool_at(exchanges, channel->first_value.asked);
    const struct ca_exchange *answered = pool_at(exchanges, channel->first_value.answered);
    return asked && answered ? MAX(answered->request.answer_ns - asked->request.request_ns, 0) : -1;
}

bool
ca_subject_is_first_value(const struct ca_subject *subject)
{
    return subject->exchange && subject->channel && subject->channel->first_value.answered == subject->number;
}

int64_t
ca_channel_connect(const struct ca_channels *channels, const struct ca_channel *channel)
{
    const struct ca_search *search = ca_search_at(&channels->searches, channel->search);
    if (!ca_request_is_answered(&channel->create))
        return -1;
    int64_t from_ns = search ? search->first_ns : channel->create.request_ns;
    return MAX(channel->create.answer_ns - from_ns, 0);
}
