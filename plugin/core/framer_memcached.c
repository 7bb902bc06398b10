/* framer_memcached.c
 * memcached's text and meta commands: memcached doc/protocol.txt.
 *
 * Quiet meta gets are answered only when they hit: they and the `mn` that ends them are one request, as a get of many
 * keys is.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "framer.h"

#include <string.h>

#include "operation.h"

enum { LINE_END = 2, WORDS = 24 };
enum state { START, GROUP /* quiet gets before this, or answers to them */, ITEMS /* more lines, to END */ };
enum note { ASKED, ASKED_BY_GROUP };

/* A line's words. */
struct words {
    struct word {
        const uint8_t *at;
        size_t length;
    } word[WORDS];
    unsigned count;
    struct word last;
};

static void
split(const uint8_t *line, size_t length, struct words *words)
{
    *words = (struct words){ .count = 0 };
    for (size_t at = 0; at < length;) {
        size_t begin = at;
        while (at < length && line[at] != ' ')
            at++;
        if (at > begin) {
            words->last = (struct word){ line + begin, at - begin };
            if (words->count < WORDS)
                words->word[words->count++] = words->last;
        }
        at++;
    }
}

static bool
is(const struct word *word, const char *text)
{
    return word->length == strlen(text) && memcmp(word->at, text, word->length) == 0;
}

static bool
is_one_of(const struct word *word, const char *const *texts, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (is(word, texts[i]))
            return true;
    return false;
}

#define IS_ONE_OF(word, texts) is_one_of(word, texts, G_N_ELEMENTS(texts))

static const char *const storing[] = { "set", "add", "replace", "append", "prepend", "cas" };
static const char *const getting[] = { "get", "gets", "gat", "gats" };
static const char *const changing[] = { "incr", "decr", "touch", "delete", "flush_all", "verbosity", "cache_memlimit" };
static const char *const meta[] = { "mg", "md", "ma", "me" };
static const char *const alone[] = { "version", "mn", "quit", "stats" };
static const char *const rare[] = { "slabs", "lru", "lru_crawler" };

/* False if word `i` is no number. */
static bool
read_bytes(const struct words *words, unsigned i, uint64_t *bytes)
{
    *bytes = 0;
    if (i >= words->count || words->word[i].length > 18)
        return false;
    for (size_t at = 0; at < words->word[i].length; at++) {
        if (!g_ascii_isdigit(words->word[i].at[at]))
            return false;
        *bytes = *bytes * 10 + (uint64_t)(words->word[i].at[at] - '0');
    }
    return true;
}

static bool
recognise(const uint8_t *bytes, size_t length)
{
    struct words words;
    const uint8_t *end = length > 0 && g_ascii_islower(*bytes) ? memchr(bytes, '\n', length) : NULL;
    uint64_t size;
    if (!end || end == bytes || end[-1] != '\r')
        return false;
    split(bytes, MIN((size_t)(end - bytes) - 1, PIECE_BYTES), &words);
    const struct word *command = &words.word[0];
    if (IS_ONE_OF(command, storing))
        return read_bytes(&words, 2, &size) && read_bytes(&words, 4, &size);
    if (is(command, "ms"))
        return read_bytes(&words, 2, &size);
    if (IS_ONE_OF(command, getting) || IS_ONE_OF(command, meta) || IS_ONE_OF(command, changing))
        return words.count > 1;
    return IS_ONE_OF(command, alone);
}

static bool
recognise_answer(const uint8_t *bytes, size_t length)
{
    return length > 0 && (g_ascii_isupper(*bytes) || g_ascii_isdigit(*bytes));
}

static bool
is_quiet(const struct words *words, unsigned first_flag)
{
    for (unsigned i = first_flag; i < words->count; i++)
        if (is(&words->word[i], "q"))
            return true;
    return false;
}

static void
ask(struct reading *reading, struct flow *flow, const uint8_t *line, size_t length, enum note note)
{
    char text[OPERATION_ROOM], operation[OPERATION_ROOM];
    size_t bytes = MIN(length, PIECE_BYTES - 2);
    uint8_t whole[PIECE_BYTES];
    if (flow->has_message)
        return;
    memcpy(whole, line, bytes);
    memcpy(whole + bytes, "\r\n", LINE_END);
    if (operation_read(whole, bytes + LINE_END, text) == 0) {
        g_strlcpy(operation, (const char *)line, MIN(length + 1, sizeof operation));
        operation[strcspn(operation, " ")] = '\0';
        operation_of(operation, "", text);
    }
    reading_asks(reading, text, (uint8_t)note);
}

