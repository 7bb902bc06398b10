/* test-pva-search.c
 * Searches of pvAccess and their responses, in datagrams and on circuits; beacons.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <string.h>

#include "core/ca/ca_event.h"
#include "core/pva/pva_monitor.h"
#include "core/pva/pva_protocol.h"
#include "core/pva/pva_search.h"
#include "pva-written.h"
#include "unit.h"

static const struct endpoint client = { { 10, 0, 0, 1 }, 40000, TRANSPORT_TCP };
static const struct endpoint servers[2] = { { { 10, 0, 0, 2 }, 5076, TRANSPORT_TCP }, { { 10, 0, 0, 3 }, 5076, TRANSPORT_TCP } };

struct found {
    struct ca_channels *channels;
    int64_t time_ns;
    uint32_t references[8];
    unsigned n;
};

static void
note(void *data, uint32_t reference)
{
    struct found *found = data;
    found->references[found->n++] = reference;
}

static void
put_address(struct written *written, const struct endpoint *endpoint)
{
    memset(written->bytes + written->n, 0, PVA_ADDRESS_BYTES);
    if (endpoint) {
        memset(written->bytes + written->n + 10, 0xFF, 2);
        memcpy(written->bytes + written->n + 12, endpoint->address, 4);
    }
    written->n += PVA_ADDRESS_BYTES;
}

static struct written
search(const struct endpoint *reply_to, const char *const *names)
{
    struct written written = message(CLIENT | BIG, PVA_SEARCH);
    unsigned count = 0;
    while (names[count])
        count++;
    put(&written, 1, 4);
    put(&written, 0x80, 4);
    put_address(&written, reply_to);
    put(&written, client.port, 2);
    put(&written, 1, 1);
    put_text(&written, "tcp");
    put(&written, count, 2);
    for (unsigned i = 0; i < count; i++) {
        put(&written, 100 + i, 4);
        put_text(&written, names[i]);
    }
    return finish(written);
}

static struct written
response(uint32_t id, bool found)
{
    struct written written = message(SERVER, PVA_SEARCH_RESPONSE);
    written.n += PVA_GUID_BYTES;
    put(&written, 1, 4);
    put_address(&written, NULL);
    put(&written, 5075, 2);
    put_text(&written, "tcp");
    put(&written, found, 1);
    put(&written, 1, 2);
    put(&written, id, 4);
    return finish(written);
}

static void
take_datagram(struct found *found, const struct endpoint *from, const struct endpoint *to,
              const struct written *written, bool forwarded)
{
    struct ca_message header;
    found->time_ns += 1000;
    struct pva_datagram datagram = {
        *from, *to, false, { found->time_ns, (uint32_t)(found->time_ns / 1000) }, forwarded
    };
    g_assert_true(pva_is_datagram(written->bytes, written->n));
    g_assert_cmpint(pva_message_read(written->bytes, written->n, &header), ==, CA_COMPLETE);
    found->n = 0;
    pva_datagram_take(&datagram, found->channels, &header, written->bytes + PVA_HEADER_BYTES, header.size, note, found);
}

/* Each name of a message is a search; what a server hands on is none again; the second server counts, too. */
static void
test_searches(void)
{
    static const char *const names[] = { "A", "B", NULL };
    wmem_allocator_t *scope = wmem_allocator_new(WMEM_ALLOCATOR_BLOCK);
    struct found found = { .channels = ca_channels_new(scope) };
    const struct written asked = search(NULL, names), handed_on = search(&client, names);
    const struct written said = response(101, true), none = response(100, false);
    take_datagram(&found, &client, &servers[0], &asked, false);
    g_assert_cmpuint(found.n, ==, 2);
    const struct ca_search *a = ca_subject(found.channels, found.references[0]).search;
    const struct ca_search *b = ca_subject(found.channels, found.references[1]).search;
    g_assert_cmpstr(a->pv, ==, "A");
    g_assert_cmpstr(b->pv, ==, "B");
    take_datagram(&found, &servers[0], &servers[1], &handed_on, true);
    g_assert_cmpuint(b->attempts, ==, 1);
    take_datagram(&found, &client, &servers[0], &asked, false);
    g_assert_cmpuint(b->attempts, ==, 2);
    take_datagram(&found, &servers[1], &client, &said, false);
    g_assert_cmpint(ca_search_time(b), ==, 3000);
    g_assert_cmpint(ca_search_time(a), ==, -1);
    g_assert_cmpuint(b->others, ==, 0);
    take_datagram(&found, &servers[0], &client, &said, false);
    g_assert_cmpuint(b->others, !=, 0);
    take_datagram(&found, &servers[0], &client, &none, false);
    g_assert_true(a->not_found);
    struct written neighbour = asked; /* of the same host, at another port */
    neighbour.bytes[PVA_HEADER_BYTES + 8 + PVA_ADDRESS_BYTES]++;
    take_datagram(&found, &client, &servers[0], &neighbour, false);
    g_assert_cmpuint(found.channels->searches.pool.count, ==, 4);
    const struct ca_peer *server = ca_peer_at(&found.channels->searches.peers, b->server);
    g_assert_cmpuint(server->endpoint.port, ==, 5075);
    g_assert_cmpmem(server->endpoint.address, 4, servers[1].address, 4);
    wmem_destroy_allocator(scope);
}

