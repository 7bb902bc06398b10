/* main.c
 * latency-report: a page of pictures of what -z latency,json wrote.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gio/gio.h>
#include <wsutil/wmem/wmem.h>

#include "../latency-merge/capture.h"
#include "../latency-merge/lines.h"
#include "gather.h"
#include "page.h"

enum { EXIT_USAGE = 2 };

static const char summary[] =
    "Makes one page of pictures, which opens without a network, of the JSON lines of captures.";

static const char description[] =
    "Example:\n"
    "  latency-scan --json shop.jsonl shop.pcap\n"
    "  latency-report shop.jsonl -o shop.html\n"
    "\n"
    "The files are those of -z latency,json with the rows (latency.json:all or rows), described in docs/json.md; "
    "several\n"
    "are added up. What crosses the ends of captures is not joined: that is what latency-merge is for.\n"
    "\n"
    "Exit codes:\n"
    "  0  The page is written.\n"
    "  1  A file cannot be read, is not whole, or has no rows; or the page cannot be written. There is no new page.\n"
    "  2  The command line is wrong.";

static void G_GNUC_PRINTF(1, 2) say(const char *format, ...)
{
    va_list arguments;
    fputs("latency-report: ", stderr);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
}

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
    bool has_rows = capture->content != CONTENT_SUMMARY, has_frames = capture->first_ns || capture->last_ns;
    if (!has_rows)
        g_set_error(error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA,
                    "\"%s\" has sums only: it was written with latency.json:summary.", path);
    if (has_frames)
        *span = (struct span){ MIN(span->first_ns, capture->first_ns), MAX(span->last_ns, capture->last_ns) };
    capture_free(capture);
    return has_rows;
}

static bool
take(struct gathering *gathering, const char *path, GError **error)
{
    struct lines *lines = lines_open(path, error);
    GError *wrong = NULL;
    const char *line;
    if (!lines)
        return false;
    while (lines_next_text(lines, &line, &wrong))
        gathering_take(gathering, line);
    lines_close(lines);
    if (!wrong)
        return true;
    g_propagate_error(error, wrong);
    return false;
}

static struct gathering *
gather(const GPtrArray *paths, GError **error)
{
    struct span span = { INT64_MAX, INT64_MIN };
    for (unsigned i = 0; i < paths->len; i++)
        if (!look(g_ptr_array_index(paths, i), &span, error))
            return NULL;
    if (span.first_ns > span.last_ns)
        span = (struct span){ 0, 0 };
    struct gathering *gathering = gathering_new(span.first_ns, span.last_ns);
    for (unsigned i = 0; i < paths->len; i++) {
        gathering->file = i;
        if (take(gathering, g_ptr_array_index(paths, i), error))
            continue;
        gathering_free(gathering);
        return NULL;
    }
    gathering_finish(gathering);
    return gathering;
}

/* Beside the page, and then in its place. */
static bool
write_page(struct gathering *gathering, const GPtrArray *paths, const char *path)
{
    char *beside = g_strdup_printf("%s.part", path);
    FILE *file = fopen(beside, "wb");
    bool written = file != NULL;
    if (written) {
        page_write(gathering, paths, file);
        written = !ferror(file);
        written &= fclose(file) == 0;
    }
    written = written && rename(beside, path) == 0;
    if (!written) {
        say("\"%s\" cannot be written: %s.", path, g_strerror(errno));
        remove(beside);
    }
    g_free(beside);
    return written;
}

static int
run(char **names, const char *path)
{
    GPtrArray *paths = g_ptr_array_new();
    GError *error = NULL;
    for (; *names; names++)
        g_ptr_array_add(paths, *names);
    struct gathering *gathering = gather(paths, &error);
    int status = EXIT_FAILURE;
    if (gathering) {
        status = write_page(gathering, paths, path) ? EXIT_SUCCESS : EXIT_FAILURE;
        gathering_free(gathering);
    } else {
        say("%s", error->message);
        g_error_free(error);
    }
    g_ptr_array_free(paths, TRUE);
    return status;
}

int
main(int argc, char **argv)
{
    gboolean version = FALSE;
    char **paths = NULL, *output = NULL;
    const GOptionEntry entries[] = {
        { "output", 'o', 0, G_OPTION_ARG_FILENAME, &output, "The page", "FILE" },
        { "version", 'v', 0, G_OPTION_ARG_NONE, &version, "Print the version and exit", NULL },
        { G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &paths, NULL, "JSON\342\200\246" },
        { NULL, 0, 0, 0, NULL, NULL, NULL },
    };
    setlocale(LC_ALL, "");
    setlocale(LC_NUMERIC, "C");
    GOptionContext *context = g_option_context_new(NULL);
    g_option_context_set_summary(context, summary);
    g_option_context_set_description(context, description);
    g_option_context_add_main_entries(context, entries, NULL);
    GError *error = NULL;
    int status = EXIT_USAGE;
    wmem_init();
    if (!g_option_context_parse(context, &argc, &argv, &error)) {
        say("%s", error->message);
        g_error_free(error);
    } else if (version) {
        printf("latency-report %s\n", LATENCY_VERSION);
        status = EXIT_SUCCESS;
    } else if (!paths || !output) {
        say("There is no %s; see latency-report --help.", paths ? "page: -o FILE" : "file to read");
    } else {
        status = run(paths, output);
    }
    g_strfreev(paths);
    g_free(output);
    g_option_context_free(context);
    wmem_cleanup();
    return status;
}
