/* pva_guids.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "pva_guids.h"

#include <string.h>

#include "../../core/pva/pva_message.h"

/* Where a server is; without holes, for it is a key. */
struct server_place {
    uint8_t address[ADDRESS_BYTES];
    uint16_t port;
    uint16_t ipv6;
};

static wmem_map_t *guids;   /* by struct server_place */
static wmem_map_t *changed; /* frames */

static unsigned
hash_server(const void *server)
{
    return wmem_strong_hash(server, sizeof(struct server_place));
}

static gboolean
equal_servers(const void *a, const void *b)
{
    return memcmp(a, b, sizeof(struct server_place)) == 0;
}

static void
begin(void)
{
    guids = wmem_map_new(wmem_file_scope(), hash_server, equal_servers);
    changed = wmem_map_new(wmem_file_scope(), g_direct_hash, g_direct_equal);
}

void
pva_guids_register(void)
{
    register_init_routine(begin);
}

static void
take_guid(const struct server_place *server, const uint8_t *guid, uint32_t frame)
{
    uint8_t *known = wmem_map_lookup(guids, server);
    if (!known) {
        wmem_map_insert(guids, wmem_memdup(wmem_file_scope(), server, sizeof *server),
                        wmem_memdup(wmem_file_scope(), guid, PVA_GUID_BYTES));
    } else if (memcmp(known, guid, PVA_GUID_BYTES) != 0) {
        memcpy(known, guid, PVA_GUID_BYTES);
        wmem_map_insert(changed, GUINT_TO_POINTER(frame), GUINT_TO_POINTER(frame));
    }
}

void
pva_guids_take(const struct pva_datagram *datagram, const struct ca_message *message, const uint8_t *payload,
               size_t captured)
{
    enum { BEHIND_GUID = 4 }; /* of a beacon, and the sequence of a response */
    struct pva_cursor cursor = pva_cursor_of(payload, captured, pva_is_big_endian(message));
    if (message->command != PVA_BEACON && message->command != PVA_SEARCH_RESPONSE)
        return;
    const uint8_t *guid = pva_read_bytes(&cursor, PVA_GUID_BYTES);
    pva_read_bytes(&cursor, BEHIND_GUID);
    const struct pva_peer peer = pva_peer_read(&cursor);
    struct server_place server = { .port = peer.endpoint.port, .ipv6 = peer.is_any ? datagram->ipv6 : peer.ipv6 };
    memcpy(server.address, peer.is_any ? datagram->source.address : peer.endpoint.address, sizeof server.address);
    if (!cursor.failed)
        take_guid(&server, guid, datagram->arrival.frame);
}

bool
pva_guids_have_changed(uint32_t frame)
{
    return wmem_map_lookup(changed, GUINT_TO_POINTER(frame)) != NULL;
}
