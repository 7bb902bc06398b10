/* outputs.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "outputs.h"

#include <errno.h>
#include <string.h>

#include "core/analysis.h"
#include "metrics.h"
#include "preferences.h"
#include "say.h"
#include "slow.h"
#include "srt.h"
#include "table/table.h"
#include "table/table_names.h"

struct shown {
    const struct table_definition *definition;
    struct table_source *source;
    unsigned most; /* as the user has it; 0: as usual */
    void *rows;    /* NULL before they take something */
    GArray *told;  /* of bool, by row: it has been printed; NULL if rows are not printed as they come */
};

struct outputs {
    GPtrArray *tables; /* of struct shown */
    struct written *written;
    struct metrics *metrics; /* NULL: nobody wants them; as the next */
    struct slow *slow;
    struct scan *scan;
};

static void
close_rows(struct shown *shown)
{
    if (shown->rows)
        table_close(shown->rows);
    shown->rows = NULL;
}

static void
free_shown(void *data)
{
    struct shown *shown = data;
    close_rows(shown);
    if (shown->told)
        g_array_free(shown->told, TRUE);
    g_free(data);
}

void
outputs_end(struct outputs *outputs)
{
    for (unsigned i = 0; i < outputs->tables->len; i++)
        close_rows(g_ptr_array_index(outputs->tables, i));
    written_end(outputs->written);
    if (outputs->metrics)
        metrics_end(outputs->metrics);
    if (outputs->slow)
        slow_end(outputs->slow);
}

struct outputs *
outputs_new(void)
{
    struct outputs *outputs = g_new0(struct outputs, 1);
    outputs->tables = g_ptr_array_new_with_free_func(free_shown);
    outputs->written = written_new();
    return outputs;
}

void
outputs_free(struct outputs *outputs)
{
    g_ptr_array_free(outputs->tables, TRUE);
    written_free(outputs->written);
    if (outputs->metrics)
        metrics_free(outputs->metrics);
    if (outputs->slow)
        slow_free(outputs->slow);
    g_free(outputs);
}

/* Tables of the plugin that are not made here. */
static const char *const of_wireshark[] = { "latency,protocols", "latency,srt" };

/* A sentence, to be freed with g_free(), as the next. */
static char *
argument_refuse_filter(const char *argument, const char *filter)
{
    return g_strdup_printf("-z %s: the display filter \"%s\" needs tshark. latency-scan has capture filters, as in "
                           "-f 'tcp port 80'.",
                           argument, filter);
}

/* The table with this number, from 0; NULL behind the last. */
static const struct table_definition *
argument_table(unsigned i)
{
    static const struct table_definition *const more[] = { &trees_table, &ca_srt_table, &pva_srt_table };
    static unsigned n;
    while (table_definitions[n])
        n++;
    return i < n ? table_definitions[i] : i - n < G_N_ELEMENTS(more) ? more[i - n] : NULL;
}

static char *
argument_refuse(const char *argument)
{
    for (unsigned i = 0; i < G_N_ELEMENTS(of_wireshark); i++)
        if (table_name_after(argument, of_wireshark[i]))
            return g_strdup_printf("-z %s needs Wireshark's dissectors: tshark -q -r FILE -z %s", of_wireshark[i],
                                   argument);
    return table_name_refuse(argument, BY_SCAN);
}

/* "" or ",FILE" or ",FILE,FILTER" */
static char *
add_json(struct outputs *outputs, const char *argument, const char *rest)
{
    char **words = g_strsplit(rest, ",", 3);
    char *refused = NULL;
    if (*rest && words[2] && *words[2])
        refused = argument_refuse_filter(argument, words[2]);
    else
        written_add_json(outputs->written, *rest && *words[1] ? words[1] : "-");
    g_strfreev(words);
    return refused;
}

/* Adds the table that an argument names wholly; returns NULL, or a text about what is wrong. */
static char *
add_named(struct outputs *outputs, const char *argument)
{
    const char *rest = table_name_after(argument, "latency,json");
    const struct table_definition *table;
    if (rest)
        return add_json(outputs, argument, rest);
    for (unsigned i = 0; (table = argument_table(i)); i++) {
        rest = table_name_after(argument, table->argument);
        if (!rest)
            continue;
        unsigned most;
        char *refused = table_read_most(table, &rest, &most);
        if (refused)
            return refused;
        if (*rest && rest[1])
            return argument_refuse_filter(argument, rest + 1);
        struct shown *shown = g_new0(struct shown, 1);
        shown->definition = table->streamed ? table->streamed : table;
        shown->most = most;
        g_ptr_array_add(outputs->tables, shown);
        return NULL;
    }
    return argument_refuse(argument);
}

