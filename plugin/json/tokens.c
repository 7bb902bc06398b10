/* tokens.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "tokens.h"

#include <string.h>

#include <glib.h>

/* The deepest objects of docs/json.md have 4. */
enum { DEEPEST = 16, FIRST_ROOM = 256 };

struct reading {
    struct tokens *tokens;
    char *at, *end;
    unsigned open[DEEPEST]; /* objects and arrays that have not ended, by their numbers */
    unsigned depth;
    bool is_too_deep;
};

/* Borrowed until the next one is added. */
static struct token *
add(struct reading *reading, enum token_kind kind)
{
    struct tokens *tokens = reading->tokens;
    if (tokens->count == tokens->room) {
        tokens->room = tokens->room ? 2 * tokens->room : FIRST_ROOM;
        tokens->all = g_renew(struct token, tokens->all, tokens->room);
    }
    struct token *token = &tokens->all[tokens->count++];
    *token = (struct token){ .kind = (uint8_t)kind, .size = 1 };
    return token;
}

static void
skip_spaces(struct reading *reading)
{
    while (*reading->at == ' ' || *reading->at == '\t' || *reading->at == '\n' || *reading->at == '\r')
        reading->at++;
}

/* Four hexadecimal digits; -1 if they are none. */
static int
read_unit(const char *at)
{
    int unit = 0;
    for (unsigned i = 0; i < 4; i++) {
        if (!g_ascii_isxdigit(at[i]))
            return -1;
        unit = unit << 4 | g_ascii_xdigit_value(at[i]);
    }
    return unit;
}

static bool
is_high(int unit)
{
    return unit >= 0xd800 && unit < 0xdc00;
}

static bool
is_low(int unit)
{
    return unit >= 0xdc00 && unit < 0xe000;
}

/* How many bytes an escape has: 0 if it is none. Of \u a character that there is, and not NUL. */
static unsigned
escape_length(const char *escape)
{
    enum { LETTER = 2, UNIT = 6, PAIR = 2 * UNIT };
    const char *at = escape + 1;
    if (*at != 'u')
        return *at && strchr("\"\\/bfnrt", *at) ? LETTER : 0;
    const int unit = read_unit(at + 1);
    if (!is_high(unit))
        return unit > 0 && !is_low(unit) ? UNIT : 0;
    return at[5] == '\\' && at[6] == 'u' && is_low(read_unit(at + 7)) ? PAIR : 0;
}

/* Goes behind what a text has up to its quote, or to what cannot stand there. `*is_ascii`: it has ASCII alone. */
static bool
skip_text(struct reading *reading, bool *escaped, bool *is_ascii)
{
    unsigned char all = 0;
    while (*reading->at != '"') {
        const unsigned char byte = (unsigned char)*reading->at;
        const unsigned length = byte == '\\' ? escape_length(reading->at) : byte >= ' ';
        if (length == 0)
            return false;
        *escaped |= byte == '\\';
        all |= byte;
        reading->at += length;
    }
    *is_ascii = all < 0x80;
    return true;
}

static bool
read_text(struct reading *reading)
{
    struct token *token = add(reading, TOKEN_TEXT);
    const char *wrong;
    bool is_ascii;
    token->text = ++reading->at;
    if (!skip_text(reading, &token->escaped, &is_ascii))
        return false;
    token->length = (uint32_t)(reading->at - token->text);
    if (!is_ascii && !g_utf8_validate(token->text, token->length, &wrong)) {
        reading->at = token->text + (wrong - token->text); /* where UTF-8 ends */
        return false;
    }
    reading->at++;
    return true;
}

static bool
skip_digits(struct reading *reading)
{
    const char *begin = reading->at;
    while (g_ascii_isdigit(*reading->at))
        reading->at++;
    return reading->at > begin;
}

/* An integer's digits. False if it does not fit; then it is a number all the same. */
static bool
integer_of(const char *digits, const char *end, bool negative, int64_t *integer)
{
    *integer = 0;
    for (; digits < end; digits++) {
        const int digit = negative ? -(*digits - '0') : *digits - '0';
        if (__builtin_mul_overflow(*integer, 10, integer) || __builtin_add_overflow(*integer, digit, integer))
            return false;
    }
    return true;
}

static bool
read_number(struct reading *reading)
{
    struct token *token = add(reading, TOKEN_INTEGER);
    const bool negative = *reading->at == '-';
    reading->at += negative;
    char *digits = reading->at;
    if (!skip_digits(reading))
        return false;
    if (*digits == '0' && reading->at > digits + 1) {
        reading->at = digits + 1;
        return false;
    }
    bool fits = integer_of(digits, reading->at, negative, &token->integer);
    if (*reading->at == '.') {
        fits = false;
        reading->at++;
        if (!skip_digits(reading))
            return false;
    }
    if (*reading->at == 'e' || *reading->at == 'E') {
        fits = false;
        reading->at++;
        reading->at += *reading->at == '+' || *reading->at == '-';
        if (!skip_digits(reading))
            return false;
    }
    token->kind = fits ? TOKEN_INTEGER : TOKEN_NUMBER;
    return true;
}