/* Cut anywhere, nothing is read behind the end, and what is there is taken. */
static void
test_search_cut(void)
{
    static const char *const names[] = { "LONGER:NAME", "B", NULL };
    const struct written whole = search(NULL, names);
    struct ca_message header;
    for (size_t n = PVA_HEADER_BYTES; n <= whole.n; n++) {
        wmem_allocator_t *scope = wmem_allocator_new(WMEM_ALLOCATOR_BLOCK);
        struct found found = { .channels = ca_channels_new(scope) };
        struct pva_datagram datagram = { client, servers[0], false, { 1, 1 }, false };
        uint8_t *bytes = g_memdup2(whole.bytes, n);
        g_assert_cmpint(pva_message_read(bytes, n, &header), ==, CA_COMPLETE);
        pva_datagram_take(&datagram, found.channels, &header, bytes + PVA_HEADER_BYTES, n - PVA_HEADER_BYTES, note,
                          &found);
        unsigned there = (n >= whole.n) + (n >= whole.n - 6);
        g_assert_cmpuint(found.channels->searches.pool.count, ==, there);
        g_free(bytes);
        wmem_destroy_allocator(scope);
    }
}

/* A response that says where the server is: an IPv4 address, also without its mark, or an IPv6 one; or the sender's. */
static void
test_addresses(void)
{
    static const struct {
        uint8_t bytes[PVA_ADDRESS_BYTES];
        bool is_any, ipv6;
        uint8_t from;
    } rows[] = {
        { { 0 }, true, false, 0 },
        { { [10] = 0xFF, [11] = 0xFF }, true, false, 0 },
        { { [10] = 0xFF, [11] = 0xFF, [12] = 10, [15] = 9 }, false, false, 12 },
        { { [12] = 10, [15] = 9 }, false, false, 12 },
        { { [10] = 0xFF, [12] = 10 }, false, true, 0 },
        { { [11] = 0xFF, [12] = 10 }, false, true, 0 },
        { { [0] = 0xFE, [1] = 0x80, [15] = 1 }, false, true, 0 },
        { { [0] = 0xFE, [1] = 0x80 }, false, true, 0 },
    };
    for (unsigned i = 0; i < G_N_ELEMENTS(rows); i++) {
        wmem_allocator_t *scope = wmem_allocator_new(WMEM_ALLOCATOR_BLOCK);
        struct found found = { .channels = ca_channels_new(scope) };
        static const char *const names[] = { "A", NULL };
        const struct written asked = search(NULL, names);
        struct written said = response(100, true);
        memcpy(said.bytes + PVA_HEADER_BYTES + PVA_GUID_BYTES + 4, rows[i].bytes, PVA_ADDRESS_BYTES);
        take_datagram(&found, &client, &servers[0], &asked, false);
        take_datagram(&found, &servers[0], &client, &said, false);
        const struct ca_search *a = ca_search_at(&found.channels->searches, 1);
        const struct ca_peer *server = ca_peer_at(&found.channels->searches.peers, a->server);
        const bool ipv6 = rows[i].ipv6;
        g_assert_cmpuint(server->ipv6, ==, ipv6);
        g_assert_cmpmem(server->endpoint.address, ipv6 ? PVA_ADDRESS_BYTES : 4,
                        rows[i].is_any ? servers[0].address : rows[i].bytes + rows[i].from,
                        ipv6 ? PVA_ADDRESS_BYTES : 4);
        g_assert_true(ca_subject(found.channels, found.references[0]).decides);
        take_datagram(&found, &servers[0], &client, &said, false);
        g_assert_false(ca_subject(found.channels, found.references[0]).decides);
        wmem_destroy_allocator(scope);
    }
}

