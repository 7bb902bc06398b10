/* framer_redis.c
 * Redis, RESP2 and RESP3: redis.io/docs/latest/develop/reference/protocol-spec.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "framer.h"

#include <string.h>

#include "operation.h"

enum state {
    START,
    SIZE,    /* of the next word of a command */
    WORD,    /* one that says what the command is */
    ELEMENT, /* of an answer */
    TOPIC,   /* size of the first element of what may be a push */
    TOPIC_WORD
};

enum { WORD_BYTES = 24, ELEMENTS_MOST = 1 << 30, LINE_END = 2 };

/* Of the connection. */
enum { SUBSCRIBED = 1, SILENT = 2 /* CLIENT REPLY OFF */, SILENT_ONCE = 4 };

/* Of a command: the words so far, and what they come to. */
enum { WORDS = 3, CLIENT = 4, CLIENT_REPLY = 8, REPLICATES = 16 };

/* Of an answer */
enum { PUSHED = 1, ATTRIBUTES = 2 };

enum note { ASKED, ASKED_TO_SUBSCRIBE };

static bool
is_word(const uint8_t *word, size_t length, const char *name)
{
    return length == strlen(name) && g_ascii_strncasecmp((const char *)word, name, length) == 0;
}

static bool
is_one_of(const uint8_t *word, size_t length, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (is_word(word, length, names[i]))
            return true;
    return false;
}

static bool
is_subscription(const uint8_t *word, size_t length)
{
    static const char *const names[] = { "subscribe",   "psubscribe",   "ssubscribe",
                                         "unsubscribe", "punsubscribe", "sunsubscribe" };
    return is_one_of(word, length, names, G_N_ELEMENTS(names));
}

static bool
is_publication(const uint8_t *word, size_t length)
{
    static const char *const names[] = { "message", "pmessage", "smessage" };
    return is_one_of(word, length, names, G_N_ELEMENTS(names));
}

/* The number after the type; false if it is none. */
static bool
read_size(const uint8_t *line, size_t length, int64_t most, int64_t *size)
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
    bool subscribes = is_subscription(word, length);
    for (size_t i = 0; i < length; i++)
        text[i] = g_ascii_toupper((char)word[i]);
    text[length] = '\0';
    operation_of(text, "", operation);
    ask(reading, operation, subscribes ? ASKED_TO_SUBSCRIBE : ASKED);
    if (subscribes)
        *reading_mode(reading) |= SUBSCRIBED;
    flow->marks |= is_word(word, length, "CLIENT") ? CLIENT : 0;
    flow->marks |= is_word(word, length, "PSYNC") || is_word(word, length, "SYNC") ? REPLICATES : 0;
}

/* CLIENT REPLY OFF, SKIP and ON */
static void
take_reply_mode(struct reading *reading, struct flow *flow, const uint8_t *word, size_t length)
{
    uint8_t *mode = reading_mode(reading);
    if (is_word(word, length, "ON")) {
        *mode &= (uint8_t)~SILENT;
        if (!flow->has_message)
            reading_asks(reading, "CLIENT", ASKED);
    } else if (is_word(word, length, "OFF") || is_word(word, length, "SKIP")) {
        *mode |= is_word(word, length, "OFF") ? SILENT : SILENT_ONCE;
        reading_withdraws(reading);
    }
}

