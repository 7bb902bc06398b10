/* report.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "report.h"

#include "table/ca_counts.h"
#include "table/notes.h"
#include "table/table_names.h"

/* What is coloured on a terminal, as by the default of the preference latency.slow. */
enum { SLOW_NS = 100000000 };

/* What the table's rows do not say of what was left out. */
static void
write_left_out(const struct totals *totals, enum total_number number, GString *notes)
{
    if (number == TOTAL_SERVERS || number == TOTAL_OPERATIONS)
        omitted_write(&totals->omitted, &totals->source, notes);
    if (number == TOTAL_CA_SERVERS)
        ca_orphans_write(&(struct ca_orphans){ .count = totals->orphan_channels }, notes);
    if (number == TOTAL_PVA_SERVERS)
        ca_orphans_write(&(struct ca_orphans){ .count = totals->orphan_pva_channels }, notes);
}

static void
print(struct totals *totals, enum total_number number, const char *made_of, FILE *file)
{
    const struct total *total = &totals->tables[number];
    GString *notes = g_string_new(NULL);
    total->definition->summarize(total->rows, notes);
    write_left_out(totals, number, notes);
    g_string_append(notes, made_of);
    const struct text_table table = table_as_text(total->definition, total->rows, &totals->source, notes->str, 0);
    text_table_print(&table, file);
    totals->source.has_printed = true;
    g_string_free(notes, TRUE);
}

char *
choice_add(struct choice *choice, const char *argument)
{
    char *whole = table_name_complete(argument), *refused = NULL;
    const char *filter = NULL;
    enum total_number number = 0;
    while (number < TOTALS && !(filter = table_name_after(whole, total_definition(number)->argument)))
        number++;
    if (number == TOTALS)
        refused = table_name_refuse(argument, BY_MERGE);
    else if (*filter && filter[1])
        refused = g_strdup_printf("-z %s: latency-merge has no filters. Give the filter to tshark when it writes the "
                                  "files.",
                                  whole);
    else
        choice->is_of_some = choice->has[number] = true;
    g_free(whole);
    return refused;
}

void
report_print(struct totals *totals, const struct made_of *made_of, const struct report_form *form, FILE *file)
{
    const char *const lines[TOTALS] = {
        [TOTAL_SERVERS] = made_of->requests,      [TOTAL_OPERATIONS] = made_of->requests,
        [TOTAL_CONNECTIONS] = made_of->requests,  [TOTAL_HOSTS] = made_of->requests,
        [TOTAL_CALLS] = made_of->calls,           [TOTAL_CA_SERVERS] = made_of->channels,
        [TOTAL_PVA_SERVERS] = made_of->channels,  [TOTAL_CA_SEARCHES] = made_of->names,
        [TOTAL_PVA_SEARCHES] = made_of->names,    [TOTAL_CA_COMMANDS] = made_of->commands,
        [TOTAL_PVA_COMMANDS] = made_of->commands,
    };
    static const struct settings settings = { .slow_ns = SLOW_NS };
    totals->source.settings = &settings;
    totals->source.format = form->format;
    totals->source.shows_wide = form->columns == TABLE_COLUMNS_WIDE;
    for (enum total_number number = 0; number < TOTALS; number++) {
        struct total *total = &totals->tables[number];
        const bool is_shown =
            form->choice.is_of_some ? form->choice.has[number] : number <= TOTAL_HOSTS || table_count(total->rows) > 0;
        if (is_shown)
            print(totals, number, lines[number], file);
        total_close(total);
    }
}
