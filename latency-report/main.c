/* main.c
 * latency-report: a page of pictures of what -z latency,json wrote.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <stdlib.h>

#include <wsutil/wmem/wmem.h>

#include "../latency-merge/program.h"
#include "html_file.h"

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

static int
run(char **names, const char *page)
{
    GPtrArray *paths = g_ptr_array_new();
    GError *error = NULL;
    for (; *names; names++)
        g_ptr_array_add(paths, *names);
    bool made = html_file_make(paths, NULL, page, &error);
    g_ptr_array_free(paths, TRUE);
    return made ? EXIT_SUCCESS : program_fail(error);
}

int
main(int argc, char **argv)
{
    char **paths = NULL, *page = NULL;
    const struct program program = { "latency-report", summary, description };
    const GOptionEntry entries[] = {
        { "output", 'o', 0, G_OPTION_ARG_FILENAME, &page, "The page", "FILE" },
        { G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &paths, NULL, "JSON\342\200\246" },
        { NULL, 0, 0, 0, NULL, NULL, NULL },
    };
    int status;
    wmem_init();
    if (program_begin(&program, entries, &argc, &argv, &status)) {
        if (!paths || !page)
            program_say("There is no %s; see latency-report --help.", paths ? "page: -o FILE" : "file to read");
        else
            status = run(paths, page);
    }
    g_strfreev(paths);
    g_free(page);
    wmem_cleanup();
    return status;
}
