/* memcached.c
 * memcached's text and meta commands: memcached doc/protocol.txt.
 *
 * Quiet meta gets are answered only when they hit: they and the `mn` that ends them are one request, as a get of many
 * keys is.
 *
 * It is told from others and read in one file, for both go by the same lists of commands.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "../parser.h"

#include <string.h>

#include "memcached_looks.h"
#include "memcached_operation.h"
#include "../../request/looks.h"

enum { LINE_END = 2 };
enum state { START, GROUP /* quiet gets before this, or answers to them */, ITEMS /* more lines, to END */ };
enum note { ASKED, ASKED_BY_GROUP };

static const char *const storing[] = { "set", "add", "replace", "append", "prepend", "cas" };
static const char *const getting[] = { "get", "gets", "gat", "gats" };
static const char *const changing[] = { "incr", "decr", "touch", "delete", "flush_all", "verbosity", "cache_memlimit" };
static const char *const meta[] = { "mg", "md", "ma", "me" };
static const char *const alone[] = { "version", "mn", "quit", "stats" };
static const char *const with_number[] = { "incr", "decr", "touch", "gat", "gats" };
static const char *const rare[] = { "slabs", "lru", "lru_crawler" };

/* The command's first words are as long as keys may be, and without bytes that texts do not have. */
static bool
has_texts(const struct memcached_words *words)
{
    enum { KEY_MOST = 250, LOOKED_AT = 2 };
    for (unsigned i = 0; i < MIN(words->count, LOOKED_AT); i++) {
        const struct memcached_word *word = &words->word[i];
        if (word->length > KEY_MOST)
            return false;
        for (size_t at = 0; at < word->length; at++)
            if (g_ascii_iscntrl(word->at[at]) && word->at[at] != '\r')
                return false;
    }
    return true;
}

/* Whether a client may begin with it: a `quit` is never answered, and the first word alone says little of the others.
 */
static bool
is_alone(const struct memcached_words *words)
{
    const struct memcached_word *command = &words->word[0];
    return memcached_is(command, "stats") ||
           ((memcached_is(command, "version") || memcached_is(command, "mn")) && words->count == 1);
}

static bool
recognise(const uint8_t *bytes, size_t length)
{
    struct memcached_words words;
    const uint8_t *end = length > 0 && g_ascii_islower(*bytes) ? memchr(bytes, '\n', length) : NULL;
    uint64_t size;
    if (end && (end == bytes || end[-1] != '\r'))
        return false;
    memcached_split(bytes, MIN(end ? (size_t)(end - bytes) - 1 : length, UNIT_BYTES), &words);
    const struct memcached_word *command = &words.word[0];
    const bool lacks_number = end && words.count < 3 && MEMCACHED_IS_ONE_OF(command, with_number);
    if (!has_texts(&words) || lacks_number)
        return false;
    if (!end)
        return words.count > 1 && words.word[1].length > 0 &&
               (MEMCACHED_IS_ONE_OF(command, storing) || memcached_is(command, "ms") ||
                MEMCACHED_IS_ONE_OF(command, getting) || MEMCACHED_IS_ONE_OF(command, meta) ||
                MEMCACHED_IS_ONE_OF(command, changing));
    if (MEMCACHED_IS_ONE_OF(command, storing))
        return memcached_number(&words, 2, &size) && memcached_number(&words, 4, &size);
    if (memcached_is(command, "ms"))
        return memcached_number(&words, 2, &size);
    if (MEMCACHED_IS_ONE_OF(command, getting) || MEMCACHED_IS_ONE_OF(command, meta) ||
        MEMCACHED_IS_ONE_OF(command, changing))
        return words.count > 1;
    return is_alone(&words);
}

/* A command, and what follows it as far as the key. */
static bool
may_begin(const uint8_t *bytes, size_t length)
{
    enum { COMMAND_MOST = 16 };
    size_t i = 0;
    while (i < length && (g_ascii_islower(bytes[i]) || bytes[i] == '_'))
        i++;
    return i > 0 && i <= COMMAND_MOST && (i == length || (i + 1 == length && (bytes[i] == ' ' || bytes[i] == '\r')));
}

