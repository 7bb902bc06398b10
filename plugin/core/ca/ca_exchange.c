/* ca_exchange.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "ca_exchange.h"

uint32_t
ca_exchange_take(const struct ca_taking *taking, uint32_t channel)
{
    const struct ca_message *message = taking->message;
    return ca_refer(CA_ABOUT_EXCHANGE,
                    ca_taking_add_exchange(taking, message->command, ca_exchange_id(message), channel));
}

static void
note_value(const struct ca_channels *channels, uint32_t number)
{
    const struct ca_exchange *exchange = pool_at(&channels->exchanges, number);
    struct ca_channel *channel = ca_channel_at(channels, exchange->channel);
    if (channel && channel->first_value.answered == 0 && exchange->request.outcome == CA_OK)
        channel->first_value.asked = channel->first_value.answered = number;
}

/* Returns the exchange's number; 0 if no request waits for this answer. A subscription stays, for its updates. */
static uint32_t
answer_request(const struct ca_taking *taking, unsigned command, uint32_t id, enum ca_outcome outcome, uint32_t status)
{
    const uint32_t number = ca_taking_answer(taking, command, id, outcome, status);
    if (number == 0)
        return 0;
    if (command == CA_EVENT_ADD)
        lookup_put(&taking->channels->by_id, number);
    if (command == CA_EVENT_ADD || command == CA_READ_NOTIFY || command == CA_READ)
        note_value(taking->channels, number);
    return number;
}

uint32_t
ca_exchange_take_answer(const struct ca_taking *taking, uint32_t id, uint32_t status)
{
    enum { ECA_NORMAL = 1 };
    return ca_refer(CA_ABOUT_EXCHANGE, answer_request(taking, taking->message->command, id,
                                                      status == ECA_NORMAL ? CA_OK : CA_FAILED, status));
}

uint32_t
ca_exchange_take_update(const struct ca_taking *taking)
{
    const struct ca_message *message = taking->message;
    uint32_t cancelled = message->size == 0 ? answer_request(taking, CA_EVENT_CANCEL, message->p2, CA_OK, 1) : 0;
    if (cancelled) {
        ca_taking_forget_exchange(taking, CA_EVENT_ADD, message->p2);
        return ca_refer(CA_ABOUT_EXCHANGE, cancelled);
    }
    uint32_t first = ca_exchange_take_answer(taking, message->p2, message->p1);
    if (first)
        return first;
    const struct ca_exchange *subscription =
        pool_at(&taking->channels->exchanges, ca_taking_exchange(taking, CA_EVENT_ADD, message->p2));
    return subscription ? ca_refer(CA_ABOUT_CHANNEL, subscription->channel) : 0;
}

uint32_t
ca_exchange_take_read(const struct ca_taking *taking)
{
    uint32_t reference = ca_exchange_take_answer(taking, taking->message->p2, 1);
    return reference ? reference : ca_refer(CA_ABOUT_CHANNEL, ca_taking_channel_by_cid(taking, taking->message->p1));
}

uint32_t
ca_exchange_id(const struct ca_message *request)
{
    switch (request->command) {
    case CA_CREATE_CHAN:
        return request->p1;
    case CA_READ_SYNC:
    case CA_ECHO:
        return 0;
    default:
        return request->p2;
    }
}

uint32_t
ca_exchange_take_error(const struct ca_taking *taking)
{
    struct ca_message request;
    uint32_t status = taking->message->p2;
    if (ca_message_read(taking->payload, taking->captured, &request) == CA_CUT)
        return ca_refer(CA_ABOUT_CHANNEL, ca_taking_channel_by_cid(taking, taking->message->p1));
    const bool creates = request.command == CA_CREATE_CHAN;
    uint32_t number = request.command < CA_COMMANDS
                          ? answer_request(taking, request.command, ca_exchange_id(&request), CA_REFUSED, status)
                          : 0;
    if (number || creates)
        return ca_refer(creates ? CA_ABOUT_CHANNEL : CA_ABOUT_EXCHANGE, number);
    number = ca_taking_channel_by_cid(taking, taking->message->p1);
    return ca_refer(CA_ABOUT_CHANNEL, number ? number : ca_taking_channel_by_sid(taking, request.p1));
}
