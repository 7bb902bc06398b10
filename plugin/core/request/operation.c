/* operation.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "operation.h"

#include <stdbool.h>
#include <string.h>

#include <glib.h>

#include "tls_cursor.h"

/* The operation stands in a request's first bytes. */
enum { OPERATION_LOOKED_AT = 512 };

static const char ellipsis[] = "\xE2\x80\xA6";

/* The bytes read so far, and where the capture ends. */
struct reader {
    const uint8_t *at;
    const uint8_t *end;
};

struct writer {
    char *text;
    size_t length;
    bool cut;
};

static void
put_bytes(struct writer *writer, const uint8_t *bytes, size_t n)
{
    const size_t fit =
        writer->cut || writer->length > OPERATION_LONGEST ? 0 : MIN(n, OPERATION_LONGEST - writer->length);
    char *text = writer->text + writer->length;
    for (size_t i = 0; i < fit; i++)
        text[i] = bytes[i] >= ' ' && bytes[i] <= '~' ? (char)bytes[i] : '.';
    writer->length += fit;
    writer->cut |= fit < n;
}

static void
put(struct writer *writer, uint8_t byte)
{
    put_bytes(writer, &byte, 1);
}

static void
put_text(struct writer *writer, const char *text)
{
    put_bytes(writer, (const uint8_t *)text, strlen(text));
}

static size_t
finish(struct writer *writer)
{
    if (writer->cut) {
        memcpy(writer->text + writer->length, ellipsis, sizeof ellipsis);
        return writer->length + sizeof ellipsis - 1;
    }
    writer->text[writer->length] = '\0';
    return writer->length;
}

static bool
starts_with(const struct reader *reader, const char *prefix)
{
    size_t length = strlen(prefix);
    return (size_t)(reader->end - reader->at) >= length && memcmp(reader->at, prefix, length) == 0;
}

/* Copies up to a space or line end; the capture's end inside it is a cut. */
static void
put_word(struct writer *writer, struct reader *reader)
{
    for (; reader->at < reader->end; reader->at++) {
        if (*reader->at == ' ' || *reader->at == '\r' || *reader->at == '\n')
            return;
        put(writer, *reader->at);
    }
    writer->cut = true;
}

/* RFC 8446 §5.1, RFC 6520 §3 */
static bool
read_tls(struct reader *reader, struct writer *writer)
{
    static const char *const kinds[] = { "Change Cipher Spec", "Alert", "Handshake", "Application Data", "Heartbeat" };
    const size_t n = (size_t)(reader->end - reader->at);
    if (n < 3)
        return false;
    if (n >= TLS_SSLV2_BYTES && tls_may_be_sslv2(reader->at, n)) {
        put_text(writer, "TLS Handshake");
        return true;
    }
    unsigned kind = reader->at[0] - 20U;
    if (kind >= G_N_ELEMENTS(kinds) || reader->at[1] != 3 || reader->at[2] > 4)
        return false;
    put_text(writer, "TLS ");
    put_text(writer, kinds[kind]);
    return true;
}

/* NULL if there is none. */
static const uint8_t *
last_version(const uint8_t *at, const uint8_t *end)
{
    enum { BYTES = 6 };
    for (ptrdiff_t i = end - at - BYTES; i >= 0; i--)
        if (at[i] == ' ' && memcmp(at + i, " HTTP/", BYTES) == 0)
            return at + i;
    return NULL;
}

/* RFC 9110 §5.6.2 */
static bool
is_token_char(uint8_t byte)
{
    return g_ascii_isalnum(byte) || (byte > ' ' && strchr("!#$%&'*+-.^_`|~", byte));
}

/* The bytes of a token with which a blank follows; 0 if there is none. */
static size_t
method_length(const uint8_t *at, const uint8_t *end)
{
    const uint8_t *first = at;
    while (at < end && is_token_char(*at))
        at++;
    return at < end && *at == ' ' ? (size_t)(at - first) : 0;
}

/* Whether a request line of HTTP may begin with it although the version is not there: RFC 9110 §9, RFC 5789; the
 * methods of RFC 4918 (WebDAV) that clients really send */
