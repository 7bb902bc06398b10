/* test-operation.c
 * What a request asks for, from its first bytes; and that no prefix of them, nor garbage, is read past its end.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "unit.h"

#include <string.h>

#include <glib.h>

#include "core/protocol/http/http_operation.h"
#include "core/protocol/parsers.h"
#include "core/request/operation.h"

/* A string literal with the NULs inside it. */
#define BYTES(literal) (const uint8_t *)(literal), sizeof(literal) - 1

#define ELLIPSIS "\xe2\x80\xa6"

struct row {
    const char *name;
    const uint8_t *bytes;
    size_t n;
    const char *text;
};

/* A memcached request header up to the length of the body: magic, opcode, key length, length of extras. */
#define BINARY(opcode, key_length, extras, body) "\x80" opcode "\0" key_length extras "\0\0\0" body
#define OPAQUE_AND_CAS                           "\0\0\0\1\0\0\0\0\0\0\0\0"

static const struct row rows[] = {
    { "http-get", BYTES("GET /index.html HTTP/1.1\r\nHost: h\r\n\r\n"), "GET /index.html" },
    { "http-query", BYTES("GET /path?query=1&b=2 HTTP/1.0\r\n\r\n"), "GET /path?query=1&b=2" },
    { "http-post", BYTES("POST /up HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc"), "POST /up" },
    { "http-put", BYTES("PUT /up HTTP/1.1\r\n\r\n"), "PUT /up" },
    { "http-head", BYTES("HEAD / HTTP/1.1\r\n\r\n"), "HEAD /" },
    { "http-delete", BYTES("DELETE /a/b HTTP/1.1\r\n\r\n"), "DELETE /a/b" },
    { "http-options", BYTES("OPTIONS * HTTP/1.1\r\n\r\n"), "OPTIONS *" },
    { "http-patch", BYTES("PATCH /p HTTP/1.1\r\n\r\n"), "PATCH /p" },
    { "http-trace", BYTES("TRACE /t HTTP/1.1\r\n\r\n"), "TRACE /t" },
    { "http-connect", BYTES("CONNECT example.org:443 HTTP/1.1\r\n\r\n"), "CONNECT example.org:443" },
    { "http-blank-in-target", BYTES("GET /a b HTTP/1.1\r\n\r\n"), "GET /a b" },
    { "http-headers-not-here", BYTES("GET /x HTTP/1.1\r\n"), "GET /x" },
    { "http-cut", BYTES("GET /a/long/pa"), "GET /a/long/pa" ELLIPSIS },
    { "http-report", BYTES("REPORT /cal HTTP/1.1\r\n\r\n"), "REPORT /cal" },
    { "http-m-search", BYTES("M-SEARCH * HTTP/1.1\r\n\r\n"), "M-SEARCH *" },
    { "http-rpc", BYTES("RPC_IN_DATA /rpc/rpcproxy.dll?h:593 HTTP/1.1\r\n\r\n"),
      "RPC_IN_DATA /rpc/rpcproxy.dll?h:593" },
    { "http-any-token", BYTES("a!#$%&'*+-.^_`|~1 / HTTP/1.0\n\n"), "a!#$%&'*+-.^_`|~1 /" },
    { "http-no-token", BYTES("a/b / HTTP/1.1\r\n\r\n"), "" },
    { "http-any-cut", BYTES("REPORT /cal HTTP/1.1"), "" },
    { "http-no-target", BYTES("REPORT  HTTP/1.1\r\n"), "" },
    { "http2-preface", BYTES("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), "" },
    { "rtsp", BYTES("DESCRIBE rtsp://h/x RTSP/1.0\r\n\r\n"), "" },
    { "sip", BYTES("REGISTER sip:h SIP/2.0\r\n\r\n"), "" },
    { "http-response", BYTES("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"), "" },

    { "text-get", BYTES("get key\r\n"), "get key" },
    { "text-get-first-key", BYTES("get one two three\r\n"), "get one" },
    { "text-gets", BYTES("gets key\r\n"), "gets key" },
    { "text-gat", BYTES("gat 60 key\r\n"), "gat key" },
    { "text-set", BYTES("set key 0 60 5\r\nhello\r\n"), "set key" },
    { "text-add", BYTES("add key 0 0 1 noreply\r\nx\r\n"), "add key" },
    { "text-replace", BYTES("replace key 0 0 1\r\nx\r\n"), "replace key" },
    { "text-append", BYTES("append key 0 0 1\r\nx\r\n"), "append key" },
    { "text-prepend", BYTES("prepend key 0 0 1\r\nx\r\n"), "prepend key" },
    { "text-cas", BYTES("cas key 0 0 1 77\r\nx\r\n"), "cas key" },
    { "text-delete", BYTES("delete key\r\n"), "delete key" },
    { "text-incr", BYTES("incr key 1\r\n"), "incr key" },
    { "text-decr", BYTES("decr key 1\r\n"), "decr key" },
    { "text-touch", BYTES("touch key 10\r\n"), "touch key" },
    { "text-cut", BYTES("get a_long_ke"), "get a_long_ke" ELLIPSIS },
    { "meta-get", BYTES("mg key v\r\n"), "mg key" },
    { "meta-set", BYTES("ms key 2\r\nhi\r\n"), "ms key" },
    { "meta-delete", BYTES("md key q\r\n"), "md key" },
    { "meta-arithmetic", BYTES("ma key\r\n"), "ma key" },

    { "binary-get", BYTES(BINARY("\0", "\3", "\0", "\0\0\0\3") OPAQUE_AND_CAS "key"), "get key" },
    { "binary-set", BYTES(BINARY("\1", "\3", "\10", "\0\0\0\15") OPAQUE_AND_CAS "\0\0\0\0\0\0\0\0keyhi"), "set key" },
    { "binary-add", BYTES(BINARY("\2", "\3", "\10", "\0\0\0\15") OPAQUE_AND_CAS "\0\0\0\0\0\0\0\0keyhi"), "add key" },
    { "binary-delete", BYTES(BINARY("\4", "\3", "\0", "\0\0\0\3") OPAQUE_AND_CAS "key"), "delete key" },
    { "binary-long-key", BYTES(BINARY("\0", "\373", "\0", "\0\0\1\0") OPAQUE_AND_CAS "key"), "" },
    { "binary-cut", BYTES(BINARY("\0", "\11", "\0", "\0\0\0\11") OPAQUE_AND_CAS "a_lon"), "get a_lon" ELLIPSIS },
    { "binary-response", BYTES("\x81\0\0\0\4\0\0\0\0\0\0\6" OPAQUE_AND_CAS "\0\0\0\0hi"), "" },

    { "redis-get", BYTES("*2\r\n$3\r\nget\r\n$3\r\nfoo\r\n"), "GET" },
    { "redis-mixed-case", BYTES("*3\r\n$3\r\nSeT\r\n$1\r\na\r\n$1\r\nb\r\n"), "SET" },
    { "redis-ping", BYTES("*1\r\n$4\r\nPING\r\n"), "PING" },
    { "redis-cut", BYTES("*2\r\n$9\r\nsubscri"), "SUBSCRI" ELLIPSIS },
    { "redis-reply", BYTES("$3\r\nfoo\r\n"), "" },
    { "redis-ok", BYTES("+OK\r\n"), "" },

    { "tls-change", BYTES("\x14\x03\x03\0\1\1"), "TLS Change Cipher Spec" },
    { "tls-alert", BYTES("\x15\x03\x03\0\2\1\0"), "TLS Alert" },
    { "tls-handshake", BYTES("\x16\x03\x01\0\5\1\0\0\1\0"), "TLS Handshake" },
    { "tls-data", BYTES("\x17\x03\x03\0\3abc"), "TLS Application Data" },
    { "tls-heartbeat", BYTES("\x18\x03\x03\0\3\1\0\0"), "TLS Heartbeat" },
    { "tls-sslv2", BYTES("\x80\x2b\1\3\1\0\x12\0\0\0\x10\0\0\4"), "TLS Handshake" },
    { "tls-sslv2-wrong", BYTES("\x80\x2c\1\3\1\0\x12\0\0\0\x10\0\0\4"), "" },
    /* an echo, a control message */
    { "pvaccess", BYTES("\xca\2\1\3\0\0\0\0"), "" },
    { "tls-record-of-more-segments", BYTES("\x17\x03\x03\x40\0abc"), "TLS Application Data" },
    { "tls-other-type", BYTES("\x19\x03\x03\0\3abc"), "" },
    { "tls-other-version", BYTES("\x16\x04\x01\0\5\1\0\0\1\0"), "" },

    { "empty", BYTES(""), "" },
    { "zeros", BYTES("\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"), "" },
    { "words", BYTES("hello there\r\n"), "" },
    { "letters", BYTES("abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz"), "" },
};

/* Reads from memory of exactly that size into memory of exactly that size, for a sanitizer to watch. */
static char *
read_operation(const uint8_t *bytes, size_t n)
{
    uint8_t *copy = n == 0 ? NULL : g_memdup2(bytes, n);
    char *text = g_malloc(OPERATION_ROOM);
    memset(text, '#', OPERATION_ROOM);
    size_t length = operation_read(copy, n, text);
    g_assert_cmpuint(length, <, OPERATION_ROOM);
    length = MIN(length, OPERATION_ROOM - 1);
    g_assert_true(g_utf8_validate(text, (gssize)length, NULL));
    char *result = g_strndup(text, length);
    g_assert_cmpuint(strlen(result), ==, length); /* no NUL inside */
    g_free(text);
    g_free(copy);
    return result;
}

static void
check_text(const char *name, const uint8_t *bytes, size_t n, const char *expected)
{
    char *text = read_operation(bytes, n);
    if (strcmp(text, expected) != 0) {
        g_test_message("%s: expected '%s', got '%s'", name, expected, text);
        g_test_fail();
    }
    g_free(text);
}

static void
test_table(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++)
        check_text(rows[i].name, rows[i].bytes, rows[i].n, rows[i].text);
}

static void
test_prefixes(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++)
        for (size_t n = 0; n < rows[i].n; n++)
            g_free(read_operation(rows[i].bytes, n));
}