static bool
recognise_answer(const uint8_t *bytes, size_t length)
{
    struct memcached_words words;
    const uint8_t *end = memchr(bytes, '\n', length);
    if (!end)
        return length > 0 && (g_ascii_isupper(*bytes) || g_ascii_isdigit(*bytes));
    if (end == bytes || end[-1] != '\r')
        return false;
    memcached_split(bytes, MIN((size_t)(end - bytes) - 1, UNIT_BYTES), &words);
    return memcached_is_answer(&words);
}

/* Splits the line with which the bytes begin, or what the snap length has left of it. Returns its bytes with its end; 0
 * if the end is still to come. */
static size_t
split_line(const uint8_t *bytes, size_t length, struct memcached_words *words)
{
    const uint8_t *end = memchr(bytes, '\n', MIN(length, UNIT_BYTES));
    const uint8_t *cut = memchr(bytes, '\0', end ? (size_t)(end - bytes) : MIN(length, UNIT_BYTES));
    const uint8_t *last = cut ? cut : end;
    if (!last || last == bytes)
        return 0;
    memcached_split(bytes, (size_t)(last - bytes) - (last == end), words);
    return last == end ? (size_t)(end - bytes) + 1 : length;
}

/* Returns the bytes of the command and of what it stores; 0 if they begin with none. */
static size_t
command_bytes(const uint8_t *bytes, size_t length, struct memcached_words *words)
{
    const size_t line = split_line(bytes, length, words);
    uint64_t stored = 0;
    if (line == 0 || words->count == 0 || !recognise(bytes, line))
        return 0;
    const bool stores = MEMCACHED_IS_ONE_OF(&words->word[0], storing), is_ms = memcached_is(&words->word[0], "ms");
    if ((stores || is_ms) && memcached_number(words, stores ? 4 : 2, &stored))
        return line + (size_t)MIN(stored, length) + LINE_END;
    return line;
}

/* Returns whether a command stores a value of the length that it says, with a line end behind: no other protocol has
 * that. */
static bool
is_certain(const uint8_t *bytes, size_t length, uint64_t whole)
{
    struct memcached_words words;
    uint64_t number;
    const size_t said = command_bytes(bytes, length, &words);
    (void)whole;
    if (said == 0 || said > length || !MEMCACHED_IS_ONE_OF(&words.word[0], storing))
        return false;
    return memcached_number(&words, 3, &number) && memcmp(bytes + said - LINE_END, "\r\n", LINE_END) == 0;
}

/* Whether both sides begin with a `delete` of a number and its answer, as Beanstalk's clients and servers do, too; then
 * leaves out both. */
static bool
passes_delete(const uint8_t **asked, size_t *asked_bytes, const uint8_t **answered, size_t *answered_bytes)
{
    struct memcached_words command, answer;
    uint64_t number;
    const size_t bytes = command_bytes(*asked, *asked_bytes, &command);
    const size_t line = split_line(*answered, *answered_bytes, &answer);
    if (bytes == 0 || line == 0 || command.count != 2 || !memcached_is(&command.word[0], "delete") ||
        !memcached_number(&command, 1, &number) || answer.count != 1 ||
        !(memcached_is(&answer.word[0], "DELETED") || memcached_is(&answer.word[0], "NOT_FOUND")))
        return false;
    *asked += bytes;
    *asked_bytes -= MIN(bytes, *asked_bytes);
    *answered += line;
    *answered_bytes -= line;
    return true;
}

/* Whether a whole line of text begins there. */
static bool
has_line(const uint8_t *bytes, size_t length)
{
    const uint8_t *end = memchr(bytes, '\n', MIN(length, UNIT_BYTES));
    return end && !memchr(bytes, '\0', (size_t)(end - bytes));
}

/* Whether the line is one that no client says. A number, and words that other protocols have, may be anybody's. */
static bool
is_answered(const uint8_t *bytes, size_t length)
{
    static const char *const answers[] = { "VALUE",   "STORED",  "NOT_STORED",   "EXISTS",      "NOT_FOUND",
                                           "DELETED", "TOUCHED", "CLIENT_ERROR", "SERVER_ERROR" };
    struct memcached_words words;
    const size_t line = g_ascii_isupper(*bytes) && has_line(bytes, length) ? split_line(bytes, length, &words) : 0;
    return line > 0 && recognise_answer(bytes, line) && MEMCACHED_IS_ONE_OF(&words.word[0], answers);
}

