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

/* Says what GLib complains of in the command line, whose last word is the option if there is no such one. */
static void
say_wrong_option(const GError *error, const GOptionEntry *entries)
{
    const char *written = strstr(error->message, " --");
    struct nearest nearest = nearest_to(written ? written + 1 : "");
    for (; entries->long_name && written; entries++) {
        char *option = g_strconcat("--", entries->long_name, NULL);
        if (*entries->long_name)
            nearest_offer(&nearest, option);
        g_free(option);
    }
    program_say("%s.%s See %s --help.", error->message, nearest.question, g_get_prgname());
}

bool
program_begin(const struct program *program, const GOptionEntry *entries, int *argc, char ***argv, int *status)
{
    gboolean version = FALSE;
    const GOptionEntry own[] = {
        { "version", 'v', 0, G_OPTION_ARG_NONE, &version, "Print the version and exit", NULL },
        { NULL, 0, 0, 0, NULL, NULL, NULL },
    };
    *status = EXIT_FAILURE;
    g_set_prgname(program->name);
    output_file_survive_limits();
    if (!can_print())
        return false;
    setlocale(LC_ALL, "");
    setlocale(LC_NUMERIC, "C");
    GOptionContext *context = g_option_context_new(NULL);
    g_option_context_set_summary(context, program->summary);
    g_option_context_set_description(context, program->description);
    g_option_context_add_main_entries(context, entries, NULL);
    g_option_context_add_main_entries(context, own, NULL);
    GError *error = NULL;
    bool read = g_option_context_parse(context, argc, argv, &error);
    g_option_context_free(context);
    *status = EXIT_USAGE;
    if (!read) {
        say_wrong_option(error, entries);
        g_error_free(error);
    } else if (version) {
        printf("%s %s\n", program->name, LATENCY_VERSION);
        *status = fflush(stdout) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
    }
    return read && !version;
}