/* 200 bytes are kept whole, one more is too many. */
static void
test_longest(void)
{
    for (size_t n = OPERATION_LONGEST - 1; n <= OPERATION_LONGEST + 1; n++) {
        GString *request = g_string_new("GET /");
        while (request->len < n)
            g_string_append_c(request, (char)('a' + request->len % 26));
        char *expected = n <= OPERATION_LONGEST ? g_strdup(request->str)
                                                : g_strdup_printf("%.*s" ELLIPSIS, OPERATION_LONGEST, request->str);
        g_string_append(request, " HTTP/1.1\r\n\r\n");
        check_text("longest", (const uint8_t *)request->str, request->len, expected);
        g_free(expected);
        g_string_free(request, TRUE);
    }
}

/* Over-long keys and targets of each protocol, and characters that the limit would halve. */
static void
test_over_long(void)
{
    static const char *const starts[] = { "GET /", "get ", "mg ", "*1\r\n$5000\r\n" };
    for (size_t i = 0; i < G_N_ELEMENTS(starts); i++) {
        for (unsigned shift = 0; shift < 4; shift++) {
            GString *request = g_string_new(starts[i]);
            for (unsigned k = 0; k < shift; k++)
                g_string_append_c(request, 'x');
            while (request->len < 600)
                g_string_append(request, "\xf0\x9f\x98\x80");
            char *text = read_operation((const uint8_t *)request->str, request->len);
            g_assert_true(*text == '\0' || g_str_has_suffix(text, ELLIPSIS));
            g_assert_true(i != 0 || g_str_has_prefix(text, "GET /"));
            g_free(text);
            for (size_t n = 190; n < 230; n++)
                g_free(read_operation((const uint8_t *)request->str, n));
            g_string_free(request, TRUE);
        }
    }
}

