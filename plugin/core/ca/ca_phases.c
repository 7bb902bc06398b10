/* ca_phases.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "ca_phases.h"

#include "ca_names.h"
#include "circuit_protocol.h"

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
        .first_value_ns = ca_channel_first_value(channel),
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

static const char *
reason_of_status(const struct ca_channels *channels, const struct ca_channel *channel)
{
    const struct ca_request *create = &channel->create;
    if (create->circuit->protocol != &circuit_of_channel_access)
        return ca_reason(&channels->reasons, create->status);
    const char *name =
        create->outcome == CA_FAILED ? ca_command_name(CA_CREATE_CH_FAIL) : ca_status_name(create->status);
    return name ? name : "";
}

/* A client that connects again has lost the channel before. */
static const char *
reason_of_reconnect(const struct ca_channels *channels, const struct ca_channel *channel)
{
    const struct circuit_protocol *protocol = channel->create.circuit->protocol;
    const struct ca_channel *before =
        protocol == &circuit_of_channel_access ? NULL : ca_channel_at(channels, channel->before);
    if (!before)
        return "";
    return ca_circuit_has_ended(before->create.circuit) ? "again: connection closed" : "again: channel destroyed";
}

const char *
ca_channel_reason(const struct ca_channels *channels, const struct ca_channel *channel)
{
    switch (channel->create.outcome) {
    case CA_WAITING:
        return ca_circuit_has_ended(channel->create.circuit) ? "connection closed" : "capture ended";
    case CA_FAILED:
    case CA_REFUSED:
        return reason_of_status(channels, channel);
    default:
        return reason_of_reconnect(channels, channel);
    }
}
