/* printable.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "printable.h"

#include <string.h>

#include <glib.h>

bool
is_printable(const char *text)
{
    if (!g_utf8_validate(text, -1, NULL))
        return false;
    while (*text && !g_unichar_iscntrl(g_utf8_get_char(text)))
        text = g_utf8_next_char(text);
    return *text == '\0';
}

char *
printable_text(wmem_allocator_t *scope, const char *text)
{
    char *printable = wmem_strdup(scope, text), *end = printable;
    const bool utf8 = g_utf8_validate(text, -1, NULL);
    while (*text) {
        const size_t bytes = utf8 ? (size_t)(g_utf8_next_char(text) - text) : 1;
        const bool is_obeyed = utf8 ? g_unichar_iscntrl(g_utf8_get_char(text)) : !g_ascii_isprint(*text);
        if (is_obeyed) {
            *end++ = '?';
        } else {
            memcpy(end, text, bytes);
            end += bytes;
        }
        text += bytes;
    }
    *end = '\0';
    return printable;
}