static void
test_not_utf8(void)
{
    static const struct row odd[] = {
        { "valid", BYTES("GET /\xc3\xa9 HTTP/1.1\r\n\r\n"), "GET /" },
        { "alone", BYTES("GET /\xff\xfe\x80 HTTP/1.1\r\n\r\n"), "GET /" },
        { "halved", BYTES("GET /\xe2\x80 HTTP/1.1\r\n\r\n"), "GET /" },
        { "surrogate", BYTES("get \xed\xa0\x80\r\n"), "get " },
        { "overlong", BYTES("get \xc0\xaf\r\n"), "get " },
        { "nul", BYTES("GET /a\0b HTTP/1.1\r\n\r\n"), "GET /a" },
        { "binary-key", BYTES(BINARY("\0", "\3", "\0", "\0\0\0\3") OPAQUE_AND_CAS "\xff\0\x01"), "get " },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(odd); i++) {
        char *text = read_operation(odd[i].bytes, odd[i].n);
        if (*text != '\0') /* it may as well count as something else */
            g_assert_true(g_str_has_prefix(text, odd[i].text));
        g_free(text);
    }
}

/* Rows with bytes changed, and pure noise. */
static void
test_garbage(void)
{
    enum { ROUNDS = 40, NOISE = 20000, LONGEST_NOISE = 64 };
    GRand *random = g_rand_new_with_seed(200);
    for (unsigned round = 0; round < ROUNDS; round++) {
        for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
            uint8_t *bytes = g_memdup2(rows[i].bytes, rows[i].n);
            for (unsigned k = 0; k < 2 && rows[i].n > 0; k++)
                bytes[g_rand_int_range(random, 0, (gint32)rows[i].n)] = (uint8_t)g_rand_int_range(random, 0, 256);
            g_free(read_operation(bytes, rows[i].n));
            g_free(bytes);
        }
    }
    for (unsigned round = 0; round < NOISE; round++) {
        uint8_t bytes[LONGEST_NOISE];
        for (size_t k = 0; k < sizeof bytes; k++)
            bytes[k] = (uint8_t)g_rand_int_range(random, 0, 256);
        g_free(read_operation(bytes, (size_t)g_rand_int_range(random, 0, LONGEST_NOISE + 1)));
    }
    g_rand_free(random);
}

