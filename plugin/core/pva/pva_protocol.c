/* pva_protocol.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "pva_protocol.h"

#include "pva_cursor.h"
#include "pva_message.h"
#include "pva_names.h"
#include "pva_role.h"
#include "pva_take.h"

static bool
is_port(const struct settings *settings, uint16_t port)
{
    return settings->is_pvaccess && settings->is_pvaccess(port);
}

/* Names, ids and statuses; values tell nothing. */
static uint32_t
telling_bytes(const struct ca_message *message, bool from_client, const uint8_t *payload, size_t captured)
{
    enum { IDS = 64, STATUS_MOST = 512, SEARCH_MOST = UINT16_MAX, AT_STATUS = 5 };
    if (message->command == PVA_SEARCH || message->command == PVA_SEARCH_RESPONSE)
        return SEARCH_MOST;
    if (message->command == PVA_CREATE_CHANNEL)
        return IDS + PVA_NAME_MOST;
    bool is_alone = pva_has_subcommand(message->command) && captured > AT_STATUS &&
                    (payload[AT_STATUS] == PVA_OK_ALONE || message->command == PVA_MONITOR);
    if (from_client)
        return IDS;
    return is_alone ? AT_STATUS + 1 : IDS + STATUS_MOST;
}

static const char *
pv(const struct ca_taking *taking)
{
    const struct ca_channel *channel = ca_channel_at(taking->channels, pva_take_channel(taking));
    return channel ? channel->pv : NULL;
}

const struct circuit_protocol circuit_of_pvaccess = {
    .prefix = "pva",
    .name = "pvAccess",
    .framing = FRAMING_PVA,
    .server_role = PVA_SERVER_PORT,
    .create = PVA_CREATE_CHANNEL,
    .search = PVA_SEARCH,
    .search_reply = PVA_SEARCH_RESPONSE,
    .hello = PVA_CONNECTION_VALIDATED,
    .commands = PVA_REQUESTS,
    .is_port = is_port,
    .opens = pva_messages_open_circuit,
    .are_plausible = pva_messages_are_plausible,
    .sender = pva_messages_sender,
    .read = pva_message_read,
    .telling_bytes = telling_bytes,
    .role = pva_role,
    .operation = pva_role_operation,
    .pv = pv,
    .take = pva_take,
    .command_name = pva_request_name,
};
