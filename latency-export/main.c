/* main.c
 * latency-export: requests as other tools show them.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <stdlib.h>

#include <wsutil/wmem/wmem.h>

#include "../program/program.h"
#include "export_run.h"

static const char summary[] = "Writes the requests of a capture in formats that other tools read. JSON has the\n"
                              "JSON lines of the capture, written by \"latency-scan --calls --json JSON\" or\n"
                              "\"tshark -z latency,json,JSON\".\n";

static const char examples[] = "  # Traces for an OpenTelemetry collector: which request caused which\n"
                               "  latency-scan --calls --json shop.jsonl captures/tcp/shop.pcap\n"
                               "  latency-export shop.jsonl --otlp shop.otlp\n"
                               "  # The same in one step\n"
                               "  latency-scan --otlp shop.otlp captures/tcp/shop.pcap\n"
                               "  # For a browser's developer tools, and for ui.perfetto.dev\n"
                               "  latency-export shop.jsonl --har shop.har --trace shop.trace.json\n";

static const char description[] = "The file must have the requests in it (preference latency.json: all or rows).\n"
                                  "\n"
                                  "Exit codes:\n"
                                  "  0  Everything was written.\n"
                                  "  1  The file cannot be read or is incomplete, or a file cannot be written or\n"
                                  "     would replace another kind of file.\n"
                                  "  2  The command line is wrong.\n"
                                  "\n"
                                  "More: man latency-export, docs/export.md.\n";

enum { FORMATS_MOST = 8 };

static int
write_all(const char *lines, char *const *outputs)
{
    GError *error = NULL;
    for (unsigned i = 0; formats[i]; i++)
        if (outputs[i] && !export_run(lines, formats[i], outputs[i], &error))
            return program_fail(error);
    return EXIT_SUCCESS;
}

int
main(int argc, char **argv)
{
    char **paths = NULL, *outputs[FORMATS_MOST] = { NULL };
    GOptionEntry entries[FORMATS_MOST + 1] = { { NULL, 0, 0, 0, NULL, NULL, NULL } };
    bool writes = false;
    int status;
    for (unsigned i = 0; formats[i]; i++)
        entries[i] =
            (GOptionEntry){ formats[i]->name, 0, 0, G_OPTION_ARG_FILENAME, &outputs[i], formats[i]->help, "FILE" };
    const GOptionEntry input[] = {
        { G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &paths, NULL, NULL },
        { NULL, 0, 0, 0, NULL, NULL, NULL },
    };
    const struct option_group groups[] = { { "What is written", entries }, { "What is read", input }, { NULL, NULL } };
    const struct program program = {
        .name = "latency-export",
        .arguments = "JSON",
        .summary = summary,
        .examples = examples,
        .groups = groups,
        .description = description,
    };
    wmem_init();
    if (program_begin(&program, &argc, &argv, &status)) {
        for (unsigned i = 0; formats[i]; i++)
            writes |= outputs[i] != NULL;
        if (!paths || !writes)
            program_say("There is no %s; see latency-export --help.", paths ? "file to write" : "file to read");
        else if (paths[1])
            program_say("One file is read at a time; there are %u.", g_strv_length(paths));
        else
            status = write_all(paths[0], outputs);
    }
    g_strfreev(paths);
    for (unsigned i = 0; formats[i]; i++)
        g_free(outputs[i]);
    wmem_cleanup();
    return status;
}