/* Commands that store or get, up to the segment's end or beyond it; or such an answer. */
static bool
tells_client(const uint8_t *bytes, size_t length, uint64_t whole, bool *from_client)
{
    struct memcached_words words;
    size_t at = 0, taken = 1;
    *from_client = false;
    if (length < whole)
        return false;
    for (; at < length && taken > 0; at += taken) {
        taken = has_line(bytes + at, length - at) ? command_bytes(bytes + at, length - at, &words) : 0;
        if (taken > 0 && !MEMCACHED_IS_ONE_OF(&words.word[0], storing) && !MEMCACHED_IS_ONE_OF(&words.word[0], getting))
            taken = 0;
    }
    *from_client = at >= length;
    return *from_client || is_answered(bytes, length);
}

/* An error may answer anything, also what is not memcached's. A name may be cut: kinds must agree. */
static enum agreement
agrees(const uint8_t *asked, size_t asked_bytes, const uint8_t *answered, size_t answered_bytes)
{
    struct memcached_words words;
    unsigned left = AGREEMENT_TRIES;
    while (left > 0 && asked_bytes > 0 && passes_delete(&asked, &asked_bytes, &answered, &answered_bytes))
        left--;
    if (left == 0 || asked_bytes == 0 || answered_bytes == 0)
        return AGREEMENT_OPEN;
    const size_t line = split_line(answered, answered_bytes, &words);
    if (!recognise_answer(answered, line > 0 ? line : answered_bytes) || (line == 0 && answered_bytes >= UNIT_BYTES))
        return AGREEMENT_IS_NONE;
    const uint16_t kinds = line > 0 ? looks_kinds(memcached_looks_of_answer(&words)) : 0;
    if (kinds == 0)
        return AGREEMENT_OPEN;
    for (size_t at = 0, bytes; at < asked_bytes && left > 0; left--, at += bytes) {
        bytes = command_bytes(asked + at, asked_bytes - at, &words);
        if (bytes == 0)
            break;
        if (looks_kinds(memcached_looks_of_command(&words)) & kinds)
            return AGREEMENT_IS_ONE;
    }
    return left > 0 ? AGREEMENT_IS_NONE : AGREEMENT_OPEN;
}

static void
ask(struct reading *reading, struct flow *flow, const uint8_t *line, size_t length, uint64_t note)
{
    char whole[UNIT_BYTES], text[OPERATION_ROOM];
    const size_t bytes = MIN(length, UNIT_BYTES - LINE_END);
    if (flow->has_message)
        return;
    memcpy(whole, line, bytes);
    memcpy(whole + bytes, "\r\n", LINE_END);
    struct operation_writer writer = { .text = text };
    if (memcached_operation((const uint8_t *)whole, bytes + LINE_END, &writer)) {
        operation_finish(&writer);
    } else {
        whole[bytes] = '\0';
        whole[strcspn(whole, " ")] = '\0';
        operation_of(whole, "", text);
    }
    reading_asks(reading, text, note);
}

/* Whether there is an answer in any case. */
static enum verdict
take_command(struct reading *reading, struct flow *flow, const uint8_t *line, size_t length)
{
    struct memcached_words words;
    uint64_t bytes = 0;
    memcached_split(line, length, &words);
    const struct memcached_word *command = &words.word[0];
    bool stores = words.count > 0 && MEMCACHED_IS_ONE_OF(command, storing),
         is_ms = words.count > 0 && memcached_is(command, "ms");
    bool answered = true;
    if (words.count == 0)
        return PARSER_IS_LOST;
    if (stores) {
        if (!memcached_number(&words, 4, &bytes))
            return PARSER_IS_LOST;
        flow->skip = bytes + LINE_END;
    } else if (is_ms) {
        if (!memcached_number(&words, 2, &bytes))
            return PARSER_IS_LOST;
        flow->skip = bytes + LINE_END;
        answered = !memcached_has(&words, 3, "q");
    } else if (MEMCACHED_IS_ONE_OF(command, meta)) {
        answered = !memcached_has(&words, 2, "q");
        if (memcached_is(command, "mg") && !answered) {
            ask(reading, flow, line, length, ASKED_BY_GROUP | memcached_looks_of_command(&words));
            flow->state = GROUP;
            return PARSER_GOES_ON;
        }
    } else if (!MEMCACHED_IS_ONE_OF(command, getting) && !MEMCACHED_IS_ONE_OF(command, changing) &&
               !MEMCACHED_IS_ONE_OF(command, alone) && !MEMCACHED_IS_ONE_OF(command, rare)) {
        return PARSER_IS_LOST;
    }
    if (memcached_is(&words.last, "noreply") || memcached_is(command, "quit"))
        answered = false;
    if (answered)
        ask(reading, flow, line, length, ASKED | memcached_looks_of_command(&words));
    /* Only `mn` shows where the answers to quiet gets end. */
    if (flow->state == GROUP && answered && !memcached_is(command, "mn"))
        reading_blurs(reading);
    flow->ends = answered || flow->state != GROUP;
    return PARSER_GOES_ON;
}

