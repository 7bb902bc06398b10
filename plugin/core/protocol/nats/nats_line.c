/* nats_line.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "nats_line.h"

#include <string.h>

#include <glib.h>

#include "../../request/operation.h"

/* The most that a server can be told to take (MAX_PAYLOAD_MAX_SIZE), and the digits of such a number. */
enum { PAYLOAD_MOST = 64 << 20, DIGITS_MOST = 8, WORDS_MOST = 5, SID_MOST = 32 };

enum { CLIENT = 1, SERVER = 2 };

/* In the order of enum nats_verb. */
static const struct {
    const char *name;
    uint8_t sides, words_least, words_most;
} verbs[] = {
    [NATS_CONNECT] = { "CONNECT", CLIENT, 1, 0 },
    [NATS_PUB] = { "PUB", CLIENT, 2, 3 },
    [NATS_HPUB] = { "HPUB", CLIENT, 3, 4 },
    [NATS_SUB] = { "SUB", CLIENT, 2, 3 },
    [NATS_UNSUB] = { "UNSUB", CLIENT, 1, 2 },
    [NATS_INFO] = { "INFO", SERVER, 1, 0 },
    [NATS_MSG] = { "MSG", SERVER, 3, 4 },
    [NATS_HMSG] = { "HMSG", SERVER, 4, 5 },
    [NATS_OK] = { "+OK", SERVER, 0, 0 },
    [NATS_ERR] = { "-ERR", SERVER, 1, 0 },
    [NATS_PING] = { "PING", CLIENT | SERVER, 0, 0 },
    [NATS_PONG] = { "PONG", CLIENT | SERVER, 0, 0 },
};

static bool
is_space(uint8_t byte)
{
    return byte == ' ' || byte == '\t';
}

/* Returns the verb, of that side, that is the line's first word; NATS_NONE if none is. */
static enum nats_verb
verb_of(const uint8_t *bytes, size_t length, bool from_client)
{
    size_t end = 0;
    while (end < length && !is_space(bytes[end]))
        end++;
    for (enum nats_verb verb = NATS_CONNECT; verb <= NATS_PONG; verb++)
        if (verbs[verb].sides & (from_client ? CLIENT : SERVER) && strlen(verbs[verb].name) == end &&
            g_ascii_strncasecmp((const char *)bytes, verbs[verb].name, end) == 0)
            return verb;
    return NATS_NONE;
}

/* Splits the text into words of printable bytes. Returns how many there are; WORDS_MOST + 1 if too many, or others. */
static unsigned
split(struct nats_word text, struct nats_word words[static WORDS_MOST])
{
    const uint8_t *at = text.at, *end = at + text.length;
    unsigned n = 0;
    for (;;) {
        while (at < end && is_space(*at))
            at++;
        if (at == end)
            return n;
        if (n == WORDS_MOST)
            return WORDS_MOST + 1;
        words[n].at = at;
        while (at<end && * at> ' ' && *at != 0x7f)
            at++;
        words[n].length = (size_t)(at - words[n].at);
        if (words[n++].length == 0)
            return WORDS_MOST + 1;
    }
}

static bool
take_number(struct nats_word word, uint32_t *number)
{
    *number = 0;
    if (word.length > DIGITS_MOST)
        return false;
    for (size_t i = 0; i < word.length; i++) {
        if (!g_ascii_isdigit(word.at[i]))
            return false;
        *number = *number * 10 + (uint32_t)(word.at[i] - '0');
    }
    return *number <= PAYLOAD_MOST;
}

static bool
is_sid(struct nats_word word)
{
    size_t i = 0;
    while (i < word.length && g_ascii_isalnum(word.at[i]))
        i++;
    return i == word.length && i <= SID_MOST;
}

