/* pva_message.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "pva_message.h"

#include <glib.h>

enum { VERSION_MOST = 8, CONTROLS = PVA_CONTROL_END - PVA_CONTROL };

bool
pva_is_big_endian(const struct ca_message *message)
{
    return message->type & PVA_FLAG_BIG_ENDIAN;
}

static uint32_t
read_u32(const uint8_t *bytes, bool big_endian)
{
    uint32_t number = 0;
    for (unsigned i = 0; i < 4; i++)
        number = number << 8 | bytes[big_endian ? i : 3 - i];
    return number;
}

enum ca_reading
pva_message_read(const uint8_t *bytes, size_t available, struct ca_message *message)
{
    if (available < PVA_HEADER_BYTES)
        return available > 0 && bytes[0] != PVA_MAGIC ? CA_IMPOSSIBLE : CA_CUT;
    uint8_t flags = bytes[2];
    bool control = flags & PVA_FLAG_CONTROL;
    uint32_t last = read_u32(bytes + 4, flags & PVA_FLAG_BIG_ENDIAN);
    *message = (struct ca_message){
        .command = (uint16_t)(control ? PVA_CONTROL + bytes[3] : bytes[3]),
        .size = control ? 0 : last,
        .type = flags,
        .count = bytes[1],
        .p1 = control ? last : 0,
        .header_bytes = PVA_HEADER_BYTES,
        .part = control ? CA_WHOLE : flags >> PVA_PART_SHIFT & 3,
    };
    if (bytes[0] != PVA_MAGIC || bytes[1] == 0 || bytes[3] >= (control ? CONTROLS : PVA_COMMANDS))
        return CA_IMPOSSIBLE;
    return message->size <= CA_SIZE_MOST ? CA_COMPLETE : CA_IMPOSSIBLE;
}

static bool
is_plausible(const struct ca_message *message)
{
    return !(message->type & PVA_FLAGS_UNUSED) && message->count <= VERSION_MOST;
}

bool
pva_messages_are_plausible(const uint8_t *bytes, size_t available)
{
    struct ca_message message;
    size_t offset = 0;
    while (offset < available) {
        enum ca_reading reading = pva_message_read(bytes + offset, available - offset, &message);
        if (reading == CA_CUT)
            break;
        if (reading == CA_IMPOSSIBLE || !is_plausible(&message))
            return false;
        offset += message.header_bytes + (size_t)message.size;
    }
    return offset > 0;
}

bool
pva_messages_open_circuit(const uint8_t *bytes, size_t available)
{
    struct ca_message message;
    return pva_message_read(bytes, available, &message) == CA_COMPLETE &&
           (message.command == PVA_SET_BYTE_ORDER || message.command == PVA_CONNECTION_VALIDATION) &&
           pva_messages_are_plausible(bytes, available);
}

bool
pva_is_datagram(const uint8_t *bytes, size_t captured)
{
    struct ca_message message;
    size_t offset = 0;
    while (offset < captured) {
        if (pva_message_read(bytes + offset, captured - offset, &message) != CA_COMPLETE || !is_plausible(&message) ||
            message.part != CA_WHOLE)
            return false;
        bool is_sent_so = message.command == PVA_BEACON || message.command == PVA_SEARCH ||
                          message.command == PVA_SEARCH_RESPONSE || message.command == PVA_ORIGIN_TAG;
        if (!is_sent_so)
            return false;
        offset += message.header_bytes + (size_t)message.size;
    }
    return offset > 0;
}

enum ca_sender
pva_messages_sender(const uint8_t *bytes, size_t available)
{
    struct ca_message message;
    if (pva_message_read(bytes, available, &message) != CA_COMPLETE)
        return CA_UNKNOWN_SENDER;
    return message.type & PVA_FLAG_SERVER ? CA_SERVER : CA_CLIENT;
}

bool
pva_has_subcommand(unsigned command)
{
    switch (command) {
    case PVA_GET:
    case PVA_PUT:
    case PVA_PUT_GET:
    case PVA_MONITOR:
    case PVA_ARRAY:
    case PVA_PROCESS:
    case PVA_RPC:
        return true;
    default:
        return false;
    }
}
