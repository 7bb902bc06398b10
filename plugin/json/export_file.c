/* export_file.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "export_file.h"

#include <errno.h>
#include <stdint.h>
#include <sys/stat.h>

#include <glib.h>
#include <glib/gstdio.h>

#include <wsutil/report_message.h>

#include "../core/util/output_file.h"

struct export_file {
    char *path;    /* NULL: standard output */
    bool in_place; /* what nothing must replace (output_file.h) */
    FILE *parts[EXPORT_PARTS];
    int error;
};

static FILE *
nameless_file(const struct export_file *file)
{
    char *beside =
        file->path && !file->in_place ? g_strdup(file->path) : g_build_filename(g_get_tmp_dir(), "latency-json", NULL);
    FILE *nameless = output_file_nameless(beside);
    int error = errno;
    g_free(beside);
    errno = error;
    return nameless;
}

static void
report(const struct export_file *file, int error)
{
    report_failure("The JSON lines could not be written to %s%s%s: %s.", file->path ? "\"" : "",
                   file->path ? file->path : "standard output", file->path ? "\"" : "", g_strerror(error));
}

static bool
is_folder(struct export_file *file)
{
    struct stat status;
    if (!file->path || stat(file->path, &status) != 0)
        return false;
    file->in_place = output_is_in_place(&status);
    return S_ISDIR(status.st_mode);
}

/* False, having said why, if there can be none. */
static bool
open_parts(struct export_file *file)
{
    for (unsigned i = 0; i < EXPORT_PARTS; i++) {
        file->parts[i] = nameless_file(file);
        if (file->parts[i])
            continue;
        if (file->path && !file->in_place)
            report(file, errno);
        else
            report_failure("The JSON lines need a temporary file in \"%s\": %s.", g_get_tmp_dir(), g_strerror(errno));
        return false;
    }
    return true;
}

struct export_file *
export_file_new(const char *path)
{
    struct export_file *file = g_new0(struct export_file, 1);
    output_file_survive_limits();
    if (path && !output_is_standard(path))
        file->path = g_strdup(path);
    char *refused = file->path ? output_check(file->path, OUTPUT_LINES, NULL, 0) : NULL;
    if (refused)
        report_failure("%s", refused);
    else if (is_folder(file))
        report(file, EISDIR);
    else if (open_parts(file))
        return file;
    g_free(refused);
    export_file_free(file);
    return NULL;
}

void
export_file_free(struct export_file *file)
{
    for (unsigned i = 0; i < EXPORT_PARTS; i++)
        if (file->parts[i])
            fclose(file->parts[i]);
    g_free(file->path);
    g_free(file);
}

FILE *
export_file_part(const struct export_file *file, enum export_part part)
{
    return file->parts[part];
}

void
export_file_note_error(struct export_file *file, int error)
{
    if (!file->error)
        file->error = error;
}

void
export_file_check(struct export_file *file)
{
    for (unsigned i = 0; i < EXPORT_PARTS && !file->error; i++)
        if (ferror(file->parts[i]))
            file->error = errno ? errno : EIO;
}

static void
copy(struct export_file *file, FILE *from, FILE *to, GChecksum *checksum)
{
    enum { CHUNK = 1 << 16 };
    uint8_t *bytes = g_malloc(CHUNK);
    size_t length;
    if (fflush(from) != 0)
        export_file_note_error(file, errno);
    rewind(from);
    while ((length = fread(bytes, 1, CHUNK, from)) > 0) {
        g_checksum_update(checksum, bytes, (gssize)length);
        if (fwrite(bytes, 1, length, to) != length)
            break;
    }
    if (ferror(from))
        export_file_note_error(file, EIO);
    g_free(bytes);
}

/* All that the file has. */
static void
write_all(struct export_file *file, void (*write_end)(void *data, const char *digest, FILE *out), void *data, FILE *out)
{
    GChecksum *checksum = g_checksum_new(G_CHECKSUM_SHA256);
    copy(file, file->parts[PART_HEAD], out, checksum);
    copy(file, file->parts[PART_SEGMENTS], out, checksum);
    copy(file, file->parts[PART_ROWS], out, checksum);
    write_end(data, g_checksum_get_string(checksum), out);
    g_checksum_free(checksum);
}

/* To standard output, which stays open. */
static void
print_all(struct export_file *file, void (*write_end)(void *data, const char *digest, FILE *out), void *data)
{
    errno = 0;
    write_all(file, write_end, data, stdout);
    if (fflush(stdout) != 0 || ferror(stdout))
        export_file_note_error(file, errno ? errno : EIO);
}

static void
write_file(struct export_file *file, void (*write_end)(void *data, const char *digest, FILE *out), void *data)
{
    struct output_file *output = output_file_open(file->path, OUTPUT_LINES);
    if (!output) {
        export_file_note_error(file, errno);
        return;
    }
    write_all(file, write_end, data, output_file_stream(output));
    if (file->error)
        output_file_abort(output);
    else
        export_file_note_error(file, output_file_commit(output));
}

bool
export_file_finish(struct export_file *file, void (*write_end)(void *data, const char *digest, FILE *out), void *data)
{
    if (file->path)
        write_file(file, write_end, data);
    else
        print_all(file, write_end, data);
    if (file->error)
        report(file, file->error);
    return !file->error;
}
