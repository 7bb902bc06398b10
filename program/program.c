/* program.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "program.h"

#include <fcntl.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

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
        program_say("%s; see %s --help.", error->message, program->name);
        g_error_free(error);
    } else if (version) {
        printf("%s %s\n", program->name, LATENCY_VERSION);
        *status = fflush(stdout) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
    }
    return read && !version;
}