char *
outputs_add(struct outputs *outputs, const char *argument)
{
    char *whole = table_name_complete(argument);
    char *refused = add_named(outputs, whole);
    g_free(whole);
    return refused;
}

void
outputs_add_metrics(struct outputs *outputs, const char *path, const char *address)
{
    outputs->metrics = metrics_new(path, address);
}

void
outputs_add_slow(struct outputs *outputs, int64_t least_ns)
{
    outputs->slow = slow_new(least_ns);
}

bool
outputs_check(const struct outputs *outputs, char *const *captures)
{
    return written_check(outputs->written, captures) &&
           (!outputs->metrics || metrics_check(outputs->metrics, captures));
}

struct written *
outputs_written(struct outputs *outputs)
{
    return outputs->written;
}

char *
outputs_refuse_blocks(const struct outputs *outputs)
{
    for (unsigned i = 0; i < outputs->tables->len; i++) {
        const struct shown *shown = g_ptr_array_index(outputs->tables, i);
        if (shown->definition->is_of_whole || shown->definition->made_at_end)
            return g_strdup_printf("-z %s needs the whole capture, and cannot be combined with --every.",
                                   shown->definition->argument);
    }
    return NULL;
}

bool
outputs_are_none(const struct outputs *outputs)
{
    return outputs->tables->len == 0 && written_count(outputs->written) == 0 && !outputs->metrics && !outputs->slow;
}

static struct text_table
text_of(const struct shown *shown, const char *notes)
{
    return table_as_text(shown->definition, shown->rows, shown->source, notes, shown->source->start_ns);
}

/* A row, once. */
static void
tell_row(struct shown *shown, unsigned row)
{
    if (shown->told->len <= row)
        g_array_set_size(shown->told, row + 1);
    bool *told = &g_array_index(shown->told, bool, row);
    if (*told)
        return;
    *told = true;
    const struct text_table text = text_of(shown, "");
    text_table_print_row(&text, row, stdout);
    fflush(stdout);
}

static void
take(struct shown *shown, const void *record)
{
    int row = shown->definition->take(shown->rows, record);
    if (shown->told && row >= 0 && shown->definition->is_settled(shown->rows, (unsigned)row))
        tell_row(shown, (unsigned)row);
}

static inline void
take_item(void *data, const struct item *item, uint32_t frame G_GNUC_UNUSED)
{
    take(data, item);
}

static void
take_event(void *data, const struct ca_event *event)
{
    take(data, event);
}

bool
outputs_begin(struct outputs *outputs, struct scan *scan)
{
    outputs->scan = scan;
    if (!written_begin(outputs->written, scan) || (outputs->metrics && !metrics_begin(outputs->metrics, scan)))
        return false;
    if (outputs->slow)
        slow_begin(outputs->slow, scan);
    struct analysis *analysis = scan_source(scan)->analysis;
    const bool tables_alone = written_count(outputs->written) == 0 && !outputs->metrics && !outputs->slow;
    analysis->requests.hides_operations = tables_alone;
    analysis->hides_sightings = tables_alone;
    for (unsigned i = 0; i < outputs->tables->len; i++) {
        struct shown *shown = g_ptr_array_index(outputs->tables, i);
        bool events = shown->definition->takes_events;
        analysis->requests.hides_operations &= !shown->definition->shows_operations;
        analysis->hides_sightings &= !shown->definition->shows_sightings;
        shown->source = scan_source(scan);
        shown->source->format = preferences_table_format();
        shown->source->shows_wide = preferences_show_wide();
        shown->rows = table_open(shown->definition, shown->source);
        table_set_most(shown->rows, shown->most);
        if (shown->told) {
            const struct text_table text = text_of(shown, "");
            text_table_print_head(&text, stdout);
        }
        scan_listen(scan, &(struct listener){ shown, events ? NULL : take_item, events ? take_event : NULL, false });
    }
    return true;
}

/* Returns what stands below the title, to be freed with g_string_free(). */
static GString *
notes_of(const struct outputs *outputs, const struct shown *shown)
{
    if (!shown->definition->summarize)
        return g_string_new(NULL);
    GString *notes = table_notes(shown->definition, shown->rows, shown->source, NULL);
    scan_describe(outputs->scan, notes);
    return notes;
}

/* `first`: a line that comes before the others below the title; may be "". */
static void
print_table(const struct outputs *outputs, const struct shown *shown, const char *first)
{
    GString *notes = notes_of(outputs, shown);
    g_string_prepend(notes, first);
    if (shown->definition->summarize)
        table_print(shown->definition, shown->rows, shown->source, notes->str, shown->source->start_ns);
    else
        shown->definition->print(shown->rows, notes->str, stdout);
    g_string_free(notes, TRUE);
}

