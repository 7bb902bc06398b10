/* ca_protocol.c
 * Channel Access as a protocol of circuits.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "circuit_protocol.h"

#include "ca_names.h"
#include "ca_role.h"
#include "ca_take.h"

static bool
is_port(const struct settings *settings, uint16_t port)
{
    return settings->is_channel_access && settings->is_channel_access(port);
}

static uint32_t
telling_bytes(const struct ca_message *message, bool from_client, const uint8_t *payload, size_t captured)
{
    (void)payload;
    (void)captured;
    bool has_name = from_client && (message->command == CA_CREATE_CHAN || message->command == CA_SEARCH);
    bool quotes = !from_client && message->command == CA_ERROR;
    return has_name ? CA_NAME_MOST : quotes ? CA_EXTENDED_HEADER_BYTES : 0;
}

static const char *
operation(const struct ca_message *message, const uint8_t *payload, size_t captured)
{
    (void)payload;
    (void)captured;
    return ca_command_name(message->command);
}

static const char *
pv(const struct ca_taking *taking)
{
    return ca_channel_pv(taking->channels, taking->circuit, taking->message->p1);
}

static void
take(const struct ca_taking *taking, bool from_client, ca_note note, void *data)
{
    note(data, ca_take(taking->channels, taking->circuit, taking->message, taking->payload, taking->captured,
                       from_client, taking->arrival));
}

const struct circuit_protocol circuit_of_channel_access = {
    .prefix = "ca",
    .name = "Channel Access",
    .framing = FRAMING_CA,
    .server_role = CA_SERVER_PORT,
    .create = CA_CREATE_CHAN,
    .search = CA_SEARCH,
    .search_reply = CA_SEARCH,
    .hello = CA_VERSION,
    .commands = CA_COMMANDS,
    .is_port = is_port,
    .opens = ca_messages_open_circuit,
    .are_plausible = ca_messages_are_plausible,
    .sender = ca_messages_sender,
    .read = ca_message_read,
    .telling_bytes = telling_bytes,
    .role = ca_role,
    .operation = operation,
    .pv = pv,
    .take = take,
    .command_name = ca_command_name,
};
