/* export_line.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "export_line.h"

#include <inttypes.h>

#include <wsutil/inet_addr.h>

#include "line_kinds.h"

void
line_begin(struct line *line, const char *type)
{
    unsigned number = line_type_find(type);
    if (line->counts && number < LINE_TYPES)
        line->counts[number]++;
    json_dumper_begin_object(&line->dumper);
    line_text(line, "type", type);
}

void
line_end(struct line *line)
{
    json_dumper_end_object(&line->dumper);
    json_dumper_finish(&line->dumper);
}

void
line_text(struct line *line, const char *name, const char *text)
{
    json_dumper_set_member_name(&line->dumper, name);
    line_value(line, text);
}

void
line_value(struct line *line, const char *text)
{
    if (g_utf8_validate(text, -1, NULL)) {
        json_dumper_value_string(&line->dumper, text);
        return;
    }
    char *valid = g_utf8_make_valid(text, -1);
    json_dumper_value_string(&line->dumper, valid);
    g_free(valid);
}

void
line_int(struct line *line, const char *name, int64_t number)
{
    json_dumper_set_member_name(&line->dumper, name);
    json_dumper_value_anyf(&line->dumper, "%" PRId64, number);
}

void
line_uint(struct line *line, const char *name, uint64_t number)
{
    json_dumper_set_member_name(&line->dumper, name);
    json_dumper_value_anyf(&line->dumper, "%" PRIu64, number);
}

void
line_true(struct line *line, const char *name)
{
    json_dumper_set_member_name(&line->dumper, name);
    json_dumper_value_anyf(&line->dumper, "true");
}

void
line_sum(struct line *line, const char *name, wide sum)
{
    line_int(line, name, wide_clip(sum));
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
    json_dumper_set_member_name(&line->dumper, name);
    json_dumper_begin_object(&line->dumper);
}

void
line_end_object(struct line *line)
{
    json_dumper_end_object(&line->dumper);
}

void
line_array(struct line *line, const char *name)
{
    if (name)
        json_dumper_set_member_name(&line->dumper, name);
    json_dumper_begin_array(&line->dumper);
}

void
line_end_array(struct line *line)
{
    json_dumper_end_array(&line->dumper);
}

/* The C library prints these with sprintf(): two for each request are a fiftieth of all instructions. */
static const char *
ipv4_text(const uint8_t *address, char *text)
{
    char *at = text;
    for (unsigned i = 0; i < 4; i++) {
        if (i > 0)
            *at++ = '.';
        if (address[i] >= 100)
            *at++ = (char)('0' + address[i] / 100);
        if (address[i] >= 10)
            *at++ = (char)('0' + address[i] / 10 % 10);
        *at++ = (char)('0' + address[i] % 10);
    }
    *at = '\0';
    return text;
}

static const char *
text_of_address(const struct endpoint *endpoint, bool ipv6, char text[WS_INET6_ADDRSTRLEN])
{
    return ipv6 ? ws_inet_ntop6(endpoint->address, text, WS_INET6_ADDRSTRLEN) : ipv4_text(endpoint->address, text);
}

void
line_endpoint(struct line *line, const char *name, const char *port, const struct endpoint *endpoint, bool ipv6)
{
    char text[WS_INET6_ADDRSTRLEN];
    line_text(line, name, text_of_address(endpoint, ipv6, text));
    if (port)
        line_uint(line, port, endpoint->port);
}

char *
endpoint_text(const struct endpoint *endpoint, bool ipv6)
{
    char text[WS_INET6_ADDRSTRLEN];
    return g_strdup_printf(ipv6 ? "[%s]:%u" : "%s:%u", text_of_address(endpoint, ipv6, text), endpoint->port);
}

void
line_address(struct line *line, const struct endpoint *endpoint, bool ipv6)
{
    char text[WS_INET6_ADDRSTRLEN];
    json_dumper_value_string(&line->dumper, text_of_address(endpoint, ipv6, text));
}

/* A decimal number of up to 39 digits. */
static const char *
digits_of(unsigned_wide number, char text[40])
{
    char *at = text + 39;
    *at = '\0';
    do {
        *--at = (char)('0' + (int)unsigned_wide_take_digit(&number));
    } while (number.low || number.high);
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
        json_dumper_value_anyf(&line->dumper, "%" PRIu32, bar->bucket);
        json_dumper_value_anyf(&line->dumper, "%" PRIu64, bar->count);
        line_end_array(line);
    }
    line_end_array(line);
    line_end_object(line);
}
