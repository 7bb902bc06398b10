/* tokens.h
 * A line of JSON as its values, one behind the other: an object is followed by its names and values, an array by its
 * elements. What is no JSON (RFC 8259), or has a NUL in a text, is refused. Time grows with the line's length alone,
 * which that of wsutil's json_parse() does not: for each array it goes back to the one around it
 * (tests/bench/reading.c).
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_TOKENS_H
#define LATENCY_TOKENS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* TOKEN_NUMBER is one that is not whole, or does not fit an int64_t. */
enum token_kind {
    TOKEN_OBJECT,
    TOKEN_ARRAY,
    TOKEN_TEXT,
    TOKEN_INTEGER,
    TOKEN_NUMBER,
    TOKEN_TRUE,
    TOKEN_FALSE,
    TOKEN_NULL
};

struct token {
    uint8_t kind;    /* enum token_kind */
    bool escaped;    /* a text with escapes in it, not yet read */
    uint32_t size;   /* how many tokens it comes to, with all that is in it */
    uint32_t length; /* of a text, in bytes; of an array, its elements; of an object, its members */
    union {
        int64_t integer;
        char *text; /* in the line, without its end; token_text() has it */
    };
};

/* All zero at first; tokens_clear() when done with it. */
struct tokens {
    struct token *all; /* the first is the line's value */
    unsigned count, room;
};

/* What a line is. */
enum tokens_result { TOKENS_ONE, TOKENS_SEVERAL, TOKENS_TOO_DEEP, TOKENS_NONE };

/* Reads a line, which ends with a NUL. Texts are borrowed from it. TOKENS_NONE if it is no JSON: then `*wrong` is the
 * place of the first byte that cannot stand there. */
enum tokens_result tokens_read(struct tokens *tokens, char *line, size_t length, size_t *wrong);
void tokens_clear(struct tokens *tokens);

/* A text, with its escapes read: this changes the line. */
const char *token_text(struct token *token);

bool token_is(const struct token *token, const char *text);

/* The first value in an object or an array that has any; of an object it is a name. And the one behind a value. */
static inline struct token *
token_first(struct token *token)
{
    return token + 1;
}

static inline struct token *
token_next(struct token *token)
{
    return token + token->size;
}

#endif
