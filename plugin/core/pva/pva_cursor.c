/* pva_cursor.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "pva_cursor.h"

#include <string.h>

#include <glib.h>

enum { SIZE_LONG = 254, SIZE_NULL = 255 };

struct pva_cursor
pva_cursor_of(const uint8_t *bytes, size_t available, bool big_endian)
{
    return (struct pva_cursor){ .bytes = bytes, .available = bytes ? available : 0, .big_endian = big_endian };
}

const uint8_t *
pva_read_bytes(struct pva_cursor *cursor, size_t bytes)
{
    if (cursor->failed || bytes > cursor->available - cursor->at) {
        cursor->failed = true;
        return NULL;
    }
    const uint8_t *found = cursor->bytes + cursor->at;
    cursor->at += bytes;
    return found;
}

static uint32_t
read_number(struct pva_cursor *cursor, unsigned bytes)
{
    const uint8_t *found = pva_read_bytes(cursor, bytes);
    uint32_t number = 0;
    for (unsigned i = 0; found && i < bytes; i++)
        number = number << 8 | found[cursor->big_endian ? i : bytes - 1 - i];
    return number;
}

uint8_t
pva_read_u8(struct pva_cursor *cursor)
{
    return (uint8_t)read_number(cursor, 1);
}

uint16_t
pva_read_u16(struct pva_cursor *cursor)
{
    return (uint16_t)read_number(cursor, 2);
}

uint32_t
pva_read_u32(struct pva_cursor *cursor)
{
    return read_number(cursor, 4);
}

uint32_t
pva_read_size(struct pva_cursor *cursor)
{
    uint8_t first = pva_read_u8(cursor);
    if (first == SIZE_NULL)
        return PVA_NULL_SIZE;
    return first == SIZE_LONG ? pva_read_u32(cursor) : first;
}

struct pva_text
pva_read_text(struct pva_cursor *cursor)
{
    uint32_t length = pva_read_size(cursor);
    const uint8_t *bytes = length != PVA_NULL_SIZE && length > 0 ? pva_read_bytes(cursor, length) : NULL;
    return (struct pva_text){ bytes, bytes ? length : 0 };
}

size_t
pva_read_name(struct pva_cursor *cursor, char name[PVA_NAME_ROOM])
{
    const uint32_t size = pva_read_size(cursor), wanted = size == PVA_NULL_SIZE ? 0 : size;
    const uint8_t *bytes = cursor->bytes + cursor->at;
    const size_t there = MIN(wanted, cursor->failed ? 0 : cursor->available - cursor->at);
    pva_read_bytes(cursor, wanted);
    const size_t most = MIN(there, PVA_NAME_MOST);
    const uint8_t *end = most > 0 ? memchr(bytes, '\0', most) : NULL;
    const size_t length = end ? (size_t)(end - bytes) : most;
    if (length > 0)
        memcpy(name, bytes, length);
    bool is_cut = length > 0 && length == there && there < wanted;
    return length + g_strlcpy(name + length, is_cut ? "…" : "", PVA_NAME_ROOM - length);
}

struct pva_status
pva_read_status(struct pva_cursor *cursor)
{
    struct pva_status status = { .type = pva_read_u8(cursor) };
    if (status.type != PVA_OK_ALONE) {
        status.message = pva_read_text(cursor);
        status.call_tree = pva_read_text(cursor);
    }
    return status;
}

bool
pva_status_failed(const struct pva_status *status)
{
    return status->type == PVA_ERROR || status->type == PVA_FATAL;
}
