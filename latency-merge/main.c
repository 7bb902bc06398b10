/* main.c
 * latency-merge: the tables of many captures, from what tshark -z latency,json wrote of each.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <glib.h>
#include <wsutil/str_util.h>
#include <wsutil/wmem/wmem.h>

#include "../program/program.h"
#include "core/util/nearest.h"
#include "merge.h"
#include "report.h"
#include "table/table_names.h"

static const char summary[] = "Prints the tables of many captures together. Each FILE has the JSON lines of one\n"
                              "capture, written by \"latency-scan --json FILE\" or \"tshark -z latency,json,FILE\".\n";

static const char examples[] = "  # Each capture once, on as many machines as there are\n"
                               "  latency-scan --json shop.jsonl captures/tcp/shop.pcap\n"
                               "  latency-scan --json memcached.jsonl captures/tcp/memcached.pcap\n"
                               "  # All tables of both\n"
                               "  latency-merge shop.jsonl memcached.jsonl\n"
                               "  # One table, for a spreadsheet or a script\n"
                               "  latency-merge -z operations -f csv shop.jsonl memcached.jsonl\n";

static const char description[] = "Captures are joined in the order of their first frames. How exact the tables are\n"
                                  "depends on the preference latency.json with which the files were written; a note\n"
                                  "below the title says it:\n"
                                  "  all      exactly as if one capture had been taken\n"
                                  "  rows     exact, except for what crosses from one capture into the next: only a\n"
                                  "           request still unanswered at the end of a capture is joined with a\n"
                                  "           response at the beginning of a later one\n"
                                  "  summary  the same, with percentiles within 0.4 %\n"
                                  "\n"
                                  "Exit codes:\n"
                                  "  0  The tables were printed. Warnings say what may be wrong with them.\n"
                                  "  1  A file cannot be read, is incomplete, or cannot be merged. No table was\n"
                                  "     printed.\n"
                                  "  2  The command line is wrong.\n"
                                  "\n"
                                  "More: man latency-merge, docs/json.md, docs/scale.md.\n";

static void
free_capture(void *capture)
{
    capture_free(capture);
}

static const struct capture *
capture_at(const GPtrArray *captures, unsigned i)
{
    return g_ptr_array_index(captures, i);
}

static int
compare_times(const void *a, const void *b)
{
    const struct capture *x = *(struct capture *const *)a;
    const struct capture *y = *(struct capture *const *)b;
    return (x->first_ns > y->first_ns) - (x->first_ns < y->first_ns);
}

static bool
read_captures(char **paths, GPtrArray *captures, GError **error)
{
    for (; *paths; paths++) {
        struct capture *capture = capture_read(*paths, error);
        if (!capture)
            return false;
        g_ptr_array_add(captures, capture);
    }
    return true;
}

static void
warn(const GPtrArray *captures, bool in_order)
{
    const struct capture *first = capture_at(captures, 0), *longest = first;
    for (unsigned i = 0; i < captures->len; i++) {
        const struct capture *capture = capture_at(captures, i);
        if (capture->filter)
            program_say("\"%s\" has only what the filter \"%s\" passed; requests across its ends are not joined.",
                        capture->path, capture->filter);
        if (strcmp(capture->settings, first->settings) != 0)
            program_say("\"%s\" was written with %s, but \"%s\" with %s.", capture->path, capture->settings,
                        first->path, first->settings);
        if (!in_order && i > 0 && capture->first_ns < longest->last_ns)
            program_say("\"%s\" begins before \"%s\" ends: what both have captured counts twice.", capture->path,
                        longest->path);
        longest = capture->last_ns > longest->last_ns ? capture : longest;
    }
}

/* Whether the captures together say of several capture points that packets were seen there. */
static bool
has_several_points(const GPtrArray *captures)
{
    const char *first = NULL;
    bool several = false;
    for (unsigned i = 0; i < captures->len; i++) {
        const struct capture *capture = capture_at(captures, i);
        for (unsigned j = 0; j < capture->points->len; j++) {
            const char *point = g_ptr_array_index(capture->points, j);
            first = first ? first : point;
            several |= strcmp(first, point) != 0;
        }
    }
    return several;
}

static bool
has_fragments(const GPtrArray *captures)
{
    bool has = false;
    for (unsigned i = 0; i < captures->len; i++)
        has |= capture_at(captures, i)->fragments > 0;
    return has;
}