/* Whether there is an answer in any case. */
static enum verdict
take_command(struct reading *reading, struct flow *flow, const uint8_t *line, size_t length)
{
    struct words words;
    uint64_t bytes = 0;
    split(line, length, &words);
    const struct word *command = &words.word[0];
    bool stores = words.count > 0 && IS_ONE_OF(command, storing), is_ms = words.count > 0 && is(command, "ms");
    bool answered = true;
    if (words.count == 0)
        return FRAMER_IS_LOST;
    if (stores) {
        if (!read_bytes(&words, 4, &bytes))
            return FRAMER_IS_LOST;
        flow->skip = bytes + LINE_END;
    } else if (is_ms) {
        if (!read_bytes(&words, 2, &bytes))
            return FRAMER_IS_LOST;
        flow->skip = bytes + LINE_END;
        answered = !is_quiet(&words, 3);
    } else if (IS_ONE_OF(command, meta)) {
        answered = !is_quiet(&words, 2);
        if (is(command, "mg") && !answered) {
            ask(reading, flow, line, length, ASKED_BY_GROUP);
            flow->state = GROUP;
            return FRAMER_GOES_ON;
        }
    } else if (!IS_ONE_OF(command, getting) && !IS_ONE_OF(command, changing) && !IS_ONE_OF(command, alone) &&
               !IS_ONE_OF(command, rare)) {
        return FRAMER_IS_LOST;
    }
    if (is(&words.last, "noreply") || is(command, "quit"))
        answered = false;
    /* Only `mn` shows where the answers to quiet gets end. */
    if (flow->state == GROUP && answered && !is(command, "mn"))
        reading_doubts(reading);
    if (answered)
        ask(reading, flow, line, length, ASKED);
    flow->ends = answered || flow->state != GROUP;
    return FRAMER_GOES_ON;
}

/* An answer of one line: an error, or that there was nothing. */
static void
answer(struct reading *reading, const struct words *words)
{
    static const char *const errors[] = { "ERROR", "CLIENT_ERROR", "SERVER_ERROR" };
    static const char *const misses[] = { "NOT_FOUND", "NOT_STORED", "EXISTS", "END", "EN", "NF", "NS", "EX" };
    const struct word *word = &words->word[0];
    bool failed = IS_ONE_OF(word, errors);
    char status[STATUS_ROOM] = "";
    if (failed || IS_ONE_OF(word, misses)) {
        memcpy(status, word->at, word->length);
        /* an END alone: no item */
        if (is(word, "END"))
            g_strlcpy(status, "miss", sizeof status);
    }
    reading_answers(reading, status, failed);
    /* After a bad data chunk there may be another ERROR. */
    if (is(word, "CLIENT_ERROR"))
        reading_doubts(reading);
}

static bool
is_answer(const struct words *words)
{
    static const char *const answers[] = {
        "STORED",       "NOT_STORED", "EXISTS", "NOT_FOUND", "DELETED", "TOUCHED", "OK",     "RESET",
        "VERSION",      "END",        "HD",     "EN",        "NF",      "NS",      "EX",     "ME",
        "MN",           "VA",         "VALUE",  "STAT",      "ITEM",    "PREFIX",  "CONFIG", "CLIENT_ERROR",
        "SERVER_ERROR", "ERROR",      "BUSY",   "BADCLASS",  "NOSPARE", "NOTFULL", "UNSAFE", "SAME",
    };
    uint64_t number;
    return words->count > 0 && (IS_ONE_OF(&words->word[0], answers) || read_bytes(words, 0, &number));
}

static enum verdict
take_answer(struct reading *reading, struct flow *flow, const uint8_t *line, size_t length)
{
    static const char *const lists[] = { "VALUE", "STAT", "ITEM", "PREFIX", "CONFIG" };
    struct words words;
    uint64_t bytes = 0;
    split(line, length, &words);
    if (!is_answer(&words))
        return FRAMER_IS_LOST;
    const struct word *word = &words.word[0];
    if (flow->state == START) {
        const struct request *request = reading_first(reading);
        bool of_group = request && request->note == ASKED_BY_GROUP;
        answer(reading, &words);
        if (of_group)
            flow->state = GROUP;
    }
    if (is(word, "VALUE") || is(word, "CONFIG") || is(word, "VA")) {
        if (!read_bytes(&words, is(word, "VA") ? 1 : 3, &bytes))
            return FRAMER_IS_LOST;
        flow->skip = bytes + LINE_END;
    }
    if (flow->state == GROUP) {
        flow->ends = is(word, "MN");
        return FRAMER_GOES_ON;
    }
    flow->ends = !IS_ONE_OF(word, lists);
    flow->state = ITEMS;
    return FRAMER_GOES_ON;
}

static enum verdict
take(struct reading *reading, bool from_client, const uint8_t *line, size_t length)
{
    struct flow *flow = reading_flow(reading, from_client);
    return from_client ? take_command(reading, flow, line, length) : take_answer(reading, flow, line, length);
}

const struct framer framer_memcached = {
    .kind = FRAMING_MEMCACHED, .recognise = recognise, .recognise_answer = recognise_answer, .take = take
};