/* What is asked and answered is as much as the message says, if it is there; names end with a zero or at 500 bytes. */
static void
test_counts(void)
{
    char longest[PVA_NAME_MOST + 20];
    memset(longest, 'x', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    const char *const names[] = { "A", "BBB", longest, "D", NULL };
    wmem_allocator_t *scope = wmem_allocator_new(WMEM_ALLOCATOR_BLOCK);
    struct found found = { .channels = ca_channels_new(scope) };
    struct written asked = search(NULL, names);
    /* a name this long has a longer size */
    const size_t at_count = PVA_HEADER_BYTES + 4 + 4 + PVA_ADDRESS_BYTES + 2 + 1 + 4, at_long = at_count + 2 + 6 + 8 + 4;
    memmove(asked.bytes + at_long + 5, asked.bytes + at_long + 1, asked.n - at_long - 1);
    asked.n = at_long;
    put(&asked, 254, 1);
    put(&asked, sizeof longest - 1, 4);
    asked.n += sizeof longest - 1 + 4 + 2;
    asked = finish(asked);
    asked.bytes[at_count + 1] = 3;                 /* the fourth is none */
    asked.bytes[at_count + 2 + 6 + 4 + 2] = '\0'; /* "B" */
    take_datagram(&found, &client, &servers[0], &asked, false);
    g_assert_cmpuint(found.n, ==, 3);
    g_assert_cmpstr(ca_subject(found.channels, found.references[1]).search->pv, ==, "B");
    g_assert_cmpuint(strlen(ca_subject(found.channels, found.references[2]).search->pv), ==, PVA_NAME_MOST);
    struct written said = response(100, true), none = response(102, false), cut = said;
    put(&said, 101, 4);
    put(&said, 103, 4); /* nobody asked */
    said = finish(said);
    const size_t at_ids = PVA_HEADER_BYTES + PVA_GUID_BYTES + 4 + PVA_ADDRESS_BYTES + 2 + 4 + 1;
    said.bytes[at_ids] = 2;
    take_datagram(&found, &servers[0], &client, &said, false);
    g_assert_cmpuint(found.n, ==, 2);
    take_datagram(&found, &servers[0], &client, &none, false);
    g_assert_true(ca_subject(found.channels, found.references[0]).is_aside);
    cut.bytes[at_ids] = 9;
    take_datagram(&found, &servers[0], &client, &cut, false);
    g_assert_cmpuint(found.n, ==, 1);
    wmem_destroy_allocator(scope);
}

/* What a server hands on is a search by the client that it names, once more; a beacon names a server. */
static void
test_handed_on(void)
{
    static const char *const names[] = { "A", NULL };
    wmem_allocator_t *scope = wmem_allocator_new(WMEM_ALLOCATOR_BLOCK);
    struct found found = { .channels = ca_channels_new(scope) };
    struct ca_message header;
    struct pva_datagram datagram = { servers[0], servers[1], false, { 5, 5 }, false };
    const struct written asked = search(&client, names);
    struct written tag = message(CLIENT, PVA_ORIGIN_TAG), beacon = message(SERVER, PVA_BEACON);
    take_datagram(&found, &client, &servers[0], &asked, false);
    put_address(&tag, &servers[0]);
    const struct written messages[] = { finish(tag), asked };
    for (unsigned i = 0; i < 2; i++) {
        found.n = 0;
        pva_message_read(messages[i].bytes, messages[i].n, &header);
        g_assert_true(pva_datagram_is_from_client(&header));
        pva_datagram_take(&datagram, found.channels, &header, messages[i].bytes + PVA_HEADER_BYTES, header.size, note,
                          &found);
        g_assert_cmpuint(found.n, ==, 1);
        g_assert_cmpuint(ca_subject(found.channels, found.references[0]).number, ==, i);
    }
    g_assert_cmpuint(ca_search_at(&found.channels->searches, 1)->attempts, ==, 1);
    const struct ca_peers *peers = &found.channels->searches.peers;
    const struct endpoint tcp = { { 10, 0, 0, 3 }, 5099, TRANSPORT_TCP };
    put(&beacon, 0, 8);
    put(&beacon, 0, 8);
    put_address(&beacon, NULL);
    put(&beacon, tcp.port, 2);
    beacon = finish(beacon);
    take_datagram(&found, &servers[1], &client, &beacon, false);
    g_assert_nonnull(ca_peer_find(peers, PVA_SERVER_PORT, &tcp, false));
    g_assert_cmpuint(found.references[0], ==, 0);
    pva_message_read(beacon.bytes, beacon.n, &header);
    g_assert_false(pva_datagram_is_from_client(&header));
    g_assert_nonnull(ca_peer_find(peers, PVA_SEARCHER, &client, false));
    wmem_destroy_allocator(scope);
}

/* Takes a beacon with this GUID, of the server with this port. */
static void
announce(struct found *found, uint32_t frame, uint64_t guid, unsigned port)
{
    struct pva_datagram datagram = { servers[0], client, false, { frame, frame }, false };
    struct written beacon = message(SERVER, PVA_BEACON);
    struct ca_message header;
    datagram.source.address[1] = (uint8_t)(port >> 16);
    found->n = 0;
    put(&beacon, guid, 8);
    put(&beacon, 0, 8);
    put_address(&beacon, NULL);
    put(&beacon, (uint16_t)port, 2);
    beacon = finish(beacon);
    g_assert_cmpint(pva_message_read(beacon.bytes, beacon.n, &header), ==, CA_COMPLETE);
    pva_datagram_take(&datagram, found->channels, &header, beacon.bytes + PVA_HEADER_BYTES, header.size, note, found);
}

/* Which frames show that a server was started anew is kept where frames are visited again; else the latest is known. */
static void
test_restarts(void)
{
    enum { FRAMES = 100 };
    for (unsigned forgets = 0; forgets < 2; forgets++) {
        wmem_allocator_t *scope = wmem_allocator_new(WMEM_ALLOCATOR_BLOCK);
        struct found found = { .channels = ca_channels_new(scope) };
        found.channels->forgets = forgets;
        for (uint32_t frame = 1; frame <= FRAMES; frame++) {
            announce(&found, frame, frame, 5099);
            g_assert_cmpint(pva_datagram_shows_restart(found.channels, frame), ==, frame > 1);
        }
        g_assert_cmpint(pva_datagram_shows_restart(found.channels, 2), ==, !forgets);
        g_assert_cmpuint(wmem_map_size(found.channels->restarts), ==, forgets ? 0 : FRAMES - 1);
        wmem_destroy_allocator(scope);
    }
}

/* Of servers beyond the first 65 536 nothing is kept, and no restart is shown. */
static void
test_announcers(void)
{
    wmem_allocator_t *scope = wmem_allocator_new(WMEM_ALLOCATOR_BLOCK);
    struct found found = { .channels = ca_channels_new(scope) };
    const struct ca_peers *peers = &found.channels->searches.peers;
    const unsigned first = 1, last = ANNOUNCERS_MOST, beyond = ANNOUNCERS_MOST + 1;
    for (unsigned port = first; port <= beyond; port++)
        announce(&found, port, 1, port);
    g_assert_cmpuint(found.channels->announcers, ==, ANNOUNCERS_MOST);
    const unsigned known = peers->pool.count;
    const unsigned ports[] = { first, last, beyond };
    for (unsigned i = 0; i < G_N_ELEMENTS(ports); i++) {
        const uint32_t frame = beyond + 1 + i;
        announce(&found, frame, 2, ports[i]);
        g_assert_cmpint(pva_datagram_shows_restart(found.channels, frame), ==, ports[i] != beyond);
    }
    g_assert_cmpuint(peers->pool.count, ==, known);
    wmem_destroy_allocator(scope);
}

/* On a circuit a message is read that is longer than what is read at once, wherever it is cut. */
static void
test_long_on_circuit(void)
{
    enum { NAMES = 60 };
    struct written asked = message(CLIENT, PVA_SEARCH);
    asked.n += 8 + PVA_ADDRESS_BYTES;
    put(&asked, 5076, 2);
    put(&asked, 0, 1);
    put(&asked, NAMES, 2);
    for (unsigned i = 0; i < NAMES; i++) {
        char name[20];
        g_snprintf(name, sizeof name, "LONGER:NAME:%u", i);
        put(&asked, i, 4);
        put_text(&asked, name);
    }
    asked = finish(asked);
    for (size_t at = 1; at < asked.n; at += 7) {
        struct scene scene;
        open_begun(&scene);
        say_cut(&scene, &asked, at);
        say_this(&scene, message(CLIENT, PVA_ECHO));
        g_assert_cmpuint(scene.analysis->channels->searches.pool.count, ==, NAMES);
        g_assert_cmpstr(about(&scene, true, 1).search->pv, ==, "LONGER:NAME:59");
        scene_check(&scene, "ECHO 8 -");
    }
}

/* By the snap length: what is there is taken, and the next message is found. */
static void
test_long_snapped(void)
{
    struct scene scene;
    struct written asked = message(CLIENT, PVA_SEARCH);
    asked.n += 8 + PVA_ADDRESS_BYTES;
    put(&asked, 5076, 2);
    put(&asked, 0, 1);
    put(&asked, 2, 2);
    put(&asked, 1, 4);
    put_text(&asked, "A");
    const size_t there = asked.n;
    asked.n += 900;
    asked = finish(asked);
    open_begun(&scene);
    scene_send(&scene, true, (const char *)asked.bytes, asked.n, there);
    say_this(&scene, message(CLIENT, PVA_ECHO));
    g_assert_cmpuint(scene.analysis->channels->searches.pool.count, ==, 1);
    say_this(&scene, message(SERVER, PVA_SEARCH_RESPONSE)); /* has nothing */
    g_assert_cmpuint(about(&scene, false, 0).number, ==, 0);
    scene_check(&scene, "ECHO 8 -");
}

/* Starts and updates of monitors concern them, and nothing else does, least of all of Channel Access. */
static void
test_concerned(void)
{
    struct ca_exchange exchange = { .request.command = PVA_MONITOR };
    struct ca_event event = { .protocol = &circuit_of_pvaccess, .subject.exchange = &exchange };
    for (unsigned kind = 0; kind <= CA_UPDATED; kind++) {
        event.kind = kind;
        const bool is_of_request = kind == CA_REQUEST_ASKED || kind == CA_REQUEST_ANSWERED;
        event.protocol = &circuit_of_pvaccess;
        exchange.request.command = PVA_MONITOR;
        g_assert_true(pva_monitor_concerns(&event) == (is_of_request || kind == CA_UPDATED));
        exchange.request.command = PVA_GET;
        g_assert_true(pva_monitor_concerns(&event) == (kind == CA_UPDATED));
        event.protocol = &circuit_of_channel_access;
        g_assert_false(pva_monitor_concerns(&event));
    }
}

void
pva_search_tests_add(void)
{
    g_test_add_func("/pva_search/datagrams", test_searches);
    g_test_add_func("/pva_search/cut", test_search_cut);
    g_test_add_func("/pva_search/addresses", test_addresses);
    g_test_add_func("/pva_search/counts", test_counts);
    g_test_add_func("/pva_search/handed_on", test_handed_on);
    g_test_add_func("/pva_search/restarts", test_restarts);
    g_test_add_func("/pva_search/announcers", test_announcers);
    g_test_add_func("/pva_search/long_on_circuit", test_long_on_circuit);
    g_test_add_func("/pva_search/long_snapped", test_long_snapped);
    g_test_add_func("/pva_search/concerned", test_concerned);
}
