/* fastcgi_output.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "fastcgi_output.h"

#include <string.h>

#include <glib.h>

static void
end_fields(struct fastcgi_output *output)
{
    output->is_over = true;
    if (!*output->status)
        strcpy(output->status, "200");
}

static void
take_line(struct fastcgi_output *output)
{
    static const char name[] = "Status:";
    const char *value = output->line + strlen(name);
    if (output->n_line > 0 && output->line[output->n_line - 1] == '\r')
        output->n_line--;
    output->line[output->n_line] = '\0';
    if (output->n_line == 0) {
        end_fields(output);
    } else if (g_ascii_strncasecmp(output->line, name, strlen(name)) == 0) {
        value += strspn(value, " \t");
        if (g_ascii_isdigit(value[0]) && g_ascii_isdigit(value[1]) && g_ascii_isdigit(value[2]))
            g_strlcpy(output->status, value, sizeof output->status);
    }
    output->n_line = 0;
}

void
fastcgi_output_take(struct fastcgi_output *output, const uint8_t *bytes, size_t length)
{
    if (output->bytes == 0 && length > 0 && !fastcgi_output_begins(bytes, length))
        fastcgi_output_lose(output);
    output->bytes += (uint32_t)length;
    for (size_t i = 0; i < length && !output->is_over; i++) {
        if (bytes[i] == '\n')
            take_line(output);
        else if (output->n_line < FASTCGI_LINE_LOOKED_AT)
            output->line[output->n_line++] = (char)bytes[i];
    }
    if (!output->is_over && output->bytes > FASTCGI_FIELDS_MOST)
        fastcgi_output_lose(output);
}

void
fastcgi_output_lose(struct fastcgi_output *output)
{
    output->is_unknown |= !output->is_over && !*output->status;
    output->is_over = true;
}

/* RFC 9110 §5.6.2; what is not there yet may go on. */
bool
fastcgi_output_begins(const uint8_t *bytes, size_t length)
{
    size_t at = 0;
    while (at < length && (g_ascii_isalnum(bytes[at]) || (bytes[at] && strchr("!#$%&'*+-.^_`|~", bytes[at]))))
        at++;
    return at == length || (at > 0 && bytes[at] == ':');
}
