/* sql_ids.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "sql_ids.h"

#include <string.h>

#include <glib.h>

/* What is found in comments: words that only look like ids may be many, so that ids of traces come first. */
struct found {
    struct found_ids traces, texts;
};

/* A word of a comment, of letters, digits, - and _; the last byte says that it is too long. */
struct word {
    uint8_t text[ID_MOST + 1];
    size_t length;
};

static void
take_word(const struct word *word, struct found *found)
{
    enum { TEXT_LEAST = 8 };
    bool has_digit = false;
    if (word->length < TEXT_LEAST || word->length > ID_MOST ||
        id_found_traceparent(&found->traces, word->text, word->length))
        return;
    for (size_t i = 0; i < word->length; i++)
        has_digit |= g_ascii_isdigit((char)word->text[i]);
    if (has_digit)
        id_found(&found->texts, ID_TEXT, word->text, word->length);
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
take_comment(const uint8_t *at, const uint8_t *end, bool is_cut_before, bool is_cut_behind, struct found *found)
{
    bool is_whole = !is_cut_before;
    struct word word;
    word.length = 0;
    while (at < end) {
        const uint8_t byte = take_byte(&at, end);
        if (g_ascii_isalnum((char)byte) || byte == '-' || byte == '_') {
            word.text[MIN(word.length, ID_MOST)] = byte;
            word.length += word.length <= ID_MOST;
            continue;
        }
        if (is_whole)
            take_word(&word, found);
        word.length = 0;
        is_whole = true;
    }
    if (is_whole && !is_cut_behind)
        take_word(&word, found);
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
    const uint8_t *block = find(at, end, "/*"), *line = find(at, block ? block : end, "--");
    while (line && line > text && !g_ascii_isspace((char)line[-1]))
        line = find(line + 1, block ? block : end, "--");
    return line ? line : block;
}

static void
take_comments(const uint8_t *text, size_t length, bool begins, bool ends, struct found *found)
{
    const uint8_t *at = text, *end = text + length;
    const uint8_t *closed = begins ? NULL : find(text, end, "*/"), *opened = find(text, end, "/*");
    /* it has begun before */
    if (closed && (!opened || closed < opened)) {
        take_comment(text, closed, true, false, found);
        at = closed + 2;
    }
    while ((at = find_comment(text, at, end))) {
        const bool is_line = *at == '-';
        const uint8_t *behind = is_line ? memchr(at, '\n', (size_t)(end - at)) : find(at + 2, end, "*/");
        take_comment(at + 2, behind ? behind : end, false, !behind && !ends, found);
        if (!behind)
            return;
        at = behind + 1;
    }
}

void
sql_find_ids(const uint8_t *text, size_t length, bool begins, bool ends, struct found_ids *found)
{
    struct found in_comments = { .traces.count = 0 };
    take_comments(text, length, begins, ends, &in_comments);
    ids_found(found, &in_comments.traces);
    ids_found(found, &in_comments.texts);
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
