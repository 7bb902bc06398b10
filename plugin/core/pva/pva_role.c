/* pva_role.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "pva_role.h"

#include "pva_names.h"
#include "pva_operation.h"
#include "../ca/ca_request.h"

static void
say(struct message *role, const struct pva_status *status)
{
    role->failed = pva_status_failed(status);
    if (role->failed)
        role->status = pva_status_name(status->type);
}

static bool
role_of_operation(const struct ca_message *message, struct pva_cursor *cursor, bool from_client, struct message *role)
{
    struct pva_operation operation;
    if (!pva_operation_read(message->command, cursor, from_client, &operation))
        return false;
    role->key = ca_request_key(operation.request, operation.ioid);
    if (operation.has_status)
        say(role, &operation.status);
    return !from_client || operation.asks;
}

/* The first channel's id: peers name one. */
static bool
role_of_create(struct pva_cursor *cursor, bool from_client, struct message *role)
{
    if (from_client && pva_read_u16(cursor) == 0)
        return false;
    role->key = ca_request_key(PVA_CREATE_CHANNEL, pva_read_u32(cursor));
    if (cursor->failed || from_client)
        return !cursor->failed;
    pva_read_u32(cursor);
    const struct pva_status status = pva_read_status(cursor);
    say(role, &status);
    return true;
}

bool
pva_role(const struct ca_message *message, const uint8_t *payload, size_t captured, bool from_client,
         struct message *role)
{
    struct pva_cursor cursor = pva_cursor_of(payload, captured, pva_is_big_endian(message));
    *role = (struct message){ .kind = from_client ? MESSAGE_ASKS : MESSAGE_ANSWERS };
    switch (message->command) {
    case PVA_CREATE_CHANNEL:
        return role_of_create(&cursor, from_client, role);
    case PVA_DESTROY_CHANNEL:
        pva_read_u32(&cursor);
        role->key = ca_request_key(PVA_DESTROY_CHANNEL, pva_read_u32(&cursor));
        return !cursor.failed;
    case PVA_ECHO:
        role->key = PVA_ECHO_KEY;
        return true;
    default:
        return role_of_operation(message, &cursor, from_client, role);
    }
}

const char *
pva_role_operation(const struct ca_message *message, const uint8_t *payload, size_t captured)
{
    struct pva_cursor cursor = pva_cursor_of(payload, captured, pva_is_big_endian(message));
    struct pva_operation operation;
    unsigned request =
        pva_operation_read(message->command, &cursor, true, &operation) ? operation.request : message->command;
    const char *name = pva_request_name(request);
    return name ? name : "";
}
