/* ca_phases.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "ca_phases.h"

#include "ca_names.h"

struct ca_phases
ca_phases_of(const struct ca_channels *channels, const struct ca_channel *channel, int64_t now_ns)
{
    const struct ca_request *create = &channel->create;
    const struct ca_search *search = ca_search_at(&channels->searches, channel->search);
    bool answered = ca_request_is_answered(create);
    return (struct ca_phases){
        .create_ns = answered ? ca_request_latency(create) : -1,
        .waited_ns = answered ? -1 : ca_request_waited(create, now_ns),
        .search_ns = search ? ca_search_time(search) : -1,
        .tcp_connect_ns = ca_circuit_tcp_connect(create->circuit),
        .hello_ns = ca_circuit_hello(create->circuit),
        .first_value_ns = channel->first_value_ns,
        .connect_ns = ca_channel_connect(channels, channel),
    };
}

const char *
ca_outcome_name(enum ca_outcome outcome)
{
    static const char *const names[] = {
        [CA_WAITING] = "unanswered", [CA_OK] = "ok", [CA_FAILED] = "failed", [CA_REFUSED] = "error"
    };
    return names[outcome];
}

const char *
ca_outcome_reason(enum ca_outcome outcome, uint16_t status, bool ended)
{
    const char *name = ca_status_name(status);
    switch (outcome) {
    case CA_WAITING:
        return ended ? "connection closed" : "capture ended";
    case CA_FAILED:
        return ca_command_name(CA_CREATE_CH_FAIL);
    case CA_REFUSED:
        return name ? name : "";
    default:
        return "";
    }
}
