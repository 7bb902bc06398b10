/* ca_phases.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "ca_phases.h"

#include "../util/settings.h"
#include "ca_names.h"
#include "circuit_protocol.h"

#define WORD(name, word) word,

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

/* A request to create a channel times out as every request does (request_has_timed_out()). */
static bool
has_timed_out(const struct ca_request *create, int64_t now_ns)
{
    const int64_t timeout_ns = create->circuit->channels->settings->timeout_ns;
    return timeout_ns > 0 && ca_request_waited(create, now_ns) > timeout_ns;
}

enum ca_result
ca_channel_result(const struct ca_channel *channel, int64_t now_ns)
{
    const struct ca_request *create = &channel->create;
    switch (create->outcome) {
    case CA_FAILED:
        return CA_RESULT_FAILED;
    case CA_REFUSED:
        return CA_RESULT_ERROR;
    case CA_WAITING:
        return has_timed_out(create, now_ns) || ca_circuit_has_ended(create->circuit) ? CA_RESULT_UNANSWERED
                                                                                      : CA_RESULT_WAITING;
    default:
        return CA_RESULT_OK;
    }
}

const char *
ca_result_name(enum ca_result result)
{
    static const char *const words[] = { CA_RESULTS(WORD) };
    return words[result];
}

enum ca_silence
ca_channel_silence(const struct ca_channel *channel, int64_t now_ns)
{
    return has_timed_out(&channel->create, now_ns) ? CA_SILENCE_TIMED_OUT : CA_SILENCE_CLOSED;
}

const char *
ca_silence_name(enum ca_silence silence)
{
    static const char *const words[] = { CA_SILENCES(WORD) };
    return words[silence];
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
ca_channel_reason(const struct ca_channels *channels, const struct ca_channel *channel, int64_t now_ns)
{
    switch (ca_channel_result(channel, now_ns)) {
    case CA_RESULT_WAITING:
        return "";
    case CA_RESULT_UNANSWERED:
        return ca_silence_name(ca_channel_silence(channel, now_ns));
    case CA_RESULT_FAILED:
    case CA_RESULT_ERROR:
        return reason_of_status(channels, channel);
    default:
        return reason_of_reconnect(channels, channel);
    }
}
