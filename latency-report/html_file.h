/* html_file.h
 * latency-report as a function: files of JSON lines in, one page out. What other programs call, too.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef REPORT_HTML_FILE_H
#define REPORT_HTML_FILE_H

#include <stdbool.h>

#include <glib.h>

/* Adds up the files `paths`, which -z latency,json wrote and NULL ends, and makes the page, which appears when it is
 * complete. `name` is what the page calls the one file; NULL: the last part of its path, as of several. False, with a
 * sentence in `error`, if a file is none of ours, is not whole or has sums only, or the page cannot be written or would
 * replace what is no page of ours (output_check.h): then there is no new page. After wmem_init(). */
bool html_file_make(char *const *paths, const char *name, const char *page, GError **error);

#endif
