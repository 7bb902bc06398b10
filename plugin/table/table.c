/* table.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "table.h"

#include <string.h>

#include "table_rows.h"

const struct table_definition *const table_definitions[] = {
    &summary_table,      &servers_table,      &operations_table,
    &connections_table,  &connects_table,     &quic_table,         &requests_table,
    &calls_table,        &packets_table,      &intervals_table,
    &stages_table,       &paths_table,        &kernel_table,
    &ca_servers_table,   &ca_channels_table,  &ca_searches_table,
    &pva_servers_table,  &pva_channels_table, &pva_searches_table,
    &pva_monitors_table, &hosts_table,        NULL,
};

/* More of anything nobody reads. */
enum { MOST = 1000 };

char *
table_read_most(const struct table_definition *definition, const char **rest, unsigned *most)
{
    guint64 number;
    *most = 0;
    if (definition->most == 0 || **rest != ',' || !strchr("+-0123456789", (*rest)[1]) || (*rest)[1] == '\0')
        return NULL;
    char **words = g_strsplit(*rest + 1, ",", 2);
    char *refused = NULL;
    if (g_ascii_string_to_unsigned(words[0], 10, 1, MOST, &number, NULL))
        *most = (unsigned)number;
    else
        refused = g_strdup_printf("-z %s takes a number from 1 to %d, as in -z %s,%u, not \"%s\".",
                                  definition->argument, MOST, definition->argument, definition->most, words[0]);
    *rest += 1 + strlen(words[0]);
    g_strfreev(words);
    return refused;
}

GString *
table_notes(const struct table_definition *definition, void *rows, const struct table_source *source,
            const char *filter)
{
    GString *notes = g_string_new(NULL);
    definition->summarize(rows, notes);
    if (table_count(rows) == 0)
        definition->absence(source, notes);
    if (filter)
        one_sided_write(&((const struct table_rows *)rows)->sides, notes);
    const char *passing = filter ? filter : source->filter;
    if (passing)
        g_string_append_printf(notes, "Filter: %s\n", passing);
    return notes;
}

struct text_table
table_as_text(const struct table_definition *definition, void *rows, const struct table_source *source,
              const char *notes, int64_t start_ns)
{
    table_add_up_shares(rows);
    return (struct text_table){
        .argument = definition->argument,
        .format = source->format,
        .shows_wide = source->shows_wide,
        .follows = source->has_printed,
        .heading = definition->heading,
        .notes = notes,
        .wide_note = definition->wide_note,
        .columns = definition->columns,
        .n_rows = table_count(rows),
        .fill = definition->fill,
        .weight = definition->weight,
        .is_ranked = definition->is_ranked,
        .each = definition->each,
        .folded = definition->folded,
        .may_fold = definition->may_fold,
        .timestamp = source->texts->timestamp,
        .start_ns = start_ns,
        .slow_ns = source->settings ? source->settings->slow_ns : 0,
        .rows = rows,
    };
}

void
table_print(const struct table_definition *definition, void *rows, struct table_source *source, const char *notes,
            int64_t start_ns)
{
    if (definition->print && (source->format == TABLE_TEXT || !definition->columns)) {
        definition->print(rows, notes, stdout);
    } else {
        const struct text_table text = table_as_text(definition, rows, source, notes, start_ns);
        text_table_print(&text, stdout);
    }
    source->has_printed = true;
}
