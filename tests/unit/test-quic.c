/* test-quic.c
 * QUIC: whose keys open an Initial, what a handshake comes to where packets are forged, lost, cut or of several
 * connections, and HTTP/3's streams where bytes are late or missing.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <string.h>

#include "core/analysis.h"
#include "core/protocol/tls/tls_handshake.h"
#include "quic-written.h"
#include "unit.h"

#define NS_PER_MS INT64_C(1000000)

enum { LEAST = 1200, NOTHING_CUT = INT32_MAX };

/* Of one client, and one server. */
struct talk {
    wmem_allocator_t *scope;
    struct settings settings;
    struct analysis *analysis;
    uint32_t frame;
    uint16_t client_port;
    struct connection *connection; /* of the last datagram */
    GByteArray *datagram, *frames; /* being written */
};

static const struct quic_id first = { 8, { 0x83, 0x94, 0xc8, 0xf0, 0x3e, 0x51, 0x57, 0x08 } };
static const struct quic_id client_id = { 4, { 1, 2, 3, 4 } };
static const struct quic_id server_id = { 6, { 9, 8, 7, 6, 5, 4 } };

static enum port_kind
plain(uint16_t port G_GNUC_UNUSED)
{
    return PORT_PLAIN;
}

static void
open_talk(struct talk *talk)
{
    *talk = (struct talk){
        .scope = wmem_allocator_new(WMEM_ALLOCATOR_SIMPLE),
        .settings = { .port_kind = plain, .id_headers = "" },
        .client_port = 40000,
        .datagram = g_byte_array_new(),
        .frames = g_byte_array_new(),
    };
    talk->analysis = analysis_new(talk->scope, &talk->settings);
}

static void
close_talk(struct talk *talk)
{
    analysis_free(talk->analysis);
    wmem_destroy_allocator(talk->scope);
    g_byte_array_free(talk->datagram, TRUE);
    g_byte_array_free(talk->frames, TRUE);
}

/* Sends what has been written, 1 ms after the last. */
static void
send(struct talk *talk, bool from_client, int captured)
{
    const struct endpoint client = { { 10, 0, 0, 1 }, talk->client_port, 0 }, server = { { 10, 0, 0, 2 }, 443, 0 };
    uint8_t *bytes = g_memdup2(talk->datagram->data, talk->datagram->len);
    talk->frame++;
    struct segment segment = {
        .frame = talk->frame,
        .time_ns = talk->frame * NS_PER_MS,
        .source = from_client ? client : server,
        .destination = from_client ? server : client,
        .payload = bytes,
        .payload_bytes = talk->datagram->len,
        .captured_bytes = MIN(talk->datagram->len, (unsigned)captured),
    };
    talk->connection = analysis_take_quic(talk->analysis, &segment);
    if (talk->connection)
        analysis_read_quic(talk->analysis, &segment);
    g_free(bytes);
    g_byte_array_set_size(talk->datagram, 0);
    g_byte_array_set_size(talk->frames, 0);
}

/* To `to`, the server's id that the client has chosen, and of `from`. */
static void
write_client_initial_of(struct talk *talk, const char *host, const struct quic_id *to, const struct quic_id *from)
{
    GByteArray *hello = g_byte_array_new();
    quic_write_client_hello(hello, host);
    quic_write_crypto(talk->frames, 0, hello->data, hello->len);
    quic_write_initial(talk->datagram, QUIC_VERSION_1, to, QUIC_CLIENT, to, from, 0, talk->frames, LEAST);
    g_byte_array_free(hello, TRUE);
}

static void
write_client_initial(struct talk *talk, const char *host)
{
    write_client_initial_of(talk, host, &first, &client_id);
}

static void
write_server_initial(struct talk *talk, const struct quic_id *destination)
{
    GByteArray *hello = g_byte_array_new();
    quic_write_server_hello(hello);
    quic_write_crypto(talk->frames, 0, hello->data, hello->len);
    quic_write_initial(talk->datagram, QUIC_VERSION_1, &first, QUIC_SERVER, destination, &server_id, 0, talk->frames,
                       0);
    g_byte_array_free(hello, TRUE);
}

static void
write_encrypted_extensions(GByteArray *frames, const char *alpn)
{
    const uint8_t length = (uint8_t)strlen(alpn);
    const uint8_t head[] = { 8, 0, 0, length + 9, 0, length + 7, 0, 16, 0, length + 3, 0, length + 1, length };
    GByteArray *message = g_byte_array_new();
    g_byte_array_append(message, head, sizeof head);
    g_byte_array_append(message, (const uint8_t *)alpn, length);
    quic_write_crypto(frames, 0, message->data, message->len);
    g_byte_array_free(message, TRUE);
}

static void
shake_hands(struct talk *talk)
{
    write_client_initial(talk, "a.example");
    send(talk, true, NOTHING_CUT);
    write_server_initial(talk, &client_id);
    quic_write_long(talk->datagram, QUIC_VERSION_1, QUIC_HANDSHAKE, &client_id, &server_id, 200);
    send(talk, false, NOTHING_CUT);
    quic_write_long(talk->datagram, QUIC_VERSION_1, QUIC_HANDSHAKE, &server_id, &client_id, 60);
    quic_write_short(talk->datagram, &server_id, 40);
    send(talk, true, NOTHING_CUT);
}

