/* pva_names.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "pva_names.h"

#include <stddef.h>

#include "pva_cursor.h"
#include "pva_message.h"

const char *
pva_command_name(unsigned command)
{
    static const char *const names[PVA_CONTROL_END] = {
        [PVA_BEACON] = "BEACON",
        [PVA_CONNECTION_VALIDATION] = "CONNECTION_VALIDATION",
        [PVA_ECHO] = "ECHO",
        [PVA_SEARCH] = "SEARCH",
        [PVA_SEARCH_RESPONSE] = "SEARCH_RESPONSE",
        [PVA_AUTHNZ] = "AUTHNZ",
        [PVA_ACL_CHANGE] = "ACL_CHANGE",
        [PVA_CREATE_CHANNEL] = "CREATE_CHANNEL",
        [PVA_DESTROY_CHANNEL] = "DESTROY_CHANNEL",
        [PVA_CONNECTION_VALIDATED] = "CONNECTION_VALIDATED",
        [PVA_GET] = "GET",
        [PVA_PUT] = "PUT",
        [PVA_PUT_GET] = "PUT_GET",
        [PVA_MONITOR] = "MONITOR",
        [PVA_ARRAY] = "ARRAY",
        [PVA_DESTROY_REQUEST] = "DESTROY_REQUEST",
        [PVA_PROCESS] = "PROCESS",
        [PVA_GET_FIELD] = "GET_FIELD",
        [PVA_MESSAGE] = "MESSAGE",
        [PVA_MULTIPLE_DATA] = "MULTIPLE_DATA",
        [PVA_RPC] = "RPC",
        [PVA_CANCEL_REQUEST] = "CANCEL_REQUEST",
        [PVA_ORIGIN_TAG] = "ORIGIN_TAG",
        [PVA_SET_MARKER] = "SET_MARKER",
        [PVA_ACK_MARKER] = "ACK_MARKER",
        [PVA_SET_BYTE_ORDER] = "SET_BYTE_ORDER",
        [PVA_ECHO_REQUEST] = "ECHO_REQUEST",
        [PVA_ECHO_RESPONSE] = "ECHO_RESPONSE",
    };
    return command < PVA_CONTROL_END ? names[command] : NULL;
}

const char *
pva_request_name(unsigned command)
{
    static const char *const inits[PVA_COMMANDS] = {
        [PVA_GET] = "GET_INIT",         [PVA_PUT] = "PUT_INIT",     [PVA_PUT_GET] = "PUT_GET_INIT",
        [PVA_MONITOR] = "MONITOR_INIT", [PVA_ARRAY] = "ARRAY_INIT", [PVA_PROCESS] = "PROCESS_INIT",
        [PVA_RPC] = "RPC_INIT",
    };
    if (command >= PVA_INIT && command < PVA_INIT + PVA_COMMANDS)
        return inits[command - PVA_INIT];
    switch (command) {
    case PVA_ECHO:
    case PVA_SEARCH:
    case PVA_CREATE_CHANNEL:
    case PVA_DESTROY_CHANNEL:
    case PVA_GET_FIELD:
        return pva_command_name(command);
    default:
        return pva_has_subcommand(command) ? pva_command_name(command) : NULL;
    }
}

const char *
pva_status_name(unsigned type)
{
    static const char *const names[] = { "OK", "WARNING", "ERROR", "FATAL" };
    if (type == PVA_OK_ALONE)
        return names[PVA_OK];
    return type < sizeof names / sizeof *names ? names[type] : NULL;
}
