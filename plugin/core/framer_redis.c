/* framer_redis.c
 * Redis, RESP2 and RESP3: redis.io/docs/latest/develop/reference/protocol-spec.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "framer_redis.h"

#include <string.h>

#include "operation.h"

bool
redis_is_word(const uint8_t *word, size_t length, const char *name)
{
    return length == strlen(name) && g_ascii_strncasecmp((const char *)word, name, length) == 0;
}

bool
redis_is_one_of(const uint8_t *word, size_t length, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (redis_is_word(word, length, names[i]))
            return true;
    return false;
}

bool
redis_is_subscription(const uint8_t *word, size_t length)
{
    static const char *const names[] = { "subscribe",   "psubscribe",   "ssubscribe",
                                         "unsubscribe", "punsubscribe", "sunsubscribe" };
    return redis_is_one_of(word, length, names, G_N_ELEMENTS(names));
}

bool
redis_read_size(const uint8_t *line, size_t length, int64_t most, int64_t *size)
{
    size_t at = 1;
    bool negative = length > 1 && line[1] == '-';
    *size = 0;
    for (at += negative; at < length && g_ascii_isdigit(line[at]) && *size <= most; at++)
        *size = *size * 10 + (line[at] - '0');
    if (at < length || at == 1U + negative || *size > most)
        return false;
    *size = negative ? -*size : *size;
    return true;
}

static bool
recognise(const uint8_t *bytes, size_t length)
{
    static const char ping[] = "PING\r\n";
    char text[OPERATION_ROOM];
    if (length == sizeof ping - 1 && memcmp(bytes, ping, length) == 0)
        return true;
    return length > 0 && bytes[0] == '*' && operation_read(bytes, length, text) > 0;
}

static bool
recognise_answer(const uint8_t *bytes, size_t length)
{
    return length > 0 && strchr("+-:$*_#,(!=%~>|", bytes[0]) && bytes[0] != '\0';
}

/* It asks, unless nobody will answer. */
static void
ask(struct reading *reading, const char *operation, enum note note)
{
    uint8_t *mode = reading_mode(reading);
    if (!(*mode & (SILENT | SILENT_ONCE)))
        reading_asks(reading, operation, note);
    *mode &= (uint8_t)~SILENT_ONCE;
}

static void
name(struct reading *reading, struct flow *flow, const uint8_t *word, size_t length)
{
    char text[WORD_BYTES + 1], operation[OPERATION_ROOM];
    bool subscribes = redis_is_subscription(word, length);
    for (size_t i = 0; i < length; i++)
        text[i] = g_ascii_toupper((char)word[i]);
    text[length] = '\0';
    operation_of(text, "", operation);
    ask(reading, operation, subscribes ? ASKED_TO_SUBSCRIBE : ASKED);
    if (subscribes)
        *reading_mode(reading) |= SUBSCRIBED;
    flow->marks |= redis_is_word(word, length, "CLIENT") ? CLIENT : 0;
    flow->marks |= redis_is_word(word, length, "PSYNC") || redis_is_word(word, length, "SYNC") ? REPLICATES : 0;
}

/* CLIENT REPLY OFF, SKIP and ON */
static void
take_reply_mode(struct reading *reading, struct flow *flow, const uint8_t *word, size_t length)
{
    uint8_t *mode = reading_mode(reading);
    if (redis_is_word(word, length, "ON")) {
        *mode &= (uint8_t)~SILENT;
        if (!flow->has_message)
            reading_asks(reading, "CLIENT", ASKED);
    } else if (redis_is_word(word, length, "OFF") || redis_is_word(word, length, "SKIP")) {
        *mode |= redis_is_word(word, length, "OFF") ? SILENT : SILENT_ONCE;
        reading_withdraws(reading);
    }
}

static enum verdict
take_word(struct reading *reading, struct flow *flow, const uint8_t *word, size_t length)
{
    unsigned place = flow->marks & WORDS;
    if (place == 0)
        name(reading, flow, word, length);
    else if (place == 1 && flow->marks & CLIENT && redis_is_word(word, length, "REPLY"))
        flow->marks |= CLIENT_REPLY;
    else if (place == 2 && flow->marks & CLIENT_REPLY)
        take_reply_mode(reading, flow, word, length);
    flow->marks = (uint8_t)((flow->marks & ~WORDS) | MIN(place + 1, WORDS));
    flow->block = 0;
    flow->state = SIZE;
    flow->ends = flow->left == 0;
    return flow->marks & REPLICATES && flow->ends ? FRAMER_IS_OVER : FRAMER_GOES_ON;
}

static enum verdict
take_word_size(struct reading *reading, struct flow *flow, const uint8_t *line, size_t length)
{
    int64_t size;
    if (length == 0 || line[0] != '$' || !redis_read_size(line, length, ELEMENTS_MOST, &size) || size < 0)
        return FRAMER_IS_LOST;
    flow->left--;
    if ((flow->marks & WORDS) < WORDS && size <= WORD_BYTES) {
        flow->block = (uint32_t)size + LINE_END;
        flow->state = WORD;
        return FRAMER_GOES_ON;
    }
    if ((flow->marks & WORDS) == 0)
        ask(reading, "", ASKED);
    flow->marks |= WORDS;
    flow->skip = (uint64_t)size + LINE_END;
    flow->ends = flow->left == 0;
    return FRAMER_GOES_ON;
}

static enum verdict
take_command(struct reading *reading, struct flow *flow, const uint8_t *line, size_t length)
{
    int64_t words;
    if (length > 0 && line[0] == '*') {
        if (!redis_read_size(line, length, ELEMENTS_MOST, &words))
            return FRAMER_IS_LOST;
        flow->ends = words <= 0;
        if (flow->ends)
            return FRAMER_GOES_ON;
        flow->left = (uint64_t)words;
        flow->state = SIZE;
        return FRAMER_GOES_ON;
    }
    /* inline: a line of words */
    size_t word = 0;
    while (word < length && line[word] != ' ')
        word++;
    flow->ends = true;
    if (length == 0)
        return FRAMER_GOES_ON;
    if (word > WORD_BYTES || !g_ascii_isalpha(line[0]))
        return FRAMER_IS_LOST;
    name(reading, flow, line, word);
    return FRAMER_GOES_ON;
}

static enum verdict
take(struct reading *reading, bool from_client, const uint8_t *piece, size_t length)
{
    struct flow *flow = reading_flow(reading, from_client);
    if (!from_client)
        return redis_take_answer(reading, flow, piece, length);
    switch ((enum state)flow->state) {
    case START:
        return take_command(reading, flow, piece, length);
    case SIZE:
        return take_word_size(reading, flow, piece, length);
    default:
        return take_word(reading, flow, piece, length - LINE_END);
    }
}

const struct framer framer_redis = {
    .kind = FRAMING_REDIS, .recognise = recognise, .recognise_answer = recognise_answer, .take = take
};