/* RFC 9001 §A.1, RFC 9369 §A.1. */
static void
test_keys(void)
{
    static const struct {
        uint32_t version;
        unsigned side;
        const char *key, *iv, *header;
    } known[] = {
        { QUIC_VERSION_1, QUIC_CLIENT, "1f369613dd76d5467730efcbe3b1a22d", "fa044b2f42a3fd3b46fb255c",
          "9f50449e04a0e810283a1e9933adedd2" },
        { QUIC_VERSION_1, QUIC_SERVER, "cf3a5331653c364c88f0f379b6067e37", "0ac1493ca1905853b0bba03e",
          "c206b8d9b9f0f37644430b490eeaa314" },
        { QUIC_VERSION_2, QUIC_CLIENT, "8b1a0bc121284290a29e0971b5cd045d", "91f73e2351d8fa91660e909f",
          "45b95e15235d6f45a6b19cbcb0294ba9" },
        { QUIC_VERSION_2, QUIC_SERVER, "82db637861d55e1d011f19ea71d5d2a7", "dd13c276499c0249d3310652",
          "edf6d05c83121201b436e16877593c3a" },
    };
    struct quic_keys keys;
    for (unsigned i = 0; i < G_N_ELEMENTS(known); i++) {
        g_assert(quic_keys_set(&keys, known[i].version, &first));
        const struct quic_side_keys *of = quic_keys_of(&keys, known[i].side);
        const struct {
            const uint8_t *bytes;
            size_t length;
            const char *hex;
        } parts[] = { { of->key, sizeof of->key, known[i].key },
                      { of->iv, sizeof of->iv, known[i].iv },
                      { of->header, sizeof of->header, known[i].header } };
        for (unsigned part = 0; part < G_N_ELEMENTS(parts); part++) {
            char hex[2 * 16 + 1];
            for (size_t at = 0; at < parts[part].length; at++)
                g_snprintf(hex + 2 * at, 3, "%02x", parts[part].bytes[at]);
            g_assert_cmpstr(hex, ==, parts[part].hex);
        }
    }
    g_assert_false(quic_keys_set(&keys, 0x0a0a0a0a, &first));
}

static void
test_handshake(void)
{
    struct talk talk;
    open_talk(&talk);
    shake_hands(&talk);
    const struct connect *connect = &talk.connection->tcp->connect;
    const struct tls_handshake *handshake = talk.connection->tcp->handshake;
    g_assert_cmpint(connect->result, ==, CONNECT_ACCEPTED);
    g_assert_cmpint(connect->time_ns, ==, NS_PER_MS);
    g_assert_cmpint(connect->network_server_ns, ==, NS_PER_MS);
    g_assert_cmpint(connect->network_client_ns, ==, NS_PER_MS);
    g_assert_cmpint(handshake->result, ==, TLS_COMPLETE);
    g_assert_cmpint(tls_handshake_time_ns(handshake), ==, 2 * NS_PER_MS);
    g_assert_cmpstr(handshake->host, ==, "a.example");
    g_assert_cmpstr(handshake->alpn, ==, "h3");
    g_assert_cmpstr(handshake->version, ==, "TLS 1.3");
    g_assert_null(talk.connection->tcp->quic->opening);
    close_talk(&talk);
}

/* A hello that two datagrams share, the second part first, and both once more. */
static void
test_parts(void)
{
    struct talk talk;
    GByteArray *hello = g_byte_array_new();
    enum { CUT_AT = 20 };
    open_talk(&talk);
    quic_write_client_hello(hello, "parts.example");
    for (unsigned i = 0; i < 4; i++) {
        const size_t from = i % 2 ? 0 : CUT_AT, length = i % 2 ? CUT_AT : hello->len - CUT_AT;
        quic_write_crypto(talk.frames, from, hello->data + from, length);
        quic_write_initial(talk.datagram, QUIC_VERSION_1, &first, QUIC_CLIENT, &first, &client_id, (uint8_t)i,
                           talk.frames, LEAST);
        send(&talk, true, NOTHING_CUT);
        g_assert_nonnull(talk.connection);
        g_assert_cmpstr(talk.connection->tcp->handshake->host, ==, i == 0 ? "" : "parts.example");
    }
    g_assert_cmpuint(talk.analysis->n_connections, ==, 1);
    g_assert_cmpuint(talk.connection->tcp->connect.syn_retries, ==, 2);
    g_byte_array_free(hello, TRUE);
    close_talk(&talk);
}

/* Nothing begins a connection but an Initial that its own id decrypts, of the least size. */
static void
test_forged(void)
{
    struct talk talk;
    open_talk(&talk);
    write_client_initial(&talk, "a.example");
    talk.datagram->data[talk.datagram->len - 1] ^= 1;
    send(&talk, true, NOTHING_CUT);
    g_assert_null(talk.connection);
    write_client_initial(&talk, "a.example");
    send(&talk, true, LEAST - 1); /* a snap length */
    g_assert_null(talk.connection);
    quic_write_initial(talk.datagram, QUIC_VERSION_1, &first, QUIC_CLIENT, &first, &client_id, 0, talk.frames, 600);
    send(&talk, true, NOTHING_CUT);
    g_assert_null(talk.connection);
    quic_write_short(talk.datagram, &server_id, LEAST);
    send(&talk, true, NOTHING_CUT);
    g_assert_null(talk.connection);
    write_client_initial(&talk, "a.example");
    send(&talk, true, NOTHING_CUT);
    g_assert_nonnull(talk.connection);
    /* Answers to another id, and one that does not decrypt, answer nothing. */
    write_server_initial(&talk, &server_id);
    send(&talk, false, NOTHING_CUT);
    write_server_initial(&talk, &client_id);
    talk.datagram->data[talk.datagram->len - 1] ^= 1;
    send(&talk, false, NOTHING_CUT);
    g_assert_cmpint(talk.connection->tcp->connect.result, ==, CONNECT_UNANSWERED);
    close_talk(&talk);
}

/* Frames that overlap, and lie where no hello can. */
static void
test_crypto(void)
{
    static const uint8_t ones[300] = { [0 ... 299] = 0x11 };
    struct talk talk;
    GByteArray *hello = g_byte_array_new();
    open_talk(&talk);
    quic_write_client_hello(hello, "over.example");
    quic_write_crypto(talk.frames, 0, hello->data, 30);
    quic_write_crypto(talk.frames, 10, ones, 20); /* known already */
    quic_write_crypto(talk.frames, (UINT64_C(1) << 62) - 200, ones, 100);
    quic_write_crypto(talk.frames, QUIC_CRYPTO_MOST - 1, ones, sizeof ones);
    quic_write_crypto(talk.frames, 25, hello->data + 25, hello->len - 25);
    quic_write_initial(talk.datagram, QUIC_VERSION_1, &first, QUIC_CLIENT, &first, &client_id, 0, talk.frames, LEAST);
    send(&talk, true, NOTHING_CUT);
    g_assert_cmpstr(talk.connection->tcp->handshake->host, ==, "over.example");
    g_assert_cmpuint(talk.connection->tcp->quic->opening->crypto[QUIC_CLIENT].room, <=, QUIC_CRYPTO_MOST);
    g_byte_array_free(hello, TRUE);
    close_talk(&talk);
}

