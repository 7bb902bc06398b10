/* http_operation.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "http_operation.h"

#include <string.h>

#include <glib.h>

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

/* A request line: of a common method, or of any where it is whole; `is_line`: so are the bytes. */
static bool
read_request_line(const uint8_t *bytes, size_t length, bool is_line, struct operation_writer *writer)
{
    const uint8_t *bytes_end = bytes + length;
    const size_t method = method_length(bytes, bytes_end);
    if (method == 0)
        return false;
    const uint8_t *at = bytes + method + 1;
    const uint8_t *line_end = is_line ? bytes_end : memchr(at, '\n', (size_t)(bytes_end - at));
    if (!is_common(bytes, method) && !(line_end && ends_with_version(at, line_end)))
        return false;
    /* the target ends where " HTTP/" begins; without a line end it may go on after the captured bytes */
    const uint8_t *end = last_version(at, line_end ? line_end : bytes_end);
    if (!end && line_end)
        return false;
    end = end ? end : bytes_end;
    operation_put(writer, bytes, (size_t)(end - bytes));
    writer->cut |= end == bytes_end;
    return true;
}

/* A long line, which is cut, of any method in upper case, with a path. */
static bool
read_long_line(const uint8_t *bytes, size_t length, struct operation_writer *writer)
{
    enum { LONG = 64 };
    const uint8_t *at = bytes, *bytes_end = bytes + length;
    while (at < bytes_end && (g_ascii_isupper(*at) || *at == '-' || *at == '_'))
        at++;
    if (length <= LONG || at == bytes || bytes_end - at <= 2 || memcmp(at, " /", 2) != 0 ||
        memchr(at, '\n', (size_t)(bytes_end - at)))
        return false;
    const uint8_t *end = last_version(at, bytes_end);
    operation_put(writer, bytes, (size_t)((end ? end : bytes_end) - bytes));
    writer->cut |= !end;
    return true;
}

bool
http_operation(const uint8_t *bytes, size_t length, struct operation_writer *writer)
{
    return read_request_line(bytes, length, false, writer);
}

size_t
http_read_operation(const uint8_t *bytes, size_t length, bool is_line, char *text)
{
    struct operation_writer writer = { .text = text };
    if (length == 0 ||
        (!read_request_line(bytes, length, is_line, &writer) && (is_line || !read_long_line(bytes, length, &writer))))
        return 0;
    return operation_finish(&writer);
}

bool
http_has_common_method(const uint8_t *bytes, size_t length)
{
    const size_t method = length > 0 ? method_length(bytes, bytes + length) : 0;
    return method > 0 && is_common(bytes, method);
}
