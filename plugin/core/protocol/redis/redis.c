/* redis.c
 * Redis, RESP2 and RESP3: redis.io/docs/latest/develop/reference/protocol-spec.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "redis.h"

#include <string.h>

/* Takes a line of a type and a number from `*at` on. */
static bool
take_size(const uint8_t **at, const uint8_t *end, char type, int64_t *size)
{
    const uint8_t *line = *at, *line_end = line < end ? memchr(line, '\r', (size_t)(end - line)) : NULL;
    if (!line_end || end - line_end < LINE_END || line_end[1] != '\n' || *line != type ||
        !redis_read_size(line, (size_t)(line_end - line), ELEMENTS_MOST, size))
        return false;
    *at = line_end + LINE_END;
    return true;
}

/* Returns whether the bytes, as far as they are there, are a command of RESP: a list of words. */
static bool
is_command(const uint8_t *bytes, size_t length)
{
    const uint8_t *at = bytes, *end = bytes + length;
    int64_t words, size;
    if (!take_size(&at, end, '*', &words))
        return !memchr(bytes, '\n', length);
    for (; words > 0 && at < end; words--) {
        const uint8_t *line = at;
        if (!take_size(&at, end, '$', &size))
            return *line == '$' && !memchr(line, '\n', (size_t)(end - line));
        if (size < 0)
            return false;
        if (end - at <= size)
            return true;
        at += size;
        if (memcmp(at, "\r\n", (size_t)MIN(end - at, LINE_END)) != 0)
            return false;
        at += MIN(end - at, LINE_END);
    }
    return true;
}

static bool
recognise(const uint8_t *bytes, size_t length)
{
    static const char ping[] = "PING\r\n";
    char text[OPERATION_ROOM];
    if (length == sizeof ping - 1 && memcmp(bytes, ping, length) == 0)
        return true;
    return redis_operation(bytes, length, &(struct operation_writer){ .text = text }) && is_command(bytes, length);
}

static bool
may_begin(const uint8_t *bytes, size_t length)
{
    static const char ping[] = "PING\r\n";
    return bytes[0] == '*' || (length < sizeof ping && memcmp(bytes, ping, length) == 0);
}

static bool
recognise_answer(const uint8_t *bytes, size_t length)
{
    const uint8_t *end = memchr(bytes, '\n', length);
    if (length == 0 || bytes[0] == '\0' || !strchr("+-:$*_#,(!=%~>|", bytes[0]))
        return false;
    if (!end)
        return true;
    int64_t size;
    size_t line = (size_t)(end - bytes);
    bool has_size = strchr(":$*!=%~>|", bytes[0]);
    return bytes[line - 1] == '\r' && (!has_size || redis_read_size(bytes, line - 1, INT64_MAX / 16, &size));
}

/* A line of text is no element outside of transactions. */
static uint16_t
part_of(const uint8_t *bytes, size_t length)
{
    return length > 0 && (bytes[0] == '+' || bytes[0] == '-') ? 0 : AGGREGATE;
}

/* A command of RESP is Redis' alone; a line may be somebody else's, as NATS' PING. */
static bool
is_certain(const uint8_t *bytes, size_t length, uint64_t whole)
{
    (void)whole;
    return length > 0 && bytes[0] == '*';
}

/* Whether it is a command that no server says. Those that change data it says to its replicas, and PING and REPLCONF; a
 * list of words may begin with any, but has another length. */
static bool
is_asked(const uint8_t *bytes, size_t length)
{
    enum { MANY = 1 << 20 };
    static const struct {
        const char *name;
        int64_t least, most; /* words */
    } commands[] = {
        { "GET", 2, 2 },       { "MGET", 2, MANY },   { "STRLEN", 2, 2 },  { "GETRANGE", 4, 4 }, { "EXISTS", 2, MANY },
        { "TTL", 2, 2 },       { "PTTL", 2, 2 },      { "TYPE", 2, 2 },    { "KEYS", 2, 2 },     { "SCAN", 2, 8 },
        { "HGET", 3, 3 },      { "HMGET", 3, MANY },  { "HGETALL", 2, 2 }, { "HEXISTS", 3, 3 },  { "HKEYS", 2, 2 },
        { "HVALS", 2, 2 },     { "HLEN", 2, 2 },      { "LRANGE", 4, 4 },  { "LLEN", 2, 2 },     { "LINDEX", 3, 3 },
        { "SMEMBERS", 2, 2 },  { "SCARD", 2, 2 },     { "ZRANGE", 4, 10 }, { "ZSCORE", 3, 3 },   { "ZCARD", 2, 2 },
        { "SISMEMBER", 3, 3 }, { "DBSIZE", 1, 1 },    { "INFO", 1, 2 },    { "AUTH", 2, 3 },     { "HELLO", 1, 7 },
        { "CLIENT", 2, 8 },    { "CONFIG", 2, MANY }, { "ECHO", 2, 2 },    { "MONITOR", 1, 1 },
    };
    const uint8_t *at = bytes, *end = bytes + length;
    int64_t words, size;
    if (!take_size(&at, end, '*', &words) || !take_size(&at, end, '$', &size) || size < 0 || end - at < size)
        return false;
    for (unsigned i = 0; i < G_N_ELEMENTS(commands); i++)
        if (redis_is_word(at, (size_t)size, commands[i].name))
            return words >= commands[i].least && words <= commands[i].most;
    return false;
}