/* Of files that are joined at their ends. */
static void
write_exactness(GString *text, const GPtrArray *captures, uint64_t cut)
{
    const bool several = captures->len > 1;
    const char *before = " but for ";
    g_string_append(text, ", joined at their ends: exact");
    if (several && has_several_points(captures)) {
        g_string_append_printf(text, "%swhat was captured at several points", before);
        before = ", ";
    }
    if (several && has_fragments(captures)) {
        g_string_append_printf(text, "%sIP fragments", before);
        before = ", ";
    }
    if (cut)
        g_string_append_printf(text, "%s%" PRIu64 " connection%s cut within messages", before, cut,
                               plurality(cut, "", "s"));
    g_string_append(text, ".\n");
}

/* What the tables are made of, as a line of their notes. */
static void
write_made_of(GString *text, const GPtrArray *captures, uint64_t joined, uint64_t cut)
{
    unsigned counts[JSON_CONTENTS] = { 0 };
    for (unsigned i = 0; i < captures->len; i++)
        counts[capture_at(captures, i)->content]++;
    g_string_append_printf(text, "Merged: %u capture%s", captures->len, plurality(captures->len, "", "s"));
    if (counts[JSON_ALL] == captures->len) {
        write_exactness(text, captures, cut);
        return;
    }
    if (counts[JSON_ALL])
        g_string_append_printf(text, "; %u joined at their ends", counts[JSON_ALL]);
    if (counts[JSON_ROWS])
        g_string_append_printf(text, "; %u from rows", counts[JSON_ROWS]);
    if (counts[JSON_SUMMARY])
        g_string_append_printf(text, "; %u from sums and histograms, with percentiles within 0.4 %%",
                               counts[JSON_SUMMARY]);
    g_string_append_printf(text, "; across ends %" PRIu64 " response%s joined, the rest not.\n", joined,
                           plurality(joined, "", "s"));
}

/* What recorders lost, and did not record, if anything. */
static void
write_recorded(GString *text, const GPtrArray *captures)
{
    struct sighting_tally tally = { 0 };
    for (unsigned i = 0; i < captures->len; i++)
        sighting_tally_merge(&tally, &capture_at(captures, i)->sightings);
    if (sighting_tally_lacks(&tally))
        sighting_tally_write(&tally, text);
}

/* What tables of Channel Access and pvAccess are made of, whose rows add up. `of_sums`: what is to be said if files
 * have sums alone. */
static char *
ca_made_of(const GPtrArray *captures, const char *of_sums)
{
    bool has_sums = false;
    for (unsigned i = 0; i < captures->len; i++)
        has_sums |= capture_at(captures, i)->content == JSON_SUMMARY;
    return g_strdup_printf("Merged: %u capture%s%s%s.\n", captures->len, plurality(captures->len, "", "s"),
                           captures->len > 1 ? "; what crosses their ends is not joined" : "", has_sums ? of_sums : "");
}

/* What the table of calls is made of. */
static char *
calls_made_of(const GPtrArray *captures)
{
    unsigned with = 0;
    for (unsigned i = 0; i < captures->len; i++)
        with += capture_at(captures, i)->calls >= 0;
    if (with < captures->len)
        return g_strdup_printf(
            "Merged: %u of %u capture%s; the rest was written without calls (latency-scan --calls).\n", with,
            captures->len, plurality(captures->len, "", "s"));
    return g_strdup_printf("Merged: %u capture%s%s.\n", with, plurality(with, "", "s"),
                           with > 1 ? "; causes are told in each by itself, and what crosses their ends is not joined"
                                    : "");
}

static int
merge(const GPtrArray *captures, const struct report_form *form)
{
    GError *error = NULL;
    struct merge *merged = merge_new(g_ptr_array_index(captures, 0));
    for (unsigned i = 0; i < captures->len && !error; i++)
        merge_take(merged, g_ptr_array_index(captures, i), &error);
    if (error) {
        merge_free(merged);
        return program_fail(error);
    }
    struct totals *totals = merge_finish(merged);
    GString *line = g_string_new(NULL);
    write_made_of(line, captures, merge_joined(merged), merge_cut(merged));
    write_recorded(line, captures);
    char *channels = ca_made_of(captures, "; percentiles within 0.4 %"), *commands = ca_made_of(captures, "");
    char *names = ca_made_of(captures, "; names of those that have sums alone are not known");
    char *calls = calls_made_of(captures);
    const struct made_of lines = { line->str, calls, channels, names, commands };
    report_print(totals, &lines, form, stdout);
    const bool printed = fflush(stdout) == 0;
    if (!printed)
        program_say("The tables could not be written.");
    g_string_free(line, TRUE);
    g_free(calls);
    g_free(channels);
    g_free(commands);
    g_free(names);
    merge_free(merged);
    return printed ? EXIT_SUCCESS : EXIT_FAILURE;
}

