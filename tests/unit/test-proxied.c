/* test-proxied.c
 * What a proxy says before its client (PROXY protocol): whose connection it is, and that what follows is read as what
 * it is.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "unit.h"

#include <glib.h>
#include <string.h>

#include "core/protocol/proxy/proxy_header.h"
#include "core/protocol/tls/tls_handshake.h"
#include "scene.h"

#define GET                    "GET / HTTP/1.1\r\n\r\n"
#define OK                     "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nab"
#define LINE                   "PROXY TCP4 192.0.2.1 198.51.100.7 4000 80\r\n"
#define SIGNATURE              "\r\n\r\n\0\r\nQUIT\n"
#define IPV4                   "\xc0\0\2\1\xc6\x33\x64\7\x0f\xa0\0\x50"
#define IPV6                   "\x20\1\x0d\xb8\0\0\0\0\0\0\0\0\0\0\0\1\x20\1\x0d\xb8\0\0\0\0\0\0\0\0\0\0\0\2\x0f\xa0\0\x50"
#define SAY(from_client, text) scene_send(&scene, from_client, text, sizeof(text) - 1, sizeof(text) - 1)

static void
open_proxied(struct scene *scene, uint16_t port)
{
    scene_open(scene, port, 1000000);
    scene_shake_hands(scene);
}

static void
check_client(const struct scene *scene, const char *client, uint16_t port)
{
    const struct proxied *proxied = scene->connection->tcp->proxied;
    g_assert_nonnull(proxied);
    g_assert_cmpstr(proxied->client, ==, client);
    g_assert_cmpuint(proxied->port, ==, port);
}

static const struct {
    const char *bytes;
    size_t length;
    const char *client; /* NULL: it is none */
    uint16_t port;
    uint32_t whole;
} headers[] = {
#define HEADER(text, client, port)                                                                                     \
    {                                                                                                                  \
        text, sizeof(text) - 1, client, port, sizeof(text) - 1                                                         \
    }
#define HEADER_OF(text, client, port, of)                                                                              \
    {                                                                                                                  \
        text, sizeof(text) - 1, client, port, of                                                                       \
    }
#define NONE(text)                                                                                                     \
    {                                                                                                                  \
        text, sizeof(text) - 1, NULL, 0, 0                                                                             \
    }
    HEADER(LINE, "192.0.2.1", 4000),
    HEADER("PROXY TCP6 2001:db8:0:0::1 ::2 65535 1\r\n", "2001:db8::1", 65535),
    HEADER("PROXY UNKNOWN\r\n", "", 0),
    HEADER("PROXY UNKNOWN whatever it says\r\n", "", 0),
    HEADER(SIGNATURE "\x21\x11\0\x0c" IPV4, "192.0.2.1", 4000),
    HEADER(SIGNATURE "\x21\x12\0\x0c" IPV4, "192.0.2.1", 4000),
    HEADER(SIGNATURE "\x21\x21\0\x24" IPV6, "2001:db8::1", 4000),
    HEADER(SIGNATURE "\x21\x11\0\x0f" IPV4 "\4\0\0", "192.0.2.1", 4000),
    HEADER_OF(SIGNATURE "\x21\x11\xff\xff" IPV4 "\4\0\0", "192.0.2.1", 4000, 16 + 65535),
    HEADER(SIGNATURE "\x20\0\0\0", "", 0),
    HEADER(SIGNATURE "\x20\x11\0\x0c" IPV4, "", 0),
    HEADER(SIGNATURE "\x21\0\0\0", "", 0),
    NONE("PROXY TCP4 192.0.2.1 198.51.100.7 4000 80\n"),
    NONE("PROXY TCP4 192.0.2.1 198.51.100.7 4000 80"),
    NONE("PROXY TCP4 192.0.2.1 198.51.100.7 4000 80 1\r\n"),
    NONE("PROXY TCP4 192.0.2.256 198.51.100.7 4000 80\r\n"),
    NONE("PROXY TCP6 192.0.2.1 198.51.100.7 4000 80\r\n"),
    NONE("PROXY TCP4 192.0.2.1 198.51.100.7 65536 80\r\n"),
    NONE("PROXY TCP4 192.0.2.1 198.51.100.7 +1 80\r\n"),
    NONE("PROXY UNKNOWNS\r\n"),
    NONE("PROXIED TCP4 192.0.2.1 198.51.100.7 4000 80\r\n"),
    NONE("PROXY UNKNOWN fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff"
         "fffffffffff\r\n"),
    NONE(SIGNATURE "\x11\x11\0\x0c" IPV4),
    NONE(SIGNATURE "\x22\x11\0\x0c" IPV4),
    NONE(SIGNATURE "\x21\x41\0\x0c" IPV4),
    NONE(SIGNATURE "\x21\x13\0\x0c" IPV4),
    NONE(SIGNATURE "\x21\x11\0\x0b" IPV4),
    NONE(SIGNATURE "\x21\x21\0\x24" IPV4),
    NONE("\r\n\r\n\0\r\nQUITE\x21\x11\0\x0c" IPV4),
};