static bool
is_common(const uint8_t *method, size_t length)
{
    static const char *const methods[] = { "GET",     "HEAD",  "POST",  "PUT",      "DELETE",    "CONNECT",
                                           "OPTIONS", "TRACE", "PATCH", "PROPFIND", "PROPPATCH", "MKCOL",
                                           "COPY",    "MOVE",  "LOCK",  "UNLOCK" };
    for (unsigned i = 0; i < G_N_ELEMENTS(methods); i++)
        if (methods[i][0] == (char)method[0] && strlen(methods[i]) == length && memcmp(method, methods[i], length) == 0)
            return true;
    return false;
}

/* Whether the line, from the target on, which is not empty, ends with a version. */
static bool
ends_with_version(const uint8_t *at, const uint8_t *line_end)
{
    static const char version[] = " HTTP/1.";
    enum { BYTES = sizeof version }; /* and a digit */
    line_end -= line_end > at && line_end[-1] == '\r';
    return line_end - at > BYTES && memcmp(line_end - BYTES, version, BYTES - 1) == 0 && g_ascii_isdigit(line_end[-1]);
}

/* A request line: of a common method, or of any where it is whole; `is_line`: so are the reader's bytes. */
static bool
read_request_line(struct reader *reader, struct writer *writer, bool is_line)
{
    const uint8_t *method = reader->at;
    const size_t length = method_length(method, reader->end);
    if (length == 0)
        return false;
    const uint8_t *at = method + length + 1;
    const uint8_t *line_end = is_line ? reader->end : memchr(at, '\n', (size_t)(reader->end - at));
    if (!is_common(method, length) && !(line_end && ends_with_version(at, line_end)))
        return false;
    /* the target ends where " HTTP/" begins; without a line end it may go on after the captured bytes */
    const uint8_t *end = last_version(at, line_end ? line_end : reader->end);
    if (!end && line_end)
        return false;
    end = end ? end : reader->end;
    put_bytes(writer, method, (size_t)(end - method));
    writer->cut |= end == reader->end;
    return true;
}

static bool
read_http(struct reader *reader, struct writer *writer)
{
    return read_request_line(reader, writer, false);
}

/* A long line, which is cut, of any method in upper case, with a path. */
static bool
read_long_http(struct reader *reader, struct writer *writer)
{
    enum { LONG = 64 };
    const uint8_t *at = reader->at;
    while (at < reader->end && (g_ascii_isupper(*at) || *at == '-' || *at == '_'))
        at++;
    if (reader->end - reader->at <= LONG || at == reader->at || reader->end - at <= 2 || memcmp(at, " /", 2) != 0 ||
        memchr(at, '\n', (size_t)(reader->end - at)))
        return false;
    const uint8_t *end = last_version(at, reader->end);
    put_bytes(writer, reader->at, (size_t)((end ? end : reader->end) - reader->at));
    writer->cut |= !end;
    return true;
}

/* memcached doc/protocol.txt */
static bool
read_memcached_text(struct reader *reader, struct writer *writer)
{
    static const char *const with_key[] = { "get ",     "gets ",   "gat ",     "gats ", "set ",  "add ",
                                            "replace ", "append ", "prepend ", "cas ",  "incr ", "decr ",
                                            "touch ",   "delete ", "mg ",      "ms ",   "md ",   "ma " };
    static const char *const alone[] = { "stats", "version", "flush_all", "verbosity", "quit", "mn" };
    for (unsigned i = 0; i < G_N_ELEMENTS(with_key); i++) {
        if (!starts_with(reader, with_key[i]))
            continue;
        put_text(writer, with_key[i]);
        reader->at += strlen(with_key[i]);
        if (g_str_has_prefix(with_key[i], "gat")) {
            /* the expiry time stands before the key */
            while (reader->at < reader->end && *reader->at != ' ')
                reader->at++;
            reader->at += reader->at < reader->end;
        }
        put_word(writer, reader);
        return true;
    }
    for (unsigned i = 0; i < G_N_ELEMENTS(alone); i++) {
        size_t length = strlen(alone[i]);
        if (starts_with(reader, alone[i]) && (size_t)(reader->end - reader->at) > length &&
            (reader->at[length] == ' ' || reader->at[length] == '\r' || reader->at[length] == '\n')) {
            put_text(writer, alone[i]);
            return true;
        }
    }
    return false;
}

