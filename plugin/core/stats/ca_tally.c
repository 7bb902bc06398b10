/* ca_tally.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "ca_tally.h"

#include "../ca/ca_phases.h"

static int64_t
take_answer(struct ca_tally *tally, const struct ca_request *create)
{
    int64_t latency_ns = ca_request_latency(create);
    bool created = create->outcome == CA_OK;
    wide_add_int(&tally->asked_ns, latency_ns);
    tally->created += created;
    tally->failed += !created;
    return created ? latency_ns : -1;
}

int64_t
ca_tally_take_channel(struct ca_tally *tally, struct ca_share *share, const struct ca_channel *channel,
                      const struct ca_search *search, int64_t now_ns)
{
    int64_t create_ns = -1;
    if (!share->counted) {
        share->counted = 1;
        tally->channels++;
        if (search && search->server)
            moments_add(&tally->search, ca_search_time(search));
    }
    if (!share->answered && ca_request_is_answered(&channel->create)) {
        share->answered = 1;
        create_ns = take_answer(tally, &channel->create);
    }
    if (!share->has_first_value && channel->first_value.answered) {
        share->has_first_value = 1;
        moments_add(&tally->first_value, ca_channel_first_value(channel));
    }
    ca_tally_settle(tally, share, channel, now_ns);
    return create_ns;
}

void
ca_tally_settle(struct ca_tally *tally, struct ca_share *share, const struct ca_channel *channel, int64_t now_ns)
{
    const bool waiting = ca_channel_result(channel, now_ns) == CA_RESULT_WAITING;
    tally->waiting += waiting - share->waiting;
    share->waiting = waiting;
}

void
ca_tally_take_circuit(struct ca_tally *tally, struct ca_share *share, const struct ca_circuit *circuit)
{
    int64_t tcp_connect_ns = ca_circuit_tcp_connect(circuit);
    int64_t hello_ns = ca_circuit_hello(circuit);
    if (!share->has_tcp_connect && tcp_connect_ns >= 0) {
        share->has_tcp_connect = 1;
        moments_add(&tally->tcp_connect, tcp_connect_ns);
    }
    if (!share->has_hello && hello_ns >= 0) {
        share->has_hello = 1;
        moments_add(&tally->hello, hello_ns);
    }
}

uint64_t
ca_tally_unanswered(const struct ca_tally *tally)
{
    return tally->channels - tally->failed - tally->created - tally->waiting;
}

void
ca_tally_merge(struct ca_tally *tally, const struct ca_tally *other)
{
    tally->channels += other->channels;
    tally->created += other->created;
    tally->failed += other->failed;
    tally->waiting += other->waiting;
    wide_add(&tally->asked_ns, other->asked_ns);
    moments_merge(&tally->search, &other->search);
    moments_merge(&tally->first_value, &other->first_value);
    moments_merge(&tally->tcp_connect, &other->tcp_connect);
    moments_merge(&tally->hello, &other->hello);
}
