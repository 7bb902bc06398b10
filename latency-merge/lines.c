/* lines.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "lines.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gcrypt.h>
#include <gio/gio.h>

#include "table/line_types.h"

/* The deepest objects of docs/json.md have 4; json-glib would follow any depth, as far as its stack goes, and takes the
 * first object of a line for all of it. */
enum { DEEPEST = 16, SHA256_BYTES = 32 };

struct lines {
    char *path;
    FILE *file;
    JsonParser *parser;
    char *text;
    size_t room;
    uint64_t number;
    uint64_t counts[LINE_TYPES]; /* of the lines before the last, and their SHA-256: */
    gcry_md_hd_t digest;         /* GLib's takes three times as long as all else */
};

/* NULL if the library has been told to have none. */
static gcry_md_hd_t
new_digest(void)
{
    gcry_md_hd_t digest = NULL;
    gcry_check_version(NULL);
    return gcry_md_open(&digest, GCRY_MD_SHA256, 0) == 0 ? digest : NULL;
}

struct lines *
lines_open(const char *path, GError **error)
{
    gcry_md_hd_t digest = new_digest();
    if (!digest) {
        g_set_error(error, G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED, "libgcrypt has no SHA-256.");
        return NULL;
    }
    FILE *file = fopen(path, "rb");
    if (!file) {
        g_set_error(error, G_IO_ERROR, g_io_error_from_errno(errno), "\"%s\" could not be opened: %s.", path,
                    g_strerror(errno));
        gcry_md_close(digest);
        return NULL;
    }
    struct lines *lines = g_new0(struct lines, 1);
    lines->path = g_strdup(path);
    lines->file = file;
    lines->digest = digest;
    lines->parser = json_parser_new_immutable();
    return lines;
}

void
lines_close(struct lines *lines)
{
    fclose(lines->file);
    g_object_unref(lines->parser);
    gcry_md_close(lines->digest);
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
    if (lines->number == 0)
        g_set_error(error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA, "\"%s\": %s", lines->path, text);
    else
        g_set_error(error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA, "\"%s\", line %" G_GUINT64_FORMAT ": %s", lines->path,
                    lines->number, text);
    g_free(text);
}

/* What the line is: one object, or what else of this kind. */
enum shape { SHAPE_ONE, SHAPE_OTHER, SHAPE_SEVERAL, SHAPE_DEEP };

static enum shape
shape_of(const char *text, size_t length)
{
    unsigned depth = 0, values = 0;
    bool quoted = false;
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '"')
            quoted = !quoted;
        else if (quoted)
            i += text[i] == '\\';
        else if (text[i] == '{' || text[i] == '[')
            values += depth++ == 0;
        else if ((text[i] == '}' || text[i] == ']') && depth > 0)
            depth--;
        else if (depth == 0 && !g_ascii_isspace(text[i]))
            return values ? SHAPE_SEVERAL : SHAPE_OTHER;
        if (depth > DEEPEST)
            return SHAPE_DEEP;
    }
    return values > 1 ? SHAPE_SEVERAL : SHAPE_ONE;
}

