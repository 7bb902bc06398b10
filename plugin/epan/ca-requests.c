/* ca-requests.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "ca-requests.h"

#include "../core/ca_names.h"
#include "../core/ca_role.h"
#include "../core/operation.h"
#include "intake.h"

static void
tell(const struct ca_reader *reader, const struct message *message)
{
    struct connection *connection = reader->circuit && reader->frame->first ? intake_connection() : NULL;
    if (connection)
        framing_tell(&intake_analysis()->requests, connection, message);
}

void
ca_requests_claim(const struct ca_reader *reader)
{
    tell(reader, &(struct message){ .kind = MESSAGE_CLAIM, .from_client = reader->from_client, .key = FRAMING_CA });
}

void
ca_requests_take(const struct ca_reader *reader, const struct ca_message *message, const uint8_t *payload,
                 size_t captured, const char *pv)
{
    char operation[OPERATION_ROOM] = "";
    struct message role;
    if (!ca_role(message, payload, captured, reader->from_client, &role))
        return;
    if (role.kind == MESSAGE_ASKS)
        operation_of(ca_command_name(message->command), pv ? pv : "", operation);
    role.operation = operation;
    role.bytes = message->header_bytes + (uint64_t)message->size;
    role.ends = true;
    tell(reader, &role);
}

/* Of what asks, the time is that of its last byte, as in ca.create.time. */
void
ca_requests_begin(const struct ca_reader *reader, const struct ca_message *message, uint32_t bytes)
{
    struct message role;
    if (reader->from_client || !ca_role(message, NULL, 0, false, &role))
        return;
    role.bytes = bytes;
    tell(reader, &role);
}

void
ca_requests_skip(const struct ca_reader *reader)
{
    tell(reader, &(struct message){ .kind = MESSAGE_BREAK, .from_client = reader->from_client });
}