static bool
read_word(struct reading *reading)
{
    static const struct {
        const char *word;
        enum token_kind kind;
    } words[] = { { "true", TOKEN_TRUE }, { "false", TOKEN_FALSE }, { "null", TOKEN_NULL } };
    for (unsigned i = 0; i < G_N_ELEMENTS(words); i++) {
        if (strncmp(reading->at, words[i].word, strlen(words[i].word)) != 0)
            continue;
        add(reading, words[i].kind);
        reading->at += strlen(words[i].word);
        return true;
    }
    return false;
}

static bool
read_scalar(struct reading *reading)
{
    if (*reading->at == '"')
        return read_text(reading);
    return *reading->at == '-' || g_ascii_isdigit(*reading->at) ? read_number(reading) : read_word(reading);
}

static struct token *
innermost(const struct reading *reading)
{
    return &reading->tokens->all[reading->open[reading->depth - 1]];
}

/* Where another value of the innermost object or array begins: goes to it, of an object behind its name. */
static bool
begin_value(struct reading *reading)
{
    struct token *within = innermost(reading);
    within->length++;
    skip_spaces(reading);
    if (within->kind == TOKEN_ARRAY)
        return true;
    if (*reading->at != '"' || !read_text(reading))
        return false;
    skip_spaces(reading);
    if (*reading->at != ':')
        return false;
    reading->at++;
    skip_spaces(reading);
    return true;
}

static char
closing(const struct reading *reading)
{
    return innermost(reading)->kind == TOKEN_OBJECT ? '}' : ']';
}

/* Begins an object or an array, at whose bracket it is. `*is_empty`: it has ended, too. */
static bool
open(struct reading *reading, bool *is_empty)
{
    reading->is_too_deep = reading->depth == DEEPEST;
    if (reading->is_too_deep)
        return false;
    reading->open[reading->depth++] = reading->tokens->count;
    add(reading, *reading->at++ == '{' ? TOKEN_OBJECT : TOKEN_ARRAY);
    skip_spaces(reading);
    *is_empty = *reading->at == closing(reading);
    return *is_empty || begin_value(reading);
}

/* Behind a value: ends what ends there. False if something cannot stand there; `*ends` if there is nothing more. */
static bool
close_all(struct reading *reading, bool *ends)
{
    for (;;) {
        *ends = reading->depth == 0;
        skip_spaces(reading);
        if (*ends)
            return true;
        if (*reading->at == ',') {
            reading->at++;
            return begin_value(reading);
        }
        if (*reading->at != closing(reading))
            return false;
        struct token *within = innermost(reading);
        within->size = (uint32_t)(&reading->tokens->all[reading->tokens->count] - within);
        reading->depth--;
        reading->at++;
    }
}

static bool
read_value(struct reading *reading)
{
    for (bool ends = false; !ends;) {
        const bool opens = *reading->at == '{' || *reading->at == '[';
        bool is_empty = false;
        if (!(opens ? open(reading, &is_empty) : read_scalar(reading)))
            return false;
        if ((!opens || is_empty) && !close_all(reading, &ends))
            return false;
    }
    return true;
}

enum tokens_result
tokens_read(struct tokens *tokens, char *line, size_t length, size_t *wrong)
{
    struct reading reading = { .tokens = tokens, .at = line, .end = line + length };
    tokens->count = 0;
    skip_spaces(&reading);
    const bool is_right = length < UINT32_MAX && read_value(&reading);
    *wrong = (size_t)(reading.at - line);
    if (reading.is_too_deep)
        return TOKENS_TOO_DEEP;
    if (!is_right)
        return TOKENS_NONE;
    return reading.at == reading.end ? TOKENS_ONE : TOKENS_SEVERAL;
}

void
tokens_clear(struct tokens *tokens)
{
    g_free(tokens->all);
    *tokens = (struct tokens){ 0 };
}

/* Writes what an escape at `*from` stands for, which is never longer, and goes behind it. */
static char *
unescape(const char **from, char *to)
{
    static const char letters[] = "bfnrt", means[] = "\b\f\n\r\t";
    const char *at = *from + 1;
    const char *letter = strchr(letters, *at);
    *from += 2;
    if (*at != 'u') {
        *to = letter ? means[letter - letters] : *at;
        return to + 1;
    }
    int unit = read_unit(at + 1);
    *from += 4;
    if (is_high(unit)) {
        unit = 0x10000 + ((unit - 0xd800) << 10) + (read_unit(at + 7) - 0xdc00);
        *from += 6;
    }
    return to + g_unichar_to_utf8((gunichar)unit, to);
}

const char *
token_text(struct token *token)
{
    if (token->escaped) {
        const char *from = token->text, *end = from + token->length;
        char *to = token->text;
        while (from < end) {
            if (*from == '\\')
                to = unescape(&from, to);
            else
                *to++ = *from++;
        }
        token->length = (uint32_t)(to - token->text);
        token->escaped = false;
    }
    token->text[token->length] = '\0';
    return token->text;
}

bool
token_is(const struct token *token, const char *text)
{
    return strncmp(text, token->text, token->length) == 0 && text[token->length] == '\0';
}