/* Whether no client says it. Numbers, texts with their lengths, and lists may be a command's, or its rest. */
static bool
is_answered(const uint8_t *bytes, size_t length)
{
    static const char *const beginnings[] = { "+OK\r\n",     "+PONG\r\n", "+QUEUED\r\n", "$-1\r\n",
                                              "-ERR ",       "-NOAUTH ",  "-WRONGPASS ", "-WRONGTYPE ",
                                              "-EXECABORT ", "-MOVED ",   "-NOSCRIPT ",  "-READONLY ",
                                              "-LOADING ",   "-OOM ",     "-NOPERM ",    "-CLUSTERDOWN " };
    for (unsigned i = 0; i < G_N_ELEMENTS(beginnings); i++) {
        const size_t bytes_of = strlen(beginnings[i]);
        if (length >= bytes_of && memcmp(bytes, beginnings[i], bytes_of) == 0)
            return true;
    }
    return false;
}

static bool
tells_client(const uint8_t *bytes, size_t length, uint64_t whole, bool *from_client)
{
    (void)whole;
    *from_client = is_asked(bytes, length);
    return *from_client || is_answered(bytes, length);
}

/* It asks, unless nobody will answer. */
static void
ask(struct reading *reading, const char *operation, uint64_t note)
{
    uint8_t *mode = reading_mode(reading);
    if (!(*mode & (SILENT | SILENT_ONCE | REPLICA)))
        reading_asks(reading, operation, note);
    *mode &= (uint8_t)~SILENT_ONCE;
}

/* What asks is known by the first word, but for CLIENT and REPLCONF. */
static void
name(struct reading *reading, struct flow *flow, const uint8_t *word, size_t length)
{
    static const char *const syncing[] = { "PSYNC", "SYNC" }, *const reading_on[] = { "XREAD", "XREADGROUP" };
    char text[WORD_BYTES + 1], operation[OPERATION_ROOM];
    uint64_t note = redis_is_word(word, length, "PING") ? ASKED_TO_PING : ASKED;
    for (size_t i = 0; i < length; i++)
        text[i] = g_ascii_toupper((char)word[i]);
    text[length] = '\0';
    operation_of(text, "", operation);
    if (redis_is_subscription(word, length)) {
        note = ASKED_TO_SUBSCRIBE | CLAMP(flow->left, 1, NOTE_CONFIRMATIONS) * NOTE_KINDS;
        *reading_mode(reading) |= SUBSCRIBED;
    }
    if (redis_is_word(word, length, "RESET"))
        *reading_mode(reading) = 0;
    if (redis_is_word(word, length, "MONITOR"))
        flow->marks |= STREAMS;
    if (redis_is_one_of(word, length, syncing, G_N_ELEMENTS(syncing))) {
        flow->marks |= SYNCS;
        note = ASKED_TO_SYNC;
    }
    if (redis_is_word(word, length, "CLIENT") && flow->left > 0)
        flow->marks |= CLIENT;
    else if (redis_is_word(word, length, "REPLCONF") && flow->left > 0)
        flow->marks |= REPLCONF;
    else
        ask(reading, operation, note | redis_looks_of_command(text));
    flow->message.is_stream = flow->marks & (STREAMS | SYNCS);
    flow->message.awaits_event = redis_is_blocking(word, length);
    if (text[0] == 'X' && redis_is_one_of(word, length, reading_on, G_N_ELEMENTS(reading_on)))
        flow->marks |= MAY_BLOCK;
}

/* Looks for BLOCK among the options, which end with STREAMS. */
static void
take_option(struct flow *flow, const uint8_t *word, size_t length)
{
    flow->message.awaits_event |= redis_is_word(word, length, "BLOCK");
    if (flow->message.awaits_event || redis_is_word(word, length, "STREAMS"))
        flow->marks &= (uint16_t)~MAY_BLOCK;
}

/* CLIENT REPLY OFF, SKIP and ON, of which only ON is answered, in any case. */
static bool
take_reply_mode(struct reading *reading, const uint8_t *word, size_t length)
{
    uint8_t *mode = reading_mode(reading);
    if (redis_is_word(word, length, "ON"))
        *mode &= (uint8_t) ~(SILENT | SILENT_ONCE);
    else if (redis_is_word(word, length, "OFF"))
        *mode |= SILENT;
    else if (redis_is_word(word, length, "SKIP"))
        *mode |= SILENT_ONCE;
    else
        return true;
    return redis_is_word(word, length, "ON");
}

