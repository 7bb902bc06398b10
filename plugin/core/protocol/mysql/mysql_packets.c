/* mysql_packets.c
 * Both sides' packets are in one file, for one is recognised by those that follow it, or answer it.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "mysql.h"

#include <string.h>

#include <wsutil/pint.h>

#include "../../../compat.h"

struct mysql *
mysql_own(struct reading *reading)
{
    return reading_own(reading, sizeof(struct mysql));
}

enum { QUERY = 0x03, REGISTER = 0x15, EXECUTE = 0x17, BULK_EXECUTE = 0xfa, COLUMNS_MOST = 4096, FOLLOWED_MOST = 16384 };

const struct mysql_command *
mysql_command(uint8_t code, uint32_t size)
{
    static const struct mysql_command commands[] = {
        { 0x01, 1, 1, "Quit", ANSWER_NONE, false },
        { 0x02, 2, 4096, "Init DB", ANSWER_ONE, true },
        { QUERY, 1, FULL, "Query", ANSWER_RESULTS, true },
        { 0x04, 2, 4096, "Field List", ANSWER_ROWS, true },
        { 0x05, 2, 4096, "Create DB", ANSWER_ONE, true },
        { 0x06, 2, 4096, "Drop DB", ANSWER_ONE, true },
        { 0x07, 2, 2, "Refresh", ANSWER_ONE, false },
        { 0x08, 1, 2, "Shutdown", ANSWER_ONE, false },
        { 0x09, 1, 1, "Statistics", ANSWER_ONE, false },
        { 0x0a, 1, 1, "Processlist", ANSWER_RESULTS, false },
        { 0x0c, 5, 5, "Kill", ANSWER_ONE, false },
        { 0x0d, 1, 1, "Debug", ANSWER_ONE, false },
        { 0x0e, 1, 1, "Ping", ANSWER_ONE, false },
        { 0x11, 4, 65536, "Change user", ANSWER_LOGIN, true },
        { 0x12, 11, 4096, "Binlog Dump", ANSWER_STREAM, false },
        { REGISTER, 18, 4096, "Register Slave", ANSWER_ONE, false },
        { 0x16, 1, FULL, "Prepare", ANSWER_PREPARED, true },
        { EXECUTE, 10, FULL, "Execute", ANSWER_RESULTS, false },
        { 0x18, 7, FULL, "Long Data", ANSWER_NONE, false },
        { 0x19, 5, 5, "Close stmt", ANSWER_NONE, false },
        { 0x1a, 5, 5, "Reset stmt", ANSWER_ONE, false },
        { 0x1b, 3, 3, "Set option", ANSWER_ONE, false },
        { 0x1c, 9, 9, "Fetch", ANSWER_ROWS, false },
        { 0x1e, 11, FULL, "Binlog Dump GTID", ANSWER_STREAM, false },
        { 0x1f, 1, 1, "Reset Connection", ANSWER_ONE, false },
        { 0xfa, 7, FULL, "Bulk execute", ANSWER_RESULTS, false },
    };
    for (unsigned i = 0; i < G_N_ELEMENTS(commands); i++)
        if (commands[i].code == code && size >= commands[i].least && size <= commands[i].most)
            return &commands[i];
    return NULL;
}

/* Flags, the longest packet, a character set, zeros. The last four of these MariaDB uses. */
bool
mysql_is_login(const uint8_t *bytes, size_t length)
{
    enum { ZEROS_AT = HEADER + 9, ZEROS_END = ZEROS_AT + 19, LOGIN_MOST = 65536 };
    enum { LONGEST_AT = HEADER + 4, LONGEST_LEAST = 1024 };
    if (length <= HEADER + 4 || bytes[3] < 1 || bytes[3] > 2)
        return false;
    const uint32_t size = mysql_size(bytes);
    if (size < SSL_REQUEST_BYTES || size > LOGIN_MOST || !(pletohu32(bytes + HEADER) & CLIENT_PROTOCOL_41))
        return false;
    /* a server's least max_allowed_packet; some clients say none */
    if (length >= LONGEST_AT + 4 && pletohu32(bytes + LONGEST_AT) - 1 < LONGEST_LEAST - 1)
        return false;
    for (size_t i = ZEROS_AT; i < MIN(length, ZEROS_END); i++)
        if (bytes[i] != 0)
            return false;
    return true;
}

