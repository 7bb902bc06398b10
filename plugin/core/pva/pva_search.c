/* pva_search.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "pva_search.h"

#include <string.h>

#include "pva_message.h"

/* IPv4 in IPv6: ::ffff:10.0.0.1; older peers leave out the ffff. */
static bool
is_ipv4(const uint8_t *address)
{
    static const uint8_t zeros[10] = { 0 };
    bool has_mark = address[10] == 0xFF && address[11] == 0xFF, is_bare = address[10] == 0 && address[11] == 0;
    return memcmp(address, zeros, sizeof zeros) == 0 && (has_mark || is_bare);
}

struct pva_peer
pva_peer_read(struct pva_cursor *cursor)
{
    static const uint8_t any[4] = { 0 };
    struct pva_peer peer = { .is_any = true };
    const uint8_t *address = pva_read_bytes(cursor, PVA_ADDRESS_BYTES);
    peer.endpoint.port = pva_read_u16(cursor);
    if (!address || (is_ipv4(address) && memcmp(address + 12, any, sizeof any) == 0))
        return peer;
    peer.is_any = false;
    peer.ipv6 = !is_ipv4(address);
    memcpy(peer.endpoint.address, peer.ipv6 ? address : address + 12, peer.ipv6 ? PVA_ADDRESS_BYTES : 4);
    return peer;
}

struct pva_search
pva_search_read(struct pva_cursor *cursor)
{
    struct pva_search search = { .sequence = pva_read_u32(cursor) };
    search.flags = pva_read_u8(cursor);
    pva_read_bytes(cursor, 3);
    search.peer = pva_peer_read(cursor);
    uint32_t protocols = pva_read_size(cursor);
    for (uint32_t i = 0; i < protocols && protocols != PVA_NULL_SIZE && !cursor->failed; i++)
        pva_read_text(cursor);
    search.count = pva_read_u16(cursor);
    return search;
}

struct pva_search
pva_search_response_read(struct pva_cursor *cursor)
{
    struct pva_search search = { .guid = pva_read_bytes(cursor, PVA_GUID_BYTES) };
    search.sequence = pva_read_u32(cursor);
    search.peer = pva_peer_read(cursor);
    pva_read_text(cursor);
    search.found = pva_read_u8(cursor) != 0;
    search.count = pva_read_u16(cursor);
    return search;
}

bool
pva_search_next(struct pva_cursor *cursor, uint32_t *id, struct pva_text *name)
{
    *id = pva_read_u32(cursor);
    *name = pva_read_text(cursor);
    return !cursor->failed;
}

static void
take_names(struct ca_channels *channels, const struct ca_batch *batch, bool is_forwarded, struct pva_cursor *cursor,
           unsigned count, const struct ca_arrival *arrival, ca_note note, void *data)
{
    uint32_t id;
    struct pva_text name;
    for (unsigned i = 0; i < count && pva_search_next(cursor, &id, &name); i++) {
        size_t length = MIN(name.length, PVA_NAME_MOST);
        const uint8_t *end = length > 0 ? memchr(name.bytes, '\0', length) : NULL;
        length = end ? (size_t)(end - name.bytes) : length;
        uint32_t number = is_forwarded ? ca_search_find(&channels->searches, batch, id, name.bytes, length) : 0;
        if (number)
            note(data, ca_refer(CA_ABOUT_SEARCH_AGAIN, number));
        else
            note(data,
                 ca_refer(CA_ABOUT_SEARCH, ca_search_ask(&channels->searches, batch, id, name.bytes, length, arrival)));
    }
}

