/* html_file.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "html_file.h"

#include <errno.h>

#include <gio/gio.h>

#include "core/util/output_file.h"
#include "figures.h"
#include "gather.h"
#include "json/capture.h"
#include "json/lines.h"

/* When the first capture with a frame begins, and the last ends. */
struct span {
    int64_t first_ns, last_ns;
};

static bool
look(const char *path, struct span *span, GError **error)
{
    struct capture *capture = capture_read(path, error);
    if (!capture)
        return false;
    bool has_rows = capture->content != JSON_SUMMARY, has_frames = capture->first_ns || capture->last_ns;
    if (!has_rows)
        g_set_error(error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA,
                    "\"%s\" has sums only: it was written with latency.json:summary.", path);
    if (has_frames)
        *span = (struct span){ MIN(span->first_ns, capture->first_ns), MAX(span->last_ns, capture->last_ns) };
    capture_free(capture);
    return has_rows;
}

static bool
take(void *gathering, struct record *record)
{
    return gathering_take(gathering, record);
}

static bool
gather_files(struct gathering *gathering, char *const *paths, GError **error)
{
    struct span span = { INT64_MAX, INT64_MIN };
    bool all = true;
    for (unsigned i = 0; paths[i]; i++)
        if (!look(paths[i], &span, error))
            return false;
    if (span.first_ns > span.last_ns)
        span = (struct span){ 0, 0 };
    gathering_init(gathering, span.first_ns, span.last_ns);
    for (unsigned i = 0; paths[i] && all; i++) {
        gathering_begin_file(gathering, i);
        all = lines_read(paths[i], take, gathering, error);
    }
    if (all)
        gathering_finish(gathering);
    else
        gathering_clear(gathering);
    return all;
}

/* Writes one of the files that report.gresource.xml.in lists. */
static void
write_part(FILE *file, const char *path)
{
    GBytes *part = g_resources_lookup_data(path, G_RESOURCE_LOOKUP_FLAGS_NONE, NULL);
    fwrite(g_bytes_get_data(part, NULL), 1, g_bytes_get_size(part), file);
    g_bytes_unref(part);
}

/* Within a script: a "<" of a text must not begin what ends it. */
static void
write_figures(FILE *file, struct gathering *gathering, const GPtrArray *names)
{
    GString *figures = figures_new(gathering, names);
    g_string_replace(figures, "<", "\\u003c", 0);
    fwrite(figures->str, 1, figures->len, file);
    g_string_free(figures, TRUE);
}

/* Writes the page; whether all was written is ferror()'s to say. */
static void
write_all(struct gathering *gathering, const GPtrArray *names, FILE *file)
{
    write_part(file, "/latency-report/head.html");
    fputs("<style>\n", file);
    write_part(file, "/latency-report/report.css");
    fputs("</style>\n", file);
    write_part(file, "/latency-report/body.html");
    fputs("<script type=\"application/json\" id=\"figures\">\n", file);
    write_figures(file, gathering, names);
    fputs("</script>\n<script>\n", file);
    write_part(file, "/latency-report/chart.js");
    fputs("</script>\n<script>\n", file);
    write_part(file, "/latency-report/report.js");
    fputs("</script>\n</body>\n</html>\n", file);
}

static bool
write_page(struct gathering *gathering, const GPtrArray *names, const char *path, GError **error)
{
    struct output_file *file = output_file_open(path, OUTPUT_PAGE);
    int failed = errno;
    if (file) {
        write_all(gathering, names, output_file_stream(file));
        failed = output_file_commit(file);
    }
    if (failed || !file)
        g_set_error(error, G_IO_ERROR, g_io_error_from_errno(failed), "\"%s\" cannot be written: %s.", path,
                    g_strerror(failed));
    return file && !failed;
}

/* False if it would replace what it must not. */
static bool
may_write(const char *page, char *const *paths, GError **error)
{
    char *refused = output_check(page, OUTPUT_PAGE, paths, g_strv_length((char **)paths));
    if (refused)
        g_set_error_literal(error, G_IO_ERROR, G_IO_ERROR_EXISTS, refused);
    g_free(refused);
    return !refused;
}

/* `name`: of the one file; NULL: the last part of its path, as of several. */
static GPtrArray *
names_of(char *const *paths, const char *name)
{
    GPtrArray *names = g_ptr_array_new_with_free_func(g_free);
    for (; *paths; paths++)
        g_ptr_array_add(names, name ? g_strdup(name) : g_path_get_basename(*paths));
    return names;
}

bool
html_file_make(char *const *paths, const char *name, const char *page, GError **error)
{
    struct gathering gathering;
    if (!may_write(page, paths, error) || !gather_files(&gathering, paths, error))
        return false;
    GPtrArray *names = names_of(paths, name);
    bool written = write_page(&gathering, names, page, error);
    g_ptr_array_free(names, TRUE);
    gathering_clear(&gathering);
    return written;
}
