/* main.c
 * latency-scan: every table of a capture, without Wireshark's dissection.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <stdlib.h>

#include <glib.h>
#include <wiretap/wtap.h>
#include <wsutil/wmem/wmem.h>

#include "../program/program.h"
#include "filter.h"
#include "outputs.h"
#include "preferences.h"
#include "report.h"
#include "run.h"

enum { MOST_THREADS = 256 };

static const char summary[] =
    "Prints the tables of the latency plugin for Wireshark, as \"tshark -q -r FILE -z latency,servers\" does, but\n"
    "without Wireshark's dissectors and twenty times as fast. Several files are read as one capture, in the order of\n"
    "their frames' times. \"-\" is standard input: dumpcap -w - | latency-scan -";

static const char description[] =
    "Tables: latency,servers (the default), latency,operations, latency,connections, latency,connects,\n"
    "latency,hosts, latency,requests, latency,packets, latency,intervals, latency,stages, latency,paths,\n"
    "latency,kernel, ca,servers, ca,channels, ca,searches, ca,srt, pva,servers, pva,channels, pva,searches,\n"
    "pva,monitors, pva,srt. What was not understood is counted below the titles. Display filters and the decryption\n"
    "of TLS need Wireshark.\n"
    "\n"
    "Exit codes:\n"
    "  0  Everything was read and printed.\n"
    "  1  Something could not be read or written; the tables are of what was read.\n"
    "  2  The command line is wrong.";

struct options {
    char **tables, **preferences, **json, **paths;
    char *filter, *times, *every, *page;
    int threads;
};

/* Seconds, "0.5" say. NULL, or a sentence about what is wrong. */
static char *
read_every(const char *every, int64_t *length_ns)
{
    enum { LONGEST_S = 1000000000, NS_PER_S = 1000000000 };
    char *end = NULL;
    double seconds = every ? g_ascii_strtod(every, &end) : 0;
    if (every && (end == every || *end || !(seconds >= 0) || seconds > LONGEST_S))
        return g_strdup_printf("--every takes a number of seconds, not \"%s\".", every);
    *length_ns = (int64_t)(seconds * NS_PER_S);
    return NULL;
}

/* NULL, or a sentence about what is wrong. */
static char *
apply(const struct options *options, struct outputs *outputs, int64_t *length_ns)
{
    char *wrong = read_every(options->every, length_ns);
    for (char **each = options->preferences; each && *each && !wrong; each++)
        wrong = preferences_set(*each);
    for (char **each = options->tables; each && *each && !wrong; each++)
        wrong = outputs_add(outputs, *each);
    for (char **each = options->json; each && *each; each++)
        written_add_json(outputs_written(outputs), *each);
    if (!wrong && options->page)
        wrong = written_add_page(outputs_written(outputs), options->page);
    if (!wrong && outputs_are_none(outputs))
        wrong = outputs_add(outputs, "latency,servers");
    if (!wrong && options->every && *length_ns == 0)
        wrong = outputs_stream(outputs);
    if (!wrong && options->times && !preferences_set_times(options->times))
        wrong = g_strdup_printf("-t takes a, ad, adoy, d, dd, e, r, u, ud or udoy, as tshark's, not \"%s\".",
                                options->times);
    return wrong;
}

/* A pipe, and what is printed while it passes, have no use for several. */
static unsigned
threads_of(const struct options *options)
{
    return options->threads > 0 ? (unsigned)options->threads : g_get_num_processors();
}

static int
begin(const struct options *options)
{
    struct outputs *outputs = outputs_new();
    int64_t length_ns = 0;
    char *wrong = apply(options, outputs, &length_ns);
    struct filter *filter = NULL;
    if (!wrong && options->filter)
        filter = filter_new(options->filter, &wrong);
    if (!wrong && (options->threads < 0 || options->threads > MOST_THREADS))
        wrong = g_strdup_printf("-j takes a number of threads, at most %d.", MOST_THREADS);
    if (!wrong && !options->paths)
        wrong = g_strdup("There is no file to read; see latency-scan --help.");
    int status = EXIT_USAGE;
    if (wrong) {
        program_say_lines(wrong);
    } else {
        const struct job job = { options->paths, filter, outputs, length_ns, threads_of(options) };
        status = run_files(&job) ? EXIT_SUCCESS : EXIT_FAILURE;
    }
    outputs_free(outputs);
    g_free(wrong);
    if (filter)
        filter_free(filter);
    return status;
}

static void
free_options(struct options *options)
{
    g_strfreev(options->tables);
    g_strfreev(options->preferences);
    g_strfreev(options->json);
    g_strfreev(options->paths);
    g_free(options->filter);
    g_free(options->times);
    g_free(options->page);
    g_free(options->every);
}

int
main(int argc, char **argv)
{
    const struct program program = { "latency-scan", summary, description };
    struct options options = { .tables = NULL };
    const GOptionEntry entries[] = {
        { "table", 'z', 0, G_OPTION_ARG_STRING_ARRAY, &options.tables,
          "Print this table, as tshark's -z does; can be repeated", "latency,\342\200\246" },
        { "json", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &options.json,
          "Write the lines of -z latency,json to FILE (docs/json.md)", "FILE" },
        { "html", 0, 0, G_OPTION_ARG_FILENAME, &options.page, "Write latency-report's HTML page to FILE", "FILE" },
        { "filter", 'f', 0, G_OPTION_ARG_STRING, &options.filter,
          "Read only frames that this capture filter passes: 'tcp port 80'", "FILTER" },
        { "preference", 'o', 0, G_OPTION_ARG_STRING_ARRAY, &options.preferences,
          "Set a preference of the plugin: latency.timeout:5", "NAME:VALUE" },
        { "times", 't', 0, G_OPTION_ARG_STRING, &options.times,
          "Time format, as for tshark's -t: ad, e, r, u\342\200\246", "FORM" },
        { "every", 0, 0, G_OPTION_ARG_STRING, &options.every,
          "Print the tables of every SECONDS of the capture as they pass; 0: each row of latency,connects when it is "
          "final",
          "SECONDS" },
        { "threads", 'j', 0, G_OPTION_ARG_INT, &options.threads,
          "Number of threads; by default as many as there are processors", "N" },
        { G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &options.paths, NULL, "FILE\342\200\246" },
        { NULL, 0, 0, 0, NULL, NULL, NULL },
    };
    int status;
    report_begin();
    wmem_init();
    wtap_init(FALSE);
    preferences_begin();
    if (program_begin(&program, entries, &argc, &argv, &status))
        status = begin(&options);
    free_options(&options);
    preferences_end();
    wtap_cleanup();
    wmem_cleanup();
    return status;
}
