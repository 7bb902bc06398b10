/* program.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "program.h"

#include <fcntl.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/util/nearest.h"
#include "core/util/output_check.h"
#include "core/util/output_file.h"
#include "core/util/printable.h"
#include "table/table_names.h"

void
program_say_list(const char *format, va_list arguments)
{
    char *said = g_strdup_vprintf(format, arguments);
    char *printed = printable_text(NULL, said);
    fprintf(stderr, "%s: %s\n", g_get_prgname(), printed);
    wmem_free(NULL, printed);
    g_free(said);
}

void
program_say(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    program_say_list(format, arguments);
    va_end(arguments);
}

void
program_say_lines(const char *text)
{
    char **lines = g_strsplit(text, "\n", -1);
    for (char **line = lines; *line; line++) {
        char *printed = printable_text(NULL, *line);
        if (line == lines)
            program_say("%s", printed);
        else
            fprintf(stderr, "%s\n", printed);
        wmem_free(NULL, printed);
    }
    g_strfreev(lines);
}

int
program_fail(GError *error)
{
    program_say("%s", error->message);
    g_error_free(error);
    return EXIT_FAILURE;
}

bool
program_may_print(char *const *inputs)
{
    char *refused = output_check_standard(inputs, g_strv_length((char **)inputs));
    if (refused)
        program_say("%s", refused);
    g_free(refused);
    return !refused;
}

/* Where it is closed, the next file opened would get what is meant for it. */
static bool
can_print(void)
{
    if (fcntl(STDOUT_FILENO, F_GETFD) >= 0)
        return true;
    program_say("There is no standard output: it is closed.");
    return false;
}

/* Says what GLib complains of in the command line, whose last word is the option, with its value if it is written with
 * "=". */
static void
say_wrong_option(const GError *error, const struct option_group *groups)
{
    const char *last = strstr(error->message, " --");
    char *written = last ? g_strndup(last + 1, strcspn(last + 1, "=")) : g_strdup("");
    struct nearest nearest = nearest_to(written);
    for (; groups->heading && last; groups++) {
        for (const GOptionEntry *entry = groups->entries; entry->long_name; entry++) {
            char *option = g_strconcat("--", entry->long_name, NULL);
            if (*entry->long_name)
                nearest_offer(&nearest, option);
            g_free(option);
        }
    }
    program_say("%s.%s See %s --help.", error->message, nearest.question, g_get_prgname());
    g_free(written);
}

/* Prints the words of a text from column HELP_COLUMN on, where the first line has got to `column`. */
static void
print_wrapped(const char *text, unsigned column)
{
    enum { HELP_COLUMN = 24, COLUMNS = 80 };
    char **words = g_strsplit(text, " ", -1);
    for (char **word = words; *word; word++) {
        const unsigned length = (unsigned)g_utf8_strlen(*word, -1);
        const bool begins = word == words;
        if (begins ? column + 2 > HELP_COLUMN : column + 1 + length > COLUMNS) {
            putchar('\n');
            column = 0;
        }
        const unsigned gap = column < HELP_COLUMN ? HELP_COLUMN - column : 1;
        printf("%*s%s", (int)gap, "", *word);
        column += gap + length;
    }
    putchar('\n');
    g_strfreev(words);
}

static void
print_option(const GOptionEntry *entry)
{
    GString *option = g_string_new(NULL);
    if (entry->short_name)
        g_string_append_printf(option, "  -%c, --%s", entry->short_name, entry->long_name);
    else
        g_string_append_printf(option, "      --%s", entry->long_name);
    if (entry->arg_description)
        g_string_append_printf(option, "=%s", entry->arg_description);
    fputs(option->str, stdout);
    print_wrapped(entry->description, (unsigned)option->len);
    g_string_free(option, TRUE);
}

static void
print_group(const struct option_group *group)
{
    printf("\n%s:\n", group->heading);
    for (const GOptionEntry *entry = group->entries; entry->long_name; entry++)
        if (*entry->long_name)
            print_option(entry);
}

static void
print_help(const struct program *program, const struct option_group *own)
{
    printf("Usage: %s [OPTIONS] %s\n%s\nExamples:\n%s", program->name, program->arguments, program->summary,
           program->examples);
    for (const struct option_group *group = program->groups; group->heading; group++)
        print_group(group);
    print_group(own);
    if (program->tables) {
        GString *tables = g_string_new("\nTables, and what a row is:\n");
        table_names_list(tables, program->tables);
        fputs(tables->str, stdout);
        g_string_free(tables, TRUE);
    }
    printf("\n%s", program->description);
}

bool
program_begin(const struct program *program, int *argc, char ***argv, int *status)
{
    gboolean help = FALSE, version = FALSE;
    const GOptionEntry entries[] = {
        { "help", 'h', 0, G_OPTION_ARG_NONE, &help, "Print this and exit", NULL },
        { "version", 'v', 0, G_OPTION_ARG_NONE, &version, "Print the version and exit", NULL },
        { NULL, 0, 0, 0, NULL, NULL, NULL },
    };
    const struct option_group own = { "About the program", entries };
    *status = EXIT_FAILURE;
    g_set_prgname(program->name);
    output_file_survive_limits();
    if (!can_print())
        return false;
    setlocale(LC_CTYPE, "");
    setlocale(LC_MESSAGES, "");
    GOptionContext *context = g_option_context_new(NULL);
    g_option_context_set_help_enabled(context, FALSE);
    for (const struct option_group *group = program->groups; group->heading; group++)
        g_option_context_add_main_entries(context, group->entries, NULL);
    g_option_context_add_main_entries(context, entries, NULL);
    GError *error = NULL;
    bool read = g_option_context_parse(context, argc, argv, &error);
    g_option_context_free(context);
    *status = EXIT_USAGE;
    if (!read) {
        say_wrong_option(error, program->groups);
        g_error_free(error);
        return false;
    }
    if (help)
        print_help(program, &own);
    else if (version)
        printf("%s %s\n", program->name, LATENCY_VERSION);
    else
        return true;
    *status = fflush(stdout) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
    return false;
}
