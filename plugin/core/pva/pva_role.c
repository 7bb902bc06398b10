/* pva_role.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "pva_role.h"

#include "pva_names.h"
#include "pva_operation.h"

static void
say(struct circuit_role *role, const struct pva_status *status)
{
    if (!pva_status_failed(status))
        return;
    role->outcome = CA_FAILED;
    role->named_status = pva_status_name(status->type);
    role->reason = status->message.bytes;
    role->reason_bytes = status->message.length;
}

static void
read_operation(unsigned command, struct pva_cursor *cursor, bool from_client, struct circuit_role *role)
{
    struct pva_operation operation;
    if (!pva_operation_read(command, cursor, from_client, &operation)) {
        role->kind = pva_has_subcommand(command) ? CIRCUIT_IS_CUT : CIRCUIT_SAYS;
        return;
    }
    role->command = (uint8_t)operation.request;
    role->id = operation.ioid;
    role->joins = from_client && operation.request == PVA_MONITOR;
    role->is_alike = operation.request == PVA_MONITOR;
    role->updates = !from_client && operation.request == PVA_MONITOR && !operation.has_status;
    if (from_client && !operation.asks)
        role->kind = CIRCUIT_SAYS;
    if (operation.has_status)
        say(role, &operation.status);
}

static void
read_create(struct pva_cursor *cursor, bool from_client, struct circuit_role *role)
{
    bool names_one = !from_client || pva_read_u16(cursor) > 0;
    role->id = pva_read_u32(cursor);
    role->sid = from_client ? 0 : pva_read_u32(cursor);
    if (cursor->failed || !names_one) {
        role->kind = CIRCUIT_SAYS;
    } else if (!from_client) {
        const struct pva_status status = pva_read_status(cursor);
        say(role, &status);
    }
}

static void
read_destroy(struct pva_cursor *cursor, struct circuit_role *role)
{
    pva_read_u32(cursor);
    role->id = pva_read_u32(cursor);
    if (cursor->failed)
        role->kind = CIRCUIT_SAYS;
}

/* What a client says is about a channel, by the sid that it begins with. */
static bool
has_sid(unsigned command)
{
    return pva_has_subcommand(command) || command == PVA_GET_FIELD || command == PVA_DESTROY_CHANNEL ||
           command == PVA_DESTROY_REQUEST || command == PVA_CANCEL_REQUEST;
}

struct circuit_role
pva_role(const struct ca_message *message, const uint8_t *payload, size_t captured, bool from_client)
{
    struct pva_cursor cursor = pva_cursor_of(payload, captured, pva_is_big_endian(message)), at_sid = cursor;
    struct circuit_role role = {
        .kind = from_client ? CIRCUIT_ASKS : CIRCUIT_ANSWERS,
        .command = (uint8_t)message->command,
        .outcome = from_client ? CA_WAITING : CA_OK,
    };
    if (from_client && has_sid(message->command)) {
        role.sid = pva_read_u32(&at_sid);
        role.has_sid = !at_sid.failed;
    }
    switch (message->command) {
    case PVA_CREATE_CHANNEL:
        read_create(&cursor, from_client, &role);
        break;
    case PVA_DESTROY_CHANNEL:
        read_destroy(&cursor, &role);
        break;
    case PVA_ECHO:
        role.is_alike = true;
        break;
    default:
        read_operation(message->command, &cursor, from_client, &role);
        break;
    }
    return role;
}