/* Says what the words are: subject, subscription, reply, and the sizes at the end. */
static bool
take_words(struct nats_line *line, const struct nats_word *words, unsigned n)
{
    const bool has_header = line->verb == NATS_HPUB || line->verb == NATS_HMSG;
    const bool is_delivered = line->verb == NATS_MSG || line->verb == NATS_HMSG;
    uint32_t most;
    line->has_payload = has_header || is_delivered || line->verb == NATS_PUB;
    if (line->verb == NATS_UNSUB) {
        line->sid = words[0];
        return is_sid(line->sid) && (n == 1 || take_number(words[1], &most));
    }
    line->subject = words[0];
    if (line->verb == NATS_SUB) {
        line->sid = words[n - 1];
        return is_sid(line->sid);
    }
    const unsigned sizes = has_header ? 2 : 1, first = is_delivered ? 2 : 1;
    if (is_delivered)
        line->sid = words[1];
    if (n > first + sizes)
        line->reply = words[first];
    return is_sid(line->sid) && take_number(words[n - 1], &line->payload) &&
           (!has_header || (take_number(words[n - 2], &line->header) && line->header <= line->payload));
}

bool
nats_line_read(const uint8_t *bytes, size_t length, bool from_client, struct nats_line *line)
{
    struct nats_word words[WORDS_MOST];
    *line = (struct nats_line){ .verb = verb_of(bytes, length, from_client) };
    if (line->verb == NATS_NONE)
        return false;
    const size_t name = strlen(verbs[line->verb].name);
    size_t at = name;
    while (at < length && is_space(bytes[at]))
        at++;
    line->rest = (struct nats_word){ bytes + at, length - at };
    switch (line->verb) {
    case NATS_CONNECT:
    case NATS_INFO:
        return nats_word_begins(line->rest, "{");
    case NATS_ERR:
        return nats_word_begins(line->rest, "'");
    case NATS_OK:
    case NATS_PING:
    case NATS_PONG:
        return line->rest.length == 0;
    default: {
        const unsigned n = split(line->rest, words);
        return n >= verbs[line->verb].words_least && n <= verbs[line->verb].words_most && take_words(line, words, n);
    }
    }
}

bool
nats_line_may_begin(const uint8_t *bytes, size_t length, bool from_client)
{
    for (enum nats_verb verb = NATS_CONNECT; verb <= NATS_PONG; verb++) {
        const size_t name = strlen(verbs[verb].name), compared = MIN(name, length);
        if (verbs[verb].sides & (from_client ? CLIENT : SERVER) &&
            g_ascii_strncasecmp((const char *)bytes, verbs[verb].name, compared) == 0 &&
            (length <= name || is_space(bytes[name]) || (bytes[name] == '\r' && verbs[verb].words_least == 0)))
            return true;
    }
    return false;
}

bool
nats_word_begins(struct nats_word word, const char *text)
{
    return word.length >= strlen(text) && memcmp(word.at, text, strlen(text)) == 0;
}

const uint8_t *
nats_find(struct nats_word word, const char *text)
{
    const size_t length = strlen(text);
    for (; word.length >= length; word.at++, word.length--)
        if (memcmp(word.at, text, length) == 0)
            return word.at;
    return NULL;
}

uint32_t
nats_number(struct nats_word word)
{
    uint32_t number = 0;
    while (word.length > 0 && is_space(*word.at))
        word.at++, word.length--;
    for (size_t i = 0; i < MIN(word.length, (size_t)DIGITS_MOST) && g_ascii_isdigit(word.at[i]); i++)
        number = number * 10 + (uint32_t)(word.at[i] - '0');
    return number;
}

void
nats_put_subject(struct operation_writer *writer, struct nats_word subject)
{
    static const char inbox[] = "_INBOX.";
    if (subject.length == 0)
        return;
    const uint8_t *at = subject.at, *end = at + subject.length;
    if (nats_word_begins(subject, inbox)) {
        operation_put_text(writer, inbox);
        operation_put_text(writer, "{n}");
        return;
    }
    while (at < end) {
        const uint8_t *dot = memchr(at, '.', (size_t)(end - at)), *token_end = dot ? dot : end, *digit = at;
        while (digit < token_end && g_ascii_isdigit(*digit))
            digit++;
        if (digit == token_end && digit > at)
            operation_put_text(writer, "{n}");
        else
            operation_put(writer, at, (size_t)(token_end - at));
        if (dot)
            operation_put_text(writer, ".");
        at = dot ? dot + 1 : end;
    }
}