/* Parts of a stream in any order, which overlap or leave holes, come to what each byte's first part says. */
static void
test_overlaps(void)
{
    enum { ROUNDS = 300, PARTS = 40, LONGEST = 90, LENGTH = 600 };
    GRand *random = g_rand_new_with_seed(9000);
    wmem_allocator_t *scope = wmem_allocator_new(WMEM_ALLOCATOR_SIMPLE);
    for (unsigned round = 0; round < ROUNDS; round++) {
        struct quic_crypto crypto = { .room = 0 };
        int expected[LENGTH + LONGEST];
        size_t known = 0;
        memset(expected, -1, sizeof expected);
        for (unsigned part = 0; part < PARTS; part++) {
            uint8_t bytes[LONGEST];
            const size_t offset = (size_t)g_rand_int_range(random, 0, LENGTH), length = part % LONGEST;
            const size_t at = g_rand_boolean(random) ? known : offset;
            bool is_new = false;
            struct quic_initial_said said;
            GByteArray *frames = g_byte_array_new();
            memset(bytes, (int)part, sizeof bytes);
            quic_write_crypto(frames, at, bytes, length);
            quic_crypto_take(&crypto, frames->data, frames->len, scope, &said);
            g_byte_array_free(frames, TRUE);
            for (size_t i = at; i < at + length; i++) {
                is_new |= expected[i] < 0;
                expected[i] = expected[i] < 0 ? (int)part : expected[i];
            }
            for (; known < LENGTH && expected[known] >= 0; known++)
                g_assert_cmpint(crypto.bytes[known], ==, expected[known]);
            g_assert_cmpint(said.has_new_bytes, ==, is_new);
            g_assert_cmpuint(MIN(crypto.known, LENGTH), ==, known);
            if (known == LENGTH)
                break;
        }
        quic_crypto_clear(&crypto, scope);
    }
    wmem_destroy_allocator(scope);
    g_rand_free(random);
}

/* As many handshakes go on as may, and the oldest is followed without its keys. */
static void
test_openings(void)
{
    enum { MORE = 10 };
    struct talk talk;
    struct connection *oldest = NULL;
    open_talk(&talk);
    for (unsigned i = 0; i < QUIC_OPENINGS_MOST + MORE; i++) {
        talk.client_port = (uint16_t)(10000 + i);
        write_client_initial(&talk, "a.example");
        send(&talk, true, NOTHING_CUT);
        oldest = oldest ? oldest : talk.connection;
    }
    g_assert_cmpuint(talk.analysis->quic.openings.length, ==, QUIC_OPENINGS_MOST);
    g_assert_null(oldest->tcp->quic->opening);
    talk.client_port = 10000;
    write_server_initial(&talk, &client_id);
    send(&talk, false, NOTHING_CUT);
    g_assert(talk.connection == oldest);
    g_assert_cmpint(oldest->tcp->connect.result, ==, CONNECT_ACCEPTED);
    close_talk(&talk);
}

/* A client whose port changes is known by its server's id; two servers with the same id are not told apart. */
static void
test_moves(void)
{
    struct talk talk;
    open_talk(&talk);
    shake_hands(&talk);
    const struct connection *connection = talk.connection;
    for (unsigned i = 1; i <= 3; i++) {
        talk.client_port = (uint16_t)(40000 + i);
        quic_write_short(talk.datagram, &server_id, 30);
        send(&talk, true, NOTHING_CUT);
        g_assert(talk.connection == connection);
        quic_write_short(talk.datagram, &client_id, 30);
        send(&talk, false, NOTHING_CUT);
        g_assert(talk.connection == connection);
        g_assert_cmpuint(connection->tcp->quic->moves, ==, i);
    }
    talk.client_port = 50000;
    shake_hands(&talk);
    g_assert(talk.connection != connection);
    talk.client_port = 50001;
    quic_write_short(talk.datagram, &server_id, 30);
    send(&talk, true, NOTHING_CUT);
    g_assert_null(talk.connection);
    close_talk(&talk);
}

/* Two connections between the same ports, which go on both: each packet is of the one whose id it has, and what has
 * another id is nobody's. */
static void
test_shared(void)
{
    static const struct quic_id second = { 8, { 1, 1, 1, 1, 1, 1, 1, 1 } }, second_client = { 4, { 5, 6, 7, 8 } };
    static const struct quic_id second_server = { 6, { 11, 12, 13, 14, 15, 16 } }, unknown = { 6, { 77 } };
    struct talk talk;
    GByteArray *hello = g_byte_array_new();
    open_talk(&talk);
    shake_hands(&talk);
    const struct connection *connection = talk.connection;
    write_client_initial_of(&talk, "b.example", &second, &second_client);
    send(&talk, true, NOTHING_CUT);
    const struct connection *other = talk.connection;
    g_assert(other && other != connection);
    quic_write_short(talk.datagram, &unknown, 41);
    send(&talk, true, NOTHING_CUT);
    g_assert(talk.connection == other); /* the earlier one may be over */
    quic_write_short(talk.datagram, &client_id, 42);
    send(&talk, false, NOTHING_CUT);
    g_assert(talk.connection == connection);
    quic_write_server_hello(hello);
    quic_write_crypto(talk.frames, 0, hello->data, hello->len);
    quic_write_initial(talk.datagram, QUIC_VERSION_1, &second, QUIC_SERVER, &second_client, &second_server, 0,
                       talk.frames, 0);
    send(&talk, false, NOTHING_CUT);
    g_assert(talk.connection == other);
    quic_write_short(talk.datagram, &second_server, 43);
    send(&talk, true, NOTHING_CUT);
    g_assert(talk.connection == other);
    quic_write_short(talk.datagram, &server_id, 44);
    send(&talk, true, NOTHING_CUT);
    g_assert(talk.connection == connection);
    quic_write_short(talk.datagram, &unknown, 45);
    send(&talk, true, NOTHING_CUT);
    g_assert_null(talk.connection);
    g_assert_cmpint(other->tcp->connect.result, ==, CONNECT_ACCEPTED);
    g_assert_cmpuint(other->tcp->quic->datagrams[QUIC_CLIENT], ==, 3);
    g_assert_cmpuint(connection->tcp->quic->datagrams[QUIC_SERVER], ==, 2);
    for (uint8_t i = 0; i < 2 * QUIC_SHARED_MOST; i++) {
        const struct quic_id to = { 8, { 100, i } }, from = { 4, { 100, i } };
        write_client_initial_of(&talk, "c.example", &to, &from);
        send(&talk, true, NOTHING_CUT);
    }
    unsigned shared = 0;
    for (const struct connection *each = talk.connection; each; each = each->tcp->quic->earlier)
        shared++;
    g_assert_cmpuint(shared, ==, QUIC_SHARED_MOST);
    analysis_forget(talk.analysis, talk.connection->tcp->quic->earlier);
    g_byte_array_free(hello, TRUE);
    close_talk(&talk);
}

