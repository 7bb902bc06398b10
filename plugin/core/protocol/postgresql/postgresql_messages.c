/* postgresql_messages.c
 * www.postgresql.org/docs/current/protocol-message-formats.html
 *
 * Both sides' messages are in one file, for one is the client's if it cannot be the server's.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "postgresql.h"

#include <string.h>

#include <wsutil/pint.h>

#include "../../../compat.h"

struct postgresql *
postgresql_own(struct reading *reading)
{
    return reading_own(reading, sizeof(struct postgresql));
}

/* The bytes may be cut; nothing contradicts text that ends with a NUL within them, or behind their end. Where it ends;
 * NULL if it is no text. */
static const uint8_t *
pass_text(const uint8_t *at, const uint8_t *end)
{
    for (; at < end && *at; at++)
        if (*at < ' ' && !g_ascii_isspace(*at))
            return NULL;
    return at < end ? at + 1 : end;
}

static bool
has_texts(const uint8_t *bytes, size_t length, unsigned texts)
{
    const uint8_t *at = bytes, *end = bytes + length;
    for (; texts > 0 && at; texts--)
        at = pass_text(at, end);
    return at;
}

/* The bytes behind so many texts. */
static const uint8_t *
behind_texts(const uint8_t *bytes, size_t length, unsigned texts)
{
    const uint8_t *at = bytes;
    for (; texts > 0; texts--)
        at = pass_text(at, bytes + length);
    return at;
}

/* A name and a statement, which has more than nothing in it. */
static bool
is_parse(const uint8_t *body, size_t length)
{
    if (!has_texts(body, length, 2))
        return false;
    const uint8_t *statement = behind_texts(body, length, 1);
    return statement == body + length || g_ascii_isgraph(*statement) || g_ascii_isspace(*statement);
}

/* Two names, and how many formats follow, of which each is 0 or 1. */
static bool
is_bind(const uint8_t *body, size_t length)
{
    if (!has_texts(body, length, 2))
        return false;
    const uint8_t *at = behind_texts(body, length, 2);
    const size_t left = (size_t)(body + length - at);
    return left < 4 || pntohu16(at) == 0 || pntohu16(at + 2) <= 1;
}

static bool
is_clients(uint8_t type, uint32_t size, const uint8_t *body, size_t length)
{
    switch (type) {
    case 'Q':
        return size > SIZE_LEAST && has_texts(body, length, 1) &&
               (length + SIZE_LEAST < size || (length > 0 && body[size - SIZE_LEAST - 1] == '\0'));
    case 'P':
        return size >= SIZE_LEAST + 4 && is_parse(body, length);
    case 'B':
        return size >= SIZE_LEAST + 8 && is_bind(body, length);
    case 'E':
        return size >= SIZE_LEAST + 5 && has_texts(body, MIN(length, size - SIZE_LEAST - 4), 1) &&
               (length + SIZE_LEAST < size || body[size - SIZE_LEAST - 5] == '\0');
    case 'D':
    case 'C':
        return size >= SIZE_LEAST + 2 && (length == 0 || body[0] == 'S' || body[0] == 'P') &&
               has_texts(body, length, 1);
    case 'S':
    case 'H':
    case 'X':
    case 'c':
        return size == SIZE_LEAST;
    case 'F':
        return size >= SIZE_LEAST + 10;
    case 'f':
    case 'p':
        return size > SIZE_LEAST;
    case 'd':
        return true;
    default:
        return false;
    }
}

static bool
is_servers(uint8_t type, uint32_t size, const uint8_t *body, size_t length)
{
    switch (type) {
    case '1':
    case '2':
    case '3':
    case 'n':
    case 's':
    case 'I':
    case 'c':
        return size == SIZE_LEAST;
    case 'Z':
        return size == SIZE_LEAST + 1 && (length == 0 || strchr("ITE", body[0]));
    case 'C':
        return size > SIZE_LEAST + 1 && (length == 0 || g_ascii_isupper(body[0])) && has_texts(body, length, 1);
    case 'E':
    case 'N':
        return size > SIZE_LEAST + 1 && (length == 0 || g_ascii_isalpha(body[0])) && has_texts(body, length, 1);
    case 'D':
        return size >= SIZE_LEAST + 2 &&
               (length < 6 || pntohu16(body) == 0 || (int32_t)pntohu32(body + 2) < (int64_t)size);
    case 'T':
        return size >= SIZE_LEAST + 2 && (length < 2 || pntohu16(body) == 0 || has_texts(body + 2, length - 2, 1));
    case 't':
        return size >= SIZE_LEAST + 2 && (length < 2 || pntohu16(body) * 4U + 2 + SIZE_LEAST == size);
    case 'R':
    case 'K':
        return size >= SIZE_LEAST + 4;
    case 'S':
        return size >= SIZE_LEAST + 2 && has_texts(body, length, 2);
    case 'A':
        return size >= SIZE_LEAST + 6;
    case 'G':
    case 'H':
    case 'W':
        return size >= SIZE_LEAST + 3 && (length == 0 || body[0] <= 1);
    case 'V':
    case 'v':
        return size >= SIZE_LEAST + 4;
    case 'd':
        return true;
    default:
        return false;
    }
}

