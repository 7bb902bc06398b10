/* export_line.h
 * A JSON line, member by member (docs/json.md).
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_EXPORT_LINE_H
#define LATENCY_EXPORT_LINE_H

#include <stdio.h>

#include <glib.h>

#include "../core/tcp/segment.h"
#include "../core/stats/statistic.h"

/* Where lines go, one at a time. Wireshark's json_dumper would do, but writes each byte for itself: that was most of
 * what many rows cost.
 *
 * A name is written as it is, and NULL for an element of an array. */
struct line {
    FILE *file;       /* has each line when that has ended; NULL: they stay in `text` */
    GString *text;    /* what it does not have yet */
    int64_t written;  /* bytes of lines that have ended */
    uint64_t *counts; /* of lines, LINE_TYPES of them; NULL: nowhere */
    bool follows;     /* a comma has to stand before what comes */
};

void line_init(struct line *line, FILE *file, uint64_t *counts);
void line_clear(struct line *line);

void line_begin(struct line *line, const char *type);
void line_end(struct line *line);

/* Bytes that are no UTF-8, which no JSON has, are U+FFFD: strangers chose names. */
void line_text(struct line *line, const char *name, const char *text);
void line_int(struct line *line, const char *name, int64_t number);
void line_uint(struct line *line, const char *name, uint64_t number);

/* As %.17g; NaN is null. */
void line_double(struct line *line, const char *name, double number);

/* A member that is true, or else absent. */
void line_true(struct line *line, const char *name);

/* A sum of times, at most INT64_MAX. */
void line_sum(struct line *line, const char *name, wide sum);

/* Nothing if `ns` is negative: there is no such time. */
void line_time(struct line *line, const char *name, int64_t ns);

void line_object(struct line *line, const char *name);
void line_end_object(struct line *line);
void line_array(struct line *line, const char *name);
void line_end_array(struct line *line);

/* Members NAME and, unless `port` is NULL, PORT. */
void line_endpoint(struct line *line, const char *name, const char *port, const struct endpoint *endpoint, bool ipv6);

/* An element of an array. */
void line_address(struct line *line, const struct endpoint *endpoint, bool ipv6);

void line_statistic(struct line *line, const char *name, const struct statistic *statistic);

/* An object of `count` and `sum`. */
void line_count_and_sum(struct line *line, const char *name, uint64_t count, wide sum);

#endif
