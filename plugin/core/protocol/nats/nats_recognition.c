/* nats_recognition.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "nats_recognition.h"

#include <string.h>

#include "nats_line.h"

/* What a row of lines has. */
enum { TELLING = 1, CERTAIN = 2, WHOLE = 4 };

static const char connect[] = "CONNECT {\"", info[] = "INFO {\"";

static bool
begins(const uint8_t *bytes, size_t length, const char *text)
{
    return length >= strlen(text) && memcmp(bytes, text, strlen(text)) == 0;
}

/* Returns whether a line's end stands there, as far as there are bytes. */
static bool
is_line_end(const uint8_t *bytes, size_t length)
{
    return memcmp(bytes, "\r\n", MIN(length, NATS_LINE_END)) == 0 || bytes[0] == '\0';
}

/* Returns what tells, of a line, that it is NATS': a ping may be another protocol's. */
static unsigned
telling_of(const struct nats_line *line)
{
    switch (line->verb) {
    case NATS_PING:
    case NATS_PONG:
    case NATS_OK:
    case NATS_ERR:
        return 0;
    case NATS_PUB:
    case NATS_HPUB:
        return TELLING | (nats_word_begins(line->reply, "_INBOX.") ? CERTAIN : 0);
    default:
        return TELLING;
    }
}

/* Returns whether lines of that side stand here, one after another with their payloads, up to the end or beyond it, or
 * to where the capture has cut them, and what they have. */
static bool
is_row(const uint8_t *bytes, size_t length, bool from_client, unsigned *has)
{
    size_t at = 0;
    *has = 0;
    while (at < length) {
        struct nats_line line;
        if (at > 0 && bytes[at] == '\0')
            return true;
        if (!nats_line_may_begin(bytes + at, length - at, from_client))
            return false;
        const uint8_t *end = memchr(bytes + at, '\n', length - at);
        if (!end)
            return true;
        const size_t line_bytes = (size_t)(end - bytes) - at;
        if (line_bytes == 0 || end[-1] != '\r' || !nats_line_read(bytes + at, line_bytes - 1, from_client, &line))
            return false;
        at += line_bytes + 1;
        *has |= WHOLE | telling_of(&line);
        if (!line.has_payload)
            continue;
        if (length - at <= line.payload)
            return true;
        at += line.payload;
        if (!is_line_end(bytes + at, length - at))
            return false;
        at += MIN(length - at, NATS_LINE_END);
    }
    return length > 0;
}

bool
nats_recognise(const uint8_t *bytes, size_t length)
{
    unsigned has;
    return is_row(bytes, length, true, &has) && (has & TELLING || begins(bytes, length, connect));
}

bool
nats_recognise_answer(const uint8_t *bytes, size_t length)
{
    unsigned has;
    return is_row(bytes, length, false, &has) && has & WHOLE;
}

bool
nats_recognise_greeting(const uint8_t *bytes, size_t length)
{
    return begins(bytes, length, info);
}

bool
nats_may_begin(const uint8_t *bytes, size_t length)
{
    return memcmp(bytes, connect, MIN(length, strlen(connect))) == 0;
}

/* Of CONNECT's options all clients say this one. */
bool
nats_is_certain(const uint8_t *bytes, size_t length, uint64_t whole)
{
    unsigned has;
    (void)whole;
    if (begins(bytes, length, connect))
        return nats_find((struct nats_word){ bytes, length }, "\"verbose\":");
    return is_row(bytes, length, true, &has) && has & CERTAIN;
}

bool
nats_tells_client(const uint8_t *bytes, size_t length, uint64_t whole, bool *from_client)
{
    unsigned has;
    (void)whole;
    *from_client = nats_is_certain(bytes, length, whole);
    return *from_client || (is_row(bytes, length, false, &has) && has & TELLING);
}

/* Which request a line answers shows only by what was said before. */
enum agreement
nats_agrees(const uint8_t *asked, size_t asked_bytes, const uint8_t *answered, size_t answered_bytes)
{
    unsigned has;
    if (!is_row(asked, asked_bytes, true, &has))
        return AGREEMENT_IS_NONE;
    if (!is_row(answered, answered_bytes, false, &has))
        return answered_bytes == 0 ? AGREEMENT_OPEN : AGREEMENT_IS_NONE;
    return has & WHOLE ? AGREEMENT_IS_ONE : AGREEMENT_OPEN;
}