static void
test_headers(void)
{
    struct proxy_header header;
    for (unsigned i = 0; i < G_N_ELEMENTS(headers); i++) {
        g_assert_cmpint(proxy_header_read((const uint8_t *)headers[i].bytes, headers[i].length, &header), ==,
                        headers[i].client != NULL);
        if (!headers[i].client)
            continue;
        g_assert_cmpstr(header.client, ==, headers[i].client);
        g_assert_cmpuint(header.port, ==, headers[i].port);
        g_assert_cmpuint(header.bytes, ==, headers[i].whole);
    }
}

/* However much of it there is, nothing behind that is read. */
static void
test_cut(void)
{
    struct proxy_header header;
    for (unsigned i = 0; i < G_N_ELEMENTS(headers); i++)
        for (size_t length = 0; length < headers[i].length; length++) {
            uint8_t *bytes = g_memdup2(headers[i].bytes, length);
            if (proxy_header_read(bytes, length, &header))
                g_assert_cmpuint(header.bytes, >=, length);
            g_free(bytes);
        }
}

static void
test_path(void)
{
    uint8_t bytes[16 + 216] = SIGNATURE "\x21\x31\0\xd8";
    struct proxy_header header;
    memset(bytes + 16, 'p', 108);
    g_assert_true(proxy_header_read(bytes, sizeof bytes, &header));
    g_assert_cmpuint(strlen(header.client), ==, 108);
    strcpy((char *)bytes + 16, "/run/shop");
    g_assert_true(proxy_header_read(bytes, sizeof bytes, &header));
    g_assert_cmpstr(header.client, ==, "/run/shop");
    g_assert_cmpuint(header.port, ==, 0);
    strcpy((char *)bytes + 16, "/run/\xff\n");
    g_assert_true(proxy_header_read(bytes, sizeof bytes, &header));
    g_assert_cmpstr(header.client, ==, "/run/??");
}

/* Alone in its segment, and with the first request. */
static void
test_http(void)
{
    struct scene scene;
    open_proxied(&scene, 80);
    SAY(true, LINE);
    SAY(true, GET GET);
    SAY(false, OK OK);
    check_client(&scene, "192.0.2.1", 4000);
    g_assert_cmpuint(scene.connection->requests[0]->first_frame, ==, 4);
    scene_check(&scene, "GET / 18/40 200, GET / 18/40 200");
    open_proxied(&scene, 80);
    SAY(true, SIGNATURE "\x21\x21\0\x27" IPV6 "\4\0\0" GET);
    SAY(false, OK);
    SAY(true, GET);
    SAY(false, OK);
    check_client(&scene, "2001:db8::1", 4000);
    scene_check(&scene, "GET / 18/40 200, GET / 18/40 200");
}

/* What both sides say that nobody knows goes by turns, without the header. */
static void
test_turns(void)
{
    struct scene scene;
    open_proxied(&scene, 7777);
    SAY(true, LINE "ask");
    SAY(false, "answer");
    scene_check(&scene, " 3/6 ");
    open_proxied(&scene, 7777);
    SAY(true, SIGNATURE "\x20\0\0\0");
    check_client(&scene, "", 0);
    scene_check(&scene, "");
}

/* The server speaks first, once it has the header. */
static void
test_greeting(void)
{
    static const char welcome[] = "\x09\0\0\0\x0a"
                                  "8.0.36\0\1";
    static const char login[] = "\x20\0\0\1\0\xa2\0\0\0\0\0\1\x2d\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0";
    struct scene scene;
    open_proxied(&scene, 3306);
    SAY(true, LINE);
    scene_send(&scene, false, welcome, sizeof welcome - 1, sizeof welcome - 1);
    scene_send(&scene, true, login, sizeof login - 1, sizeof login - 1);
    SAY(false, "\7\0\0\2\0\0\0\2\0\0\0");
    g_assert_cmpint(scene.connection->exchanges.protocol, ==, PROTOCOL_MYSQL);
    scene_check(&scene, "login 36/11 ");
}

