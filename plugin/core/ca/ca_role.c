/* ca_role.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "ca_role.h"

#include "ca_exchange.h"
#include "ca_names.h"

static bool
asks(const struct ca_message *message, struct message *role)
{
    *role = (struct message){
        .kind = MESSAGE_ASKS,
        .part = message->command == CA_SEARCH ? MESSAGE_AGAIN : MESSAGE_NEW, /* the name again */
        .key = ca_request_key(message->command, ca_exchange_id(message)),
    };
    switch (message->command) {
    case CA_CREATE_CHAN:
    case CA_SEARCH:
    case CA_EVENT_ADD:
    case CA_EVENT_CANCEL:
    case CA_READ:
    case CA_READ_NOTIFY:
    case CA_WRITE_NOTIFY:
    case CA_CLEAR_CHANNEL:
    case CA_READ_SYNC:
    case CA_ECHO:
        return true;
    default:
        return false;
    }
}

/* What an ERROR is about: it quotes the request. */
static bool
refuses(const uint8_t *payload, size_t captured, struct message *role)
{
    struct ca_message request;
    return ca_message_read(payload, captured, &request) != CA_CUT && request.command < CA_COMMANDS &&
           asks(&request, role);
}

static void
fail(struct message *role, const char *status)
{
    role->status = status;
    role->failed = true;
}

static void
say(struct message *role, uint32_t status)
{
    enum { ECA_NORMAL = 1 };
    const char *name = ca_status_name(status);
    if (status != ECA_NORMAL)
        fail(role, name ? name : "unknown");
}

bool
ca_role(const struct ca_message *message, const uint8_t *payload, size_t captured, bool from_client,
        struct message *role)
{
    if (from_client)
        return asks(message, role);
    bool answers = true;
    *role =
        (struct message){ .kind = MESSAGE_ANSWERS, .key = ca_request_key(message->command, ca_exchange_id(message)) };
    switch (message->command) {
    case CA_EVENT_ADD:
        /* an update; empty, it confirms that there will be no more */
        role->key = ca_request_key(message->size > 0 ? CA_EVENT_ADD : CA_EVENT_CANCEL, message->p2);
        if (message->size > 0)
            say(role, message->p1);
        break;
    case CA_READ_NOTIFY:
    case CA_WRITE_NOTIFY:
        say(role, message->p1);
        break;
    case CA_CREATE_CH_FAIL:
        role->key = ca_request_key(CA_CREATE_CHAN, message->p1);
        fail(role, ca_command_name(message->command));
        break;
    case CA_NOT_FOUND:
        role->key = ca_request_key(CA_SEARCH, message->p2);
        role->status = ca_command_name(message->command);
        break;
    case CA_ERROR:
        answers = refuses(payload, captured, role);
        role->kind = MESSAGE_ANSWERS;
        fail(role, ca_command_name(message->command));
        say(role, message->p2);
        break;
    default:
        answers = asks(message, role);
        role->kind = MESSAGE_ANSWERS;
        break;
    }
    return answers;
}
