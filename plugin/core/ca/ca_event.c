/* ca_event.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "ca_event.h"

/* A channel is also what rights, values and writes are about. */
static enum ca_event_kind
kind_of_channel(const struct ca_event *event, uint32_t frame)
{
    const struct ca_request *create = &event->subject.channel->create;
    unsigned command = event->command;
    if (event->from_client)
        return command == event->protocol->create ? CA_CREATE_ASKED : CA_NO_EVENT;
    if (create->outcome == CA_WAITING || create->answer_frame != frame)
        return CA_NO_EVENT;
    bool answers = command == event->protocol->create;
    if (event->protocol == &circuit_of_channel_access)
        answers |= command == CA_CREATE_CH_FAIL || (command == CA_ERROR && create->outcome == CA_REFUSED);
    return answers ? CA_CREATE_ANSWERED : CA_NO_EVENT;
}

static enum ca_event_kind
kind_of_search(const struct ca_event *event)
{
    if (event->subject.is_aside ||
        event->command != (event->from_client ? event->protocol->search : event->protocol->search_reply))
        return CA_NO_EVENT;
    if (event->from_client)
        return CA_SEARCH_ASKED;
    return event->subject.decides ? CA_SEARCH_ANSWERED : CA_SEARCH_ANSWERED_MORE;
}

static enum ca_event_kind
kind_of(const struct ca_event *event, uint32_t frame)
{
    if (event->command == CA_PART)
        return CA_NO_EVENT;
    if (event->subject.update)
        return CA_UPDATED;
    if (event->subject.exchange)
        return event->from_client ? CA_REQUEST_ASKED : CA_REQUEST_ANSWERED;
    if (event->subject.channel)
        return kind_of_channel(event, frame);
    if (event->subject.search)
        return kind_of_search(event);
    bool hello = event->circuit && !event->from_client && event->command == event->protocol->hello &&
                 event->circuit->hello_frame == frame;
    return hello ? CA_HELLO : CA_NO_EVENT;
}

struct ca_event
ca_event_of(const struct circuit_protocol *protocol, unsigned command, const struct ca_circuit *circuit,
            struct ca_subject subject, bool from_client, uint32_t frame)
{
    struct ca_event event = { CA_NO_EVENT, (uint8_t)command, from_client, protocol, circuit, subject };
    event.kind = kind_of(&event, frame);
    return event;
}

struct ca_event
ca_event_of_noted(const struct ca_channels *channels, const struct ca_circuit *circuit, bool from_client,
                  const struct ca_noted *noted)
{
    return ca_event_of(circuit->protocol, noted->command, circuit, ca_subject(channels, noted->reference), from_client,
                       noted->frame);
}

uint32_t
ca_event_channel(const struct ca_event *event)
{
    if (event->kind == CA_CREATE_ASKED || event->kind == CA_CREATE_ANSWERED)
        return event->subject.number;
    return event->kind == CA_REQUEST_ANSWERED ? event->subject.exchange->channel : 0;
}

int64_t
ca_event_latency(const struct ca_event *event, unsigned *command)
{
    const struct ca_subject *subject = &event->subject;
    *command = event->command;
    switch (event->kind) {
    case CA_CREATE_ANSWERED:
        *command = event->protocol->create;
        return ca_request_is_answered(&subject->channel->create) ? ca_request_latency(&subject->channel->create) : -1;
    case CA_SEARCH_ANSWERED:
        *command = event->protocol->search;
        return ca_search_latency(subject->search);
    case CA_REQUEST_ANSWERED:
        *command = subject->exchange->request.command;
        return ca_request_latency(&subject->exchange->request);
    default:
        return -1;
    }
}