static enum verdict
take_word(struct reading *reading, struct flow *flow, const uint8_t *word, size_t length)
{
    unsigned place = flow->marks & WORDS;
    if (place == 0)
        name(reading, flow, word, length);
    else if (place == 1 && flow->marks & CLIENT && is_word(word, length, "REPLY"))
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
    if (length == 0 || line[0] != '$' || !read_size(line, length, ELEMENTS_MOST, &size) || size < 0)
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
        if (!read_size(line, length, ELEMENTS_MOST, &words))
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

/* An error's first word; or a nil where a value was asked for. */
static void
answer(struct reading *reading, const uint8_t *line, size_t length)
{
    char status[STATUS_ROOM] = "";
    bool failed = line[0] == '-' || line[0] == '!';
    bool nil = line[0] == '_' || (length >= 2 && line[0] != ':' && line[0] != '+' && line[1] == '-');
    if (line[0] == '-') {
        for (size_t i = 1; i < length && i < sizeof status && g_ascii_isgraph(line[i]); i++)
            status[i - 1] = (char)line[i];
        status[sizeof status - 1] = '\0';
    }
    reading_answers(reading, failed ? (*status ? status : "ERR") : nil ? "nil" : "", failed);
}

/* One line of an answer; an array, a set, a map, a push or an attribute is followed by its elements. */
static enum verdict
take_element(struct flow *flow, const uint8_t *line, size_t length)
{
    int64_t size;
    flow->state = ELEMENT;
    flow->left--;
    switch (length > 0 ? line[0] : '\0') {
    case '+':
    case '-':
    case ':':
    case '_':
    case '#':
    case ',':
    case '(':
        break;
    case '$':
    case '=':
    case '!':
        if (!read_size(line, length, INT64_MAX / 16, &size))
            return FRAMER_IS_LOST;
        flow->skip = size >= 0 ? (uint64_t)size + LINE_END : 0;
        break;
    case '*':
    case '~':
    case '>':
    case '%':
    case '|':
        if (!read_size(line, length, ELEMENTS_MOST, &size) || flow->left > ELEMENTS_MOST)
            return FRAMER_IS_LOST;
        flow->left += (uint64_t)MAX(size, 0) * (line[0] == '%' || line[0] == '|' ? 2 : 1) + (line[0] == '|');
        break;
    default:
        return FRAMER_IS_LOST;
    }
    flow->ends = flow->left == 0;
    return FRAMER_GOES_ON;
}

static enum verdict
take_answer(struct reading *reading, struct flow *flow, const uint8_t *line, size_t length)
{
    flow->marks = 0;
    bool may_push = length > 1 && (line[0] == '>' || (line[0] == '*' && *reading_mode(reading) & SUBSCRIBED));
    flow->left = 1;
    enum verdict verdict = take_element(flow, line, length);
    if (verdict != FRAMER_GOES_ON)
        return verdict;
    if (may_push && flow->left > 0) {
        flow->marks = line[0] == '>' ? PUSHED : 0;
        flow->state = TOPIC;
    } else if (line[0] == '|') {
        flow->marks = ATTRIBUTES;
    } else {
        answer(reading, line, length);
    }
    return FRAMER_GOES_ON;
}

static enum verdict
take_topic(struct reading *reading, struct flow *flow, const uint8_t *line, size_t length)
{
    static const uint8_t array[] = "*";
    int64_t size;
    bool is_short = length > 0 && line[0] == '$' && read_size(line, length, WORD_BYTES, &size) && size >= 0;
    if (!is_short) {
        if (!(flow->marks & PUSHED))
            answer(reading, array, 1);
        return take_element(flow, line, length);
    }
    flow->left--;
    flow->block = (uint32_t)size + LINE_END;
    flow->state = TOPIC_WORD;
    return FRAMER_GOES_ON;
}

static enum verdict
take_topic_word(struct reading *reading, struct flow *flow, const uint8_t *word, size_t length)
{
    static const uint8_t array[] = "*";
    const struct request *first = reading_first(reading);
    bool confirms = is_subscription(word, length);
    bool pushes = flow->marks & PUSHED || is_publication(word, length);
    if (confirms ? first && first->note == ASKED_TO_SUBSCRIBE : !pushes)
        answer(reading, array, 1);
    flow->block = 0;
    flow->state = ELEMENT;
    flow->ends = flow->left == 0;
    return FRAMER_GOES_ON;
}

static enum verdict
take(struct reading *reading, bool from_client, const uint8_t *piece, size_t length)
{
    struct flow *flow = reading_flow(reading, from_client);
    switch ((enum state)flow->state) {
    case START:
        return from_client ? take_command(reading, flow, piece, length) : take_answer(reading, flow, piece, length);
    case SIZE:
        return take_word_size(reading, flow, piece, length);
    case WORD:
        return take_word(reading, flow, piece, length - LINE_END);
    case TOPIC:
        return take_topic(reading, flow, piece, length);
    case TOPIC_WORD:
        return take_topic_word(reading, flow, piece, length - LINE_END);
    default:
        /* after the attributes of an answer comes the answer */
        return flow->marks & ATTRIBUTES && flow->left == 1 ? take_answer(reading, flow, piece, length)
                                                           : take_element(flow, piece, length);
    }
}

const struct framer framer_redis = {
    .kind = FRAMING_REDIS, .recognise = recognise, .recognise_answer = recognise_answer, .take = take
};