/* A long one goes on in the next segments, whatever it says. */
static void
test_long(void)
{
    static const char begin[] = SIGNATURE "\x21\x11\x01\x0c" IPV4;
    char rest[256];
    struct scene scene;
    memset(rest, 0, sizeof rest);
    memcpy(rest, GET, strlen(GET));
    open_proxied(&scene, 80);
    SAY(true, begin);
    scene_send(&scene, true, rest, 100, 100);
    scene_send(&scene, true, rest, 156, 156);
    SAY(true, GET);
    SAY(false, OK);
    scene_check(&scene, "GET / 18/40 200");
}

/* It may stand before more than is ever kept of what a client says. */
static void
test_large(void)
{
    static const char asked[] = LINE "POST / HTTP/1.1\r\nContent-Length: 69000\r\nX: ";
    enum { BYTES = 70000, FILLED = BYTES - 69000 - 4 };
    struct scene scene;
    char *bytes = g_malloc0(BYTES + sizeof LINE);
    memcpy(bytes, asked, strlen(asked));
    memset(bytes + strlen(asked), 'x', FILLED - strlen(asked));
    memcpy(bytes + FILLED, "\r\n\r\n", 4);
    open_proxied(&scene, 80);
    scene_send(&scene, true, bytes, BYTES, BYTES);
    SAY(false, OK);
    check_client(&scene, "192.0.2.1", 4000);
    scene_check(&scene, "POST / 69957/40 200");
    g_free(bytes);
}

/* Sent again, the header is no request, and what was with it is a retransmission of the request. */
static void
test_again(void)
{
    static const char both[] = LINE GET;
    struct scene scene;
    scene_open(&scene, 80, 300000000);
    scene_shake_hands(&scene);
    SAY(true, both);
    scene_send_late(&scene, true, sizeof both - 1, both, sizeof both - 1, sizeof both - 1);
    SAY(false, OK);
    g_assert_cmpuint(scene.connection->request->retransmissions, ==, 1);
    scene_check(&scene, "GET / 18/40 200");
}

/* A ClientHello behind it is the first that the client says, be it in the same segment. */
static void
test_tls(void)
{
    static const char hello[] = "\x16\3\1\0\x2d\1\0\0\x29\3\3"
                                "rrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrr"
                                "\0\0\2\x13\1\1\0";
    static const char both[] = LINE "\x16\3\1\0\x2d\1\0\0\x29\3\3"
                                    "rrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrr"
                                    "\0\0\2\x13\1\1\0";
    for (unsigned together = 0; together < 2; together++) {
        struct scene scene;
        open_proxied(&scene, 443);
        if (together) {
            SAY(true, both);
        } else {
            SAY(true, LINE);
            SAY(true, hello);
        }
        SAY(false, "\x16\3\3\0\4\2\0\0\0");
        g_assert_nonnull(scene.connection->tcp->handshake);
        g_assert_true(scene.connection->tcp->handshake->is_first);
        g_assert_cmpint(scene.connection->request->tls, ==, TLS_HANDSHAKE);
        scene_close(&scene);
    }
}

/* Elsewhere than at the beginning it is what a client says; and by turns nothing is anybody else's. */
static void
test_elsewhere(void)
{
    struct scene scene;
    open_proxied(&scene, 7777);
    SAY(true, "ask");
    SAY(false, "answer");
    SAY(true, LINE);
    SAY(false, "answer");
    g_assert_null(scene.connection->tcp->proxied);
    scene_check(&scene, " 3/6 ,  43/6 ");
    scene_open(&scene, 7777, 1000000);
    scene.settings.by_turns = true;
    scene_shake_hands(&scene);
    SAY(true, LINE);
    SAY(false, "answer");
    scene_check(&scene, " 43/6 ");
}

void
proxied_tests_add(void)
{
    g_test_add_func("/proxied/headers", test_headers);
    g_test_add_func("/proxied/cut", test_cut);
    g_test_add_func("/proxied/path", test_path);
    g_test_add_func("/proxied/http", test_http);
    g_test_add_func("/proxied/turns", test_turns);
    g_test_add_func("/proxied/greeting", test_greeting);
    g_test_add_func("/proxied/long", test_long);
    g_test_add_func("/proxied/large", test_large);
    g_test_add_func("/proxied/again", test_again);
    g_test_add_func("/proxied/tls", test_tls);
    g_test_add_func("/proxied/elsewhere", test_elsewhere);
}
