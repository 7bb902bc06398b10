/* main.c
 * latency-scan: every table of a capture, without Wireshark's dissection.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <stdlib.h>
#include <string.h>

#include <glib.h>
#include <glib/gstdio.h>
#include <wsutil/wmem/wmem.h>

#include "../program/program.h"
#include "dumpcap.h"
#include "filter.h"
#include "lazy_wiretap.h"
#include "outputs.h"
#include "preferences.h"
#include "report.h"
#include "run.h"
#include "table/table_names.h"

enum { MOST_THREADS = 256 };

static const char summary[] = "Prints in at most 20 lines what clients waited for and what failed; or, with -z,\n"
                              "the same tables as \"tshark -q -r FILE -z latency,servers\" with the latency\n"
                              "plugin, twenty times as fast, for Wireshark's dissectors are not used. Several\n"
                              "files are read as one capture, in the order of their frames' times. \"-\" is the\n"
                              "standard input.\n";

static const char examples[] = "  # What do clients wait for, and what failed?\n"
                               "  latency-scan captures/tcp/shop.pcap\n"
                               "  # Every request to Redis\n"
                               "  latency-scan -f 'tcp port 6379' -z requests captures/tcp/shop.pcap\n"
                               "  # A page of charts\n"
                               "  latency-scan --html shop.html captures/tcp/shop.pcap\n"
                               "  # For a spreadsheet or a script\n"
                               "  latency-scan -o latency.format:csv -z servers captures/tcp/shop.pcap\n"
                               "  # The servers of each second, from a pipe: tcpdump -U -w - tcp, say\n"
                               "  cat captures/tcp/shop.pcap | latency-scan --every 1 -\n";

static const char description[] = "Notes below the titles count the frames that could not be read. Display filters\n"
                                  "and decrypted TLS need Wireshark.\n"
                                  "\n"
                                  "Exit codes:\n"
                                  "  0  Everything was read and printed.\n"
                                  "  1  Something could not be read or written; the tables show what was read.\n"
                                  "  2  The command line is wrong.\n"
                                  "\n"
                                  "More: man latency-scan, docs/measuring.md, docs/preferences.md.\n";

/* Files that other programs make of the JSON lines. */
enum made { MADE_PAGE, MADE_OTLP, MADE_HAR, MADE_TRACE, MADE };
static const char *const made_options[MADE] = { "html", "otlp", "har", "trace" };

static struct {
    char **tables, **preferences, **json, **paths;
    char *filter, *times, *every, *slow, *metrics, *listen, *interface;
    char *made[MADE];
    int threads;
    gboolean calls, live;
} options;

/* Reads the seconds that an option has, "0.5" say; 0 without them, which is NULL. NULL, or a sentence about what is
 * wrong. */
static char *
read_seconds(const char *option, const char *text, int64_t *length_ns)
{
    enum { LONGEST_S = 1000000000, NS_PER_S = 1000000000 };
    char *end = NULL;
    double seconds = text ? g_ascii_strtod(text, &end) : 0;
    if (text && (end == text || *end || !(seconds >= 0) || seconds > LONGEST_S))
        return g_strdup_printf("--%s takes a number of seconds, not \"%s\".", option, text);
    *length_ns = (int64_t)(seconds * NS_PER_S);
    return NULL;
}

/* Whether what is read ends when somebody ends it. */
static bool
is_passing(void)
{
    bool is = options.interface;
    for (char **each = options.paths; each && *each; each++)
        is |= !g_file_test(*each, G_FILE_TEST_IS_REGULAR);
    return is;
}

/* NULL, or a sentence about what cannot be together. */
static char *
refuse_together(void)
{
    if (options.live && (options.every || options.slow))
        return g_strdup_printf("--live has the screen, and cannot be combined with --%s.",
                               options.every ? "every" : "slow");
    if (options.interface && options.paths)
        return g_strdup("-i captures, and cannot be combined with a file.");
    if (!options.interface && !options.paths)
        return g_strdup("There is no file to read; see latency-scan --help.");
    return NULL;
}

