/* summary_lines.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "summary_lines.h"

enum { INDENT = 3, GAP = 2 };

struct paragraph {
    unsigned importance;
    char *text, *command;
    GPtrArray *lines; /* of char * */
};

struct summary_lines {
    GPtrArray *paragraphs; /* of struct paragraph */
};

static void
free_paragraph(void *data)
{
    struct paragraph *paragraph = data;
    g_ptr_array_free(paragraph->lines, TRUE);
    g_free(paragraph->text);
    g_free(paragraph->command);
    g_free(paragraph);
}

struct summary_lines *
summary_lines_new(void)
{
    struct summary_lines *lines = g_new(struct summary_lines, 1);
    lines->paragraphs = g_ptr_array_new_with_free_func(free_paragraph);
    return lines;
}

void
summary_lines_free(struct summary_lines *lines)
{
    g_ptr_array_free(lines->paragraphs, TRUE);
    g_free(lines);
}

/* Returns the text with plain blanks, to be freed with g_free(). */
static char *
plain(const char *text)
{
    GString *plain = g_string_new(text);
    g_string_replace(plain, SUMMARY_BLANK, " ", 0);
    return g_string_free(plain, FALSE);
}

static unsigned
width_of(const char *text)
{
    return (unsigned)g_utf8_strlen(text, -1);
}

/* Breaks a text into lines; all but the first are indented. */
static GPtrArray *
wrap(const char *text)
{
    GPtrArray *lines = g_ptr_array_new_with_free_func(g_free);
    GString *line = g_string_new(NULL);
    char **words = g_strsplit(text, " ", -1);
    for (char **word = words; *word; word++) {
        if (word > words && width_of(line->str) + 1 + width_of(*word) > SUMMARY_COLUMNS) {
            g_ptr_array_add(lines, plain(line->str));
            g_string_printf(line, "%*s%s", INDENT, "", *word);
        } else {
            g_string_append_printf(line, "%s%s", word > words ? " " : "", *word);
        }
    }
    g_ptr_array_add(lines, plain(line->str));
    g_string_free(line, TRUE);
    g_strfreev(words);
    return lines;
}

static void
add_command(GPtrArray *lines, const char *command)
{
    char **last = (char **)&g_ptr_array_index(lines, lines->len - 1);
    const unsigned width = width_of(command);
    if (width_of(*last) + GAP + width > SUMMARY_COLUMNS) {
        g_ptr_array_add(lines, g_strdup_printf("%*s%s", (int)(SUMMARY_COLUMNS - width), "", command));
        return;
    }
    char *whole = g_strdup_printf("%s%*s%s", *last, (int)(SUMMARY_COLUMNS - width_of(*last) - width), "", command);
    g_free(*last);
    *last = whole;
}

void
summary_lines_add(struct summary_lines *lines, unsigned importance, const char *text, const char *command)
{
    struct paragraph *paragraph = g_new(struct paragraph, 1);
    *paragraph = (struct paragraph){ importance, plain(text), g_strdup(command ? command : ""), wrap(text) };
    if (command)
        add_command(paragraph->lines, command);
    g_ptr_array_add(lines->paragraphs, paragraph);
}

static const struct paragraph *
paragraph_at(const struct summary_lines *lines, unsigned i)
{
    return g_ptr_array_index(lines->paragraphs, i);
}

unsigned
summary_lines_count(const struct summary_lines *lines)
{
    return lines->paragraphs->len;
}

const char *
summary_lines_text(const struct summary_lines *lines, unsigned i)
{
    return paragraph_at(lines, i)->text;
}

const char *
summary_lines_command(const struct summary_lines *lines, unsigned i)
{
    return paragraph_at(lines, i)->command;
}

/* Returns how important a paragraph must be to stand, so that no more than `most` lines do. */
static unsigned
least_important(const struct summary_lines *lines, unsigned most)
{
    for (unsigned least = 0;; least++) {
        unsigned count = 0;
        for (unsigned i = 0; i < lines->paragraphs->len; i++)
            if (paragraph_at(lines, i)->importance >= least)
                count += paragraph_at(lines, i)->lines->len;
        if (count <= most)
            return least;
    }
}

char **
summary_lines_make(const struct summary_lines *lines, unsigned taken)
{
    const unsigned least = least_important(lines, SUMMARY_LINES - MIN(taken, SUMMARY_LINES));
    GPtrArray *made = g_ptr_array_new();
    for (unsigned i = 0; i < lines->paragraphs->len; i++) {
        const struct paragraph *paragraph = paragraph_at(lines, i);
        for (unsigned line = 0; paragraph->importance >= least && line < paragraph->lines->len; line++)
            g_ptr_array_add(made, g_strdup(g_ptr_array_index(paragraph->lines, line)));
    }
    g_ptr_array_add(made, NULL);
    return (char **)g_ptr_array_free(made, FALSE);
}