static bool
parse(struct lines *lines, size_t length, struct record *record, GError **error)
{
    GError *wrong = NULL;
    static const char *const complaints[] = {
        [SHAPE_OTHER] = "this is not a JSON object.",
        [SHAPE_SEVERAL] = "this is more than one JSON object.",
        [SHAPE_DEEP] = "this is nested deeper than any object that -z latency,json writes.",
    };
    enum shape shape = shape_of(lines->text, length);
    if (shape == SHAPE_OTHER && lines->number == 1) {
        lines_complain(lines, error,
                       "this is not a JSON object. Of a capture, latency-scan --json makes the file that is "
                       "wanted here.");
        return false;
    }
    if (shape != SHAPE_ONE) {
        lines_complain(lines, error, "%s", complaints[shape]);
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

/* The next line in `text`: its length, 0 at the end of the file, -1 with a sentence in `error` if it cannot be read. */
static ssize_t
read_line(struct lines *lines, GError **error)
{
    ssize_t length = getline(&lines->text, &lines->room, lines->file);
    if (length < 0 && ferror(lines->file)) {
        g_set_error(error, G_IO_ERROR, g_io_error_from_errno(errno), "\"%s\" could not be read: %s.", lines->path,
                    g_strerror(errno));
        return -1;
    }
    if (length < 0)
        return 0;
    lines->number++;
    if (lines->text[length - 1] == '\n')
        return length;
    lines_complain(lines, error, "the file ends in the middle of this line.");
    return -1;
}

static bool
has_digest(const struct lines *lines, const char *digits)
{
    const unsigned char *digest = gcry_md_read(lines->digest, GCRY_MD_SHA256);
    char text[2 * SHA256_BYTES + 1];
    for (unsigned i = 0; i < SHA256_BYTES; i++)
        g_snprintf(text + (size_t)2 * i, 3, "%02x", digest[i]);
    return strcmp(text, digits) == 0;
}

/* Whether the lines are those that the last one was written for. */
static bool
agrees(struct lines *lines, struct record *end, GError **error)
{
    struct record counts = record_object(end, "lines");
    const char *digest = record_text(end, LINE_DIGEST);
    for (unsigned i = 0; i < LINE_TYPES; i++) {
        bool has = record_has(&counts, line_types[i]);
        uint64_t written = has ? record_uint(&counts, line_types[i], INT64_MAX) : 0;
        if (written == lines->counts[i] || end->wrong || counts.wrong)
            continue;
        g_set_error(error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA,
                    "\"%s\" is not whole: it has %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT " lines \"%s\".",
                    lines->path, lines->counts[i], written, line_types[i]);
        return false;
    }
    if (end->wrong || counts.wrong)
        lines_complain(lines, error,
                       "\"%s\" of this object \"" LINE_END "\" is missing, or not what docs/json.md says.",
                       end->wrong ? end->wrong : "lines");
    else if (!has_digest(lines, digest))
        g_set_error(error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA,
                    "\"%s\" is not what -z latency,json wrote: a line was changed, or stands in another place.",
                    lines->path);
    else
        return true;
    return false;
}

/* After the last line. */
static void
expect_end(struct lines *lines, GError **error)
{
    if (read_line(lines, error) > 0)
        lines_complain(lines, error, "this follows the object \"" LINE_END "\", which is the last of a file.");
}

/* The next line, which must not be the file's end. */
static ssize_t
read_more(struct lines *lines, GError **error)
{
    ssize_t length = read_line(lines, error);
    if (length == 0 && lines->number > 0)
        g_set_error(error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA,
                    "\"%s\" is not whole: its last line, the object \"" LINE_END "\", is missing.", lines->path);
    return length;
}

bool
lines_next(struct lines *lines, struct record *record, GError **error)
{
    ssize_t length = read_more(lines, error);
    if (length <= 0 || !parse(lines, (size_t)length, record, error))
        return false;
    const char *type = record_optional_text(record, "type", "");
    unsigned number = line_type_find(type);
    if (strcmp(type, LINE_END) == 0) {
        if (agrees(lines, record, error))
            expect_end(lines, error);
        return false;
    }
    if (number < LINE_TYPES)
        lines->counts[number]++;
    gcry_md_write(lines->digest, lines->text, (size_t)length);
    return true;
}

bool
lines_next_text(struct lines *lines, const char **text, GError **error)
{
    static const char before[] = "{\"type\":\"";
    struct record record;
    ssize_t length = read_more(lines, error);
    if (length <= 0)
        return false;
    const char *type = lines->text + strlen(before);
    const char *quote = strncmp(lines->text, before, strlen(before)) == 0 ? strchr(type, '"') : NULL;
    if (!quote) {
        lines_complain(lines, error, "this is not an object that -z latency,json writes.");
        return false;
    }
    char *name = g_strndup(type, (size_t)(quote - type));
    unsigned number = line_type_find(name);
    bool is_end = strcmp(name, LINE_END) == 0;
    g_free(name);
    if (is_end) {
        if (parse(lines, (size_t)length, &record, error) && agrees(lines, &record, error))
            expect_end(lines, error);
        return false;
    }
    if (number < LINE_TYPES)
        lines->counts[number]++;
    gcry_md_write(lines->digest, lines->text, (size_t)length);
    *text = lines->text;
    return true;
}
