/* pva_parts.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "pva_parts.h"

#include <string.h>

#include "../../core/pva/pva_message.h"
#include "pva_place.h"

/* A message whose last part has not come, or has. */
struct parts {
    uint8_t *bytes;
    uint32_t size, room;
    int64_t end; /* of the part before, in its sender's stream */
    bool is_whole;
};

/* By circuit and side: those under way; and by their last part's place, too: those that are whole. */
static wmem_map_t *under_way, *whole;
static uint64_t kept_bytes;

static void
begin(void)
{
    under_way = pva_map_new();
    whole = pva_map_new();
    kept_bytes = 0;
}

void
pva_parts_register(void)
{
    register_init_routine(begin);
}

static uint64_t
key_of(const struct ca_circuit *circuit, bool from_client)
{
    return (uint64_t)circuit->number << 1 | from_client;
}

static uint64_t
key_of_last(const struct ca_circuit *circuit, bool from_client, int64_t start)
{
    return key_of(circuit, from_client) << 40 ^ (uint64_t)start;
}

static struct parts *
parts_at(wmem_map_t *map, uint64_t key)
{
    struct parts *parts = wmem_map_lookup(map, &key);
    if (parts)
        return parts;
    parts = wmem_new0(wmem_file_scope(), struct parts);
    wmem_map_insert(map, wmem_memdup(wmem_file_scope(), &key, sizeof key), parts);
    return parts;
}

/* `header`: with the part's header, which the message has once. */
static void
append(struct parts *parts, tvbuff_t *tvb, bool header)
{
    uint32_t offset = header ? 0 : PVA_HEADER_BYTES, bytes = tvb_reported_length(tvb) - offset;
    if (tvb_captured_length(tvb) != tvb_reported_length(tvb) || bytes > PARTS_BYTES_MOST - parts->size)
        parts->is_whole = false;
    if (!parts->is_whole || bytes == 0)
        return;
    if (parts->size + bytes > parts->room) {
        parts->room = MAX(parts->room * 2, parts->size + bytes);
        parts->bytes = wmem_realloc(wmem_file_scope(), parts->bytes, parts->room);
    }
    tvb_memcpy(tvb, parts->bytes + parts->size, (int)offset, bytes);
    parts->size += bytes;
}

static void
finish(const struct ca_circuit *circuit, bool from_client, int64_t start, struct parts *parts, bool kept)
{
    if (parts->is_whole && kept_bytes + parts->size <= PARTS_KEPT_MOST) {
        struct parts *found = parts_at(whole, kept ? key_of_last(circuit, from_client, start) : 0);
        wmem_free(wmem_file_scope(), found->bytes);
        *found = *parts;
        kept_bytes += kept ? parts->size : 0;
    } else {
        wmem_free(wmem_file_scope(), parts->bytes);
    }
    /* Of frames that are not visited again, the last one alone is needed. */
    *parts = (struct parts){ .end = kept ? 0 : start };
}

void
pva_parts_add(const struct ca_circuit *circuit, bool from_client, int64_t start, unsigned part, tvbuff_t *tvb,
              bool kept)
{
    enum { BETWEEN_MOST = 4 * PVA_HEADER_BYTES }; /* of control messages */
    struct parts *parts = parts_at(under_way, key_of(circuit, from_client));
    if (part == CA_FIRST_PART) {
        parts->size = 0;
        parts->is_whole = true;
    } else if (start < parts->end || start > parts->end + BETWEEN_MOST) {
        parts->is_whole = false;
    }
    append(parts, tvb, part == CA_FIRST_PART);
    parts->end = start + tvb_reported_length(tvb);
    if (part == CA_LAST_PART)
        finish(circuit, from_client, start, parts, kept);
}

tvbuff_t *
pva_parts_whole(const struct ca_circuit *circuit, bool from_client, int64_t start, tvbuff_t *parent)
{
    const struct parts *under = parts_at(under_way, key_of(circuit, from_client));
    uint64_t key = key_of_last(circuit, from_client, start), alone = 0;
    const struct parts *found = wmem_map_lookup(whole, &key);
    if (!found && under->end == start)
        found = wmem_map_lookup(whole, &alone);
    return found && found->bytes ? tvb_new_child_real_data(parent, found->bytes, found->size, (int)found->size) : NULL;
}
