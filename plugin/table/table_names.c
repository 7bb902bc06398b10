/* table_names.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "table_names.h"

#include <stdbool.h>
#include <string.h>

#include "../core/util/nearest.h"
#include "../core/util/printable.h"

static const char short_prefix[] = "latency,";

enum { ALL = BY_TSHARK | BY_SCAN | BY_MERGE, OF_ONE = BY_TSHARK | BY_SCAN };

const struct table_name table_names[] = {
    { "latency,summary", "no table, but a summary in at most 20 lines", OF_ONE },
    { "latency,servers", "a server", ALL },
    { "latency,operations", "a server and what it was asked for", ALL },
    { "latency,connections", "a client and a server", ALL },
    { "latency,connects", "a connection attempt, with its TLS handshake", OF_ONE },
    { "latency,quic", "a connection of QUIC: handshake, packets and bytes", OF_ONE },
    { "latency,hosts", "a host by its name in TLS (SNI), else a server's address", ALL },
    { "latency,requests", "a request", OF_ONE },
    { "latency,calls", "an operation and one that its requests call", ALL },
    { "latency,trees", "a slow request, and below it those that it calls", OF_ONE },
    { "latency,packets", "a sender and a server", OF_ONE },
    { "latency,intervals", "a second with requests", OF_ONE },
    { "latency,stages", "two capture points that packets pass in succession", OF_ONE },
    { "latency,paths", "a packet, with the capture points that it passed", OF_ONE },
    { "latency,kernel", "a second: where in the host its requests spent their time", OF_ONE },
    { "latency,protocols", "a server and a protocol that Wireshark itself pairs", BY_TSHARK },
    { "latency,srt", "an operation, of all servers: Wireshark's own table", BY_TSHARK },
    { "latency,json", "no table, but everything as JSON lines", OF_ONE },
    { "ca,servers", "a server of Channel Access", ALL },
    { "ca,channels", "a channel that a client asked for", OF_ONE },
    { "ca,searches", "a name that was searched for", ALL },
    { "ca,srt", "a command, with response times", ALL },
    { "pva,servers", "a server of pvAccess", ALL },
    { "pva,channels", "a channel that a client asked for", OF_ONE },
    { "pva,searches", "a name that was searched for", ALL },
    { "pva,monitors", "a monitor and its updates", OF_ONE },
    { "pva,srt", "a command, with response times", ALL },
    { NULL, NULL, 0 },
};

const char *
table_name_after(const char *argument, const char *name)
{
    const size_t length = strlen(name);
    if (strncmp(argument, name, length) != 0 || (argument[length] != '\0' && argument[length] != ','))
        return NULL;
    return argument + length;
}

char *
table_name_complete(const char *argument)
{
    for (const struct table_name *table = table_names; table->argument; table++)
        if (g_str_has_prefix(table->argument, short_prefix) &&
            table_name_after(argument, table->argument + strlen(short_prefix)))
            return g_strconcat(short_prefix, argument, NULL);
    return g_strdup(argument);
}

void
table_names_list(GString *text, enum table_printer printer)
{
    enum { NAME_WIDTH = 19 };
    for (const struct table_name *table = table_names; table->argument; table++)
        if (table->printers & printer)
            g_string_append_printf(text, "  %-*s  %s\n", NAME_WIDTH, table->argument, table->row);
}

/* Returns the name in an argument: what stands before its second comma. To be freed with g_free(). */
static char *
name_in(const char *argument)
{
    const char *first = strchr(argument, ','), *second = first ? strchr(first + 1, ',') : NULL;
    return second ? g_strndup(argument, (size_t)(second - argument)) : g_strdup(argument);
}

/* Returns whether one of `printers` prints the table of this name. */
static bool
has_name(const char *name, unsigned printers)
{
    for (const struct table_name *table = table_names; table->argument; table++)
        if (strcmp(table->argument, name) == 0)
            return table->printers & printers;
    return false;
}

/* Returns the table of which the second part of the name is nearest to `part`, or, if that is no table's, the first
 * whose first part it is: "channels" and "ca". NULL if there is none. */
static const char *
find_by_part(const char *part, enum table_printer printer)
{
    struct nearest nearest = nearest_to(part);
    const char *found = NULL;
    for (const struct table_name *table = table_names; table->argument; table++) {
        const unsigned before = nearest.distance;
        const char *comma = strchr(table->argument, ',');
        if (!(table->printers & printer))
            continue;
        nearest_offer(&nearest, comma + 1);
        const bool is_first =
            !found && strlen(part) == (size_t)(comma - table->argument) && g_str_has_prefix(table->argument, part);
        if (is_first || nearest.distance < before)
            found = table->argument;
    }
    return found;
}

char *
table_name_refuse(const char *argument, enum table_printer printer)
{
    char *written = name_in(argument);
    char *whole = strchr(written, ',') ? g_strdup(written) : g_strconcat(short_prefix, written, NULL);
    char *printed = printable_text(NULL, has_name(whole, ALL) ? whole : written);
    struct nearest nearest = nearest_to(whole);
    for (const struct table_name *table = table_names; table->argument; table++)
        if (table->printers & printer)
            nearest_offer(&nearest, table->argument);
    const char *other = find_by_part(strrchr(whole, ',') + 1, printer);
    GString *text = g_string_new(NULL);
    g_string_append_printf(text, "There is no table %s", printed);
    if (has_name(whole, BY_SCAN))
        g_string_append(text, " of many captures; tshark and latency-scan have it of one.");
    else if (has_name(whole, BY_TSHARK))
        g_string_append(text, " here; tshark has it.");
    else if (*nearest.question || !other)
        g_string_append_printf(text, ".%s", nearest.question);
    else
        g_string_append_printf(text, ". Did you mean %s?", other);
    g_string_append(text, "\nThe tables, and what a row is:\n");
    table_names_list(text, printer);
    g_string_truncate(text, text->len - 1);
    wmem_free(NULL, printed);
    g_free(whole);
    g_free(written);
    return g_string_free(text, FALSE);
}