/* memcached's binary protocol: 24 bytes of header, extras, key */
static bool
read_memcached_binary(struct reader *reader, struct writer *writer)
{
    static const char *const opcodes[] = { "get",        "set",      "add",       "replace", "delete", "incr",
                                           "decr",       "quit",     "flush_all", "getq",    "noop",   "version",
                                           "getk",       "getkq",    "append",    "prepend", "stat",   "setq",
                                           "addq",       "replaceq", "deleteq",   "incrq",   "decrq",  "quitq",
                                           "flush_allq", "appendq",  "prependq" };
    enum { HEADER = 24, MAGIC_REQUEST = 0x80, KEY_MOST = 250 };
    const uint8_t *header = reader->at;
    if (reader->end - reader->at < HEADER || header[0] != MAGIC_REQUEST || header[1] >= G_N_ELEMENTS(opcodes))
        return false;
    size_t key = (size_t)header[2] << 8 | header[3];
    size_t body = (size_t)header[8] << 24 | (size_t)header[9] << 16 | (size_t)header[10] << 8 | header[11];
    if (header[5] != 0 || key > KEY_MOST || key + header[4] > body)
        return false;
    put_text(writer, opcodes[header[1]]);
    if (key == 0)
        return true;
    put(writer, ' ');
    size_t skip = HEADER + (size_t)header[4];
    size_t left = (size_t)(reader->end - reader->at);
    for (size_t i = 0; i < key && skip + i < left; i++)
        put(writer, header[skip + i]);
    writer->cut |= skip + key > left;
    return true;
}

/* RESP: an array of bulk strings, redis.io/docs/reference/protocol-spec */
static bool
read_redis(struct reader *reader, struct writer *writer)
{
    size_t length = 0;
    if (!starts_with(reader, "*"))
        return false;
    const uint8_t *at = reader->at + 1;
    for (; at < reader->end && g_ascii_isdigit(*at); at++)
        ;
    if (reader->end - at < 3 || memcmp(at, "\r\n$", 3) != 0 || at == reader->at + 1)
        return false;
    for (at += 3; at < reader->end && g_ascii_isdigit(*at) && length < OPERATION_LONGEST; at++)
        length = length * 10 + (size_t)(*at - '0');
    if (reader->end - at < 3 || memcmp(at, "\r\n", 2) != 0)
        return false;
    size_t i = 0;
    for (at += 2; at < reader->end && i < length; at++, i++)
        put(writer, (uint8_t)g_ascii_toupper((char)*at));
    writer->cut |= i < length;
    return true;
}

/* RFC 4253 §4.2: what a client begins with; all else is encrypted. */
static bool
read_ssh(struct reader *reader, struct writer *writer)
{
    if (!starts_with(reader, "SSH-"))
        return false;
    put_text(writer, OPERATION_SSH);
    return true;
}

/* MySQL's compressed packets: their bytes, their number, the bytes that they were, which they are if that is 0; behind
 * it zlib's (RFC 1950), or a packet with a command. What a client asks begins with number 0. */
static bool
read_mysql_compressed(struct reader *reader, struct writer *writer)
{
    enum { HEADER = 7, LEAST = HEADER + 5, ZLIB = 0x78 };
    const uint8_t *at = reader->at;
    if (reader->end - at < LEAST || at[3] != 0)
        return false;
    const uint32_t bytes = at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16;
    const uint32_t was = at[4] | (uint32_t)at[5] << 8 | (uint32_t)at[6] << 16;
    const uint32_t inside = at[7] | (uint32_t)at[8] << 8 | (uint32_t)at[9] << 16;
    const bool is_packet = was == 0 && bytes > 4 && inside == bytes - 4 && at[10] == 0 && at[11] > 0 && at[11] <= 0x1f;
    if (!is_packet && !(was > bytes && at[HEADER] == ZLIB && (ZLIB * 256 + at[HEADER + 1]) % 31 == 0))
        return false;
    put_text(writer, OPERATION_MYSQL_COMPRESSED);
    return true;
}