bool
postgresql_is_message(bool from_client, const uint8_t *bytes, size_t length)
{
    const uint32_t size = pntohu32(bytes + 1);
    if (size < SIZE_LEAST || size > SIZE_MOST)
        return false;
    const size_t body = MIN(length - HEADER, size - SIZE_LEAST);
    return from_client ? is_clients(bytes[0], size, bytes + HEADER, body)
                       : is_servers(bytes[0], size, bytes + HEADER, body);
}

/* A version, and names with values, of which the first is a name of letters. */
bool
postgresql_is_untyped(const uint8_t *bytes, size_t length)
{
    enum { CODE = 8, CODE_MOST = 10000, CANCEL = 16 };
    if (length < CODE)
        return false;
    const uint32_t size = pntohu32(bytes), code = pntohu32(bytes + 4);
    if (code == SSL_REQUEST || code == GSSENC_REQUEST)
        return size == CODE;
    if (code == CANCEL_REQUEST)
        return size >= CANCEL && size < CODE_MOST;
    return code >> 16 == VERSION_3 && size > CODE && size <= CODE_MOST &&
           (length == CODE || g_ascii_isalpha(bytes[CODE])) && has_texts(bytes + CODE, length - CODE, 2);
}

bool
postgresql_recognise(const uint8_t *bytes, size_t length)
{
    enum { TEXT_LEAST = 7 }; /* with less of a text it is not told from other bytes */
    if (length > 8 && bytes[0] == '\0')
        return postgresql_is_untyped(bytes, length);
    if (length == 8 && bytes[0] == '\0')
        return postgresql_is_untyped(bytes, length) && pntohu32(bytes) == 8;
    if (length < HEADER || bytes[1] != 0 || !strchr("QPBEDCSHX", bytes[0]) ||
        !postgresql_is_message(true, bytes, length))
        return false;
    return length >= TEXT_LEAST || pntohu32(bytes + 1) == SIZE_LEAST;
}

/* Whether the bytes are that side's messages, one after another, up to the segment's end. */
static bool
are_of(bool from_client, const uint8_t *bytes, size_t length, uint64_t whole)
{
    size_t at = 0;
    while (length > at && length - at >= HEADER && postgresql_is_message(from_client, bytes + at, length - at))
        at += 1 + (size_t)pntohu32(bytes + at + 1);
    return at == whole;
}

/* Messages whose types both sides have, as those of COPY's data, say nothing. */
bool
postgresql_tells_client(const uint8_t *bytes, size_t length, uint64_t whole, bool *from_client)
{
    const bool begins = length > HEADER && bytes[0] == '\0' && postgresql_is_untyped(bytes, length);
    *from_client = begins || (bytes[0] != '\0' && are_of(true, bytes, length, whole));
    return begins || *from_client != are_of(false, bytes, length, whole);
}

uint64_t
postgresql_looks_of_statement(const char *operation)
{
    static const char *const words[] = { "SELECT", "INSERT", "UPDATE", "DELETE", "BEGIN", "SET", "SHOW", "FETCH" };
    char word[8];
    sql_first_word(operation, word, sizeof word);
    for (unsigned i = 0; i < G_N_ELEMENTS(words); i++)
        if (strcmp(word, words[i]) == 0)
            return parser_looks(0, (const uint8_t *)word, strlen(word));
    return 0;
}

/* Two messages at least, one after another up to the end; false, too, if more than `*left` would be looked at. */
static bool
is_chain(const uint8_t *bytes, size_t length, unsigned *left)
{
    size_t at = 0;
    unsigned count = 0;
    for (; length - at >= HEADER; count++) {
        if (*left == 0)
            return false;
        --*left;
        if (bytes[at + 1] != 0 || !postgresql_is_message(true, bytes + at, length - at))
            return false;
        const size_t size = 1 + (size_t)pntohu32(bytes + at + 1);
        if (size > length - at)
            return count > 0;
        at += size;
    }
    return count > 1 || (count > 0 && at == length);
}

/* The messages that one search looks at. Without a bound, thousands of messages that end in nonsense would each be
 * followed to that end. */
