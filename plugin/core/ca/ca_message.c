/* ca_message.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "ca_message.h"

#include <string.h>

#include <glib.h>

#include "ca_dbr.h"
#include "ca_names.h"

enum { MINOR_MOST = 99, PRIORITY_MOST = 99, TEXT_MOST = 1024 };

static uint16_t
read_u16(const uint8_t *bytes)
{
    return (uint16_t)(bytes[0] << 8 | bytes[1]);
}

static uint32_t
read_u32(const uint8_t *bytes)
{
    return (uint32_t)read_u16(bytes) << 16 | read_u16(bytes + 2);
}

enum ca_sender
ca_message_sender(const struct ca_message *message)
{
    bool empty = message->size == 0;
    switch (message->command) {
    case CA_EVENT_CANCEL:
    case CA_WRITE:
    case CA_EVENTS_OFF:
    case CA_EVENTS_ON:
    case CA_CLIENT_NAME:
    case CA_HOST_NAME:
    case CA_REPEATER_REGISTER:
        return CA_CLIENT;
    case CA_ERROR:
    case CA_RSRV_IS_UP:
    case CA_NOT_FOUND:
    case CA_REPEATER_CONFIRM:
    case CA_ACCESS_RIGHTS:
    case CA_CREATE_CH_FAIL:
    case CA_SERVER_DISCONN:
        return CA_SERVER;
    case CA_SEARCH:
        return message->count == 0 ? CA_SERVER : CA_CLIENT;
    case CA_CREATE_CHAN:
    case CA_WRITE_NOTIFY:
        return empty ? CA_SERVER : CA_CLIENT;
    case CA_READ:
    case CA_READ_NOTIFY:
        return empty ? CA_CLIENT : CA_SERVER;
    case CA_EVENT_ADD:
        /* A request has a payload of 16 bytes, but so has many an update. */
        return message->size == 16 ? CA_UNKNOWN_SENDER : CA_SERVER;
    default:
        return CA_UNKNOWN_SENDER;
    }
}

static bool
is_blank(const struct ca_message *message)
{
    return message->type == 0 && message->count == 0;
}

static bool
is_zero(const struct ca_message *message)
{
    return is_blank(message) && message->size == 0 && message->p1 == 0 && message->p2 == 0;
}

static bool
has_name(const struct ca_message *message)
{
    return message->size > 0 && message->size <= CA_NAME_MOST + 8;
}

static bool
has_minor(uint32_t minor)
{
    return minor > 0 && minor <= MINOR_MOST;
}

/* The payload is as long as its type and count say. One string may be cut after its end. */
static bool
has_values(const struct ca_message *message)
{
    uint64_t bytes = ca_dbr_bytes(message->type, message->count);
    if (message->size == 0 || bytes == 0)
        return false;
    if (ca_dbr_shape(message->type)->value == CA_STRING && message->count == 1)
        return message->size > ca_dbr_shape(message->type)->value_offset && message->size < bytes + 8;
    return message->size == (bytes + 7) / 8 * 8;
}

static bool
has_status(uint32_t status)
{
    return ca_status_name(status) != NULL;
}

static bool
is_search(const struct ca_message *message)
{
    return has_name(message) && (message->type == CA_DONT_REPLY || message->type == CA_DO_REPLY) &&
           has_minor(message->count) && message->p1 == message->p2;
}

static bool
is_search_reply(const struct ca_message *message)
{
    return (message->size == 0 || message->size == 8) && message->type != 0 && message->count == 0;
}

static bool
is_version(const struct ca_message *message)
{
    return message->size == 0 && message->type <= PRIORITY_MOST && has_minor(message->count) && message->p2 == 0 &&
           (message->p1 == 0 || message->type == CA_SEQUENCE_VALID);
}

static bool
is_create(const struct ca_message *message)
{
    if (message->size == 0)
        return message->type <= CA_DOUBLE;
    return has_name(message) && is_blank(message) && has_minor(message->p2);
}

/* A request has no payload. */
static bool
is_read(const struct ca_message *message)
{
    if (message->size == 0)
        return ca_dbr_shape(message->type) != NULL;
    return has_values(message) && (message->command == CA_READ || has_status(message->p1));
}

static bool
is_write_notify(const struct ca_message *message)
{
    if (message->size == 0)
        return ca_dbr_shape(message->type) != NULL && has_status(message->p1);
    return has_values(message);
}

static bool
is_event(const struct ca_message *message)
{
    if (message->size == 0 || message->size == 16)
        return ca_dbr_shape(message->type) != NULL;
    return has_values(message) && has_status(message->p1);
}

/* The two halves of the header are the same, as in an array of equal numbers, or of two in turn. */
static bool
repeats_itself(const struct ca_message *message)
{
    return message->p1 == ((uint32_t)message->command << 16 | message->size) &&
           message->p2 == ((uint32_t)message->type << 16 | message->count);
}

