/* export_line.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "export_line.h"

#include <math.h>
#include <string.h>

#include <wsutil/inet_addr.h>

#include "../table/line_types.h"

enum { DIGITS_MOST = 20, ESCAPE_BYTES = 6 };

void
line_init(struct line *line, FILE *file, uint64_t *counts)
{
    *line = (struct line){ .file = file, .text = g_string_new(NULL), .counts = counts };
}

void
line_clear(struct line *line)
{
    g_string_free(line->text, TRUE);
    line->text = NULL;
}

static char *
add(char *at, const char *bytes, size_t length)
{
    memcpy(at, bytes, length);
    return at + length;
}

/* Where so many bytes have room. */
static char *
reserve(struct line *line, size_t most)
{
    GString *text = line->text;
    if (text->allocated_len - text->len <= most) {
        const size_t length = text->len;
        g_string_set_size(text, length + most);
        g_string_truncate(text, length);
    }
    return text->str + text->len;
}

/* They have been written up to there. */
static void
put(struct line *line, char *end)
{
    *end = '\0';
    line->text->len = (size_t)(end - line->text->str);
}

/* A comma and the name, as far as there has to be any. Room for `most` bytes that follow. */
static char *
begin_value(struct line *line, const char *name, size_t most)
{
    const size_t length = name ? strlen(name) : 0;
    char *at = reserve(line, length + most + sizeof ",\"\":");
    if (line->follows)
        *at++ = ',';
    line->follows = true;
    if (!name)
        return at;
    *at++ = '"';
    at = add(at, name, length);
    *at++ = '"';
    *at++ = ':';
    return at;
}

static void
begin_list(struct line *line, const char *name, char bracket)
{
    char *at = begin_value(line, name, 1);
    *at++ = bracket;
    put(line, at);
    line->follows = false;
}

static void
end_list(struct line *line, char bracket)
{
    char *at = reserve(line, 1);
    *at++ = bracket;
    put(line, at);
    line->follows = true;
}

void
line_begin(struct line *line, const char *type)
{
    unsigned number = line_type_find(type);
    if (line->counts && number < LINE_TYPES)
        line->counts[number]++;
    line_object(line, NULL);
    line_text(line, "type", type);
}

void
line_end(struct line *line)
{
    end_list(line, '}');
    g_string_append_c(line->text, '\n');
    line->follows = false;
    if (!line->file)
        return;
    fwrite(line->text->str, 1, line->text->len, line->file);
    line->written += (int64_t)line->text->len;
    g_string_truncate(line->text, 0);
}

/* RFC 8259 §7. Of "</" the slash, too: lines stand in pages. */
static char *
escape(char *at, char byte)
{
    static const char letters[] = "btn\0fr"; /* of \b to \r */
    static const char hexadecimal[] = "0123456789abcdef";
    *at++ = '\\';
    if ((unsigned char)byte >= ' ') {
        *at++ = byte;
        return at;
    }
    if (byte >= '\b' && byte <= '\r' && letters[byte - '\b']) {
        *at++ = letters[byte - '\b'];
        return at;
    }
    at = add(at, "u00", 3);
    *at++ = hexadecimal[byte >> 4];
    *at++ = hexadecimal[byte & 15];
    return at;
}

static void
put_text(struct line *line, const char *name, const char *text)
{
    const size_t length = strlen(text);
    char *at = begin_value(line, name, length * ESCAPE_BYTES + 2), before = '\0';
    *at++ = '"';
    for (size_t i = 0; i < length; before = text[i++]) {
        const char byte = text[i];
        if ((unsigned char)byte < ' ' || byte == '"' || byte == '\\' || (byte == '/' && before == '<'))
            at = escape(at, byte);
        else
            *at++ = byte;
    }
    *at++ = '"';
    put(line, at);
}

void
line_text(struct line *line, const char *name, const char *text)
{
    if (g_utf8_validate(text, -1, NULL)) {
        put_text(line, name, text);
        return;
    }
    char *valid = g_utf8_make_valid(text, -1);
    put_text(line, name, valid);
    g_free(valid);
}