/* Of no bytes there may be no address either. */
static struct reader
reader_of(const uint8_t *bytes, size_t captured)
{
    return (struct reader){ bytes, captured > 0 ? bytes + captured : bytes };
}

size_t
operation_read(const uint8_t *bytes, size_t captured, char *text)
{
    static bool (*const readers[])(struct reader *, struct writer *) = {
        read_tls, read_http, read_memcached_text, read_memcached_binary, read_redis, read_ssh, read_mysql_compressed
    };
    struct reader reader = reader_of(bytes, MIN(captured, OPERATION_LOOKED_AT));
    struct writer writer = { .text = text };
    for (unsigned i = 0; i < G_N_ELEMENTS(readers); i++)
        if (readers[i](&reader, &writer))
            break;
    return finish(&writer);
}

size_t
operation_read_http(const uint8_t *bytes, size_t captured, bool is_line, char *text)
{
    struct reader reader = reader_of(bytes, captured);
    struct writer writer = { .text = text };
    if (!read_request_line(&reader, &writer, is_line) && (is_line || !read_long_http(&reader, &writer)))
        return 0;
    return finish(&writer);
}

bool
operation_is_common_http(const uint8_t *bytes, size_t captured)
{
    const size_t length = captured > 0 ? method_length(bytes, bytes + captured) : 0;
    return length > 0 && is_common(bytes, length);
}

size_t
operation_of(const char *command, const char *subject, char *text)
{
    struct writer writer = { .text = text };
    put_text(&writer, command);
    if (*subject)
        put(&writer, ' ');
    const size_t length = strlen(subject), end = sizeof ellipsis - 1;
    const bool is_cut = length >= end && memcmp(subject + length - end, ellipsis, end) == 0;
    put_bytes(&writer, (const uint8_t *)subject, is_cut ? length - end : length);
    writer.cut |= is_cut;
    return finish(&writer);
}

/* How much of the text's beginning is the operation's kind: HTTP without the query, memcached without the key, Channel
 * Access without the PV. */
static size_t
kind_length(const char *operation, enum framing_kind framing)
{
    size_t word = strcspn(operation, " ");
    if (framing == FRAMING_POSTGRESQL || framing == FRAMING_MYSQL || framing == FRAMING_MONGODB ||
        framing == FRAMING_KAFKA)
        return strlen(operation);
    /* Only memcached's commands are in lower case. */
    return g_ascii_islower(operation[0]) || framing == FRAMING_CA || framing == FRAMING_PVA ? word
                                                                                            : strcspn(operation, "?");
}

/* Digits between two slashes, or after the last. */
static size_t
number_length(const char *at, const char *end)
{
    size_t digits = strspn(at, "0123456789");
    return digits > 0 && at + digits <= end && (at + digits == end || at[digits] == '/') ? digits : 0;
}

void
operation_kind(const char *operation, enum framing_kind framing, bool fold, char *kind)
{
    static const char number[] = "{n}";
    size_t length = kind_length(operation, framing), written = 0;
    const char *end = operation + length;
    fold = fold && memchr(operation, '/', length);
    if (!fold && length < OPERATION_ROOM) {
        memcpy(kind, operation, length);
        kind[length] = '\0';
        return;
    }
    for (const char *at = operation; at < end;) {
        size_t digits = fold && at > operation && at[-1] == '/' ? number_length(at, end) : 0;
        size_t bytes = digits > 0 ? sizeof number - 1 : g_str_has_prefix(at, ellipsis) ? sizeof ellipsis - 1 : 1;
        if (written + bytes >= OPERATION_ROOM)
            break;
        memcpy(kind + written, digits > 0 ? number : at, bytes);
        written += bytes;
        at += digits > 0 ? digits : bytes;
    }
    kind[written] = '\0';
}