static bool
is_text(const uint8_t *at, const uint8_t *end)
{
    enum { LOOKED_AT = 24 };
    if (at >= end || !(g_ascii_isalpha(*at) || strchr("(/-#@; \t\r\n", *at)))
        return false;
    for (unsigned i = 0; at < end && i < LOOKED_AT; at++, i++)
        if (!g_ascii_isprint(*at) && !g_ascii_isspace(*at) && *at < 0x80)
            return false;
    return true;
}

static bool
may_be_text(const uint8_t *at, const uint8_t *end)
{
    return at >= end || is_text(at, end);
}

/* A number of 4 bytes, three texts of up to 255 bytes, and 10 bytes. */
static bool
is_registration(const uint8_t *at, const uint8_t *end, uint32_t size)
{
    enum { NUMBER_BYTES = 4, TEXTS = 3, LAST_BYTES = 10 };
    size_t bytes = NUMBER_BYTES;
    for (unsigned i = 0; i < TEXTS; i++) {
        if ((size_t)(end - at) <= bytes)
            return false;
        bytes += 1 + (size_t)at[bytes];
    }
    return bytes + LAST_BYTES == size;
}

/* MariaDB's: two bytes of flags; behind them a type and its sign, or what a value is. */
static bool
is_bulk(const uint8_t *flags)
{
    enum { HAS_RESULTS = 0x40, HAS_TYPES = 0x80, IS_UNSIGNED = 0x80, VALUE_KINDS = 4 };
    if (flags[0] & ~(HAS_RESULTS | HAS_TYPES) || flags[1] != 0)
        return false;
    return flags[0] & HAS_TYPES ? (flags[3] & ~IS_UNSIGNED) == 0 : flags[2] < VALUE_KINDS;
}

/* A command that shows by more than its size. */
static bool
is_command(const uint8_t *bytes, size_t length)
{
    enum { ITERATIONS_AT = HEADER + 6, FLAGS_END = HEADER + 7, TEXT_LEAST = 3, FLAGS_MOST = 15 };
    if (length <= HEADER || bytes[3] != 0)
        return false;
    const uint32_t size = mysql_size(bytes);
    const struct mysql_command *command = mysql_command(bytes[HEADER], size);
    const uint8_t *at = bytes + HEADER + 1, *end = bytes + MIN(length, HEADER + size);
    if (!command)
        return false;
    if (command->code == EXECUTE)
        return length >= ITERATIONS_AT + 4 && at[4] <= FLAGS_MOST && pletohu32(bytes + ITERATIONS_AT) == 1;
    if (command->code == BULK_EXECUTE)
        return length >= FLAGS_END + 2 && is_bulk(at + 4);
    if (command->code == REGISTER)
        return is_registration(at, end, size - 1);
    if (!command->has_text)
        return length >= HEADER + MIN(size, 5);
    const uint8_t *text = command->code == QUERY ? mysql_query_text(at, end) : at;
    const bool is_cut = text == end && length < HEADER + (size_t)size;
    return end - at >= (int64_t)MIN(TEXT_LEAST, size - 1) && text && (is_cut || is_text(text, end));
}

/* Commands, one after another, each with the rest of it, or with the file that the server will ask for, up to the end
 * or beyond it: the number of packets; 0 if there is something else, or if more than `*left` would be looked at. */
static unsigned
count_packets(const uint8_t *bytes, size_t length, unsigned *left)
{
    enum { TELLING = HEADER + 8 };
    size_t at = 0;
    uint8_t before = 0;
    unsigned count = 0;
    for (; at + HEADER <= length; count++) {
        if (*left == 0)
            return 0;
        --*left;
        const uint8_t number = bytes[at + 3];
        const bool goes_on = count > 0 && (number == (uint8_t)(before + 1) || (before == 0 && number == 2));
        if (!goes_on && !is_command(bytes + at, length - at))
            return at + HEADER == length ? count : 0;
        before = number;
        at += HEADER + (size_t)mysql_size(bytes + at);
    }
    return at <= length || count > 1 || length > TELLING ? count : 0;
}

