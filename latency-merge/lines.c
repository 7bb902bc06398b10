/* lines.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "lines.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include <gio/gio.h>

/* The deepest objects of docs/json.md have 4; json-glib would follow any depth, as far as its stack goes. */
enum { DEEPEST = 16 };

struct lines {
    char *path;
    FILE *file;
    JsonParser *parser;
    char *text;
    size_t room;
    uint64_t number;
};

struct lines *
lines_open(const char *path, GError **error)
{
    FILE *file = fopen(path, "rb");
    if (!file) {
        g_set_error(error, G_IO_ERROR, g_io_error_from_errno(errno), "\"%s\" could not be opened: %s.", path,
                    g_strerror(errno));
        return NULL;
    }
    struct lines *lines = g_new0(struct lines, 1);
    lines->path = g_strdup(path);
    lines->file = file;
    lines->parser = json_parser_new_immutable();
    return lines;
}

void
lines_close(struct lines *lines)
{
    fclose(lines->file);
    g_object_unref(lines->parser);
    free(lines->text);
    g_free(lines->path);
    g_free(lines);
}

void
lines_complain(const struct lines *lines, GError **error, const char *what, ...)
{
    va_list arguments;
    va_start(arguments, what);
    char *text = g_strdup_vprintf(what, arguments);
    va_end(arguments);
    g_set_error(error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA, "\"%s\", line %" G_GUINT64_FORMAT ": %s", lines->path,
                lines->number, text);
    g_free(text);
}

static bool
is_shallow(const char *text, size_t length)
{
    unsigned depth = 0;
    bool quoted = false;
    for (size_t i = 0; i < length && depth <= DEEPEST; i++) {
        if (text[i] == '"')
            quoted = !quoted;
        else if (quoted)
            i += text[i] == '\\';
        else if (text[i] == '{' || text[i] == '[')
            depth++;
        else if ((text[i] == '}' || text[i] == ']') && depth > 0)
            depth--;
    }
    return depth <= DEEPEST;
}

static bool
parse(struct lines *lines, size_t length, struct record *record, GError **error)
{
    GError *wrong = NULL;
    if (!is_shallow(lines->text, length)) {
        lines_complain(lines, error, "this is nested deeper than any object that -z latency,json writes.");
        return false;
    }
    if (!json_parser_load_from_data(lines->parser, lines->text, (gssize)length, &wrong)) {
        lines_complain(lines, error, "this is not JSON: %s.", wrong->message);
        g_error_free(wrong);
        return false;
    }
    JsonNode *root = json_parser_get_root(lines->parser);
    if (!root || !JSON_NODE_HOLDS_OBJECT(root)) {
        lines_complain(lines, error, "this is not a JSON object.");
        return false;
    }
    *record = (struct record){ json_node_get_object(root), NULL };
    return true;
}

bool
lines_next(struct lines *lines, struct record *record, GError **error)
{
    ssize_t length = getline(&lines->text, &lines->room, lines->file);
    if (length < 0) {
        if (ferror(lines->file))
            g_set_error(error, G_IO_ERROR, g_io_error_from_errno(errno), "\"%s\" could not be read: %s.", lines->path,
                        g_strerror(errno));
        return false;
    }
    lines->number++;
    if (lines->text[length - 1] != '\n') {
        lines_complain(lines, error, "the file ends in the middle of this line.");
        return false;
    }
    return parse(lines, (size_t)length, record, error);
}
