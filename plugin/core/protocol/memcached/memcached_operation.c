/* memcached_operation.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "memcached_operation.h"

#include <string.h>

#include <glib.h>
#include <wsutil/pint.h>

#include "../../../compat.h"

static bool
begins_with(const uint8_t *bytes, size_t length, const char *prefix)
{
    return length >= strlen(prefix) && memcmp(bytes, prefix, strlen(prefix)) == 0;
}

/* Copies up to a space or line end; the capture's end inside it is a cut. */
static void
put_word(struct operation_writer *writer, const uint8_t *at, const uint8_t *end)
{
    const uint8_t *word = at;
    while (at < end && *at != ' ' && *at != '\r' && *at != '\n')
        at++;
    operation_put(writer, word, (size_t)(at - word));
    writer->cut |= at == end;
}

/* memcached doc/protocol.txt */
bool
memcached_operation(const uint8_t *bytes, size_t length, struct operation_writer *writer)
{
    static const char *const with_key[] = { "get ",     "gets ",   "gat ",     "gats ", "set ",  "add ",
                                            "replace ", "append ", "prepend ", "cas ",  "incr ", "decr ",
                                            "touch ",   "delete ", "mg ",      "ms ",   "md ",   "ma " };
    static const char *const alone[] = { "stats", "version", "flush_all", "verbosity", "quit", "mn" };
    const uint8_t *end = bytes + length;
    for (unsigned i = 0; i < G_N_ELEMENTS(with_key); i++) {
        if (!begins_with(bytes, length, with_key[i]))
            continue;
        operation_put_text(writer, with_key[i]);
        const uint8_t *at = bytes + strlen(with_key[i]);
        if (g_str_has_prefix(with_key[i], "gat")) {
            /* the expiry time stands before the key */
            while (at < end && *at != ' ')
                at++;
            at += at < end;
        }
        put_word(writer, at, end);
        return true;
    }
    for (unsigned i = 0; i < G_N_ELEMENTS(alone); i++) {
        const size_t word = strlen(alone[i]);
        if (begins_with(bytes, length, alone[i]) && length > word &&
            (bytes[word] == ' ' || bytes[word] == '\r' || bytes[word] == '\n')) {
            operation_put_text(writer, alone[i]);
            return true;
        }
    }
    return false;
}

/* memcached's binary protocol: 24 bytes of header, extras, key */
bool
memcached_binary_operation(const uint8_t *bytes, size_t length, struct operation_writer *writer)
{
    static const char *const opcodes[] = { "get",        "set",      "add",       "replace", "delete", "incr",
                                           "decr",       "quit",     "flush_all", "getq",    "noop",   "version",
                                           "getk",       "getkq",    "append",    "prepend", "stat",   "setq",
                                           "addq",       "replaceq", "deleteq",   "incrq",   "decrq",  "quitq",
                                           "flush_allq", "appendq",  "prependq" };
    enum { HEADER = 24, MAGIC_REQUEST = 0x80, KEY_MOST = 250 };
    if (length < HEADER || bytes[0] != MAGIC_REQUEST || bytes[1] >= G_N_ELEMENTS(opcodes))
        return false;
    const size_t key = pntohu16(bytes + 2), at = HEADER + (size_t)bytes[4];
    if (bytes[5] != 0 || key > KEY_MOST || key + bytes[4] > pntohu32(bytes + 8))
        return false;
    operation_put_text(writer, opcodes[bytes[1]]);
    if (key == 0)
        return true;
    operation_put_text(writer, " ");
    const size_t there = MIN(key, length - MIN(at, length));
    operation_put(writer, bytes + MIN(at, length), there);
    writer->cut |= there < key;
    return true;
}