/* `server`: NULL for one that does not have the names. */
static void
take_ids(struct ca_channels *channels, const struct ca_batch *batch, const struct ca_peer *server,
         struct pva_cursor *cursor, unsigned count, const struct ca_arrival *arrival, ca_note note, void *data)
{
    for (unsigned i = 0; i < count; i++) {
        uint32_t id = pva_read_u32(cursor);
        if (cursor->failed)
            return;
        uint32_t number = server ? ca_search_reply(&channels->searches, batch, id, server, arrival)
                                 : ca_search_not_found(&channels->searches, batch, id);
        const struct ca_search *search = ca_search_at(&channels->searches, number);
        bool decides = search && search->replies == 1;
        note(data, ca_refer(!server   ? CA_ABOUT_SEARCH_ASIDE
                            : decides ? CA_ABOUT_SEARCH
                                      : CA_ABOUT_SEARCH_AGAIN,
                            number));
    }
}

/* Over TCP the connection's server is meant where an address or a port is 0, as pvxs reads it; the port of a datagram's
 * sender is none, 0. */
static const struct ca_peer *
server_of(struct ca_channels *channels, const struct pva_search *search, const struct endpoint *sender, bool ipv6)
{
    struct endpoint server = search->peer.endpoint;
    if (search->peer.is_any)
        memcpy(server.address, sender->address, sizeof server.address);
    if (server.port == 0)
        server.port = sender->port;
    return search->found ? ca_peer(&channels->searches.peers, PVA_SERVER_PORT, &server,
                                   search->peer.is_any ? ipv6 : search->peer.ipv6)
                         : NULL;
}

static void
take_response(struct ca_channels *channels, const struct ca_batch *batch, struct pva_cursor *cursor,
              const struct endpoint *sender, bool ipv6, const struct ca_arrival *arrival, ca_note note, void *data)
{
    const struct pva_search search = pva_search_response_read(cursor);
    if (!cursor->failed)
        take_ids(channels, batch, server_of(channels, &search, sender, ipv6), cursor, search.count, arrival, note,
                 data);
}

void
pva_search_take(const struct ca_taking *taking, ca_note note, void *data)
{
    const struct ca_circuit *circuit = taking->circuit;
    const struct ca_batch batch = {
        .searcher = ca_peer(&taking->channels->searches.peers, PVA_TCP_SEARCHER, &circuit->client, circuit->ipv6),
    };
    struct pva_cursor cursor = pva_cursor_of(taking->payload, taking->captured, pva_is_big_endian(taking->message));
    if (taking->message->command == PVA_SEARCH) {
        const struct pva_search search = pva_search_read(&cursor);
        take_names(taking->channels, &batch, false, &cursor, search.count, taking->arrival, note, data);
    } else {
        take_response(taking->channels, &batch, &cursor, &circuit->server, circuit->ipv6, taking->arrival, note, data);
    }
}

static void
take_search(const struct pva_datagram *datagram, struct ca_channels *channels, struct pva_cursor *cursor, ca_note note,
            void *data)
{
    const struct pva_search search = pva_search_read(cursor);
    struct endpoint searcher = search.peer.is_any ? datagram->source : search.peer.endpoint;
    if (cursor->failed)
        return;
    searcher.port = search.peer.endpoint.port;
    const struct ca_batch batch = {
        .searcher = ca_peer(&channels->searches.peers, PVA_SEARCHER, &searcher,
                            search.peer.is_any ? datagram->ipv6 : search.peer.ipv6),
    };
    take_names(channels, &batch, datagram->is_forwarded, cursor, search.count, &datagram->arrival, note, data);
}

/* Its port is of UDP, and tells nothing. */
static struct endpoint
host_of(const struct pva_datagram *datagram)
{
    struct endpoint host = datagram->source;
    host.port = 0;
    return host;
}

static void
take_beacon(const struct pva_datagram *datagram, struct ca_channels *channels, struct pva_cursor *cursor)
{
    pva_read_bytes(cursor, PVA_GUID_BYTES + 4);
    struct pva_search beacon = { .peer = pva_peer_read(cursor), .found = true };
    const struct endpoint sender = host_of(datagram);
    if (!cursor->failed)
        server_of(channels, &beacon, &sender, datagram->ipv6);
}

