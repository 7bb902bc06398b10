/* redis_answer.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "redis.h"

static bool
is_publication(const uint8_t *word, size_t length)
{
    static const char *const names[] = { "message", "pmessage", "smessage" };
    return redis_is_one_of(word, length, names, G_N_ELEMENTS(names));
}

/* An error's first word; or a nil where a value was asked for. */
static void
answer(struct reading *reading, const uint8_t *line, size_t length)
{
    char status[STATUS_ROOM] = "";
    bool failed = line[0] == '-' || line[0] == '!';
    bool nil = line[0] == '_' || (length >= 2 && (line[0] == '$' || line[0] == '*') && line[1] == '-');
    if (line[0] == '-') {
        for (size_t i = 1; i < length && i < sizeof status && g_ascii_isgraph(line[i]); i++)
            status[i - 1] = (char)line[i];
        status[sizeof status - 1] = '\0';
    }
    reading_sees(reading, redis_looks_of_answer(line, length));
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
        if (!redis_read_size(line, length, INT64_MAX / 16, &size))
            return PARSER_IS_LOST;
        flow->skip = size >= 0 ? (uint64_t)size + LINE_END : 0;
        break;
    case '*':
    case '~':
    case '>':
    case '%':
    case '|':
        if (!redis_read_size(line, length, ELEMENTS_MOST, &size) || flow->left > ELEMENTS_MOST)
            return PARSER_IS_LOST;
        flow->left += (uint64_t)MAX(size, 0) * (line[0] == '%' || line[0] == '|' ? 2 : 1) + (line[0] == '|');
        break;
    default:
        return PARSER_IS_LOST;
    }
    flow->ends = flow->left == 0;
    return PARSER_GOES_ON;
}

/* What a replica gets has no end: the data, and all changes of them. Before, the server says by empty lines that it is
 * still there, or refuses. */
static bool
take_sync(struct reading *reading, struct flow *flow, const uint8_t *line, size_t length)
{
    const struct request *request = reading_to_answer(reading);
    if (!request || (uint16_t)request->note % NOTE_KINDS != ASKED_TO_SYNC)
        return false;
    flow->ends = true;
    if (length == 0)
        return true;
    answer(reading, line, length);
    if (line[0] == '-')
        *reading_mode(reading) &= (uint8_t)~REPLICA;
    else
        flow->skip = FLOW_UNTIL_CLOSED;
    return true;
}

static enum verdict
take_answer(struct reading *reading, struct flow *flow, const uint8_t *line, size_t length)
{
    uint8_t *mode = reading_mode(reading);
    flow->marks = 0;
    if (*mode & REPLICA && take_sync(reading, flow, line, length))
        return PARSER_GOES_ON;
    if (length > 0 && line[0] == '>')
        *mode |= PUSHES;
    bool may_push = length > 0 && (line[0] == '>' || (line[0] == '*' && (*mode & (SUBSCRIBED | PUSHES)) == SUBSCRIBED));
    flow->left = 1;
    enum verdict verdict = take_element(flow, line, length);
    if (verdict != PARSER_GOES_ON)
        return verdict;
    if (may_push && flow->left > 0) {
        flow->marks = line[0] == '>' ? PUSHED : 0;
        flow->state = TOPIC;
    } else if (line[0] == '|') {
        flow->marks = ATTRIBUTES;
    } else if (line[0] != '>') {
        answer(reading, line, length);
    }
    return PARSER_GOES_ON;
}

static enum verdict
take_topic(struct reading *reading, struct flow *flow, const uint8_t *line, size_t length)
{
    static const uint8_t array[] = "*";
    int64_t size;
    bool is_short = length > 0 && line[0] == '$' && redis_read_size(line, length, WORD_BYTES, &size) && size >= 0;
    if (!is_short) {
        if (!(flow->marks & PUSHED))
            answer(reading, array, 1);
        return take_element(flow, line, length);
    }
    flow->left--;
    flow->block = (uint32_t)size + LINE_END;
    flow->state = TOPIC_WORD;
    return PARSER_GOES_ON;
}

static enum verdict
take_topic_word(struct reading *reading, struct flow *flow, const uint8_t *word, size_t length)
{
    static const uint8_t array[] = "*";
    bool confirms = redis_is_subscription(word, length), publishes = is_publication(word, length);
    /* What is no answer tells nothing of the request that the next one is to. */
    bool may_answer = confirms || !(flow->marks & PUSHED || (publishes && !reading_knows_next(reading)));
    const struct request *first = may_answer ? reading_to_answer(reading) : NULL;
    /* RESP2 lets a subscriber ask for no arrays. */
    bool asked_for_array = first && (uint16_t)first->note == ASKED;
    bool pushes = flow->marks & PUSHED || (publishes && !asked_for_array);
    if (confirms && first && (uint16_t)first->note % NOTE_KINDS == ASKED_TO_SUBSCRIBE) {
        answer(reading, array, 1);
        flow->left += (uint16_t)first->note / NOTE_KINDS - 1;
    } else if (!confirms && !pushes) {
        answer(reading, array, 1);
    }
    flow->block = 0;
    flow->state = ELEMENT;
    flow->ends = flow->left == 0;
    return PARSER_GOES_ON;
}

enum verdict
redis_take_answer(struct reading *reading, struct flow *flow, const uint8_t *unit, size_t length)
{
    switch ((enum state)flow->state) {
    case START:
        return take_answer(reading, flow, unit, length);
    case TOPIC:
        return take_topic(reading, flow, unit, length);
    case TOPIC_WORD:
        return take_topic_word(reading, flow, unit, length - LINE_END);
    default:
        /* after the attributes of an answer comes the answer */
        return flow->marks & ATTRIBUTES && flow->left == 1 ? take_answer(reading, flow, unit, length)
                                                           : take_element(flow, unit, length);
    }
}