/* NULL, or a sentence about what is wrong. */
static char *
apply(struct outputs *outputs, int64_t *length_ns)
{
    int64_t slow_ns = 0;
    char *wrong = read_seconds("every", options.every, length_ns);
    if (!wrong)
        wrong = read_seconds("slow", options.slow, &slow_ns);
    for (char **each = options.preferences; each && *each && !wrong; each++)
        wrong = preferences_set(*each);
    if (!wrong && options.calls)
        wrong = preferences_set("latency.json_calls:true");
    for (char **each = options.tables; each && *each && !wrong; each++)
        wrong = outputs_add(outputs, *each);
    for (char **each = options.json; each && *each; each++)
        written_add_json(outputs_written(outputs), *each);
    for (unsigned i = 0; i < MADE && !wrong; i++)
        if (options.made[i])
            wrong = written_add_made(outputs_written(outputs), made_options[i], options.made[i]);
    if (!wrong && (options.metrics || options.listen))
        outputs_add_metrics(outputs, options.metrics, options.listen);
    if (!wrong && options.slow)
        outputs_add_slow(outputs, slow_ns);
    if (!wrong && outputs_are_none(outputs) && !(options.live && is_passing()))
        wrong = outputs_add(outputs, options.every ? "latency,servers" : "latency,summary");
    if (!wrong && options.every)
        wrong = outputs_refuse_blocks(outputs);
    if (!wrong && options.every && *length_ns == 0)
        wrong = outputs_stream(outputs);
    if (!wrong && options.times && !preferences_set_times(options.times))
        wrong = g_strdup_printf("-t takes a, ad, adoy, d, dd, e, r, u, ud or udoy, as tshark's -t does, not \"%s\".",
                                options.times);
    return wrong;
}

/* Returns whether the captures are so small that a second thread would begin when the first has read them. */
static bool
is_little(char *const *paths)
{
    enum { LITTLE_BYTES = 256000 };
    int64_t bytes = 0;
    GStatBuf status;
    for (; *paths && bytes < LITTLE_BYTES; paths++)
        bytes += g_stat(*paths, &status) == 0 ? status.st_size : 0;
    return bytes < LITTLE_BYTES;
}

/* A pipe, and what is printed while it passes, have no use for several. */
static unsigned
threads_of(char *const *paths)
{
    if (options.threads > 0)
        return (unsigned)options.threads;
    return is_little(paths) ? 1 : g_get_num_processors();
}

/* Returns the live view, to be freed, if it is wanted; or a sentence about what is wrong. `paths`: what is read. */
static struct live *
begin_live(char **paths, bool prints, char **wrong)
{
    if (!options.live || *wrong)
        return NULL;
    const struct live_capture capture = {
        .paths = paths,
        .name = options.interface ? options.interface : strcmp(paths[0], "-") == 0 ? "standard input" : paths[0],
        .is_passing = is_passing(),
        .is_of_now = options.interface,
        .prints = prints,
    };
    return live_new(&capture, wrong);
}

/* Captures, if that is asked for, and reads. */
static int
run(struct job *job)
{
    char *wrong = NULL;
    struct dumpcap *dumpcap = options.interface ? dumpcap_begin(options.interface, options.filter, &wrong) : NULL;
    if (wrong) {
        program_say("%s", wrong);
        g_free(wrong);
        return EXIT_FAILURE;
    }
    const bool done = run_files(job);
    if (dumpcap)
        dumpcap_end(dumpcap);
    return done ? EXIT_SUCCESS : EXIT_FAILURE;
}

static int
begin(void)
{
    static char *const captured[] = { "-", NULL };
    struct outputs *outputs = outputs_new();
    char **paths = options.interface ? (char **)captured : options.paths;
    int64_t length_ns = 0;
    char *wrong = refuse_together();
    if (!wrong)
        wrong = apply(outputs, &length_ns);
    struct filter *filter = NULL;
    if (!wrong && options.filter)
        filter = filter_new(options.filter, &wrong);
    if (!wrong && (options.threads < 0 || options.threads > MOST_THREADS))
        wrong = g_strdup_printf("-j takes a number of threads, at most %d.", MOST_THREADS);
    struct live *live = begin_live(paths, outputs_are_none(outputs), &wrong);
    int status = EXIT_USAGE;
    if (wrong) {
        program_say_lines(wrong);
    } else {
        struct job job = { paths, filter, outputs, live, length_ns, threads_of(paths) };
        status = run(&job);
    }
    if (live)
        live_free(live);
    outputs_free(outputs);
    g_free(wrong);
    if (filter)
        filter_free(filter);
    return status;
}

