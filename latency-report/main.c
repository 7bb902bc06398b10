/* main.c
 * latency-report: a page of pictures of what -z latency,json wrote.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <stdlib.h>

#include <wsutil/wmem/wmem.h>

#include "../program/program.h"
#include "html_file.h"

static const char summary[] = "Makes an HTML page of charts of the requests in one or more captures. Each JSON\n"
                              "has the JSON lines of one capture, written by \"latency-scan --json JSON\" or\n"
                              "\"tshark -z latency,json,JSON\". The page opens without a network.\n";

static const char examples[] = "  # A page of one capture\n"
                               "  latency-scan --calls --json shop.jsonl captures/tcp/shop.pcap\n"
                               "  latency-report shop.jsonl -o shop.html\n"
                               "  # The same in one step\n"
                               "  latency-scan --html shop.html captures/tcp/shop.pcap\n"
                               "  # A page of two captures, added up\n"
                               "  latency-scan --json memcached.jsonl captures/tcp/memcached.pcap\n"
                               "  latency-report shop.jsonl memcached.jsonl -o both.html\n";

static const char description[] = "The files must have the requests in them (preference latency.json: all or rows).\n"
                                  "Several files are added up, but a request in one is not joined with its response\n"
                                  "in another; latency-merge does that. The page shows who calls whom if the files\n"
                                  "say which request caused which: write them with latency-scan --calls.\n"
                                  "\n"
                                  "Exit codes:\n"
                                  "  0  The page was written.\n"
                                  "  1  A file cannot be read, is incomplete or has no requests, or the page cannot\n"
                                  "     be written or would replace another kind of file. No page is made.\n"
                                  "  2  The command line is wrong.\n"
                                  "\n"
                                  "More: man latency-report, docs/report.md.\n";

int
main(int argc, char **argv)
{
    char **paths = NULL, *page = NULL, *name = NULL;
    const GOptionEntry entries[] = {
        { "output", 'o', 0, G_OPTION_ARG_FILENAME, &page, "Write the page to FILE", "FILE" },
        { "name", 0, 0, G_OPTION_ARG_STRING, &name, "Show NAME in the page instead of the name of the only file",
          "NAME" },
        { G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &paths, NULL, NULL },
        { NULL, 0, 0, 0, NULL, NULL, NULL },
    };
    const struct option_group groups[] = { { "The page", entries }, { NULL, NULL } };
    const struct program program = {
        .name = "latency-report",
        .arguments = "JSON... -o FILE",
        .summary = summary,
        .examples = examples,
        .groups = groups,
        .description = description,
    };
    GError *error = NULL;
    int status;
    wmem_init();
    if (program_begin(&program, &argc, &argv, &status)) {
        if (!paths || !page)
            program_say("There is no %s; see latency-report --help.", paths ? "page: -o FILE" : "file to read");
        else if (name && paths[1])
            program_say("--name is for a single file; there are %u.", g_strv_length(paths));
        else
            status = html_file_make(paths, name, page, &error) ? EXIT_SUCCESS : program_fail(error);
    }
    g_strfreev(paths);
    g_free(page);
    g_free(name);
    wmem_cleanup();
    return status;
}