/* The command's next word; what is too long has no bytes. */
static void
note_word(struct reading *reading, struct flow *flow, const uint8_t *word, size_t length)
{
    unsigned words = flow->marks & WORDS;
    if (words == 0) {
        name(reading, flow, word, length);
    } else if (words == 1 && flow->marks & CLIENT && flow->left == 1 && redis_is_word(word, length, "REPLY")) {
        flow->marks |= CLIENT_REPLY;
    } else if (flow->marks & CLIENT) {
        if (!(flow->marks & CLIENT_REPLY) || take_reply_mode(reading, word, length))
            ask(reading, "CLIENT", ASKED);
        flow->marks &= (uint16_t)~CLIENT;
    } else if (flow->marks & REPLCONF) {
        /* a replica alone says how far it has got, and nobody answers that */
        if (redis_is_word(word, length, "ACK"))
            *reading_mode(reading) |= REPLICA;
        ask(reading, "REPLCONF", ASKED);
        flow->marks &= (uint16_t)~REPLCONF;
    } else if (flow->marks & MAY_BLOCK) {
        take_option(flow, word, length);
    }
    flow->marks = (uint16_t)((flow->marks & ~WORDS) | MIN(words + 1, WORDS));
}

static enum verdict
go_on(struct reading *reading, struct flow *flow)
{
    flow->ends = flow->left == 0;
    if (flow->marks & SYNCS && flow->ends)
        *reading_mode(reading) |= REPLICA;
    return flow->marks & STREAMS && flow->ends ? PARSER_IS_OVER : PARSER_GOES_ON;
}

static enum verdict
take_word(struct reading *reading, struct flow *flow, const uint8_t *word, size_t length)
{
    note_word(reading, flow, word, length);
    flow->block = 0;
    flow->state = SIZE;
    return go_on(reading, flow);
}

static enum verdict
take_word_size(struct reading *reading, struct flow *flow, const uint8_t *line, size_t length)
{
    int64_t size;
    if (length == 0 || line[0] != '$' || !redis_read_size(line, length, ELEMENTS_MOST, &size) || size < 0)
        return PARSER_IS_LOST;
    flow->left--;
    if (((flow->marks & WORDS) < WORDS || flow->marks & MAY_BLOCK) && size <= WORD_BYTES) {
        flow->block = (uint32_t)size + LINE_END;
        flow->state = WORD;
        return PARSER_GOES_ON;
    }
    note_word(reading, flow, line, 0);
    flow->skip = (uint64_t)size + LINE_END;
    return go_on(reading, flow);
}

/* A line of words. */
static enum verdict
take_inline(struct reading *reading, struct flow *flow, const uint8_t *line, size_t length)
{
    for (size_t i = 0; i < length; i++)
        flow->left += line[i] != ' ' && (i == 0 || line[i - 1] == ' ');
    for (size_t at = 0, end; flow->left > 0; at = end) {
        while (line[at] == ' ')
            at++;
        for (end = at; end < length && line[end] != ' ';)
            end++;
        bool too_long = end - at > WORD_BYTES;
        if ((flow->marks & WORDS) == 0 && (too_long || !g_ascii_isalpha(line[at])))
            return PARSER_IS_LOST;
        flow->left--;
        note_word(reading, flow, line + at, too_long ? 0 : end - at);
    }
    return go_on(reading, flow);
}

static enum verdict
take_command(struct reading *reading, struct flow *flow, const uint8_t *line, size_t length)
{
    int64_t words;
    if (length == 0 || line[0] != '*')
        return take_inline(reading, flow, line, length);
    if (!redis_read_size(line, length, ELEMENTS_MOST, &words))
        return PARSER_IS_LOST;
    flow->ends = words <= 0;
    if (flow->ends)
        return PARSER_GOES_ON;
    flow->left = (uint64_t)words;
    flow->state = SIZE;
    return PARSER_GOES_ON;
}

static enum verdict
take(struct reading *reading, bool from_client, const uint8_t *unit, size_t length)
{
    struct flow *flow = reading_flow(reading, from_client);
    if (!from_client)
        return redis_take_answer(reading, flow, unit, length);
    switch ((enum state)flow->state) {
    case START:
        return take_command(reading, flow, unit, length);
    case SIZE:
        return take_word_size(reading, flow, unit, length);
    default:
        if (memcmp(unit + length - LINE_END, "\r\n", LINE_END) != 0)
            return PARSER_IS_LOST;
        return take_word(reading, flow, unit, length - LINE_END);
    }
}

const struct parser parser_redis = {
    .protocol = PROTOCOL_REDIS,
    .recognise = recognise,
    .recognise_answer = recognise_answer,
    .agrees = redis_agrees,
    .is_certain = is_certain,
    .tells_client = tells_client,
    .may_begin = may_begin,
    .take = take,
    .least = 6,
    .part_of = part_of,
    .operation = redis_operation,
};