static void
test_folded(void)
{
    static const char *const folded[][2] = {
        { "GET /item/42", "GET /item/{n}" },
        { "GET /item/42?page=1", "GET /item/{n}" }, /* a kind ends where the query begins */
        { "GET /item/42/part/7/", "GET /item/{n}/part/{n}/" },
        { "GET /7", "GET /{n}" },
        { "GET /v2/item/4x/1.5", "GET /v2/item/4x/1.5" }, /* only what is a number as a whole */
        { "GET /item/?id=42", "GET /item/" },
        { "get 42", "get" },
    };
    for (unsigned i = 0; i < G_N_ELEMENTS(folded); i++) {
        char kind[OPERATION_ROOM];
        operation_kind(folded[i][0], PROTOCOL_HTTP, true, kind);
        g_assert_cmpstr(kind, ==, folded[i][1]);
        operation_kind(folded[i][0], PROTOCOL_HTTP, false, kind);
        char *unfolded = g_strndup(folded[i][0], strcspn(folded[i][0], i + 1 < G_N_ELEMENTS(folded) ? "?" : " "));
        g_assert_cmpstr(kind, ==, unfolded);
        g_free(unfolded);
    }
}

/* Nothing was captured of a segment: there are no bytes that zero could be added to. */
static void
test_nothing(void)
{
    char text[OPERATION_ROOM];
    g_assert_cmpuint(operation_read(NULL, 0, text), ==, 0);
    g_assert_cmpuint(http_read_operation(NULL, 0, false, text), ==, 0);
}

/* A kind that is cut ends in the ellipsis, or before it: what it has is UTF-8. */
static void
test_folded_and_cut(void)
{
    static const char *const begins[] = { "GET /", "GET /12345/", "GET /123/", "GET /1/", "GET /1/2/3/" };
    for (unsigned i = 0; i < G_N_ELEMENTS(begins); i++) {
        char operation[OPERATION_ROOM], kind[OPERATION_ROOM];
        memset(operation, 'x', OPERATION_LONGEST);
        memcpy(operation, begins[i], strlen(begins[i]));
        memcpy(operation + OPERATION_LONGEST, "…", sizeof "…");
        operation_kind(operation, PROTOCOL_HTTP, true, kind);
        g_assert_true(g_utf8_validate(kind, -1, NULL));
        g_assert_cmpint(g_str_has_suffix(kind, "…"), ==, i < 3);
        operation_kind(operation, PROTOCOL_HTTP, false, kind);
        g_assert_cmpstr(kind, ==, operation);
    }
}

void
operation_tests_add(void)
{
    g_test_add_func("/operation/folded", test_folded);
    g_test_add_func("/operation/folded-and-cut", test_folded_and_cut);
    g_test_add_func("/operation/nothing", test_nothing);
    g_test_add_func("/operation/table", test_table);
    g_test_add_func("/operation/prefixes", test_prefixes);
    g_test_add_func("/operation/longest", test_longest);
    g_test_add_func("/operation/over-long", test_over_long);
    g_test_add_func("/operation/not-utf8", test_not_utf8);
    g_test_add_func("/operation/garbage", test_garbage);
}
