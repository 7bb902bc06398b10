/* ca_tally.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "ca_tally.h"

static void
take_answer(struct ca_tally *tally, const struct ca_request *create)
{
    int64_t latency_ns = ca_request_latency(create);
    tally->asked_ns += latency_ns;
    if (create->outcome == CA_OK)
        sample_add(&tally->create, latency_ns);
    else
        tally->failed++;
}

void
ca_tally_take_channel(struct ca_tally *tally, struct ca_share *share, const struct ca_channel *channel,
                      const struct ca_search *search)
{
    if (!share->counted) {
        share->counted = 1;
        tally->channels++;
        if (search && search->server)
            moments_add(&tally->search, ca_search_time(search));
    }
    if (!share->answered && ca_request_is_answered(&channel->create)) {
        share->answered = 1;
        take_answer(tally, &channel->create);
    }
    if (!share->has_first_value && channel->first_value_ns >= 0) {
        share->has_first_value = 1;
        moments_add(&tally->first_value, channel->first_value_ns);
    }
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
    return tally->channels - tally->failed - tally->create.moments.count;
}

void
ca_tally_clear(struct ca_tally *tally)
{
    sample_clear(&tally->create);
}