/* An answer of one line: an error, or that there was nothing. */
static void
answer(struct reading *reading, const struct memcached_words *words)
{
    static const char *const errors[] = { "ERROR", "CLIENT_ERROR", "SERVER_ERROR" };
    static const char *const misses[] = { "NOT_FOUND", "NOT_STORED", "EXISTS", "END", "EN", "NF", "NS", "EX" };
    const struct memcached_word *word = &words->word[0];
    bool failed = MEMCACHED_IS_ONE_OF(word, errors);
    char status[STATUS_ROOM] = "";
    if (failed || MEMCACHED_IS_ONE_OF(word, misses)) {
        memcpy(status, word->at, word->length);
        /* an END alone: no item */
        if (memcached_is(word, "END"))
            g_strlcpy(status, "miss", sizeof status);
    }
    reading_answers(reading, status, failed);
    /* After a bad data chunk there may be another ERROR. */
    if (memcached_is(word, "CLIENT_ERROR"))
        reading_repeats(reading);
}

static enum verdict
take_answer(struct reading *reading, struct flow *flow, const uint8_t *line, size_t length)
{
    static const char *const lists[] = { "VALUE", "STAT", "ITEM", "PREFIX", "CONFIG" };
    struct memcached_words words;
    uint64_t bytes = 0;
    memcached_split(line, length, &words);
    if (!memcached_is_answer(&words))
        return PARSER_IS_LOST;
    const struct memcached_word *word = &words.word[0];
    if (flow->state == START) {
        reading_sees(reading, memcached_looks_of_answer(&words));
        const struct request *request = reading_to_answer(reading);
        /* it goes on with the answer to quiet gets, or is one of its own */
        const bool may_be_part = !request && (memcached_is(word, "VA") || memcached_is(word, "HD"));
        if (may_be_part)
            reading_loses_order(reading);
        else
            answer(reading, &words);
        if (request && (uint16_t)request->note == ASKED_BY_GROUP)
            flow->state = GROUP;
    }
    if (memcached_is(word, "VALUE") || memcached_is(word, "CONFIG") || memcached_is(word, "VA")) {
        if (!memcached_number(&words, memcached_is(word, "VA") ? 1 : 3, &bytes))
            return PARSER_IS_LOST;
        flow->skip = bytes + LINE_END;
    }
    if (flow->state == GROUP) {
        flow->ends = memcached_is(word, "MN");
        return PARSER_GOES_ON;
    }
    flow->ends = !MEMCACHED_IS_ONE_OF(word, lists);
    flow->state = ITEMS;
    return PARSER_GOES_ON;
}

static enum verdict
take(struct reading *reading, bool from_client, const uint8_t *line, size_t length)
{
    struct flow *flow = reading_flow(reading, from_client);
    return from_client ? take_command(reading, flow, line, length) : take_answer(reading, flow, line, length);
}

const struct parser parser_memcached = {
    .protocol = PROTOCOL_MEMCACHED,
    .recognise = recognise,
    .recognise_answer = recognise_answer,
    .agrees = agrees,
    .is_certain = is_certain,
    .tells_client = tells_client,
    .may_begin = may_begin,
    .take = take,
    .least = 4,
    .operation = memcached_operation,
};