static char *
put_digits(char *at, uint64_t number)
{
    char digits[DIGITS_MOST], *first = digits + DIGITS_MOST;
    do {
        *--first = (char)('0' + number % 10);
        number /= 10;
    } while (number);
    return add(at, first, (size_t)(digits + DIGITS_MOST - first));
}

void
line_uint(struct line *line, const char *name, uint64_t number)
{
    put(line, put_digits(begin_value(line, name, DIGITS_MOST), number));
}

void
line_int(struct line *line, const char *name, int64_t number)
{
    char *at = begin_value(line, name, DIGITS_MOST + 1);
    if (number < 0)
        *at++ = '-';
    put(line, put_digits(at, number < 0 ? -(uint64_t)number : (uint64_t)number));
}

void
line_double(struct line *line, const char *name, double number)
{
    char text[G_ASCII_DTOSTR_BUF_SIZE];
    put(line, stpcpy(begin_value(line, name, sizeof text),
                     isnan(number) ? "null" : g_ascii_formatd(text, sizeof text, "%.17g", number)));
}

void
line_true(struct line *line, const char *name)
{
    put(line, stpcpy(begin_value(line, name, sizeof "true"), "true"));
}

void
line_sum(struct line *line, const char *name, wide sum)
{
    line_int(line, name, (int64_t)MIN(sum, INT64_MAX));
}

void
line_time(struct line *line, const char *name, int64_t ns)
{
    if (ns >= 0)
        line_int(line, name, ns);
}

void
line_object(struct line *line, const char *name)
{
    begin_list(line, name, '{');
}

void
line_end_object(struct line *line)
{
    end_list(line, '}');
}

void
line_array(struct line *line, const char *name)
{
    begin_list(line, name, '[');
}

void
line_end_array(struct line *line)
{
    end_list(line, ']');
}

/* A row has two: inet_ntop() is slow. */
static void
put_ipv4(struct line *line, const char *name, const uint8_t *address)
{
    char *at = begin_value(line, name, WS_INET_ADDRSTRLEN + 2), before = '"';
    for (unsigned i = 0; i < 4; i++, before = '.') {
        *at++ = before;
        at = put_digits(at, address[i]);
    }
    *at++ = '"';
    put(line, at);
}

static void
put_address(struct line *line, const char *name, const struct endpoint *endpoint, bool ipv6)
{
    char text[WS_INET6_ADDRSTRLEN];
    if (ipv6)
        put_text(line, name, ws_inet_ntop6(endpoint->address, text, sizeof text));
    else
        put_ipv4(line, name, endpoint->address);
}

void
line_endpoint(struct line *line, const char *name, const char *port, const struct endpoint *endpoint, bool ipv6)
{
    put_address(line, name, endpoint, ipv6);
    if (port)
        line_uint(line, port, endpoint->port);
}

void
line_address(struct line *line, const struct endpoint *endpoint, bool ipv6)
{
    put_address(line, NULL, endpoint, ipv6);
}

/* A decimal number of up to 39 digits. */
static const char *
digits_of(unsigned_wide number, char text[40])
{
    char *at = text + 39;
    *at = '\0';
    do {
        *--at = (char)('0' + (int)(number % 10));
        number /= 10;
    } while (number);
    return at;
}

void
line_statistic(struct line *line, const char *name, const struct statistic *statistic)
{
    const struct moments *moments = &statistic->moments;
    char squares[40];
    line_object(line, name);
    line_uint(line, "count", moments->count);
    line_sum(line, "sum", moments->sum);
    line_text(line, "squares", digits_of(moments->squares, squares));
    if (moments->count) {
        line_int(line, "min", moments->min);
        line_int(line, "max", moments->max);
    }
    line_array(line, "histogram");
    for (unsigned i = 0; i < histogram_length(&statistic->histogram); i++) {
        const struct bar *bar = histogram_bar(&statistic->histogram, i);
        line_array(line, NULL);
        line_uint(line, NULL, bar->bucket);
        line_uint(line, NULL, bar->count);
        line_end_array(line);
    }
    line_end_array(line);
    line_end_object(line);
}

void
line_count_and_sum(struct line *line, const char *name, uint64_t count, wide sum)
{
    line_object(line, name);
    line_uint(line, "count", count);
    line_sum(line, "sum", sum);
    line_end_object(line);
}
