/* text_shortened.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "text_shortened.h"

#include <string.h>

#include <glib.h>

enum { AT_WIDTH = 3, SERVER_LEAST = 9, OPERATION_LEAST = 8 };

static int
width_of(const char *text)
{
    return (int)g_utf8_strlen(text, -1);
}

/* Appends the first characters of the text, the last of them an ellipsis if there are more. */
static void
append_begin(GString *shortened, const char *text, int length, int width, const char *ellipsis)
{
    if (length <= width)
        g_string_append_len(shortened, text, g_utf8_offset_to_pointer(text, length) - text);
    else
        g_string_append_len(shortened, text, g_utf8_offset_to_pointer(text, width - 1) - text);
    if (length > width)
        g_string_append(shortened, ellipsis);
}

/* Appends the last characters of the text, the first of them an ellipsis if there are more. */
static void
append_end(GString *shortened, const char *text, int width, const char *ellipsis)
{
    const int length = width_of(text);
    if (length > width)
        g_string_append(shortened, ellipsis);
    g_string_append(shortened, length <= width ? text : g_utf8_offset_to_pointer(text, length - width + 1));
}

const char *
text_shortened(wmem_allocator_t *scope, const char *text, int width, bool has_unicode)
{
    const char *ellipsis = has_unicode ? "…" : "~", *at = g_strrstr(text, TEXT_AT);
    if (width < 1 || width_of(text) <= width)
        return text;
    GString *shortened = g_string_new(NULL);
    if (at && width >= OPERATION_LEAST + AT_WIDTH + SERVER_LEAST) {
        const int operation = (int)g_utf8_strlen(text, at - text), server = width_of(at + AT_WIDTH);
        const int server_room = MAX(MIN(server, SERVER_LEAST), MIN(server, width - AT_WIDTH - operation));
        append_begin(shortened, text, operation, width - AT_WIDTH - server_room, ellipsis);
        g_string_append(shortened, TEXT_AT);
        append_end(shortened, at + AT_WIDTH, server_room, ellipsis);
    } else {
        append_begin(shortened, text, width_of(text), width, ellipsis);
    }
    const char *kept = wmem_strdup(scope, shortened->str);
    g_string_free(shortened, TRUE);
    return kept;
}
