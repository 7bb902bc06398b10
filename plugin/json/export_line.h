/* export_line.h
 * A JSON line, member by member (docs/json.md).
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_EXPORT_LINE_H
#define LATENCY_EXPORT_LINE_H

#include <wsutil/json_dumper.h>

#include "../core/tcp/segment.h"
#include "../core/stats/sample.h"

/* Where lines go, one at a time. All zero but for the dumper's output_file, and where they are counted. */
struct line {
    json_dumper dumper;
    uint64_t *counts; /* LINE_TYPES of them; NULL: nowhere */
};

void line_begin(struct line *line, const char *type);
void line_end(struct line *line);

void line_text(struct line *line, const char *name, const char *text);
/* A text as an element of an array. Of names that strangers chose: bytes that are no UTF-8, which no JSON has, are
 * U+FFFD. */
void line_value(struct line *line, const char *text);
void line_int(struct line *line, const char *name, int64_t number);
void line_uint(struct line *line, const char *name, uint64_t number);

/* A member that is true, or else absent. */
void line_true(struct line *line, const char *name);

/* A sum of times, at most INT64_MAX. */
void line_sum(struct line *line, const char *name, wide sum);

/* Nothing if `ns` is negative: there is no such time. */
void line_time(struct line *line, const char *name, int64_t ns);

void line_object(struct line *line, const char *name);
void line_end_object(struct line *line);

/* An array; without a name, which is NULL, as an element of another. */
void line_array(struct line *line, const char *name);
void line_end_array(struct line *line);

/* Members NAME and, unless `port` is NULL, PORT. */
void line_endpoint(struct line *line, const char *name, const char *port, const struct endpoint *endpoint, bool ipv6);

/* "address:port", and "[address]:port" of IPv6; to be freed with g_free(). */
char *endpoint_text(const struct endpoint *endpoint, bool ipv6);

/* An endpoint's address as an element of an array. */
void line_address(struct line *line, const struct endpoint *endpoint, bool ipv6);

void line_statistic(struct line *line, const char *name, const struct statistic *statistic);

#endif