/* What has not been settled, and what all came to. */
static void
print_rest(const struct outputs *outputs, struct shown *shown)
{
    unsigned count = table_count(shown->rows);
    for (unsigned row = 0; row < count; row++)
        tell_row(shown, row);
    if (shown->source->format != TABLE_TEXT)
        return;
    GString *notes = table_notes(shown->definition, shown->rows, shown->source, NULL);
    scan_describe(outputs->scan, notes);
    fputs(notes->str, stdout);
    g_string_free(notes, TRUE);
}

char *
outputs_stream(struct outputs *outputs)
{
    for (unsigned i = 0; i < outputs->tables->len; i++) {
        struct shown *shown = g_ptr_array_index(outputs->tables, i);
        if (!shown->definition->is_settled)
            return g_strdup_printf(
                "--every 0 is for -z latency,connects alone: the rows of %s are not final before the "
                "capture ends.",
                shown->definition->argument);
        shown->told = g_array_new(FALSE, TRUE, sizeof(bool));
    }
    return NULL;
}

void
outputs_print_block(struct outputs *outputs, int64_t from_ns, int64_t until_ns)
{
    const struct table_source *source = scan_source(outputs->scan);
    char *from = source->texts->timestamp(NULL, from_ns, source->start_ns);
    char *until = source->texts->timestamp(NULL, until_ns, source->start_ns);
    char *line = g_strdup_printf("From %s to %s.\n", from, until);
    for (unsigned i = 0; i < outputs->tables->len; i++) {
        struct shown *shown = g_ptr_array_index(outputs->tables, i);
        print_table(outputs, shown, line);
        table_close(shown->rows);
        shown->rows = table_open(shown->definition, shown->source);
        table_set_most(shown->rows, shown->most);
    }
    fflush(stdout);
    if (outputs->metrics)
        metrics_write(outputs->metrics);
    g_free(line);
    wmem_free(NULL, from);
    wmem_free(NULL, until);
}

static bool
say_lost_rows(const struct shown *shown)
{
    say("Rows of %s are missing: their temporary file in \"%s\" could not be written or read (%s).",
        shown->definition->argument, g_get_tmp_dir(), g_strerror(shown->definition->error(shown->rows)));
    return false;
}

bool
outputs_finish(struct outputs *outputs, bool are_printed, char *const *captures)
{
    bool made = written_finish(outputs->written, captures);
    if (outputs->metrics)
        made &= metrics_finish(outputs->metrics);
    if (outputs->slow)
        slow_finish(outputs->slow);
    for (unsigned i = 0; !are_printed && i < outputs->tables->len; i++) {
        struct shown *shown = g_ptr_array_index(outputs->tables, i);
        if (shown->told)
            print_rest(outputs, shown);
        else
            print_table(outputs, shown, "");
        if (shown->definition->error && shown->definition->error(shown->rows))
            made = say_lost_rows(shown);
    }
    if (fflush(stdout) == 0 && !ferror(stdout))
        return made;
    say("The tables cannot be written: %s.", g_strerror(errno));
    return false;
}

bool
outputs_can_join(const struct outputs *outputs)
{
    bool can = written_count(outputs->written) == 0 && !outputs->metrics && !outputs->slow;
    for (unsigned i = 0; i < outputs->tables->len; i++) {
        const struct shown *shown = g_ptr_array_index(outputs->tables, i);
        can &= shown->definition->merge && !shown->told;
    }
    return can;
}

struct outputs *
outputs_of_part(const struct outputs *outputs)
{
    struct outputs *part = outputs_new();
    for (unsigned i = 0; i < outputs->tables->len; i++) {
        struct shown *shown = g_new0(struct shown, 1);
        shown->definition = ((const struct shown *)g_ptr_array_index(outputs->tables, i))->definition;
        g_ptr_array_add(part->tables, shown);
    }
    return part;
}

void
outputs_join(struct outputs *outputs, struct outputs *const *parts, unsigned n)
{
    void **rows = g_new(void *, n);
    for (unsigned i = 0; i < outputs->tables->len; i++) {
        struct shown *shown = g_ptr_array_index(outputs->tables, i);
        for (unsigned part = 0; part < n; part++)
            rows[part] = ((const struct shown *)g_ptr_array_index(parts[part]->tables, i))->rows;
        shown->definition->merge(shown->rows, rows, n);
    }
    g_free(rows);
}