static int
run(char **paths, bool in_order, const struct report_form *form)
{
    GPtrArray *captures = g_ptr_array_new_with_free_func(free_capture);
    GError *error = NULL;
    int status;
    if (read_captures(paths, captures, &error)) {
        if (!in_order)
            g_ptr_array_sort(captures, compare_times);
        warn(captures, in_order);
        status = merge(captures, form);
    } else {
        status = program_fail(error);
    }
    g_ptr_array_free(captures, TRUE);
    return status;
}

/* Sets the number of the word among `n`; returns false, having said so, if it is none. NULL: the first. */
static bool
choose(const char *option, const char *word, const char *const *words, unsigned n, unsigned *chosen)
{
    GString *known = g_string_new(NULL);
    struct nearest nearest = nearest_to(word ? word : "");
    *chosen = 0;
    for (; word && *chosen < n && strcmp(word, words[*chosen]) != 0; ++*chosen) {
        nearest_offer(&nearest, words[*chosen]);
        g_string_append_printf(known, "%s%s", *chosen == 0 ? "" : *chosen == n - 1 ? " or " : ", ", words[*chosen]);
    }
    if (*chosen == n)
        program_say("--%s takes %s, not \"%s\".%s", option, known->str, word, nearest.question);
    g_string_free(known, TRUE);
    return *chosen < n;
}

static struct {
    gboolean in_order;
    char *format, *columns, **tables, **paths;
} given;

static const GOptionEntry printed[] = {
    { "table", 'z', 0, G_OPTION_ARG_STRING_ARRAY, &given.tables,
      "Print only this table of those below: \"latency,operations\" or \"operations\"; can be repeated", "TABLE" },
    { "format", 'f', 0, G_OPTION_ARG_STRING, &given.format,
      "Print the tables as text, or for programs as csv, tsv or json", "FORMAT" },
    { "columns", 'c', 0, G_OPTION_ARG_STRING, &given.columns,
      "Print text with these columns: default, which fit 80 columns, or wide, which are all", "COLUMNS" },
    { NULL, 0, 0, 0, NULL, NULL, NULL },
};

static const GOptionEntry joined[] = {
    { "in-order", 'o', 0, G_OPTION_ARG_NONE, &given.in_order,
      "Join the captures in the order given, not in that of their first frames: for a clock that was set back", NULL },
    { G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &given.paths, NULL, NULL },
    { NULL, 0, 0, 0, NULL, NULL, NULL },
};

/* Takes what the options say; returns false, having said so, if it is wrong. */
static bool
choose_form(struct report_form *form)
{
    unsigned format, columns;
    char *wrong = NULL;
    if (!choose("format", given.format, table_format_names, TABLE_FORMATS, &format) ||
        !choose("columns", given.columns, table_columns_names, TABLE_COLUMNS_CHOICES, &columns))
        return false;
    *form = (struct report_form){ .format = (enum table_format)format, .columns = (enum table_columns)columns };
    for (char **table = given.tables; table && *table && !wrong; table++)
        wrong = choice_add(&form->choice, *table);
    if (wrong)
        program_say_lines(wrong);
    g_free(wrong);
    return !wrong;
}

int
main(int argc, char **argv)
{
    static const struct option_group groups[] = {
        { "What is printed", printed },
        { "How captures are joined", joined },
        { NULL, NULL },
    };
    const struct program program = {
        .name = "latency-merge",
        .arguments = "FILE...",
        .summary = summary,
        .examples = examples,
        .groups = groups,
        .tables = BY_MERGE,
        .description = description,
    };
    struct report_form form;
    int status;
    wmem_init();
    if (program_begin(&program, &argc, &argv, &status)) {
        if (!given.paths)
            program_say("There is no file to merge; see latency-merge --help.");
        else if (choose_form(&form))
            status = program_may_print(given.paths) ? run(given.paths, given.in_order, &form) : EXIT_FAILURE;
    }
    g_free(given.format);
    g_free(given.columns);
    g_strfreev(given.tables);
    g_strfreev(given.paths);
    wmem_cleanup();
    return status;
}
