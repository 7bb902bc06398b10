/* proxy_header.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "proxy_header.h"

#include <stdlib.h>
#include <string.h>

#include <glib.h>
#include <wsutil/inet_addr.h>
#include <wsutil/pint.h>

#include "../../../compat.h"

static bool
write_ipv4(const uint8_t *address, struct proxy_header *header)
{
    ws_in4_addr four;
    memcpy(&four, address, sizeof four);
    ws_inet_ntop4(&four, header->client, sizeof header->client);
    return true;
}

static bool
write_ipv6(const uint8_t *address, struct proxy_header *header)
{
    ws_in6_addr six;
    memcpy(&six, address, sizeof six);
    ws_inet_ntop6(&six, header->client, sizeof header->client);
    return true;
}

/* A path is text; any other byte, or all but ASCII if it is no UTF-8, is shown as a question mark. */
static void
write_path(const uint8_t *path, struct proxy_header *header)
{
    char *to = header->client;
    memcpy(to, path, sizeof header->client - 1);
    const bool is_utf8 = g_utf8_validate(to, -1, NULL);
    for (; *to; to++)
        if (g_ascii_iscntrl(*to) || (!is_utf8 && !g_ascii_isprint(*to)))
            *to = '?';
}

/* An address and a port of the line, which are its third and its fifth word. */
static bool
read_client(const char *family, const char *address, const char *port, struct proxy_header *header)
{
    ws_in4_addr four;
    ws_in6_addr six;
    char *end;
    const unsigned long number = strtoul(port, &end, 10);
    if (!g_ascii_isdigit(*port) || *end || number > UINT16_MAX)
        return false;
    header->port = (uint16_t)number;
    if (strcmp(family, "TCP4") == 0)
        return ws_inet_pton4(address, &four) && write_ipv4((const uint8_t *)&four, header);
    return strcmp(family, "TCP6") == 0 && ws_inet_pton6(address, &six) && write_ipv6((const uint8_t *)&six, header);
}

/* 2.1: PROXY, a family, the addresses and the ports of the client and of what it has connected to, each behind one
 * space, and CR LF; of an unknown family nothing else counts. */
static bool
read_line(const uint8_t *bytes, size_t length, struct proxy_header *header)
{
    enum { LONGEST = 107, WORDS = 6 };
    static const char unknown[] = "PROXY UNKNOWN";
    char text[LONGEST + 1];
    const uint8_t *end = memchr(bytes, '\n', MIN(length, LONGEST));
    if (!end || end == bytes || end[-1] != '\r' || memchr(bytes, '\0', (size_t)(end - bytes)))
        return false;
    const size_t n = (size_t)(end - bytes) - 1;
    memcpy(text, bytes, n);
    text[n] = '\0';
    header->bytes = (uint32_t)n + 2;
    if (strncmp(text, unknown, strlen(unknown)) == 0)
        return n == strlen(unknown) || text[strlen(unknown)] == ' ';
    char **words = g_strsplit(text, " ", -1);
    const bool is_line = g_strv_length(words) == WORDS && strcmp(words[0], "PROXY") == 0 &&
                         read_client(words[1], words[2], words[4], header);
    g_strfreev(words);
    return is_line;
}

/* 2.2: behind the signature the version and a command, the family and the transport, and the length of what follows. */
static bool
read_block(const uint8_t *bytes, size_t length, struct proxy_header *header)
{
    enum {
        VERSION_AT = 12,
        FAMILY_AT = 13,
        LENGTH_AT = 14,
        ADDRESSES_AT = 16,
        LOCAL = 0x20,
        PROXY = 0x21,
        MOST_TRANSPORT = 2
    };
    enum { UNSPECIFIED, INET, INET6, UNIX };
    static const uint8_t signature[VERSION_AT] = { '\r', '\n', '\r', '\n', 0, '\r', '\n', 'Q', 'U', 'I', 'T', '\n' };
    static const uint16_t addresses[] = { [UNSPECIFIED] = 0, [INET] = 12, [INET6] = 36, [UNIX] = 216 };
    if (length < ADDRESSES_AT || memcmp(bytes, signature, sizeof signature) != 0)
        return false;
    const uint8_t command = bytes[VERSION_AT], family = bytes[FAMILY_AT] >> 4, transport = bytes[FAMILY_AT] & 0xf;
    const uint16_t rest = pntohu16(bytes + LENGTH_AT);
    const uint8_t *client = bytes + ADDRESSES_AT;
    header->bytes = ADDRESSES_AT + (uint32_t)rest;
    if (command == LOCAL)
        return true;
    if (command != PROXY || family > UNIX || transport > MOST_TRANSPORT || rest < addresses[family] ||
        length < (size_t)ADDRESSES_AT + addresses[family])
        return false;
    if (family == INET || family == INET6)
        header->port = pntohu16(client + (family == INET ? 8 : 32));
    if (family == INET)
        return write_ipv4(client, header);
    if (family == INET6)
        return write_ipv6(client, header);
    if (family == UNIX)
        write_path(client, header);
    return true;
}

bool
proxy_header_read(const uint8_t *bytes, size_t length, struct proxy_header *header)
{
    memset(header, 0, sizeof *header);
    if (length > 0 && bytes[0] == 'P')
        return read_line(bytes, length, header);
    return length > 0 && bytes[0] == '\r' && read_block(bytes, length, header);
}