/* A side may clear the fixed bit (RFC 9287): its packets are known by their id, and what has none is not QUIC's. */
static void
test_greased(void)
{
    struct talk talk;
    open_talk(&talk);
    write_client_initial(&talk, "a.example");
    send(&talk, true, NOTHING_CUT);
    const struct connection *connection = talk.connection;
    write_server_initial(&talk, &client_id);
    quic_write_long(talk.datagram, QUIC_VERSION_1, QUIC_HANDSHAKE, &client_id, &server_id, 200);
    send(&talk, false, NOTHING_CUT);
    quic_write_long(talk.datagram, QUIC_VERSION_1, QUIC_HANDSHAKE, &server_id, &client_id, 60);
    talk.datagram->data[0] &= 0xbf;
    const unsigned handshake_bytes = talk.datagram->len;
    quic_write_short(talk.datagram, &server_id, 40);
    talk.datagram->data[handshake_bytes] &= 0xbf;
    send(&talk, true, NOTHING_CUT);
    g_assert(talk.connection == connection);
    g_assert_cmpint(connection->tcp->handshake->result, ==, TLS_COMPLETE);
    quic_write_short(talk.datagram, &client_id, 40);
    talk.datagram->data[0] &= 0xbf;
    send(&talk, false, NOTHING_CUT);
    g_assert(talk.connection == connection);
    quic_write_short(talk.datagram, &first, 40);
    talk.datagram->data[0] &= 0xbf;
    talk.datagram->data[1] ^= 1;
    send(&talk, true, NOTHING_CUT);
    g_assert_null(talk.connection);
    close_talk(&talk);
}

/* --- The spin bit --- */

/* Sends a packet of 1-RTT at that time. */
static void
spin(struct talk *talk, bool from_client, bool spins, uint32_t ms)
{
    talk->frame = ms - 1;
    quic_write_short(talk->datagram, from_client ? &server_id : &client_id, 40 + ms);
    talk->datagram->data[0] |= spins ? 0x20 : 0;
    send(talk, from_client, NOTHING_CUT);
}

/* Returns the RTT that the last datagram shows, in ms; -1 for none. */
static int
spin_rtt(const struct talk *talk)
{
    uint32_t position;
    int64_t rtt_ns = -NS_PER_MS;
    for (const struct item *item = items_first(talk->analysis->items, talk->frame, &position); item;
         item = items_next(talk->analysis->items, &position))
        rtt_ns = item->kind == ITEM_SPIN ? item->spacing_ns : rtt_ns;
    return (int)(rtt_ns / NS_PER_MS);
}

/* In a stream of packets; after silences, and where a packet is overtaken, which is not believed; and where nobody but
 * the client spins. */
static void
test_spin(void)
{
    struct talk talk;
    open_talk(&talk);
    talk.analysis->quic.follows_spin = true;
    shake_hands(&talk);
    uint32_t ms = 100;
    for (unsigned round = 0; round < 10; round++, ms += 40)
        for (uint32_t at = 0; at < 40; at += 4) {
            /* The client's bit changes at 0 ms, the server's 21 ms behind it. */
            spin(&talk, true, round % 2 == 0, ms + at);
            g_assert_cmpint(spin_rtt(&talk), ==, at == 0 && round > 0 ? 40 : -1);
            spin(&talk, false, round % 2 == (at < 20), ms + at + 1);
            g_assert_cmpint(spin_rtt(&talk), ==, -1);
        }
    const struct quic_spin *of = talk.connection->tcp->quic->spin;
    g_assert_cmpuint(quic_spin_rounds(of), ==, 9);
    g_assert_cmpuint(of->believed, ==, 9);
    /* A request, its answer, which the client acknowledges, and nothing for a second. */
    for (unsigned round = 0; round < 4; round++, ms += 1000) {
        const bool spins = round % 2 == 0;
        spin(&talk, true, spins, ms);
        g_assert_cmpint(spin_rtt(&talk), ==, round == 0 ? 40 : -1);
        spin(&talk, false, spins, ms + 20);
        spin(&talk, true, !spins, ms + 21);
        g_assert_cmpint(spin_rtt(&talk), ==, -1);
    }
    const uint32_t believed = of->believed;
    g_assert_cmpuint(quic_spin_rounds(of), ==, 14);
    g_assert_cmpuint(believed, ==, 10);
    /* A client's packet is overtaken by three with another bit. */
    for (uint32_t at = 0; at < 20; at++) {
        spin(&talk, true, at < 10 || at == 13, ms + 2 * at);
        spin(&talk, false, true, ms + 2 * at + 1);
    }
    g_assert_cmpuint(of->believed, ==, believed);
    ms += 200;
    for (unsigned i = 0; i < 100; i++) {
        spin(&talk, true, i % 2, ms + 100 + 2 * i);
        spin(&talk, false, false, ms + 101 + 2 * i);
    }
    g_assert_cmpuint(of->believed, ==, believed);
    close_talk(&talk);
}