/* Returns whether a query begins as a statement does, which no other protocol's message of that form does. */
static bool
is_statement(const uint8_t *bytes, size_t length)
{
    static const char *const words[] = { "SELECT ",  "INSERT ", "UPDATE ", "DELETE ",
                                         "REPLACE ", "SET ",    "SHOW ",   "CALL " };
    if (length <= HEADER || bytes[3] != 0 || bytes[HEADER] != QUERY)
        return false;
    const uint8_t *end = bytes + MIN(length, HEADER + (size_t)mysql_size(bytes));
    const uint8_t *text = mysql_query_text(bytes + HEADER + 1, end);
    for (unsigned i = 0; text && i < G_N_ELEMENTS(words); i++) {
        const size_t word = strlen(words[i]);
        if ((size_t)(end - text) > word && g_ascii_strncasecmp((const char *)text, words[i], word) == 0)
            return true;
    }
    return false;
}

bool
mysql_is_certain(const uint8_t *bytes, size_t length, uint64_t whole)
{
    size_t at = 0;
    (void)whole;
    if (mysql_is_login(bytes, length))
        return true;
    for (unsigned i = 0; i < AGREEMENT_TRIES && at < length && is_command(bytes + at, length - at); i++) {
        if (is_statement(bytes + at, length - at))
            return true;
        at += HEADER + (size_t)mysql_size(bytes + at);
    }
    return false;
}

/* RFC 8446 §5.1: as the length of a command its first bytes are unlikely. */
static bool
is_tls(const uint8_t *bytes)
{
    return bytes[0] >= 20 && bytes[0] <= 24 && bytes[1] == 3 && bytes[2] <= 4;
}

/* What says little stands behind other commands only. */
static bool
begins_commands(const uint8_t *bytes, size_t length, unsigned *left)
{
    if (length <= HEADER || is_tls(bytes) || count_packets(bytes, length, left) == 0)
        return false;
    const struct mysql_command *command = mysql_command(bytes[HEADER], mysql_size(bytes));
    return command->answer != ANSWER_NONE && command->answer != ANSWER_STREAM;
}

bool
mysql_recognise(const uint8_t *bytes, size_t length)
{
    const bool is_login = length >= HEADER + SSL_REQUEST_BYTES && mysql_is_login(bytes, length);
    unsigned left = UINT_MAX;
    return is_login || begins_commands(bytes, length, &left);
}

/* The numbers of packets go on from the client's to the server's. */
enum agreement
mysql_agrees(const uint8_t *asked, size_t asked_bytes, const uint8_t *answered, size_t answered_bytes)
{
    if (asked_bytes <= HEADER || answered_bytes <= HEADER)
        return AGREEMENT_OPEN;
    const bool follows = mysql_is_login(asked, asked_bytes) ? answered[3] > asked[3] : answered[3] == asked[3] + 1;
    return follows && mysql_recognise_answer(answered, answered_bytes) ? AGREEMENT_IS_ONE : AGREEMENT_IS_NONE;
}

bool
mysql_may_begin(const uint8_t *bytes, size_t length)
{
    if (length < 3 || length >= HEADER + SSL_REQUEST_BYTES || bytes[2] != 0)
        return false;
    if (length == 3)
        return true;
    if (bytes[3] > 0)
        return bytes[3] <= 2 && (length <= HEADER + 4 || mysql_is_login(bytes, length));
    const struct mysql_command *command = length > HEADER ? mysql_command(bytes[HEADER], mysql_size(bytes)) : NULL;
    return length == HEADER ||
           (command && command->answer != ANSWER_NONE && length < HEADER + (size_t)mysql_size(bytes));
}

/* Amid other bytes a command shows by its text, or by what follows it. One search looks at a bounded number of
 * packets: without that, thousands of commands that end in nonsense would each be followed to that end. */
size_t
mysql_find(const uint8_t *bytes, size_t length)
{
    unsigned left = FOLLOWED_MOST;
    for (size_t at = 1; at + HEADER < length && left > 0; at++) {
        if (bytes[at + 2] != 0 || bytes[at + 3] != 0 || !begins_commands(bytes + at, length - at, &left))
            continue;
        const uint32_t size = mysql_size(bytes + at);
        if (mysql_command(bytes[at + HEADER], size)->has_text || at + HEADER + size <= length)
            return at;
    }
    return 0;
}

bool
mysql_recognise_greeting(const uint8_t *bytes, size_t length)
{
    enum { VERSION_10 = 10, VERSION_MOST = 128 };
    if (length <= HEADER + 2 || bytes[3] != 0 || bytes[HEADER] != VERSION_10)
        return false;
    const uint8_t *version = bytes + HEADER + 1;
    const uint8_t *nul = memchr(version, '\0', MIN(length - HEADER - 1, VERSION_MOST));
    return nul && g_ascii_isdigit(*version);
}

