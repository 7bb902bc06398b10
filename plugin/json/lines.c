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

#include "line_kinds.h"

enum { SHA256_BYTES = 32 };

struct lines {
    char *path;
    FILE *file;
    struct tokens tokens;
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
    return lines;
}

void
lines_close(struct lines *lines)
{
    fclose(lines->file);
    tokens_clear(&lines->tokens);
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

void
lines_complain_of_member(const struct lines *lines, GError **error, struct record *record)
{
    const char *wrong = record->wrong;
    lines_complain(lines, error, "\"%s\" of this object \"%s\" is missing, or not what docs/json.md says.", wrong,
                   record_optional_text(record, "type", ""));
}

/* What is wrong with a line that is not one object; NULL if it is one. */
static const char *
shape(const char *line, enum tokens_result result, const struct tokens *tokens)
{
    const char begin = line[strspn(line, " \t\r\n")];
    if (result == TOKENS_TOO_DEEP)
        return "this is nested deeper than any object that -z latency,json writes.";
    if ((begin != '{' && begin != '[') || (result == TOKENS_ONE && tokens->all[0].kind != TOKEN_OBJECT))
        return "this is not a JSON object.";
    return result == TOKENS_SEVERAL ? "this is more than one JSON object." : NULL;
}

static bool
parse(struct lines *lines, size_t length, struct record *record, GError **error)
{
    size_t wrong;
    const enum tokens_result result = tokens_read(&lines->tokens, lines->text, length, &wrong);
    const char *complaint = shape(lines->text, result, &lines->tokens);
    if (complaint)
        lines_complain(lines, error, "%s%s", complaint,
                       lines->number == 1 && result == TOKENS_NONE
                           ? " Of a capture, latency-scan --json makes the file that is wanted here."
                           : "");
    else if (result == TOKENS_NONE)
        lines_complain(lines, error, "this is not JSON: byte %zu of the line is wrong.", wrong + 1);
    else
        *record = record_of(&lines->tokens.all[0]);
    return !complaint && result == TOKENS_ONE;
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
    struct token *type = record_member(record, "type");
    if (type && type->kind == TOKEN_TEXT && token_is(type, LINE_END)) {
        if (agrees(lines, record, error))
            expect_end(lines, error);
        return false;
    }
    /* Before its texts are read, which changes it. */
    gcry_md_write(lines->digest, lines->text, (size_t)length);
    const unsigned number = line_type_find(record_optional_text(record, "type", ""));
    if (number < LINE_TYPES)
        lines->counts[number]++;
    return true;
}

bool
lines_read(const char *path, lines_take *take, void *data, GError **error)
{
    struct lines *lines = lines_open(path, error);
    GError *wrong = NULL;
    struct record record;
    if (!lines)
        return false;
    while (!wrong && lines_next(lines, &record, &wrong))
        if (!take(data, &record))
            lines_complain_of_member(lines, &wrong, &record);
    lines_close(lines);
    if (!wrong)
        return true;
    g_propagate_error(error, wrong);
    return false;
}
