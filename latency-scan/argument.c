/* argument.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "argument.h"

#include <string.h>

#include "srt.h"
#include "table/tables.h"

/* Tables of the plugin that are not made here. */
static const char *const of_wireshark[] = { "latency,protocols", "latency,srt" };

const char *
argument_after(const char *argument, const char *name)
{
    size_t length = strlen(name);
    if (strncmp(argument, name, length) != 0 || (argument[length] != '\0' && argument[length] != ','))
        return NULL;
    return argument + length;
}

char *
argument_refuse_filter(const char *argument, const char *filter)
{
    return g_strdup_printf("-z %s has the display filter \"%s\", which is Wireshark's: tshark takes it. latency-scan "
                           "has capture filters, as in -f 'tcp port 80'.",
                           argument, filter);
}

const struct table_definition *
argument_table(unsigned i)
{
    static const struct table_definition *const more[] = { &ca_srt_table, &pva_srt_table };
    static unsigned n;
    while (table_definitions[n])
        n++;
    return i < n ? table_definitions[i] : i - n < G_N_ELEMENTS(more) ? more[i - n] : NULL;
}

char *
argument_refuse(const char *argument)
{
    GString *text = g_string_new(NULL);
    const struct table_definition *table;
    for (unsigned i = 0; i < G_N_ELEMENTS(of_wireshark); i++) {
        if (!argument_after(argument, of_wireshark[i]))
            continue;
        g_string_append_printf(text, "-z %s needs Wireshark's dissectors: tshark -q -r FILE -z %s", of_wireshark[i],
                               argument);
        return g_string_free(text, FALSE);
    }
    g_string_append_printf(text, "-z \"%s\" is no table; there are", argument);
    for (unsigned i = 0; (table = argument_table(i)); i++)
        g_string_append_printf(text, " %s,", table->argument);
    g_string_append(text, " and latency,json.");
    return g_string_free(text, FALSE);
}
