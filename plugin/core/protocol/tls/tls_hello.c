/* tls_hello.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "tls_hello.h"

#include <string.h>

#include <glib.h>

/* IANA's registry of extensions. */
enum { SERVER_NAME = 0, ALPN = 16, PRE_SHARED_KEY = 41, EARLY_DATA = 42, SUPPORTED_VERSIONS = 43 };

enum { RANDOM_BYTES = 32, TYPE_AND_LENGTH = 4, VERSION_1_2 = 0x0303 };

/* RFC 8446 §4.1.3: a ServerHello with this random is a HelloRetryRequest. */
static const uint8_t retry_random[RANDOM_BYTES] = {
    0xcf, 0x21, 0xad, 0x74, 0xe5, 0x9a, 0x61, 0x11, 0xbe, 0x1d, 0x8c, 0x02, 0x1e, 0x65, 0xb8, 0x91,
    0xc2, 0xa2, 0x11, 0x16, 0x7a, 0xbb, 0x8c, 0x5e, 0x07, 0x9e, 0x09, 0xe2, 0xc8, 0xa8, 0x33, 0x9c,
};

/* Bytes still to be read. */
struct rest {
    const uint8_t *at;
    size_t bytes;
    bool is_cut; /* there were to be more */
};

/* The next `bytes`, or as many as there are. */
static struct rest
cut(struct rest *rest, size_t bytes)
{
    struct rest part = { rest->at, MIN(bytes, rest->bytes), bytes > rest->bytes };
    rest->at += part.bytes;
    rest->bytes -= part.bytes;
    return part;
}

/* A number of `bytes` bytes; 0 if they are not there. */
static uint32_t
number(struct rest *rest, size_t bytes)
{
    struct rest part = cut(rest, bytes);
    uint32_t value = 0;
    for (size_t i = 0; part.bytes == bytes && i < bytes; i++)
        value = value << 8 | part.at[i];
    return value;
}

/* What stands behind its own length. */
static struct rest
vector(struct rest *rest, size_t length_bytes)
{
    return cut(rest, number(rest, length_bytes));
}

/* Adds the text behind `separator`, if that is not the first. */
static void
append(char *text, const char *separator, struct rest name)
{
    size_t at = strlen(text);
    if (at > 0 && name.bytes > 0 && at < TLS_TEXT_LONGEST)
        text[at++] = *separator;
    name.is_cut |= name.bytes > 0 && at >= TLS_TEXT_LONGEST;
    for (size_t i = 0; i < name.bytes && at < TLS_TEXT_LONGEST; i++) {
        name.is_cut |= at == TLS_TEXT_LONGEST - 1 && i + 1 < name.bytes;
        bool is_plain = g_ascii_isgraph(name.at[i]) && name.at[i] != '|' && name.at[i] != ',';
        text[at++] = is_plain ? (char)name.at[i] : '.';
    }
    text[at] = '\0';
    if (name.is_cut)
        g_strlcpy(text + at, "…", TLS_TEXT_ROOM - at);
}

static void
read_extension(uint32_t type, struct rest body, bool from_client, struct tls_hello *hello)
{
    struct rest list;
    switch (type) {
    case SERVER_NAME: /* RFC 6066 §3; the server's is empty */
        list = vector(&body, 2);
        if (number(&list, 1) == 0 && !*hello->host)
            append(hello->host, "", vector(&list, 2));
        break;
    case ALPN: /* RFC 7301 §3.1 */
        list = vector(&body, 2);
        while (list.bytes > 0 && strlen(hello->alpn) <= TLS_TEXT_LONGEST)
            append(hello->alpn, ",", vector(&list, 1));
        break;
    case PRE_SHARED_KEY:
        hello->resumes = !from_client;
        break;
    case EARLY_DATA:
        hello->has_early_data = from_client;
        break;
    case SUPPORTED_VERSIONS:
        if (!from_client)
            hello->version = (uint16_t)number(&body, 2);
        break;
    default:
        break;
    }
}

static void
read_extensions(struct rest rest, bool from_client, struct tls_hello *hello)
{
    struct rest extensions = vector(&rest, 2);
    while (extensions.bytes >= TYPE_AND_LENGTH) {
        uint32_t type = number(&extensions, 2);
        read_extension(type, vector(&extensions, 2), from_client, hello);
    }
}

void
tls_hello_read(const uint8_t *body, size_t captured, bool from_client, struct tls_hello *hello)
{
    struct rest rest = { body, captured, false };
    *hello = (struct tls_hello){ .version = 0 };
    uint16_t version = (uint16_t)number(&rest, 2);
    struct rest random = cut(&rest, RANDOM_BYTES);
    hello->is_retry =
        !from_client && random.bytes >= TLS_RANDOM_LEAST && memcmp(random.at, retry_random, random.bytes) == 0;
    hello->version = from_client ? 0 : version;
    vector(&rest, 1); /* session */
    if (from_client) {
        vector(&rest, 2); /* ciphers */
        vector(&rest, 1); /* compression */
    } else {
        cut(&rest, 2 + 1);
    }
    read_extensions(rest, from_client, hello);
}

void
tls_encrypted_extensions_read(const uint8_t *body, size_t captured, struct tls_hello *hello)
{
    *hello = (struct tls_hello){ .version = 0 };
    read_extensions((struct rest){ body, captured, false }, false, hello);
}

const char *
tls_version_name(uint16_t version)
{
    static const char *const names[] = { "SSL 3.0", "TLS 1.0", "TLS 1.1", "TLS 1.2", "TLS 1.3" };
    unsigned minor = version & 0xff;
    return version >> 8 == VERSION_1_2 >> 8 && minor < G_N_ELEMENTS(names) ? names[minor] : "";
}
