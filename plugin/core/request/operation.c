/* operation.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "operation.h"

#include <stdbool.h>
#include <string.h>

#include <glib.h>

#include "tls_cursor.h"

static const char ellipsis[] = "\xE2\x80\xA6";

void
operation_put(struct operation_writer *writer, const uint8_t *bytes, size_t n)
{
    const size_t fit =
        writer->cut || writer->length > OPERATION_LONGEST ? 0 : MIN(n, OPERATION_LONGEST - writer->length);
    char *text = writer->text + writer->length;
    for (size_t i = 0; i < fit; i++)
        text[i] = bytes[i] >= ' ' && bytes[i] <= '~' ? (char)bytes[i] : '.';
    writer->length += fit;
    writer->cut |= fit < n;
}

void
operation_put_text(struct operation_writer *writer, const char *text)
{
    operation_put(writer, (const uint8_t *)text, strlen(text));
}

size_t
operation_finish(struct operation_writer *writer)
{
    if (writer->cut) {
        memcpy(writer->text + writer->length, ellipsis, sizeof ellipsis);
        return writer->length + sizeof ellipsis - 1;
    }
    writer->text[writer->length] = '\0';
    return writer->length;
}

/* RFC 8446 §5.1, RFC 6520 §3 */
bool
operation_read_tls(const uint8_t *bytes, size_t length, struct operation_writer *writer)
{
    static const char *const kinds[] = { "Change Cipher Spec", "Alert", "Handshake", "Application Data", "Heartbeat" };
    if (length < 3)
        return false;
    if (length >= TLS_SSLV2_BYTES && tls_may_be_sslv2(bytes, length)) {
        operation_put_text(writer, "TLS Handshake");
        return true;
    }
    unsigned kind = bytes[0] - 20U;
    if (kind >= G_N_ELEMENTS(kinds) || bytes[1] != 3 || bytes[2] > 4)
        return false;
    operation_put_text(writer, "TLS ");
    operation_put_text(writer, kinds[kind]);
    return true;
}

/* RFC 4253 §4.2 */
bool
operation_read_ssh(const uint8_t *bytes, size_t length, struct operation_writer *writer)
{
    static const char begin[] = "SSH-";
    if (length < strlen(begin) || memcmp(bytes, begin, strlen(begin)) != 0)
        return false;
    operation_put_text(writer, OPERATION_SSH);
    return true;
}

size_t
operation_of(const char *command, const char *subject, char *text)
{
    struct operation_writer writer = { .text = text };
    operation_put_text(&writer, command);
    if (*subject)
        operation_put_text(&writer, " ");
    const size_t length = strlen(subject), end = sizeof ellipsis - 1;
    const bool is_cut = length >= end && memcmp(subject + length - end, ellipsis, end) == 0;
    operation_put(&writer, (const uint8_t *)subject, is_cut ? length - end : length);
    writer.cut |= is_cut;
    return operation_finish(&writer);
}

/* How the operations of a protocol are grouped, by its `enum protocol`. */
enum grouping {
    WHOLE,   /* each is a kind of its own */
    BY_WORD, /* by their first word: a command without what it is about */
    BY_LOOKS /* by the first word if that is in lower case, as only memcached's are; else up to the query of HTTP */
};

static const uint8_t groupings[] = {
#define GROUPING(name, number, word, dissector, grouping) [number] = grouping,
    PROTOCOLS(GROUPING, NO_PARSER)
#undef GROUPING
};

/* Returns how much of the text's beginning is the operation's kind. */
static size_t
kind_length(const char *operation, enum protocol protocol)
{
    const enum grouping grouping = groupings[protocol];
    if (grouping == WHOLE)
        return strlen(operation);
    return strcspn(operation, grouping == BY_WORD || g_ascii_islower(operation[0]) ? " " : "?");
}

/* Digits between two slashes, or after the last. */
static size_t
number_length(const char *at, const char *end)
{
    size_t digits = strspn(at, "0123456789");
    return digits > 0 && at + digits <= end && (at + digits == end || at[digits] == '/') ? digits : 0;
}

/* Writes the first `length` bytes of an operation as operation_kind() does. */
static void
write_kind(const char *operation, size_t length, bool fold, char *kind)
{
    static const char number[] = "{n}";
    size_t written = 0;
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

void
operation_kind(const char *operation, enum protocol protocol, bool fold, char *kind)
{
    write_kind(operation, kind_length(operation, protocol), fold, kind);
}

void
operation_fold(const char *kind, char *folded)
{
    write_kind(kind, strlen(kind), true, folded);
}