size_t
postgresql_find(const uint8_t *bytes, size_t length)
{
    enum { FOLLOWED_MOST = 16384 };
    unsigned left = FOLLOWED_MOST;
    for (size_t at = 1; at + HEADER <= length && left > 0; at++)
        if (bytes[at + 1] == 0 && bytes[at] && strchr("QPBEDCSHX", bytes[at]) &&
            is_chain(bytes + at, length - at, &left))
            return at;
    return 0;
}

/* Startup and what stands in its place are nobody else's, and so is a Terminate, which has no answer. */
bool
postgresql_is_certain(const uint8_t *bytes, size_t length, uint64_t whole)
{
    return length > 0 && (bytes[0] == '\0' || (bytes[0] == 'X' && whole == HEADER));
}

/* The types with which the answer to a message begins; what is said in between may stand before them. */
static const char *
answers_of(uint8_t type)
{
    static const struct {
        char type;
        const char *answers;
    } all[] = { { 'Q', "TCIEDGHWVZ" }, { 'P', "1E" }, { 'B', "2E" },       { 'C', "3E" },
                { 'D', "tTnE" },       { 'S', "ZE" }, { 'E', "DCIsEGHW" }, { 'H', "12D3tTnCIsEGHW" } };
    for (unsigned i = 0; i < G_N_ELEMENTS(all); i++)
        if (all[i].type == (char)type)
            return all[i].answers;
    return "";
}

/* The first message is answered first. */
enum agreement
postgresql_agrees(const uint8_t *asked, size_t asked_bytes, const uint8_t *answered, size_t answered_bytes)
{
    static const char between[] = "NSA";
    unsigned left = AGREEMENT_TRIES;
    if (asked_bytes < HEADER)
        return AGREEMENT_OPEN;
    for (size_t at = 0; at < answered_bytes && left > 0; left--) {
        if (answered_bytes - at < HEADER)
            return postgresql_recognise_answer(answered + at, answered_bytes - at) ? AGREEMENT_OPEN : AGREEMENT_IS_NONE;
        if (!answered[at] || !postgresql_is_message(false, answered + at, answered_bytes - at))
            return AGREEMENT_IS_NONE;
        if (!strchr(between, answered[at]))
            return strchr(answers_of(asked[0]), answered[at]) ? AGREEMENT_IS_ONE : AGREEMENT_IS_NONE;
        at += 1 + (size_t)pntohu32(answered + at + 1);
    }
    return AGREEMENT_OPEN;
}

bool
postgresql_may_begin(const uint8_t *bytes, size_t length)
{
    static const uint8_t version[] = { 0, VERSION_3 };
    if (bytes[0] == '\0')
        return length <= 8 && (length < 2 || bytes[1] == 0) &&
               (length <= 4 || memcmp(bytes + 4, version, MIN(length - 4, sizeof version)) == 0 ||
                (length < 8 && bytes[4] == SSL_REQUEST >> 24));
    return length < 7 && strchr("QPBEDCSHX", bytes[0]) && (length < 2 || bytes[1] == 0);
}

/* What follows in the segment is looked at, too: the end of a row may look like a message. */
bool
postgresql_recognise_answer(const uint8_t *bytes, size_t length)
{
    enum { LOOKED_AT_MOST = 4 };
    static const char types[] = "123ntsTDCIEZRSKNAGHWVvcd";
    size_t at = 0;
    for (unsigned i = 0; i < LOOKED_AT_MOST && at < length; i++) {
        if (!bytes[at] || !strchr(types, bytes[at]))
            return false;
        if (length - at < HEADER)
            break;
        if (!postgresql_is_message(false, bytes + at, length - at))
            return false;
        at += 1 + (size_t)pntohu32(bytes + at + 1);
    }
    return length > 0;
}

/* ReadyForQuery ends the answer to what was asked last before a Sync, and what a server says unasked may stand before.
 */
static bool
awaits_ready(const struct postgresql *own, const struct request *first, bool *is_lone)
{
    const unsigned group = own->answer.note & NOTE_GROUPS;
    const bool is_last = !first || (first->note & NOTE_GROUPS) != group;
    *is_lone = first && first->note & NOTE_LONE && !is_last;
    return own->answer.note && is_last && group != own->group % 16U * NOTE_GROUP &&
           group / NOTE_GROUP + 1 != own->unsure;
}

bool
postgresql_ends_before(struct reading *reading, const uint8_t *bytes, size_t length)
{
    (void)length;
    const struct postgresql *own = postgresql_own(reading);
    const uint8_t type = bytes[0];
    bool is_lone;
    if (strchr("ZNASK", type)) {
        const bool awaits = awaits_ready(own, own->answer.note ? reading_oldest(reading) : NULL, &is_lone);
        return type == 'Z' ? is_lone : !awaits;
    }
    return !(reading_flow(reading, false)->marks & IS_AMBIGUOUS) || strchr("123t", type);
}
