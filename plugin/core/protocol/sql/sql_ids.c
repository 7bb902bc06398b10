/* sql_ids.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "sql_ids.h"

#include <string.h>

#include <glib.h>

/* What is looked for in a comment, first of all the ids of traces: words that only look like ids may be many. */
enum wanted { WANTED_TRACES, WANTED_TEXTS, WANTED };

/* A word of a comment, of letters, digits, - and _; the last byte says that it is too long. */
struct word {
    uint8_t text[ID_MOST + 1];
    size_t length;
};

static void
take_word(const struct word *word, enum wanted wanted, struct found_ids *found)
{
    enum { TEXT_LEAST = 8 };
    struct found_ids trace = { .count = 0 };
    bool has_digit = false;
    if (word->length < TEXT_LEAST || word->length > ID_MOST)
        return;
    if (id_found_traceparent(&trace, word->text, word->length)) {
        if (wanted == WANTED_TRACES)
            ids_found(found, &trace);
        return;
    }
    for (size_t i = 0; i < word->length; i++)
        has_digit |= g_ascii_isdigit((char)word->text[i]);
    if (wanted == WANTED_TEXTS && has_digit)
        id_found(found, ID_TEXT, word->text, word->length);
}

/* Takes a byte, which may be encoded as in URLs: sqlcommenter's are. */
static uint8_t
take_byte(const uint8_t **at, const uint8_t *end)
{
    const uint8_t *byte = *at;
    if (*byte == '%' && end - byte > 2 && g_ascii_isxdigit((char)byte[1]) && g_ascii_isxdigit((char)byte[2])) {
        *at += 3;
        return (uint8_t)(g_ascii_xdigit_value((char)byte[1]) * 16 + g_ascii_xdigit_value((char)byte[2]));
    }
    ++*at;
    return *byte;
}

/* `is_cut`: the word at its beginning, or at its end, may be a part of one. */
static void
take_comment(const uint8_t *at, const uint8_t *end, bool is_cut_before, bool is_cut_behind, enum wanted wanted,
             struct found_ids *found)
{
    struct word word = { .length = 0 };
    bool is_whole = !is_cut_before;
    while (at < end) {
        const uint8_t byte = take_byte(&at, end);
        if (g_ascii_isalnum((char)byte) || byte == '-' || byte == '_') {
            word.text[MIN(word.length, ID_MOST)] = byte;
            word.length += word.length <= ID_MOST;
            continue;
        }
        if (is_whole)
            take_word(&word, wanted, found);
        word.length = 0;
        is_whole = true;
    }
    if (is_whole && !is_cut_behind)
        take_word(&word, wanted, found);
}

static const uint8_t *
find(const uint8_t *at, const uint8_t *end, const char pair[static 2])
{
    while (end - at > 1 && (at = memchr(at, pair[0], (size_t)(end - at - 1)))) {
        if (at[1] == (uint8_t)pair[1])
            return at;
        at++;
    }
    return NULL;
}

/* Returns where the next comment begins, from its two bytes on; NULL if there is none. */
static const uint8_t *
find_comment(const uint8_t *text, const uint8_t *at, const uint8_t *end)
{
    for (; end - at > 1; at++)
        if ((at[0] == '/' && at[1] == '*') ||
            (at[0] == '-' && at[1] == '-' && (at == text || g_ascii_isspace((char)at[-1]))))
            return at;
    return NULL;
}

static void
take_comments(const uint8_t *text, size_t length, bool begins, bool ends, enum wanted wanted, struct found_ids *found)
{
    const uint8_t *at = text, *end = text + length;
    const uint8_t *closed = begins ? NULL : find(text, end, "*/"), *opened = find(text, end, "/*");
    /* it has begun before */
    if (closed && (!opened || closed < opened)) {
        take_comment(text, closed, true, false, wanted, found);
        at = closed + 2;
    }
    while ((at = find_comment(text, at, end))) {
        const bool is_line = *at == '-';
        const uint8_t *behind = is_line ? memchr(at, '\n', (size_t)(end - at)) : find(at + 2, end, "*/");
        take_comment(at + 2, behind ? behind : end, false, !behind && !ends, wanted, found);
        if (!behind)
            return;
        at = behind + 1;
    }
}

void
sql_find_ids(const uint8_t *text, size_t length, bool begins, bool ends, struct found_ids *found)
{
    for (unsigned wanted = 0; wanted < WANTED; wanted++)
        take_comments(text, length, begins, ends, (enum wanted)wanted, found);
}

void
sql_ids_take(struct reading *reading, struct sql_ids **ids, const uint8_t *text, size_t length, int64_t end)
{
    const int64_t at = reading_flow(reading, true)->at;
    if (!*ids)
        *ids = wmem_new0(reading_scope(reading), struct sql_ids);
    sql_find_ids(text, length, true, end == at, &(*ids)->found);
    (*ids)->from = at - (int64_t)length;
    (*ids)->end = end > at ? end : 0;
    if (end > at)
        reading_keeps_last(reading, text, length, end);
}

void
sql_ids_take_end(struct reading *reading, struct sql_ids *ids, int64_t end)
{
    uint8_t last[LAST_ROOM];
    if (ids->end == 0)
        return;
    const size_t length = reading_last(reading, ids->from, end, last);
    sql_find_ids(last, length, false, true, &ids->found);
    ids->end = 0;
}