/* --- HTTP/3 --- */

static void
write_stream(GByteArray *frames, uint64_t id, uint64_t offset, const void *bytes, size_t length, bool ends)
{
    static const uint8_t with_ends[] = { 0x0e, 0x0f }; /* with offset and length */
    g_byte_array_append(frames, &with_ends[ends], 1);
    quic_write_varint(frames, id);
    quic_write_varint(frames, offset);
    quic_write_varint(frames, length);
    g_byte_array_append(frames, bytes, (unsigned)length);
}

/* Sends a packet of 1-RTT that Wireshark has decrypted. */
static void
send_decrypted(struct talk *talk, bool from_client)
{
    GByteArray *frames = talk->frames;
    talk->frames = g_byte_array_new();
    quic_write_short(talk->datagram, from_client ? &server_id : &client_id, frames->len + talk->frame);
    send(talk, from_client, NOTHING_CUT);
    uint8_t *bytes = g_memdup2(frames->data, frames->len);
    analysis_read_quic_frames(talk->analysis, bytes, frames->len);
    g_free(bytes);
    g_byte_array_free(frames, TRUE);
}

/* RFC 9204 §4.5: no dynamic table; `:method` GET, a literal `:path`; and `:status` 200. */
static const uint8_t get_a[] = { 0x01, 0x07, 0, 0, 0xd1, 0x51, 0x02, '/', 'a' };
static const uint8_t answer_ok[] = { 0x01, 0x03, 0, 0, 0xd9 };
static const uint8_t data_10[] = { 0x00, 0x0a, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 };

static const struct request *
request_of(const struct talk *talk, unsigned number)
{
    g_assert_cmpuint(talk->connection->n_requests, >=, number);
    return talk->connection->requests[number - 1];
}

/* A call of gRPC has its status behind its messages: RFC 9204 §4.5.6 for its name, which no table has. */
static void
test_grpc(void)
{
    static const char call[] = "\x01\x20\0\0\xd4\x51\x08/p.Sv/Gt\x5f\x1d\x10"
                               "application/grpc";
    static const char head[] = "\x01\x16\0\0\xd9\x5f\x1d\x10"
                               "application/grpc";
    static const struct {
        const char *trailers, *status;
        bool failed;
    } ends[] = { { "\x01\x11\0\0\x27\x04grpc-status\x01"
                   "0",
                   "OK", false },
                 { "\x01\x11\0\0\x27\x04grpc-status\x01"
                   "5",
                   "NOT_FOUND", true } };
    struct talk talk;
    open_talk(&talk);
    shake_hands(&talk);
    for (unsigned i = 0; i < G_N_ELEMENTS(ends); i++) {
        const size_t before = sizeof head - 1 + sizeof data_10;
        write_stream(talk.frames, 4 * i, 0, call, sizeof call - 1, true);
        send_decrypted(&talk, true);
        write_stream(talk.frames, 4 * i, 0, head, sizeof head - 1, false);
        write_stream(talk.frames, 4 * i, sizeof head - 1, data_10, sizeof data_10, false);
        send_decrypted(&talk, false);
        const struct request *request = request_of(&talk, i + 1);
        g_assert_cmpstr(request->operation, ==, "/p.Sv/Gt");
        g_assert_cmpstr(request->response.status, ==, "");
        write_stream(talk.frames, 4 * i, before, ends[i].trailers, 2 + 0x11, true);
        send_decrypted(&talk, false);
        g_assert_cmpstr(request->response.status, ==, ends[i].status);
        g_assert_cmpint(request->response.failed, ==, ends[i].failed);
        g_assert_cmpint(request->response.last_ns, ==, talk.frame * NS_PER_MS);
    }
    close_talk(&talk);
}

/* Bytes that are late, twice there, and of several streams in a packet. */
static void
test_streams(void)
{
    struct talk talk;
    open_talk(&talk);
    shake_hands(&talk);
    write_stream(talk.frames, 0, 0, get_a, sizeof get_a, true);
    write_stream(talk.frames, 4, 0, get_a, 4, false);
    send_decrypted(&talk, true);
    const int64_t asked_ns = talk.frame * NS_PER_MS;
    write_stream(talk.frames, 4, 0, get_a, sizeof get_a, true);
    send_decrypted(&talk, true);
    write_stream(talk.frames, 0, sizeof answer_ok, data_10, sizeof data_10, true);
    send_decrypted(&talk, false);
    g_assert_cmpuint(request_of(&talk, 1)->response.first_frame, ==, 0);
    write_stream(talk.frames, 0, 0, answer_ok, sizeof answer_ok, false);
    send_decrypted(&talk, false);
    const int64_t answered_ns = talk.frame * NS_PER_MS;
    write_stream(talk.frames, 0, 0, answer_ok, sizeof answer_ok, false);
    send_decrypted(&talk, false);
    const struct request *request = request_of(&talk, 1), *second = request_of(&talk, 2);
    g_assert_cmpstr(request->operation, ==, "GET /a");
    g_assert_cmpstr(request->response.status, ==, "200");
    g_assert_cmpint(request->first_ns, ==, asked_ns);
    g_assert_cmpint(request->response.first_ns, ==, answered_ns);
    g_assert_cmpint(request->response.last_ns, ==, answered_ns);
    g_assert_cmpuint(request->response.bytes, ==, sizeof answer_ok + sizeof data_10);
    g_assert_false(request->open);
    g_assert_cmpstr(second->operation, ==, "GET /a");
    g_assert_cmpint(second->first_ns, ==, asked_ns);
    g_assert_cmpint(second->last_ns, ==, asked_ns + NS_PER_MS);
    g_assert_cmpuint(second->request_bytes, ==, sizeof get_a);
    close_talk(&talk);
}

