/* summary_lines.h
 * Text of a few lines for a terminal: paragraphs, of which the least important are left out if they are too many.
 *
 * A line is not broken at SUMMARY_BLANK, which is printed as a blank.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_SUMMARY_LINES_H
#define LATENCY_SUMMARY_LINES_H

#include <glib.h>

enum { SUMMARY_LINES = 20, SUMMARY_COLUMNS = 80 };

#define SUMMARY_BLANK "\u00a0"

struct summary_lines;

struct summary_lines *summary_lines_new(void);
void summary_lines_free(struct summary_lines *lines);

/* Adds a paragraph, which is copied: the higher `importance`, the later it is left out. `command` stands at the right
 * of its last line, or of one more if there is no room; NULL: there is none. No word of either has more than
 * SUMMARY_COLUMNS characters. */
void summary_lines_add(struct summary_lines *lines, unsigned importance, const char *text, const char *command);

/* Returns how many paragraphs there are; the text of one, and its command, "" if it has none. */
unsigned summary_lines_count(const struct summary_lines *lines);
const char *summary_lines_text(const struct summary_lines *lines, unsigned i);
const char *summary_lines_command(const struct summary_lines *lines, unsigned i);

/* Returns the lines, at most SUMMARY_LINES less `taken` of at most SUMMARY_COLUMNS characters. They end with NULL; free
 * them with g_strfreev(). */
char **summary_lines_make(const struct summary_lines *lines, unsigned taken);

#endif