bool
ca_message_is_plausible(const struct ca_message *message)
{
    bool empty = message->size == 0;
    if (repeats_itself(message))
        return false;
    switch (message->command) {
    case CA_VERSION:
        return is_version(message);
    case CA_EVENT_ADD:
        return is_event(message);
    case CA_EVENT_CANCEL:
        return empty && ca_dbr_shape(message->type) != NULL;
    case CA_READ:
    case CA_READ_NOTIFY:
        return is_read(message);
    case CA_WRITE:
        return has_values(message);
    case CA_SEARCH:
        return is_search(message) || is_search_reply(message);
    case CA_EVENTS_OFF:
    case CA_EVENTS_ON:
    case CA_READ_SYNC:
    case CA_ECHO:
        return is_zero(message);
    case CA_ERROR:
        return message->size > CA_HEADER_BYTES && message->size <= TEXT_MOST && has_status(message->p2);
    case CA_CLEAR_CHANNEL:
        return empty && is_blank(message);
    case CA_RSRV_IS_UP:
        return empty && has_minor(message->type) && message->count != 0;
    case CA_NOT_FOUND:
        return is_search(message);
    case CA_REPEATER_CONFIRM:
    case CA_REPEATER_REGISTER:
        return empty && is_blank(message) && message->p1 == 0;
    case CA_CREATE_CHAN:
        return is_create(message);
    case CA_WRITE_NOTIFY:
        return is_write_notify(message);
    case CA_CLIENT_NAME:
    case CA_HOST_NAME:
        return !empty && message->size <= TEXT_MOST && is_blank(message) && message->p1 == 0 && message->p2 == 0;
    case CA_ACCESS_RIGHTS:
        return empty && is_blank(message) && message->p2 <= (CA_RIGHT_READ | CA_RIGHT_WRITE);
    case CA_CREATE_CH_FAIL:
    case CA_SERVER_DISCONN:
        return empty && is_blank(message) && message->p2 == 0;
    default:
        return false;
    }
}

enum ca_reading
ca_message_read(const uint8_t *bytes, size_t available, struct ca_message *message)
{
    if (available < CA_HEADER_BYTES)
        return CA_CUT;
    *message = (struct ca_message){
        .command = read_u16(bytes),
        .size = read_u16(bytes + 2),
        .type = read_u16(bytes + 4),
        .count = read_u16(bytes + 6),
        .p1 = read_u32(bytes + 8),
        .p2 = read_u32(bytes + 12),
        .header_bytes = CA_HEADER_BYTES,
    };
    if (message->command >= CA_COMMANDS)
        return CA_IMPOSSIBLE;
    if (message->size == 0xFFFF && message->count == 0) {
        if (available < CA_EXTENDED_HEADER_BYTES)
            return CA_CUT;
        message->size = read_u32(bytes + 16);
        message->count = read_u32(bytes + 20);
        message->header_bytes = CA_EXTENDED_HEADER_BYTES;
    }
    /* EPICS drops a circuit on a size that is no multiple of 8. */
    if (message->size % 8 != 0 || message->size > CA_SIZE_MOST)
        return CA_IMPOSSIBLE;
    return message->size <= CA_SIZE_UNCHECKED || ca_message_is_plausible(message) ? CA_COMPLETE : CA_IMPOSSIBLE;
}

bool
ca_messages_are_plausible(const uint8_t *bytes, size_t available)
{
    struct ca_message message;
    size_t offset = 0;
    while (offset < available) {
        enum ca_reading reading = ca_message_read(bytes + offset, available - offset, &message);
        if (reading == CA_CUT)
            break;
        if (reading == CA_IMPOSSIBLE || !ca_message_is_plausible(&message))
            return false;
        offset += message.header_bytes + (size_t)message.size;
    }
    return offset > 0;
}

enum ca_sender
ca_messages_sender(const uint8_t *bytes, size_t available)
{
    enum ca_sender sender = CA_UNKNOWN_SENDER;
    struct ca_message message;
    for (size_t offset = 0; sender == CA_UNKNOWN_SENDER && offset < available;
         offset += message.header_bytes + (size_t)message.size) {
        if (ca_message_read(bytes + offset, available - offset, &message) != CA_COMPLETE)
            break;
        sender = ca_message_sender(&message);
    }
    return sender;
}

bool
ca_messages_open_circuit(const uint8_t *bytes, size_t available)
{
    struct ca_message message;
    return ca_message_read(bytes, available, &message) == CA_COMPLETE && message.command == CA_VERSION &&
           ca_messages_are_plausible(bytes, available);
}

size_t
ca_text_length(const uint8_t *payload, size_t available)
{
    const uint8_t *end = available ? memchr(payload, '\0', available) : NULL;
    return end ? (size_t)(end - payload) : available;
}

size_t
ca_name_read(const struct ca_message *message, const uint8_t *payload, size_t captured, char name[CA_NAME_ROOM])
{
    const size_t most = MIN(message->size, CA_NAME_MOST), length = ca_text_length(payload, MIN(captured, most));
    const bool is_cut = length == captured && length > 0 && length < most;
    const char *end = is_cut ? "…" : "";
    if (length > 0)
        memcpy(name, payload, length);
    strcpy(name + length, end);
    return length + strlen(end);
}