/* What the capture lacks of a body is skipped; where an answer's head is missing, it is not known when it came. */
static void
test_gaps(void)
{
    static const uint8_t head[] = { 0x01, 0x03, 0, 0, 0xd9, 0x00, 0x40, 100 };
    static const uint8_t rest[90] = { 0 };
    struct talk talk;
    open_talk(&talk);
    shake_hands(&talk);
    write_stream(talk.frames, 0, 0, get_a, sizeof get_a, true);
    write_stream(talk.frames, 4, 0, get_a, sizeof get_a, true);
    send_decrypted(&talk, true);
    write_stream(talk.frames, 0, 0, head, sizeof head, false);
    send_decrypted(&talk, false);
    write_stream(talk.frames, 0, sizeof head + 10, rest, 40, false);
    write_stream(talk.frames, 4, 100, rest, sizeof rest, false);
    send_decrypted(&talk, false);
    talk.frame += 2000; /* two seconds */
    write_stream(talk.frames, 0, sizeof head + 50, rest, 50, true);
    write_stream(talk.frames, 4, 190, rest, 10, true);
    send_decrypted(&talk, false);
    const struct request *request = request_of(&talk, 1), *headless = request_of(&talk, 2);
    g_assert_cmpstr(request->response.status, ==, "200");
    g_assert_false(request->open);
    g_assert_cmpint(request->response.last_ns, ==, talk.frame * NS_PER_MS);
    g_assert_cmpuint(headless->response.first_frame, ==, 0);
    g_assert_cmpint(headless->ending, ==, ENDING_LOST);
    g_assert_false(headless->open);
    close_talk(&talk);
}

/* A hole near the end of an answer: what is behind it has come when it came, be that known at last with another packet
 * a second later, with the connection's end, or with the capture's. */
static void
test_last_holes(void)
{
    static const uint8_t close[] = { 0x1d, 0x41, 0x00, 0x00 };
    static const uint8_t head[] = { 0x01, 0x03, 0, 0, 0xd9, 0x00, 0x40, 100 }, rest[90] = { 0 };
    enum { BY_TIME, BY_CLOSE, BY_END, WAYS };
    for (unsigned way = 0; way < WAYS; way++) {
        struct talk talk;
        open_talk(&talk);
        shake_hands(&talk);
        write_stream(talk.frames, 0, 0, get_a, sizeof get_a, true);
        write_stream(talk.frames, 4, 0, get_a, sizeof get_a, true);
        send_decrypted(&talk, true);
        const int64_t asked_ns = talk.frame * NS_PER_MS;
        write_stream(talk.frames, 0, 0, head, sizeof head, false);
        send_decrypted(&talk, false);
        write_stream(talk.frames, 0, sizeof head + 10, rest, sizeof rest, true);
        send_decrypted(&talk, false);
        const uint32_t last = talk.frame;
        const struct request *request = request_of(&talk, 1);
        if (way == BY_TIME)
            talk.frame += 1500;
        if (way == BY_CLOSE)
            g_byte_array_append(talk.frames, close, sizeof close);
        else
            write_stream(talk.frames, 4, 0, answer_ok, sizeof answer_ok, true);
        send_decrypted(&talk, way == BY_CLOSE);
        g_assert(request->open == (way == BY_END));
        analysis_end(talk.analysis);
        g_assert_false(request->open);
        g_assert_cmpuint(request->response.last_frame, ==, last);
        g_assert_cmpint(request_last_byte(request), ==, last * NS_PER_MS - asked_ns);
        g_assert_cmpint(request_outcome(&talk.analysis->requests, request), ==, OUTCOME_ANSWERED);
        close_talk(&talk);
    }
}

/* Wireshark decrypts Initials without the connection's keys, also where a packet of 1-RTT follows in the datagram: that
 * does not show what is in this one. Once it is known that there are keys, frames that both may have count. */
static void
test_initials(void)
{
    static const uint8_t acknowledgement[] = { 0x02, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00 }; /* and PADDING */
    static const uint8_t token[] = { 0x07, 0x01, 0xaa };
    static const uint8_t closes[] = { 0x1c, 0x02, 0x00, 0x00 };
    struct talk talk;
    open_talk(&talk);
    shake_hands(&talk);
    write_server_initial(&talk, &client_id);
    quic_write_short(talk.datagram, &client_id, 40);
    send(&talk, false, NOTHING_CUT);
    g_assert_false(analysis_read_quic_frames(talk.analysis, acknowledgement, sizeof acknowledgement));
    g_assert_null(talk.connection->tcp->quic->http3);
    g_assert_true(talk.connection->tcp->quic->is_missed);
    g_assert_true(analysis_read_quic_frames(talk.analysis, token, sizeof token));
    g_assert_cmpint(talk.connection->exchanges.protocol, ==, PROTOCOL_HTTP3);
    g_assert_false(talk.connection->tcp->quic->is_missed);
    quic_write_long(talk.datagram, QUIC_VERSION_1, QUIC_HANDSHAKE, &client_id, &server_id, 20);
    quic_write_short(talk.datagram, &client_id, 41);
    send(&talk, false, NOTHING_CUT);
    g_assert_true(analysis_read_quic_frames(talk.analysis, closes, sizeof closes));
    g_assert_false(talk.connection->tcp->quic->is_missed);
    g_assert_cmpint(talk.connection->ended_ns, !=, INT64_MAX);
    close_talk(&talk);
}

/* A packet of the server is not decrypted: an answer that has ended counts, and one that may have ended in it does not.
 */
