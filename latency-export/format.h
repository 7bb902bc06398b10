/* format.h
 * Formats of other tools, in which requests are written.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef EXPORT_FORMAT_H
#define EXPORT_FORMAT_H

#include <stdio.h>

#include "core/util/output_check.h"
#include "json/export_line.h"
#include "json/line_kinds.h"
#include "spans.h"

/* One of them. Its functions are called in the order in which they stand here: those of lines for each line of the
 * type, in the order of the file. Those of `attempt` and `handshake` may be NULL. */
struct format {
    const char *name; /* of the option */
    const char *help;
    enum output_kind kind;
    /* Begins a file of what `spans` knows; both are borrowed until end(). Returns what the others are given. */
    void *(*begin)(const struct spans *spans, FILE *out);
    void (*request)(void *data, const struct request_line *line, const struct span *span);
    void (*attempt)(void *data, const struct attempt_line *line);
    void (*handshake)(void *data, const struct handshake_line *line);
    /* Writes the rest, and frees `data`. Returns 0, or an errno if something could not be written that ferror(out) does
     * not say. */
    int (*end)(void *data);
};

/* OpenTelemetry's traces, a line for each request: what the collector's otlpjsonfile receiver reads. */
extern const struct format format_otlp;
/* The HTTP archive 1.2, which browsers' developer tools open. */
extern const struct format format_har;
/* The trace event format of Chrome, which Perfetto opens. */
extern const struct format format_trace;

/* All of them; the last is NULL. */
extern const struct format *const formats[];

#endif