/* OK: two numbers, a status, warnings. */
static bool
is_ok(const uint8_t *body, const uint8_t *end, uint32_t size)
{
    const uint8_t *at = body + 1;
    uint64_t number;
    for (unsigned i = 0; i < 2; i++)
        if (!mysql_number(&at, end, &number))
            return (size_t)(end - body) < size && size >= 7 && (at >= end || *at < 0xfb || *at == 0xfc);
    return (size_t)(at - body) + 4 <= size;
}

/* ERR: a code, and behind it an SQLSTATE. */
static bool
is_error(const uint8_t *body, const uint8_t *end, uint32_t size)
{
    return size >= 9 && (end - body < 4 || body[3] == '#');
}

/* How many columns, and MariaDB says whether they are described. What describes the first follows. */
static bool
is_result(const uint8_t *body, const uint8_t *end, uint32_t size, const uint8_t *next, const uint8_t *next_end)
{
    uint64_t count;
    const uint8_t *at = body;
    if (!mysql_number(&at, end, &count))
        return false;
    const size_t bytes = (size_t)(at - body);
    if (count == 0 || count > COLUMNS_MOST || size < bytes || size > bytes + 1)
        return false;
    if (next_end - next <= HEADER || (size > bytes && at < end && *at == 0))
        return true;
    return next[3] == body[-1] + 1 && mysql_is_definition(next + HEADER, next_end);
}

unsigned
mysql_kinds(const uint8_t *bytes, size_t length)
{
    enum { PREPARED_BYTES = 12, ALL = 0xff };
    static const char statistics[] = "Uptime: ";
    const uint8_t number = bytes[3];
    const uint32_t size = mysql_size(bytes);
    const uint8_t *body = bytes + HEADER, *limit = bytes + length;
    const uint8_t *end = length > HEADER + size ? body + size : limit;
    if (number < 1 || number > 3 || size == 0)
        return 0;
    if (*body == 0xff)
        return is_error(body, end, size) ? ALL : 0;
    if (*body == 0 && (size == PREPARED_BYTES || size == PREPARED_BYTES + 1) && number == 1 &&
        (end - body < 10 || body[9] == 0))
        return KIND_PREPARED | KIND_OK;
    if (*body == 0)
        return is_ok(body, end, size) ? KIND_OK | KIND_LOGIN : 0;
    if (number == 1 && mysql_is_eof(body, end, size))
        return KIND_EOF;
    if (number > 1 || *body == 0xfe)
        return (*body == 0xfe && size > 9 && may_be_text(body + 1, MIN(end, body + 8))) || *body == 1 ? KIND_LOGIN : 0;
    if (*body == 0xfb)
        return may_be_text(body + 1, end) ? KIND_RESULT : 0;
    if (memcmp(body, statistics, MIN((size_t)(end - body), sizeof statistics - 1)) == 0)
        return KIND_TEXT;
    return is_result(body, end, size, end, limit) ? KIND_RESULT : 0;
}

/* Of one that is cut within what all begin with, or right behind it, nobody knows. An answer to Fetch begins with a
 * row, of Field List with what describes a column. */
bool
mysql_recognise_answer(const uint8_t *bytes, size_t length)
{
    if (length <= HEADER)
        return length <= 3 || (bytes[3] >= 1 && bytes[3] <= 3);
    const bool begins_otherwise = bytes[HEADER] == 0 || mysql_is_definition(bytes + HEADER, bytes + length);
    return mysql_kinds(bytes, length) > 0 || (bytes[3] == 1 && begins_otherwise);
}

bool
mysql_resumes(const uint8_t *bytes, size_t length, bool from_client)
{
    if (from_client)
        return mysql_recognise(bytes, length);
    if (length <= HEADER || mysql_kinds(bytes, length) == 0 || length < HEADER + (size_t)mysql_size(bytes))
        return false;
    uint8_t before = bytes[3];
    for (size_t at = HEADER + mysql_size(bytes); at + HEADER <= length; at += HEADER + mysql_size(bytes + at)) {
        const uint8_t number = bytes[at + 3];
        if (number != 1 && number != (uint8_t)(before + 1))
            return false;
        before = number;
    }
    return true;
}

bool
mysql_ends_before(struct reading *reading, const uint8_t *bytes, size_t length)
{
    enum { EOF_SIZE = 5 };
    return length < HEADER ? bytes[0] != EOF_SIZE : bytes[3] != mysql_own(reading)->expects;
}