static void
test_missed(void)
{
    static const uint8_t close[] = { 0x1d, 0x41, 0x00, 0x00 };
    static const uint8_t head[] = { 0x01, 0x03, 0, 0, 0xd9, 0x00, 0x40, 100 };
    for (unsigned is_closed = 0; is_closed <= 1; is_closed++) {
        struct talk talk;
        open_talk(&talk);
        shake_hands(&talk);
        for (uint64_t id = 0; id <= 8; id += 4)
            write_stream(talk.frames, id, 0, get_a, sizeof get_a, true);
        send_decrypted(&talk, true);
        write_stream(talk.frames, 0, 0, head, sizeof head, false);
        write_stream(talk.frames, 4, 0, answer_ok, sizeof answer_ok, true);
        send_decrypted(&talk, false);
        quic_write_short(talk.datagram, &client_id, 5000);
        send(&talk, false, NOTHING_CUT);
        write_stream(talk.frames, 12, 0, get_a, sizeof get_a, true);
        send_decrypted(&talk, true);
        if (is_closed) {
            g_byte_array_append(talk.frames, close, sizeof close);
            send_decrypted(&talk, true);
        }
        analysis_end(talk.analysis);
        const struct requests *requests = &talk.analysis->requests;
        g_assert_cmpint(request_outcome(requests, request_of(&talk, 1)), ==, OUTCOME_LOST);
        g_assert_cmpint(request_outcome(requests, request_of(&talk, 2)), ==, OUTCOME_ANSWERED);
        g_assert_cmpint(request_outcome(requests, request_of(&talk, 3)), ==, OUTCOME_LOST);
        g_assert_cmpint(request_outcome(requests, request_of(&talk, 4)), ==,
                        is_closed ? OUTCOME_RESET : OUTCOME_WAITING);
        close_talk(&talk);
    }
}

/* A server takes no requests from the one on that its GOAWAY names: neither those that it has got already, nor those
 * that the client had not known it of. */
static void
test_goaway(void)
{
    static const uint8_t control[] = { 0x00, 0x04, 0x00, 0x07, 0x01, 0x08 }; /* SETTINGS, GOAWAY 8 */
    struct talk talk;
    open_talk(&talk);
    shake_hands(&talk);
    write_stream(talk.frames, 4, 0, get_a, sizeof get_a, true);
    write_stream(talk.frames, 8, 0, get_a, sizeof get_a, true);
    send_decrypted(&talk, true);
    write_stream(talk.frames, 3, 0, control, sizeof control, false);
    send_decrypted(&talk, false);
    write_stream(talk.frames, 0, 0, get_a, sizeof get_a, true);
    write_stream(talk.frames, 12, 0, get_a, sizeof get_a, true);
    send_decrypted(&talk, true);
    static const uint8_t endings[] = { ENDING_NONE, ENDING_REFUSED, ENDING_NONE, ENDING_REFUSED };
    for (unsigned i = 0; i < G_N_ELEMENTS(endings); i++)
        g_assert_cmpint(request_of(&talk, i + 1)->ending, ==, endings[i]);
    close_talk(&talk);
}

/* What the server has chosen is known where Wireshark decrypts it, and then goes before what the client offers. */
static void
test_chosen(void)
{
    for (unsigned is_http3 = 0; is_http3 <= 1; is_http3++) {
        struct talk talk;
        GByteArray *extensions = g_byte_array_new();
        open_talk(&talk);
        write_client_initial(&talk, "a.example");
        send(&talk, true, NOTHING_CUT);
        write_server_initial(&talk, &client_id);
        quic_write_long(talk.datagram, QUIC_VERSION_1, QUIC_HANDSHAKE, &client_id, &server_id, 200);
        send(&talk, false, NOTHING_CUT);
        write_encrypted_extensions(extensions, is_http3 ? "h3" : "other");
        g_assert_false(analysis_read_quic_frames(talk.analysis, extensions->data, extensions->len));
        quic_write_short(talk.datagram, &server_id, 40);
        send(&talk, true, NOTHING_CUT);
        g_assert_cmpstr(talk.connection->tcp->handshake->chosen, ==, is_http3 ? "h3" : "other");
        write_stream(talk.frames, 0, 0, get_a, sizeof get_a, true);
        send_decrypted(&talk, true);
        g_assert_cmpuint(talk.connection->n_requests, ==, is_http3);
        g_byte_array_free(extensions, TRUE);
        close_talk(&talk);
    }
}

/* Answers that are broken off, refused, and not awaited any more. */
static void
test_resets(void)
{
    static const uint8_t rejected[] = { 0x04, 0x00, 0x41, 0x0b, 0x00 }, internal[] = { 0x04, 0x04, 0x41, 0x02, 0x00 };
    static const uint8_t stop[] = { 0x05, 0x08, 0x41, 0x0c };
    static const uint8_t close[] = { 0x1d, 0x41, 0x00, 0x00 };
    struct talk talk;
    open_talk(&talk);
    shake_hands(&talk);
    for (uint64_t id = 0; id <= 12; id += 4)
        write_stream(talk.frames, id, 0, get_a, sizeof get_a, true);
    send_decrypted(&talk, true);
    write_stream(talk.frames, 8, 0, answer_ok, sizeof answer_ok, false);
    g_byte_array_append(talk.frames, rejected, sizeof rejected);
    g_byte_array_append(talk.frames, internal, sizeof internal);
    send_decrypted(&talk, false);
    g_byte_array_append(talk.frames, stop, sizeof stop);
    send_decrypted(&talk, true);
    g_byte_array_append(talk.frames, close, sizeof close);
    send_decrypted(&talk, true);
    g_assert_cmpint(request_of(&talk, 1)->ending, ==, ENDING_REFUSED);
    g_assert_cmpstr(request_of(&talk, 2)->response.status, ==, "INTERNAL_ERROR");
    g_assert_true(request_of(&talk, 2)->response.failed);
    g_assert_cmpint(request_of(&talk, 3)->ending, ==, ENDING_CANCELLED);
    g_assert_cmpint(request_of(&talk, 4)->ending, ==, ENDING_CANCELLED);
    close_talk(&talk);
}