static void
free_options(void)
{
    g_strfreev(options.tables);
    g_strfreev(options.preferences);
    g_strfreev(options.json);
    g_strfreev(options.paths);
    g_free(options.filter);
    g_free(options.times);
    for (unsigned i = 0; i < MADE; i++)
        g_free(options.made[i]);
    g_free(options.every);
    g_free(options.slow);
    g_free(options.metrics);
    g_free(options.listen);
    g_free(options.interface);
}

static const GOptionEntry printed[] = {
    { "table", 'z', 0, G_OPTION_ARG_STRING_ARRAY, &options.tables,
      "Print this table of those below: \"latency,operations\" or \"operations\" (default: summary); can be "
      "repeated",
      "TABLE" },
    { "live", 0, 0, G_OPTION_ARG_NONE, &options.live,
      "Show a full screen of what clients wait for now, refreshed each second (? shows its keys)", NULL },
    { "slow", 0, 0, G_OPTION_ARG_STRING, &options.slow,
      "Print each request for which its client waited SECONDS or longer, as it ends: --slow 0.1", "SECONDS" },
    { "html", 0, 0, G_OPTION_ARG_FILENAME, &options.made[MADE_PAGE], "Write latency-report's page of charts to FILE",
      "FILE" },
    { "otlp", 0, 0, G_OPTION_ARG_FILENAME, &options.made[MADE_OTLP],
      "Write OpenTelemetry's traces to FILE, as latency-export does", "FILE" },
    { "har", 0, 0, G_OPTION_ARG_FILENAME, &options.made[MADE_HAR],
      "Write an HTTP archive for browsers' developer tools to FILE", "FILE" },
    { "trace", 0, 0, G_OPTION_ARG_FILENAME, &options.made[MADE_TRACE],
      "Write a trace for Perfetto (ui.perfetto.dev) to FILE", "FILE" },
    { "json", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &options.json,
      "Write everything to FILE, as JSON lines (docs/json.md)", "FILE" },
    { "calls", 0, 0, G_OPTION_ARG_NONE, &options.calls,
      "Let the JSON lines say which request caused which, as -o latency.json_calls:true does", NULL },
    { "openmetrics", 0, 0, G_OPTION_ARG_FILENAME, &options.metrics,
      "Write histograms and counters for Prometheus to FILE, with --every again and again", "FILE" },
    { "listen", 0, 0, G_OPTION_ARG_STRING, &options.listen,
      "Serve them for Prometheus while the capture is read: at a port of this host, or at ADDRESS:PORT", "PORT" },
    { "times", 't', 0, G_OPTION_ARG_STRING, &options.times, "Format of times, as for tshark's -t: ad, e, r, u...",
      "FORM" },
    { NULL, 0, 0, 0, NULL, NULL, NULL },
};

static const GOptionEntry taken[] = {
    { "interface", 'i', 0, G_OPTION_ARG_STRING, &options.interface,
      "Capture from this interface through dumpcap, instead of a file", "INTERFACE" },
    { "filter", 'f', 0, G_OPTION_ARG_STRING, &options.filter,
      "Read only frames that this capture filter passes: 'tcp port 80'", "FILTER" },
    { "preference", 'o', 0, G_OPTION_ARG_STRING_ARRAY, &options.preferences,
      "Set a preference of the plugin: latency.timeout:5, latency.format:csv (docs/preferences.md)", "NAME:VALUE" },
    { "every", 0, 0, G_OPTION_ARG_STRING, &options.every,
      "Print the tables of every SECONDS of the capture as they pass; 0: each row of -z connects once it is final",
      "SECONDS" },
    { "threads", 'j', 0, G_OPTION_ARG_INT, &options.threads,
      "Number of threads (default: as many as there are processors, and one for less than 256 kB)", "N" },
    { G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &options.paths, NULL, NULL },
    { NULL, 0, 0, 0, NULL, NULL, NULL },
};

int
main(int argc, char **argv)
{
    static const struct option_group groups[] = {
        { "What is printed or written", printed },
        { "What is read, and how", taken },
        { NULL, NULL },
    };
    const struct program program = {
        .name = "latency-scan",
        .arguments = "FILE...",
        .summary = summary,
        .examples = examples,
        .groups = groups,
        .tables = BY_SCAN,
        .description = description,
    };
    int status;
    report_begin();
    wmem_init();
    preferences_begin();
    if (program_begin(&program, &argc, &argv, &status))
        status = begin();
    free_options();
    preferences_end();
    wiretap_end();
    wmem_cleanup();
    return status;
}