static void
note_restart(struct ca_channels *channels, uint32_t frame, struct ca_peer *server)
{
    channels->restarted_frame = frame;
    if (!channels->forgets)
        wmem_map_insert(channels->restarts, GUINT_TO_POINTER(frame), server);
}

/* Returns the server that announces itself so, NULL if it is not known and ANNOUNCERS_MOST others are. */
static struct ca_peer *
announcer_of(struct ca_channels *channels, const struct endpoint *endpoint, bool ipv6)
{
    struct ca_peers *peers = &channels->searches.peers;
    if (!ca_peer_find(peers, PVA_ANNOUNCER, endpoint, ipv6)) {
        if (channels->announcers == ANNOUNCERS_MOST)
            return NULL;
        channels->announcers++;
    }
    return ca_peer(peers, PVA_ANNOUNCER, endpoint, ipv6);
}

/* Takes the GUID that a beacon or a response to a search begins with, which each start of a server changes. `cursor`:
 * at the payload's beginning. */
static void
take_guid(const struct pva_datagram *datagram, struct ca_channels *channels, struct pva_cursor cursor)
{
    enum { BEHIND_GUID = 4 }; /* of a beacon, and the sequence of a response */
    const uint8_t *guid = pva_read_bytes(&cursor, PVA_GUID_BYTES);
    pva_read_bytes(&cursor, BEHIND_GUID);
    const struct pva_peer said = pva_peer_read(&cursor);
    struct endpoint endpoint = said.endpoint;
    if (cursor.failed)
        return;
    if (said.is_any)
        memcpy(endpoint.address, datagram->source.address, sizeof endpoint.address);
    struct ca_peer *server = announcer_of(channels, &endpoint, said.is_any ? datagram->ipv6 : said.ipv6);
    if (!server)
        return;
    if (server->guid && memcmp(server->guid, guid, PVA_GUID_BYTES) != 0)
        note_restart(channels, datagram->arrival.frame, server);
    if (!server->guid)
        server->guid = wmem_alloc(channels->channels.scope, PVA_GUID_BYTES);
    memcpy(server->guid, guid, PVA_GUID_BYTES);
}

bool
pva_datagram_shows_restart(const struct ca_channels *channels, uint32_t frame)
{
    return frame == channels->restarted_frame || wmem_map_lookup(channels->restarts, GUINT_TO_POINTER(frame)) != NULL;
}

bool
pva_datagram_is_from_client(const struct ca_message *message)
{
    return message->command == PVA_SEARCH || message->command == PVA_ORIGIN_TAG;
}

struct noting {
    ca_note note;
    void *data;
    bool noted;
};

static void
pass_note(void *data, uint32_t reference)
{
    struct noting *noting = data;
    noting->noted = true;
    noting->note(noting->data, reference);
}

void
pva_datagram_take(struct pva_datagram *datagram, struct ca_channels *channels, const struct ca_message *message,
                  const uint8_t *payload, size_t captured, ca_note note, void *data)
{
    struct pva_cursor cursor = pva_cursor_of(payload, captured, pva_is_big_endian(message));
    struct noting noting = { note, data, false };
    if (message->command == PVA_BEACON || message->command == PVA_SEARCH_RESPONSE)
        take_guid(datagram, channels, cursor);
    if (message->command == PVA_ORIGIN_TAG) {
        datagram->is_forwarded = true;
    } else if (message->command == PVA_SEARCH) {
        take_search(datagram, channels, &cursor, pass_note, &noting);
    } else if (message->command == PVA_BEACON) {
        take_beacon(datagram, channels, &cursor);
    } else if (message->command == PVA_SEARCH_RESPONSE) {
        const struct ca_batch batch = {
            .searcher = ca_peer(&channels->searches.peers, PVA_SEARCHER, &datagram->destination, datagram->ipv6),
        };
        const struct endpoint sender = host_of(datagram);
        take_response(channels, &batch, &cursor, &sender, datagram->ipv6, &datagram->arrival, pass_note, &noting);
    }
    if (!noting.noted)
        note(data, 0);
}