/* A block that refers to fields which are told later: its request is named then. */
static void
test_blocked(void)
{
    static const uint8_t settings[] = { 0x00, 0x04, 0x03, 0x01, 0x50, 0x00 };          /* a table of 4096 bytes */
    static const uint8_t encoder[] = { 0x02, 0x3f, 0xe1, 0x1f, 0xc1, 0x02, '/', 'b' }; /* which has :path: /b */
    static const uint8_t get_b[] = { 0x01, 0x04, 0x02, 0x00, 0xd1, 0x80 };
    struct talk talk;
    open_talk(&talk);
    shake_hands(&talk);
    write_stream(talk.frames, 3, 0, settings, sizeof settings, false);
    send_decrypted(&talk, false);
    write_stream(talk.frames, 0, 0, get_b, sizeof get_b, true);
    send_decrypted(&talk, true);
    g_assert_cmpstr(request_of(&talk, 1)->operation, ==, "");
    write_stream(talk.frames, 2, 0, encoder, sizeof encoder, false);
    send_decrypted(&talk, true);
    g_assert_cmpstr(request_of(&talk, 1)->operation, ==, "GET /b");
    close_talk(&talk);
}

/* A stream of which it is not known when it was answered, whose block is read when what it refers to is told. */
static void
test_blocked_unknown(void)
{
    static const uint8_t settings[] = { 0x00, 0x04, 0x03, 0x01, 0x50, 0x00 };
    static const uint8_t encoder[] = { 0x02, 0x3f, 0xe1, 0x1f, 0xc1, 0x02, '/', 'b' };
    static const uint8_t get_b[] = { 0x01, 0x04, 0x02, 0x00, 0xd1, 0x80 };
    struct talk talk;
    open_talk(&talk);
    shake_hands(&talk);
    write_stream(talk.frames, 3, 0, settings, sizeof settings, false);
    write_stream(talk.frames, 0, 100, data_10, sizeof data_10, true);
    send_decrypted(&talk, false);
    talk.frame += 2000; /* two seconds */
    write_stream(talk.frames, 0, 0, get_b, sizeof get_b, false);
    send_decrypted(&talk, true);
    write_stream(talk.frames, 2, 0, encoder, sizeof encoder, false);
    send_decrypted(&talk, true);
    g_assert_cmpuint(talk.connection->n_requests, ==, 0);
    close_talk(&talk);
}

/* Many blocks that refer to the table, each of which the receiver would acknowledge; and one that makes no sense,
 * behind which those are still read that refer to nothing. */
static void
test_many_blocks(void)
{
    static const uint8_t settings[] = { 0x00, 0x04, 0x03, 0x01, 0x50, 0x00 };
    static const uint8_t encoder[] = { 0x02, 0x3f, 0xe1, 0x1f, 0xc1, 0x02, '/', 'b' };
    static const uint8_t get_b[] = { 0x01, 0x04, 0x02, 0x00, 0xd1, 0x80 }, bad[] = { 0x01, 0x03, 0x02, 0x00, 0xbf };
    enum { REQUESTS = 2000 };
    struct talk talk;
    open_talk(&talk);
    shake_hands(&talk);
    write_stream(talk.frames, 3, 0, settings, sizeof settings, false);
    send_decrypted(&talk, false);
    write_stream(talk.frames, 2, 0, encoder, sizeof encoder, false);
    send_decrypted(&talk, true);
    for (uint64_t i = 0; i < REQUESTS; i++) {
        write_stream(talk.frames, 4 * i, 0, get_b, sizeof get_b, true);
        send_decrypted(&talk, true);
        g_assert_cmpstr(talk.connection->request->operation, ==, "GET /b");
        write_stream(talk.frames, 4 * i, 0, answer_ok, sizeof answer_ok, true);
        send_decrypted(&talk, false);
    }
    write_stream(talk.frames, 4 * REQUESTS, 0, bad, sizeof bad, true);
    write_stream(talk.frames, 4 * REQUESTS + 4, 0, get_a, sizeof get_a, true);
    send_decrypted(&talk, true);
    g_assert_cmpstr(talk.connection->request->operation, ==, "GET /a");
    close_talk(&talk);
}

/* More streams than are kept, and what is held of one. */
static void
test_bounds(void)
{
    enum { STREAMS = 5000, PIECES = 3000 };
    struct talk talk;
    open_talk(&talk);
    shake_hands(&talk);
    for (uint64_t i = 0; i < STREAMS; i++) {
        write_stream(talk.frames, 4 * i, 0, get_a, sizeof get_a, false);
        send_decrypted(&talk, true);
    }
    g_assert_cmpuint(talk.connection->n_requests, ==, STREAMS);
    g_assert_cmpint(request_of(&talk, 1)->ending, ==, ENDING_LOST);
    for (uint64_t i = 0; i < PIECES; i++)
        write_stream(talk.frames, 4 * (STREAMS - 1), 1000 + 2 * i, "x", 1, false);
    send_decrypted(&talk, false);
    close_talk(&talk);
}

void
quic_tests_add(void)
{
    g_test_add_func("/quic/keys", test_keys);
    g_test_add_func("/quic/handshake", test_handshake);
    g_test_add_func("/quic/parts", test_parts);
    g_test_add_func("/quic/forged", test_forged);
    g_test_add_func("/quic/crypto", test_crypto);
    g_test_add_func("/quic/overlaps", test_overlaps);
    g_test_add_func("/quic/openings", test_openings);
    g_test_add_func("/quic/moves", test_moves);
    g_test_add_func("/quic/shared", test_shared);
    g_test_add_func("/quic/greased", test_greased);
    g_test_add_func("/quic/chosen", test_chosen);
    g_test_add_func("/quic/spin", test_spin);
    g_test_add_func("/http3/streams", test_streams);
    g_test_add_func("/http3/grpc", test_grpc);
    g_test_add_func("/http3/gaps", test_gaps);
    g_test_add_func("/http3/last-holes", test_last_holes);
    g_test_add_func("/http3/initials", test_initials);
    g_test_add_func("/http3/missed", test_missed);
    g_test_add_func("/http3/goaway", test_goaway);
    g_test_add_func("/http3/resets", test_resets);
    g_test_add_func("/http3/blocked", test_blocked);
    g_test_add_func("/http3/blocked-unknown", test_blocked_unknown);
    g_test_add_func("/http3/many-blocks", test_many_blocks);
    g_test_add_func("/http3/bounds", test_bounds);
}
