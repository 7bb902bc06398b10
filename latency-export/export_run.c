/* export_run.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "export_run.h"

#include <errno.h>
#include <string.h>

#include <gio/gio.h>

#include "core/util/output_file.h"
#include "json/lines.h"

const struct format *const formats[] = { &format_otlp, &format_har, &format_trace, NULL };

struct writing {
    const struct format *format;
    void *data; /* the format's */
    const struct spans *spans;
    int32_t place; /* of the next request */
};

/* Hands a line of any type to the format. False if a member is wrong: record->wrong. */
static bool
take(void *data, struct record *record)
{
    struct writing *writing = data;
    const struct format *format = writing->format;
    const char *type = record_text(record, "type");
    union {
        struct request_line request;
        struct attempt_line attempt;
        struct handshake_line handshake;
    } line;
    if (strcmp(type, "request") == 0 && line_read(record, &request_members, &line)) {
        const struct span *span = spans_at(writing->spans, writing->place++);
        if (span)
            format->request(writing->data, &line.request, span);
    } else if (format->attempt && strcmp(type, "attempt") == 0 && line_read(record, &attempt_members, &line)) {
        format->attempt(writing->data, &line.attempt);
        line_clear(&attempt_members, &line);
    } else if (format->handshake && strcmp(type, "handshake") == 0 && line_read(record, &handshake_members, &line)) {
        format->handshake(writing->data, &line.handshake);
    }
    return !record->wrong;
}

static bool
write_lines(const char *path, const struct format *format, void *data, const struct spans *spans, GError **error)
{
    struct writing writing = { format, data, spans, 0 };
    if (!lines_read(path, take, &writing, error))
        return false;
    if ((unsigned)writing.place == spans->all->len)
        return true;
    g_set_error(error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA, "\"%s\" has changed while it was read.", path);
    return false;
}

static bool
write_file(const char *lines, const struct format *format, const struct spans *spans, const char *path, GError **error)
{
    struct output_file *file = output_file_open(path, format->kind);
    int failed = errno;
    bool done = true;
    if (file) {
        void *data = format->begin(spans, output_file_stream(file));
        done = write_lines(lines, format, data, spans, error);
        failed = format->end(data);
        if (!done || failed)
            output_file_abort(file);
        else
            failed = output_file_commit(file);
    }
    if (done && failed)
        g_set_error(error, G_IO_ERROR, g_io_error_from_errno(failed), "\"%s\" cannot be written: %s.", path,
                    g_strerror(failed));
    return done && file && !failed;
}

bool
export_run(const char *lines, const struct format *format, const char *path, GError **error)
{
    char *inputs[] = { (char *)lines, NULL };
    char *refused = output_check(path, format->kind, inputs, 1);
    if (refused) {
        g_set_error_literal(error, G_IO_ERROR, G_IO_ERROR_EXISTS, refused);
        g_free(refused);
        return false;
    }
    struct spans *spans = spans_read(lines, error);
    if (!spans)
        return false;
    const bool done = write_file(lines, format, spans, path, error);
    spans_free(spans);
    return done;
}
