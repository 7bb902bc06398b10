/* ca_role.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "ca_role.h"

#include "ca_names.h"

enum { ECA_NORMAL = 1 };

/* What a client says with this header, which an ERROR may quote. */
static struct circuit_role
of_client(const struct ca_message *message)
{
    struct circuit_role role = { .command = (uint8_t)message->command, .id = message->p2, .sid = message->p1 };
    switch (message->command) {
    case CA_CREATE_CHAN:
        role.id = message->p1;
        role.kind = CIRCUIT_ASKS;
        break;
    case CA_SEARCH:
        role.joins = true; /* the name again */
        role.kind = CIRCUIT_ASKS;
        break;
    case CA_READ_SYNC:
    case CA_ECHO:
        role.id = 0;
        role.kind = CIRCUIT_ASKS;
        break;
    case CA_EVENT_ADD:
    case CA_EVENT_CANCEL:
    case CA_READ:
    case CA_READ_NOTIFY:
    case CA_WRITE_NOTIFY:
    case CA_CLEAR_CHANNEL:
        role.kind = CIRCUIT_ASKS;
        role.has_sid = true;
        break;
    case CA_WRITE:
        role.has_sid = true;
        break;
    default:
        break;
    }
    return role;
}

/* The answer has a status. */
static void
say(struct circuit_role *role, uint32_t status)
{
    const char *name = ca_status_name(status);
    role->status = status;
    if (status == ECA_NORMAL)
        return;
    role->outcome = CA_FAILED;
    role->named_status = name ? name : "unknown";
}

/* What an ERROR is about: it quotes the request. */
static struct circuit_role
of_error(const struct ca_message *message, const uint8_t *payload, size_t captured)
{
    struct ca_message request;
    if (ca_message_read(payload, captured, &request) == CA_CUT || request.command >= CA_COMMANDS)
        return (struct circuit_role){ .kind = CIRCUIT_SAYS };
    struct circuit_role role = of_client(&request);
    role.kind = role.kind == CIRCUIT_ASKS ? CIRCUIT_ANSWERS : CIRCUIT_SAYS;
    role.named_status = ca_command_name(CA_ERROR);
    say(&role, message->p2);
    role.outcome = CA_REFUSED;
    return role;
}

struct circuit_role
ca_role(const struct ca_message *message, const uint8_t *payload, size_t captured, bool from_client)
{
    if (!from_client && message->command == CA_ERROR)
        return of_error(message, payload, captured);
    struct circuit_role role = of_client(message);
    if (from_client)
        return role;
    role.kind = role.kind == CIRCUIT_ASKS ? CIRCUIT_ANSWERS : CIRCUIT_SAYS;
    role.outcome = CA_OK;
    role.has_sid = false;
    switch (message->command) {
    case CA_EVENT_ADD:
        role.updates = role.is_alike = message->size > 0;
        if (role.updates)
            say(&role, message->p1);
        else
            role.command = CA_EVENT_CANCEL; /* there will be no more updates */
        break;
    case CA_CREATE_CHAN:
        role.sid = message->p2;
        break;
    case CA_READ_SYNC:
    case CA_ECHO:
        role.is_alike = true;
        break;
    case CA_READ_NOTIFY:
    case CA_WRITE_NOTIFY:
        say(&role, message->p1);
        break;
    case CA_CREATE_CH_FAIL:
        role.kind = CIRCUIT_ANSWERS;
        role.command = CA_CREATE_CHAN;
        role.id = message->p1;
        role.outcome = CA_FAILED;
        role.named_status = ca_command_name(message->command);
        break;
    case CA_NOT_FOUND:
        role.kind = CIRCUIT_ANSWERS;
        role.command = CA_SEARCH;
        role.named_status = ca_command_name(message->command);
        break;
    default:
        break;
    }
    return role;
}
